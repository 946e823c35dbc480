//! The report as Arrow tables, whose columns are the fields of the rows in the same order.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use serde::Serialize;
use serde_json::Value;

use super::report::CostReport;
use crate::model::DiagramKind;

impl CostReport {
    /// One row per system, with the columns of [`SystemCost`](super::SystemCost).
    pub fn systems_table(&self) -> RecordBatch {
        table(&[
            ("sysid", integers(self.systems.iter().map(|row| row.sysid))),
            ("name", texts(self.systems.iter().map(|row| Some(&row.name)))),
            ("color", texts(self.systems.iter().map(|row| row.color.as_ref()))),
            ("diagrams", integers(self.systems.iter().map(|row| row.diagrams))),
            ("projects", integers(self.systems.iter().map(|row| row.projects))),
            ("policies", integers(self.systems.iter().map(|row| row.policies))),
            ("area_ha", numbers(self.systems.iter().map(|row| Some(row.area_ha)))),
            ("length_km", numbers(self.systems.iter().map(|row| Some(row.length_km)))),
            ("cost", numbers(self.systems.iter().map(|row| Some(row.cost)))),
            ("unpriced", integers(self.systems.iter().map(|row| row.unpriced))),
            ("without_rate", integers(self.systems.iter().map(|row| row.without_rate))),
            ("budget", numbers(self.systems.iter().map(|row| row.budget))),
            ("budget_left", numbers(self.systems.iter().map(|row| row.budget_left))),
            ("current_ha", numbers(self.systems.iter().map(|row| row.current_ha))),
            ("target_ha", numbers(self.systems.iter().map(|row| row.target_ha))),
            ("target_left_ha", numbers(self.systems.iter().map(|row| row.target_left_ha))),
            ("target_met", Arc::new(self.systems.iter().map(|row| row.target_met).collect::<BooleanArray>())),
        ])
    }

    /// One row per diagram, with the columns of [`DiagramCost`](super::DiagramCost).
    pub fn diagrams_table(&self) -> RecordBatch {
        table(&[
            ("diagramid", integers(self.diagrams.iter().map(|row| row.diagramid))),
            ("sysid", integers(self.diagrams.iter().map(|row| row.sysid))),
            ("description", texts(self.diagrams.iter().map(|row| row.description.as_ref()))),
            ("kind", texts(self.diagrams.iter().map(|row| row.kind.map(DiagramKind::name)))),
            ("area_ha", numbers(self.diagrams.iter().map(|row| row.area_ha))),
            ("area_source", texts(self.diagrams.iter().map(|row| serialized_name(&row.area_source)))),
            ("length_km", numbers(self.diagrams.iter().map(|row| row.length_km))),
            ("rate", numbers(self.diagrams.iter().map(|row| row.rate))),
            ("rate_source", texts(self.diagrams.iter().map(|row| serialized_name(&row.rate_source)))),
            ("cost", numbers(self.diagrams.iter().map(|row| row.cost))),
            ("geometry_problem", texts(self.diagrams.iter().map(|row| row.geometry_problem.as_ref()))),
            ("file_problem", texts(self.diagrams.iter().map(|row| row.file_problem.as_ref()))),
        ])
    }
}

fn table(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    let nullable = columns.iter().map(|(name, column)| (*name, Arc::clone(column), true));
    RecordBatch::try_from_iter_with_nullable(nullable).expect("every column has a value for every row")
}

fn integers(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn numbers(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

fn texts(values: impl Iterator<Item = Option<impl AsRef<str>>>) -> ArrayRef {
    Arc::new(values.collect::<StringArray>())
}

/// The name of an enum's variant in JSON, so that the tables have the same texts as the dicts in Python.
fn serialized_name(source: &impl Serialize) -> Option<String> {
    match serde_json::to_value(source) {
        Ok(Value::String(name)) => Some(name),
        _ => None,
    }
}
