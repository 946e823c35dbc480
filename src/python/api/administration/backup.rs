//! Copies of the database.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::python::api::sandbox::Sandbox;

#[pymethods]
impl Sandbox {
    /// Copies the database into one file while the service runs. The copy holds everything that was written before the call. It
    /// is checked, and then takes the place of an earlier copy.
    ///
    /// Args:
    ///     path: The file to write: a new one, or an earlier copy that no service uses.
    ///
    /// Raises:
    ///     ConfigurationError: The file is not a database of pygeodesign, is in use, or cannot be written. It is kept as it was.
    ///
    /// Examples:
    ///     >>> import os, tempfile
    ///     >>> copy = os.path.join(tempfile.mkdtemp(), "copy.sqlite")
    ///     >>> sandbox.backup(copy)
    ///     >>> with Sandbox(copy) as copied:
    ///     ...     copied.project_ids == sandbox.project_ids
    ///     True
    fn backup(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        Ok(py.detach(|| self.service.store().backup(&path))?)
    }
}
