//! From a value of the model to Python objects.

use pyo3::prelude::*;
use serde::Serialize;

use super::problem::Problem;
use super::serializer::{Context, PySerializer};
use crate::python::convert::errors::decode_error;
use crate::python::convert::garbage_collection::GarbageCollectionPaused;

/// A value that becomes Python objects when a method returns it.
pub struct Json<T>(pub T);

impl<'py, T: Serialize> IntoPyObject<'py> for Json<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let _paused = GarbageCollectionPaused::new(py)?;
        self.0.serialize(PySerializer::new(&Context::new(py))).map_err(|problem| match problem {
            Problem::Python(error) => error,
            Problem::Unreadable(message) => decode_error(message),
        })
    }
}
