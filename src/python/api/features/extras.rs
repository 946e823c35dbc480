//! Modules that an extra of the package installs.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

/// A module of an extra; where it is missing, the error says how to get it.
pub fn import_extra<'py>(py: Python<'py>, module: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(module).map_err(|error| {
        if !error.is_instance_of::<PyImportError>(py) {
            return error;
        }
        let message = format!(
            "{module} is needed for this and cannot be imported ({error}): pip install 'pygeodesign[notebook]'"
        );
        let missing = PyImportError::new_err(message);
        missing.set_cause(py, Some(error));
        missing
    })
}
