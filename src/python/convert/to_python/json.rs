//! From a value of the model to Python objects.

use pyo3::prelude::*;
use serde::Serialize;

use super::context::Context;
use super::problem::Problem;
use super::serializer::PySerializer;
use crate::python::convert::errors::decode_error;
use crate::python::convert::garbage_collection::GarbageCollectionPaused;

/// A value that becomes Python objects when a method returns it.
pub struct Json<T>(pub T);

impl<'py, T: Serialize> IntoPyObject<'py> for Json<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let paused = GarbageCollectionPaused::new(py)?;
        let context = Context::new(py);
        let object = self.0.serialize(PySerializer::new(&context));
        if object.is_err() {
            context.into_leftovers().drop_in_portions(paused);
        }
        object.map_err(|problem| match problem {
            Problem::Python(error) => error,
            Problem::Unreadable(message) => decode_error(message),
        })
    }
}
