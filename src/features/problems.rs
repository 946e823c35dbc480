//! What is wrong with geometries that a service holds. They are read and measured as they are; only this looks for faults.

use arrow_array::Array;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::collection::FeatureCollection;
use crate::geometry::{ComponentPath, Geometry, InvalidGeometry, check, read_wkb};
use crate::parallel::map_chunks;

/// Fewer rows are not worth a thread.
const MIN_CHUNK_ROWS: usize = 256;

/// A geometry that could not be drawn as a diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct GeometryProblem {
    /// The index of the row in the [table](FeatureCollection::table).
    pub row: usize,
    pub diagram_id: Option<i64>,
    /// The first fault of the geometry.
    pub fault: InvalidGeometry,
}

/// With the names that Python has for the fields.
impl Serialize for GeometryProblem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("GeometryProblem", 5)?;
        fields.serialize_field("diagramid", &self.diagram_id)?;
        fields.serialize_field("row", &self.row)?;
        fields.serialize_field("part", &self.fault.component().part)?;
        fields.serialize_field("position", &self.fault.position())?;
        fields.serialize_field("reason", &self.fault.to_string())?;
        fields.end()
    }
}

impl FeatureCollection {
    /// What is wrong with the geometries, in the order of the rows: the first fault of each. Rows without positions have none.
    pub fn problems(&self) -> Vec<GeometryProblem> {
        let geometries = &self.table().geometries;
        let ids = self.integers("diagramid");
        map_chunks(geometries.len(), MIN_CHUNK_ROWS, |rows| {
            let problem = |row: usize| {
                let fault = fault_of(&read_wkb(geometries.get(row)?)?)?;
                let diagram_id = ids.filter(|ids| ids.is_valid(row)).map(|ids| ids.value(row));
                Some(GeometryProblem { row, diagram_id, fault })
            };
            rows.filter_map(problem).collect()
        })
    }
}

/// The first fault of a geometry. One without positions has none.
pub fn fault_of(geometry: &Geometry) -> Option<InvalidGeometry> {
    let is_without_positions = |fault: &InvalidGeometry| matches!(fault, InvalidGeometry::Empty { component } if *component == ComponentPath::default());
    check(geometry).err().filter(|fault| !is_without_positions(fault))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Layout;

    fn collection(geometries: &[&str]) -> FeatureCollection {
        let feature = |geometry: &&str| format!(r#"{{"type":"Feature","properties":{{}},"geometry":{geometry}}}"#);
        let features: Vec<_> = geometries.iter().map(feature).collect();
        let body = format!(r#"{{"type":"FeatureCollection","features":[{}]}}"#, features.join(","));
        FeatureCollection::from_json(body, Layout::Collection).unwrap()
    }

    const BOW_TIE: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;
    const LINE: &str = r#"{"type":"LineString","coordinates":[[0,0],[2,2]]}"#;
    const EMPTY: &str = r#"{"type":"Polygon","coordinates":[]}"#;

    #[test]
    fn problems_name_the_row_and_the_fault() {
        let problems = collection(&[LINE, "null", BOW_TIE, EMPTY]).problems();
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].row, problems[0].diagram_id), (2, None));
        assert_eq!(problems[0].fault.position(), Some([1.0, 1.0]));
        assert_eq!((problems[0].fault.component().part, problems[0].fault.component().ring), (Some(0), Some(0)));
    }

    #[test]
    fn problems_of_many_rows_are_in_their_order() {
        let rows: Vec<_> = (0..1_000).map(|row| if row % 3 == 0 { BOW_TIE } else { LINE }).collect();
        let found: Vec<_> = collection(&rows).problems().iter().map(|problem| problem.row).collect();
        assert_eq!(found, (0..1_000).step_by(3).collect::<Vec<_>>());
    }
}
