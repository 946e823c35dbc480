//! What methods return beside resources.

use std::convert::Infallible;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyNone};

/// What `__reduce__` returns, for pickling: a function that makes the object again, and its arguments.
pub type Reduced<'py, A> = PyResult<(Bound<'py, PyAny>, A)>;

/// An image, as bytes in Python.
pub struct Image(pub bytes::Bytes);

impl<'py> IntoPyObject<'py> for Image {
    type Target = PyBytes;
    type Output = Bound<'py, PyBytes>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyBytes::new(py, &self.0))
    }
}

/// None in Python. `()` would become None in a blocking method and an empty tuple in an awaited one.
pub struct Nothing;

impl<'py> IntoPyObject<'py> for Nothing {
    type Target = PyNone;
    type Output = Borrowed<'py, 'py, PyNone>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyNone::get(py))
    }
}
