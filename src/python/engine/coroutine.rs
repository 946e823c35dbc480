//! What an operation of the async classes returns.

use std::ffi::CString;

use parking_lot::Mutex;
use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning};
use pyo3::intern;
use pyo3::prelude::*;
use tokio::task::AbortHandle;

/// Starts the request; the result is the asyncio future that receives its answer, and the handle to drop the request with.
type Start = Box<dyn FnOnce(Python<'_>) -> PyResult<(Py<PyAny>, AbortHandle)> + Send>;

/// One call of an operation. It is a coroutine, so that `asyncio.run`, `create_task`, `gather` and `wait_for` take it. Nothing
/// is sent before it is awaited.
#[pyclass(frozen, module = "pygeodesign._core")]
pub struct Coroutine {
    name: &'static str,
    state: Mutex<State>,
}

enum State {
    New(Start),
    Running(Running),
    Done,
}

/// A request under way. It is dropped with this.
struct Running {
    /// The iterator of the asyncio future.
    future: Py<PyAny>,
    request: AbortHandle,
}

impl Drop for Running {
    /// However the future ends, cancelled or completed, the request ends too.
    fn drop(&mut self) {
        self.request.abort();
    }
}

impl Coroutine {
    /// `name` is what messages call the operation.
    pub fn new(
        name: &'static str,
        start: impl FnOnce(Python<'_>) -> PyResult<(Py<PyAny>, AbortHandle)> + Send + 'static,
    ) -> Self {
        Coroutine { name, state: Mutex::new(State::New(Box::new(start))) }
    }

    fn replace(&self, state: State) -> State {
        std::mem::replace(&mut *self.state.lock(), state)
    }

    /// Advances the future by one step, after starting the request if that has not happened yet.
    fn step(&self, py: Python<'_>, step: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let running = match self.replace(State::Done) {
            State::New(start) => {
                let (future, request) = start(py)?;
                Running { future: future.call_method0(py, intern!(py, "__await__"))?, request }
            }
            State::Running(running) => running,
            State::Done => {
                return Err(PyRuntimeError::new_err(format!("cannot reuse already awaited {}()", self.name)));
            }
        };
        let stepped = step(running.future.bind(py));
        if stepped.is_ok() {
            self.replace(State::Running(running));
        }
        stepped
    }
}

#[pymethods]
impl Coroutine {
    fn __await__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.send(py, py.None())
    }

    fn send(&self, py: Python<'_>, value: Py<PyAny>) -> PyResult<Py<PyAny>> {
        self.step(py, |running| Ok(running.call_method1(intern!(py, "send"), (value,))?.unbind()))
    }

    #[pyo3(signature = (kind, value=None, _traceback=None))]
    fn throw(
        &self,
        py: Python<'_>,
        kind: Bound<'_, PyAny>,
        value: Option<Bound<'_, PyAny>>,
        _traceback: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let error = value.filter(|value| !value.is_none()).unwrap_or(kind);
        // A request that has not started has nothing that could handle the error.
        if let State::New(_) = *self.state.lock() {
            self.close(py)?;
            return Err(PyErr::from_value(error));
        }
        self.step(py, |running| Ok(running.call_method1(intern!(py, "throw"), (error,))?.unbind()))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.replace(State::Done) {
            State::Running(running) => running.future.call_method0(py, intern!(py, "close")).map(drop),
            State::New(_) | State::Done => Ok(()),
        }
    }

    #[getter]
    fn __qualname__(&self) -> &str {
        self.name
    }

    fn __repr__(&self) -> String {
        format!("<{}() to await>", self.name)
    }
}

impl Drop for Coroutine {
    fn drop(&mut self) {
        if let State::New(_) = self.replace(State::Done) {
            Python::try_attach(|py| {
                // Python drops objects also on the way of an exception, which the warning must not replace.
                let pending = PyErr::take(py);
                let message = format!("{}() was never awaited, so nothing was sent", self.name);
                let message = CString::new(message).unwrap_or_default();
                let kind = py.get_type::<PyRuntimeWarning>();
                if let Err(error) = PyErr::warn(py, &kind, &message, 1) {
                    error.write_unraisable(py, None);
                }
                pending.map(|error| error.restore(py))
            });
        }
    }
}
