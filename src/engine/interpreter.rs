//! The current interpreter, for programs that are started alongside it.

use std::ffi::OsString;

use pyo3::prelude::*;

use super::package::of_package;
use geodesign_service as service;

/// The interpreter with its modules, or `None` if Python is part of another program and none is found next to it.
pub fn this_python(py: Python<'_>) -> PyResult<Option<service::Python>> {
    let (executable, path): (Option<_>, OsString) = of_package(py, "interpreter")?.call0()?.extract()?;
    Ok(executable.map(|executable| service::Python { executable, path }))
}
