//! What happens when the interpreter exits.

use pyo3::prelude::*;

use super::sandbox;
use crate::python::engine::runtime;

/// Drops all requests under way and stops the services of this process.
#[pyfunction]
pub fn _stop(py: Python<'_>) {
    py.detach(|| {
        runtime::stop();
        sandbox::stop_all();
    });
}
