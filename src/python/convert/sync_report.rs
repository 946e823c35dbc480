//! What changed since an archive was written.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::{self, Traffic};

/// In Python a `SyncReport` dict.
pub struct SyncReport(pub client::SyncReport);

impl<'py> IntoPyObject<'py> for SyncReport {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let client::SyncReport { added, changed, removed, traffic: Traffic { downloaded, kept, bytes } } = self.0;
        let report = PyDict::new(py);
        for (name, diagrams) in [("added", added), ("changed", changed), ("removed", removed)] {
            report.set_item(name, diagrams.into_iter().map(|id| id.0).collect::<Vec<_>>())?;
        }
        report.set_item("downloaded", downloaded)?;
        report.set_item("kept", kept)?;
        report.set_item("bytes", bytes)?;
        Ok(report)
    }
}
