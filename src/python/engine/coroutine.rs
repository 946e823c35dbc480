//! What asyncio awaits.

use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use pyo3::{IntoPyObjectExt, intern};
use tokio::task::AbortHandle;

use super::runtime::panicked;

type Start = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// Makes the Python object of an answer.
type Answer<'a> = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + 'a>;

/// One awaited operation: a coroutine, so that `asyncio.run`, `create_task`, `gather` and `wait_for` take it. Nothing is sent
/// before it is awaited.
#[pyclass(frozen, module = "pygeodesign._core")]
pub struct Coroutine {
    name: &'static str,
    state: Mutex<State>,
}

enum State {
    /// Makes the asyncio future that the answer is delivered to.
    New(Start),
    /// The future's iterator.
    Running(Py<PyAny>),
    Done,
}

impl Coroutine {
    pub fn new(name: &'static str, start: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send + 'static) -> Self {
        Coroutine { name, state: Mutex::new(State::New(Box::new(start))) }
    }

    fn replace(&self, state: State) -> State {
        std::mem::replace(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner), state)
    }

    /// Goes one step of the future, started where it was not.
    fn step(&self, py: Python<'_>, step: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let running = match self.replace(State::Done) {
            State::New(start) => start(py)?.call_method0(py, intern!(py, "__await__"))?,
            State::Running(running) => running,
            State::Done => {
                return Err(PyRuntimeError::new_err(format!("cannot reuse already awaited {}()", self.name)));
            }
        };
        let stepped = step(running.bind(py));
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
        // Before it has started there is nothing to throw into.
        if let State::New(_) = *self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            self.close(py)?;
            return Err(PyErr::from_value(error));
        }
        self.step(py, |running| Ok(running.call_method1(intern!(py, "throw"), (error,))?.unbind()))
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.replace(State::Done) {
            State::Running(running) => running.call_method0(py, intern!(py, "close")).map(drop),
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
                let message = format!("{}() was never awaited, so nothing was sent", self.name);
                let message = CString::new(message).unwrap_or_default();
                let kind = py.get_type::<PyRuntimeWarning>();
                if let Err(error) = PyErr::warn(py, &kind, &message, 1) {
                    error.write_unraisable(py, None);
                }
            });
        }
    }
}

/// Brings an answer from a thread of the runtime to the event loop that waits for it.
pub struct LoopFuture {
    event_loop: Py<PyAny>,
    /// `None` once it is delivered.
    future: Option<Py<PyAny>>,
}

impl LoopFuture {
    /// For the running event loop, and the future that it waits for.
    pub fn new(py: Python<'_>) -> PyResult<(Self, Py<PyAny>)> {
        static RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let event_loop = RUNNING_LOOP.import(py, "asyncio", "get_running_loop")?.call0()?;
        let future = event_loop.call_method0(intern!(py, "create_future"))?.unbind();
        Ok((LoopFuture { event_loop: event_loop.unbind(), future: Some(future.clone_ref(py)) }, future))
    }

    /// The end of the future, whichever, ends the task.
    pub fn abort_when_done(future: &Bound<'_, PyAny>, task: AbortHandle) -> PyResult<()> {
        future.call_method1(intern!(future.py(), "add_done_callback"), (AbortOnDone(task),)).map(drop)
    }

    pub fn complete<T: for<'a> IntoPyObject<'a>>(mut self, answer: PyResult<T>) {
        self.deliver(Box::new(|py| answer?.into_py_any(py)));
    }

    /// Nobody waits for it any more where the loop is closed or the interpreter goes down.
    fn deliver(&mut self, answer: Answer<'_>) {
        static DELIVER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let Some(future) = self.future.take() else { return };
        let _ = Python::try_attach(|py| {
            let (method, value) = match answer(py) {
                Ok(value) => (intern!(py, "set_result"), value),
                Err(error) => (intern!(py, "set_exception"), error.into_value(py).into_any()),
            };
            let make = || wrap_pyfunction!(_deliver, py).map(|function| function.into_any().unbind());
            let deliver = DELIVER.get_or_try_init(py, make)?;
            let call_soon = intern!(py, "call_soon_threadsafe");
            self.event_loop.call_method1(py, call_soon, (deliver, future, method, value))
        });
    }
}

impl Drop for LoopFuture {
    /// A task that panics must not leave its future waiting.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.deliver(Box::new(|_| Err(panicked())));
        }
    }
}

/// RaggedArrays in the event loop. By then the future may have been cancelled.
#[pyfunction]
fn _deliver(future: &Bound<'_, PyAny>, method: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match future.call_method0(intern!(future.py(), "done"))?.is_truthy()? {
        true => Ok(()),
        false => future.call_method1(method, (value,)).map(drop),
    }
}

/// The callback of a future that is done.
#[pyclass(frozen)]
struct AbortOnDone(AbortHandle);

#[pymethods]
impl AbortOnDone {
    fn __call__(&self, _future: &Bound<'_, PyAny>) {
        self.0.abort();
    }
}
