//! Any resource as plain Python: dicts, lists, numbers, text.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pythonize::pythonize;
use serde::Serialize;

use super::errors::decode_error;

/// A value that becomes Python objects when it is handed over, and not before.
pub struct Json<T>(pub T);

impl<'py, T: Serialize> IntoPyObject<'py> for Json<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }
}

/// A value as Python objects.
pub fn to_python<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let _paused = GarbageCollectionPaused::new(py)?;
    pythonize(py, value).map_err(|problem| {
        let error = PyErr::from(problem);
        // What Python itself raises has a type of its own; the bare one means that the text cannot be read.
        let unreadable = error.get_type(py).is(py.get_type::<PyException>());
        if unreadable { decode_error(error.value(py).to_string()) } else { error }
    })
}

/// No cyclic garbage collection while this lives: a tree that grows holds no cycles, yet every new list would bring the
/// collector closer to walking all of it.
struct GarbageCollectionPaused<'py> {
    /// The module `gc`, where collection was on before.
    resumes: Option<Bound<'py, PyModule>>,
}

impl<'py> GarbageCollectionPaused<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        let gc = py.import("gc")?;
        let was_on = gc.call_method0("isenabled")?.is_truthy()?;
        if was_on {
            gc.call_method0("disable")?;
        }
        Ok(GarbageCollectionPaused { resumes: was_on.then_some(gc) })
    }
}

impl Drop for GarbageCollectionPaused<'_> {
    fn drop(&mut self) {
        if let Some(gc) = &self.resumes {
            // `gc.enable()` cannot fail.
            let _ = gc.call_method0("enable");
        }
    }
}
