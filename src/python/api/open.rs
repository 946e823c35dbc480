//! Opens archives of projects, for `pygeodesign.open`.

use std::path::PathBuf;

use pyo3::prelude::*;

use super::project::Project;
use crate::client;

/// The project in an archive.
#[pyfunction]
pub fn _open(py: Python<'_>, path: PathBuf) -> PyResult<Project> {
    Ok(Project::from(py.detach(|| client::Project::open_archive(&path))?))
}
