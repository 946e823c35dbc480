//! The outcome of adding many diagrams, row by row.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::client::Error;
use crate::model::AddedDiagram;

/// In Python a list of `UploadedRow` dicts, in the order of the rows.
pub struct UploadReport(Vec<Row>);

struct Row {
    label: Py<PyAny>,
    title: String,
    outcome: Result<AddedDiagram, Error>,
}

impl UploadReport {
    /// `rows` are the labels and titles of the rows, in the order of their outcomes.
    pub fn new(rows: Vec<(Py<PyAny>, String)>, outcomes: Vec<Result<AddedDiagram, Error>>) -> Self {
        let rows = rows.into_iter().zip(outcomes);
        UploadReport(rows.map(|((label, title), outcome)| Row { label, title, outcome }).collect())
    }
}

impl<'py> IntoPyObject<'py> for UploadReport {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let report = PyList::empty(py);
        for Row { label, title, outcome } in self.0 {
            let row = PyDict::new(py);
            row.set_item("row", label)?;
            row.set_item("title", title)?;
            let (added, error) = match outcome {
                Ok(added) => (Some(added), None),
                Err(error) => (None, Some(error.to_string())),
            };
            let (id, grid_location) = added.map(|added| (added.diagram_id.to_string(), added.grid_location)).unzip();
            row.set_item("diagram_id", id)?;
            row.set_item("grid_location", grid_location.flatten())?;
            row.set_item("error", error)?;
            report.append(row)?;
        }
        Ok(report)
    }
}
