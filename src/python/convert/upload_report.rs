//! The outcome of adding many diagrams, row by row.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::row_diagrams::RowLabel;
use crate::client::Error;
use crate::model::AddedDiagram;

/// In Python a list of `UploadedRow` dicts, in the order of the rows.
pub struct UploadReport(Vec<Row>);

struct Row {
    label: Py<PyAny>,
    title: String,
    /// `None` where nothing was sent.
    outcome: Option<Result<AddedDiagram, Error>>,
}

impl UploadReport {
    /// The outcomes are in the order of the rows.
    pub fn new(rows: Vec<RowLabel>, outcomes: Vec<Result<AddedDiagram, Error>>) -> Self {
        let rows = rows.into_iter().zip(outcomes);
        UploadReport(rows.map(|((label, title), outcome)| Row { label, title, outcome: Some(outcome) }).collect())
    }

    /// Of rows that could be sent, and were not.
    pub fn unsent(rows: Vec<RowLabel>) -> Self {
        UploadReport(rows.into_iter().map(|(label, title)| Row { label, title, outcome: None }).collect())
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
                Some(Ok(added)) => (Some(added), None),
                Some(Err(error)) => (None, Some(error.to_string())),
                None => (None, None),
            };
            let (id, grid_location) = added.map(|added| (added.diagram_id.0, added.grid_location)).unzip();
            row.set_item("diagram_id", id)?;
            row.set_item("grid_location", grid_location.flatten())?;
            row.set_item("error", error)?;
            report.append(row)?;
        }
        Ok(report)
    }
}
