//! The interpreter that runs this, for programs that are started beside it.

use pyo3::prelude::*;

use geodesign_service as service;

/// The interpreter with its modules, or `None` where Python is part of another program and none is found beside it.
pub fn this_python(py: Python<'_>) -> PyResult<Option<service::Python>> {
    let interpreter = py.import("pygeodesign._reading.interpreter")?;
    let Some(executable) = interpreter.call_method0("executable")?.extract()? else { return Ok(None) };
    let path: String = interpreter.call_method0("search_path")?.extract()?;
    Ok(Some(service::Python { executable, path: path.into() }))
}
