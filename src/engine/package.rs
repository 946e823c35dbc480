//! The Python package's functions for this extension module. At its import, the package passes in one object whose attributes are functions
//! and classes, so that nothing here names a module of the package.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

static PACKAGE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Takes the object, once.
#[pyfunction]
pub fn _use(py: Python<'_>, package: Py<PyAny>) {
    // A second import of the package finds the same functions.
    let _ = PACKAGE.set(py, package);
}

/// A function or class of the package.
pub fn of_package<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let missing = || PyRuntimeError::new_err(format!("the package is not imported yet, so {name} is missing"));
    PACKAGE.get(py).ok_or_else(missing)?.bind(py).getattr(name)
}
