//! The exception for a request that panicked.

use pyo3::PyErr;

use crate::client::Error;

pub fn panicked() -> PyErr {
    Error::Internal("it panicked".into()).into()
}
