//! Problems of rows other than those of geometries: values from a service that cannot be read, or that set no price.

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use crate::model::CostOverride;
use geodesign_geometry::InvalidGeometry;

/// A row with a wrong value, or with a missing one that the service sent in a form that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RowProblem {
    /// The index of the row in the [table](super::FeatureCollection::table); for anything left out, the index of the row that follows.
    pub row: usize,
    pub diagram_id: Option<i64>,
    pub reason: String,
    /// True if it affects the diagram's cost.
    #[serde(default = "bears_on_price")]
    pub is_about_price: bool,
}

fn bears_on_price() -> bool {
    true
}

/// Properties that decide a diagram's cost, along with its geometry.
const PRICED: [&str; 9] =
    ["diagramid", "id", "sysid", "type", "areatype", "area", "length", "cost_override", "cost_override_type"];

impl RowProblem {
    /// A problem that may change the cost of the row.
    pub fn new(row: usize, diagram_id: Option<i64>, reason: impl Into<String>) -> Self {
        RowProblem { row, diagram_id, reason: reason.into(), is_about_price: true }
    }
}

/// True if a property decides a diagram's cost.
pub fn is_priced(property: &str) -> bool {
    PRICED.contains(&property)
}

/// Something that is wrong with a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    Row(RowProblem),
    Geometry(GeometryProblem),
}

impl Problem {
    pub fn row(&self) -> usize {
        match self {
            Problem::Row(problem) => problem.row,
            Problem::Geometry(problem) => problem.row,
        }
    }
}

/// Serializes with the names that the fields have in Python.
impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'p> {
            diagramid: Option<i64>,
            row: usize,
            part: Option<usize>,
            position: Option<[f64; 2]>,
            reason: &'p str,
        }
        match self {
            Problem::Geometry(problem) => problem.serialize(serializer),
            Problem::Row(RowProblem { row, diagram_id, reason, .. }) => {
                Fields { diagramid: *diagram_id, row: *row, part: None, position: None, reason }.serialize(serializer)
            }
        }
    }
}

/// A geometry that could not be drawn as a diagram.
#[derive(Debug, Clone, PartialEq)]
pub struct GeometryProblem {
    /// The index of the row in the [table](super::FeatureCollection::table).
    pub row: usize,
    pub diagram_id: Option<i64>,
    /// The first fault of the geometry.
    pub fault: InvalidGeometry,
}

/// Serializes with the names that the fields have in Python.
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

/// The systems that a project lists.
pub struct ListedSystems {
    ids: HashSet<i64>,
    /// The first of them, for messages.
    shown: String,
}

impl ListedSystems {
    pub fn new(ids: impl IntoIterator<Item = i64>) -> Self {
        const MAX_SHOWN: usize = 20;
        let ids: HashSet<i64> = ids.into_iter().collect();
        let mut sorted: Vec<i64> = ids.iter().copied().collect();
        sorted.sort_unstable();
        let shown: Vec<String> = sorted.iter().take(MAX_SHOWN).map(i64::to_string).collect();
        let more = sorted.len().saturating_sub(MAX_SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        ListedSystems { ids, shown: shown.join(", ") + &more }
    }

    /// Returns the reason why a diagram with this `sysid` belongs to no listed system; `None` if it belongs to one.
    pub fn problem_of(&self, system: Option<i64>) -> Option<String> {
        let shown = &self.shown;
        match system {
            Some(system) if self.ids.contains(&system) => None,
            Some(system) => {
                Some(format!("sysid is {system}, a system that the project does not list; it lists {shown}"))
            }
            None => Some(format!("it has no sysid; the project lists the systems {shown}")),
        }
    }
}

/// Returns the problems of invalid cost overrides, once per diagram.
pub fn override_problems(properties: &RecordBatch) -> Vec<RowProblem> {
    let Some(amounts) = properties.column_by_name("cost_override").and_then(|column| column.as_primitive_opt()) else {
        return Vec::new();
    };
    let amounts: &arrow_array::PrimitiveArray<Float64Type> = amounts;
    let kinds = properties.column_by_name("cost_override_type").and_then(|column| column.as_string_opt::<i32>());
    let ids = properties.column_by_name("diagramid").and_then(|column| column.as_primitive_opt::<Int64Type>());
    let problem = |row: usize| {
        let kind = kinds.filter(|kinds| kinds.is_valid(row)).map_or("", |kinds| kinds.value(row));
        let reason = CostOverride::from_wire(amounts.value(row), kind).err()?.to_string();
        let diagram_id = ids.filter(|ids| ids.is_valid(row)).map(|ids| ids.value(row));
        Some(RowProblem::new(row, diagram_id, reason))
    };
    first_rows(properties)
        .filter(|row| amounts.is_valid(*row) && amounts.value(*row) != 0.0)
        .filter_map(problem)
        .collect()
}

/// The rows whose diagram differs from that of the row before.
pub fn first_rows(properties: &RecordBatch) -> impl Iterator<Item = usize> {
    let ids = properties.column_by_name("diagramid").and_then(|column| column.as_primitive_opt::<Int64Type>()).cloned();
    (0..properties.num_rows()).filter(move |row| {
        let id = |row: usize| ids.as_ref().filter(|ids| ids.is_valid(row)).map(|ids| ids.value(row));
        *row == 0 || id(*row).is_none() || id(*row) != id(row - 1)
    })
}
