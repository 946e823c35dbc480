//! Problems of the rows and the geometries of a collection.

use std::collections::{BTreeMap, HashSet};

use arrow_array::Array;

use super::collection::FeatureCollection;
use super::problems::{GeometryProblem, ListedSystems, Problem, RowProblem, first_rows};
use geodesign_common::parallel::map_chunks;
use geodesign_geometry::{ComponentPath, Geometry, InvalidGeometry, check, overlapping, read_wkb};

/// Smallest number of rows that is worth a thread.
const MIN_CHUNK_ROWS: usize = 256;

impl FeatureCollection {
    /// Problems of rows, in the order of the rows: values that could not be read, or that are wrong.
    pub fn row_problems(&self) -> &[RowProblem] {
        &self.problems
    }

    /// Problems of the [rows](Self::row_problems) and of the [geometries](Self::geometry_problems), in the order of the rows.
    pub fn problems(&self) -> Vec<Problem> {
        let rows = self.problems.iter().cloned().map(Problem::Row);
        let mut problems: Vec<_> = rows.chain(self.geometry_problems().into_iter().map(Problem::Geometry)).collect();
        problems.sort_by_key(Problem::row);
        problems
    }

    /// Returns the same rows with more problems.
    #[must_use]
    pub fn with_problems(mut self, more: impl IntoIterator<Item = RowProblem>) -> Self {
        let mut problems = self.problems.to_vec();
        let known: HashSet<RowProblem> = problems.iter().cloned().collect();
        problems.extend(more.into_iter().filter(|problem| !known.contains(problem)));
        problems.sort_by_key(|problem| problem.row);
        self.problems = problems.into();
        self
    }

    /// Returns the same diagrams; diagrams of systems that are not listed are named as [problems](Self::row_problems).
    #[must_use]
    pub fn with_listed_systems(self, listed: &ListedSystems) -> Self {
        let Some(systems) = self.integers("sysid") else { return self };
        let problem = |row| {
            let reason = listed.problem_of(systems.is_valid(row).then(|| systems.value(row)))?;
            Some(RowProblem::new(row, self.diagram_at(row), reason))
        };
        let unlisted: Vec<_> = first_rows(&self.table().properties).filter_map(problem).collect();
        if unlisted.is_empty() { self } else { self.with_problems(unlisted) }
    }

    fn diagram_at(&self, row: usize) -> Option<i64> {
        self.integers("diagramid").filter(|ids| ids.is_valid(row)).map(|ids| ids.value(row))
    }

    /// Problems of geometries, in the order of the rows: the first fault of each. Rows without positions have none.
    pub fn geometry_problems(&self) -> Vec<GeometryProblem> {
        let geometries = &self.table().geometries;
        let ids = self.integers("diagramid");
        let mut problems: Vec<GeometryProblem> = map_chunks(geometries.len(), MIN_CHUNK_ROWS, |rows| {
            let problem = |row: usize| {
                let fault = fault_of(&read_wkb(geometries.get(row)?)?)?;
                let diagram_id = ids.filter(|ids| ids.is_valid(row)).map(|ids| ids.value(row));
                Some(GeometryProblem { row, diagram_id, fault })
            };
            rows.filter_map(problem).collect()
        });
        problems.extend(self.same_land(&problems.iter().map(|problem| problem.row).collect()));
        problems.sort_by_key(|problem| problem.row);
        problems
    }

    /// The valid features that cover land of an earlier feature of their diagram.
    fn same_land(&self, invalid: &HashSet<usize>) -> Vec<GeometryProblem> {
        let Some(ids) = self.integers("diagramid") else { return Vec::new() };
        let mut rows_by_id: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
        for (row, id) in ids.iter().enumerate() {
            rows_by_id.entry(id.unwrap_or(i64::MIN)).or_default().push(row);
        }
        let several: Vec<_> = rows_by_id.into_iter().filter(|(id, rows)| *id != i64::MIN && rows.len() > 1).collect();
        map_chunks(several.len(), 1, |range| {
            let pairs = several[range].iter().flat_map(|(id, rows)| {
                let read =
                    |row: &usize| read_wkb(self.table().geometries.get(*row).filter(|_| !invalid.contains(row))?);
                let shapes: Vec<_> = rows.iter().map(read).collect();
                let problem = |(other, index): (usize, usize)| {
                    let mut position = [0.0, 0.0];
                    let shape = shapes[index].as_ref();
                    shape.into_iter().for_each(|shape| {
                        shape.for_each_shape(&mut |shape| {
                            position = shape.lon_lats().next().map_or(position, |(x, y)| [x, y]);
                        });
                    });
                    let fault = InvalidGeometry::SameLand { component: ComponentPath::default(), other, position };
                    GeometryProblem { row: rows[index], diagram_id: Some(*id), fault }
                };
                overlapping(&shapes, usize::MAX).into_iter().map(problem).collect::<Vec<_>>()
            });
            pairs.collect()
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
        let problems = collection(&[LINE, "null", BOW_TIE, EMPTY]).geometry_problems();
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].row, problems[0].diagram_id), (2, None));
        assert_eq!(problems[0].fault.position(), Some([1.0, 1.0]));
        assert_eq!((problems[0].fault.component().part, problems[0].fault.component().ring), (Some(0), Some(0)));
    }

    #[test]
    fn problems_of_many_rows_are_in_their_order() {
        let rows: Vec<_> = (0..1_000).map(|row| if row % 3 == 0 { BOW_TIE } else { LINE }).collect();
        let found: Vec<_> = collection(&rows).geometry_problems().iter().map(|problem| problem.row).collect();
        assert_eq!(found, (0..1_000).step_by(3).collect::<Vec<_>>());
    }
}
