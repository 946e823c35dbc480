//! What became of many diagrams, row by row.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::geometries::LabelledDiagram;
use crate::client::{self, Error};
use crate::model::{AddedDiagram, SystemId};
use crate::python::engine::progress::Progress;

/// A list of dicts in Python, in the order of the rows.
pub struct UploadReport(Vec<Row>);

struct Row {
    label: Py<PyAny>,
    title: String,
    outcome: Result<AddedDiagram, Error>,
}

/// Sends one diagram a row.
pub async fn upload(
    project: client::Project,
    system: SystemId,
    rows: Vec<LabelledDiagram>,
    progress: Progress,
) -> PyResult<UploadReport> {
    let (labels, diagrams): (Vec<_>, Vec<_>) =
        rows.into_iter().map(|row| ((row.label, row.title), row.diagram)).unzip();
    let outcomes = project.add_diagrams(system, diagrams, &progress).await?;
    let rows = labels.into_iter().zip(outcomes);
    Ok(UploadReport(rows.map(|((label, title), outcome)| Row { label, title, outcome }).collect()))
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
            let (id, place) = added.map(|added| (added.diagram_id.to_string(), added.grid_location)).unzip();
            row.set_item("diagram_id", id)?;
            row.set_item("grid_location", place.flatten())?;
            row.set_item("error", error)?;
            report.append(row)?;
        }
        Ok(report)
    }
}
