//! Methods and constructors that explain a wrong argument: the keyword that was probably meant, and the expected value.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUnicodeEncodeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use super::package::of_package;

// A method of one of the classes. It only acts if the call fails. This is no doc comment: that would be the `__doc__` of
// every method in Python.
#[pyclass(frozen, name = "_Method", module = "pygeodesign._core")]
pub struct Method(Py<PyAny>);

/// Wraps all public methods of a class in [`Method`].
pub fn explain_wrong_arguments(class: &Bound<'_, PyType>) -> PyResult<()> {
    let py = class.py();
    // The class of methods of classes that are not written in Python.
    let descriptor = py.get_type::<PyString>().getattr("join")?.get_type();
    for item in class.getattr("__dict__")?.call_method0("items")?.try_iter()? {
        let (name, member): (String, Bound<'_, PyAny>) = item?.extract()?;
        if !name.starts_with('_') && member.is_instance(&descriptor)? {
            class.setattr(name, Method(member.unbind()))?;
        }
    }
    Ok(())
}

/// Makes an instance by the static method `_new` of the class, which has the arguments of the constructor. PyO3 itself calls
/// a constructor, so no object can wrap it.
pub fn construct<'py>(
    class: &Bound<'py, PyType>,
    arguments: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let made = class.call_method(intern!(class.py(), "_new"), arguments, named);
    made.map_err(|error| explained(class, arguments, named, error))
}

#[pymethods]
impl Method {
    #[pyo3(signature = (*arguments, **named))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let method = self.0.bind(py);
        method.call(arguments, named).or_else(|error| {
            if let Some(named) = named.filter(|_| error.is_instance_of::<PyTypeError>(py)) {
                let renamed = of_package(py, "renamed_arguments")?.call1((method, named))?;
                if let Ok(renamed) = renamed.cast() {
                    return method.call(arguments, Some(renamed));
                }
            }
            Err(explained(method, arguments, named, error))
        })
    }

    /// A bound method, like a function's.
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        instance: &Bound<'py, PyAny>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if instance.is_none() {
            return Ok(slf.clone().into_any());
        }
        bound_method(slf.py())?.call1((slf, instance))
    }

    /// Signature and name are the method's.
    #[getter]
    fn __wrapped__<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.bind(py).clone()
    }

    #[getter]
    fn __doc__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.bind(py).getattr(intern!(py, "__doc__"))
    }

    fn __getattr__<'py>(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        self.0.bind(name.py()).getattr(name)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.bind(py).call_method0(intern!(py, "__reduce__"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.0.bind(py).repr()?.to_string())
    }
}

/// The class of bound methods.
fn bound_method(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static BOUND_METHOD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    BOUND_METHOD.import(py, "types", "MethodType")
}

/// Explains the error of a failed call; returns it unchanged if there is nothing to explain.
fn explained(
    method: &Bound<'_, PyAny>,
    arguments: &Bound<'_, PyTuple>,
    named: Option<&Bound<'_, PyDict>>,
    error: PyErr,
) -> PyErr {
    let py = method.py();
    let is_of_argument = error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyOverflowError>(py)
        || error.is_instance_of::<PyUnicodeEncodeError>(py);
    if !is_of_argument {
        return error;
    }
    let named = named.map_or_else(|| PyDict::new(py), Clone::clone);
    let explain = || of_package(py, "explained_error")?.call1((method, arguments, named, error.value(py)));
    match explain() {
        Ok(explained) if !explained.is_none() => PyErr::from_value(explained),
        _ => error,
    }
}
