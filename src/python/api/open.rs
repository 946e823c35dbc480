//! Opens archives of projects, for `pygeodesign.open`.

use std::path::PathBuf;

use pyo3::prelude::*;

use super::project::Project;
use crate::client;
use crate::python::convert::pickling::unpickled;

/// The project in an archive.
#[pyfunction]
pub fn _open(py: Python<'_>, path: PathBuf) -> PyResult<Project> {
    Ok(Project::from(py.detach(|| client::Project::open_archive(&path))?))
}

/// The project in an archive whose content is in memory, from a store or a pickle. Messages call it by `path`.
#[pyfunction]
pub fn _open_bytes(py: Python<'_>, content: &Bound<'_, PyAny>, path: PathBuf) -> PyResult<Project> {
    let content = unpickled(py, content)?;
    Ok(Project::from(py.detach(|| client::Project::open_archive_bytes(content, path))?))
}

/// The project in an archive that this process wrote just now, without verifying all of the file.
#[pyfunction]
pub fn _open_own(py: Python<'_>, path: PathBuf) -> PyResult<Project> {
    Ok(Project::from(py.detach(|| client::Project::open_own_archive(&path))?))
}
