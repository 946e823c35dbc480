//! The interpreter that runs this, for programs that are started beside it.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

use crate::service;

/// The interpreter with its modules, or `None` where Python is part of another program and does not know an executable of its own.
pub fn this_python(py: Python<'_>) -> PyResult<Option<service::Python>> {
    let sys = py.import("sys")?;
    let Some(executable) = sys.getattr("executable")?.extract::<Option<PathBuf>>()? else { return Ok(None) };
    if executable.as_os_str().is_empty() {
        return Ok(None);
    }
    let here = std::env::current_dir().unwrap_or_default();
    // An entry may be an object that only its own importer knows.
    let entries = sys.getattr("path")?.try_iter()?.filter_map(|entry| entry.ok()?.extract::<PathBuf>().ok());
    // The empty entry is the working folder.
    let path = std::env::join_paths(entries.map(|entry| here.join(entry))).unwrap_or_else(|_| OsString::new());
    Ok(Some(service::Python { executable, path }))
}
