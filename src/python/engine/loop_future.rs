//! Answers for asyncio.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use pyo3::{IntoPyObjectExt, intern};
use tokio::task::AbortHandle;

use super::panics::panicked;

const NO_EVENT_LOOP: &str = "AsyncClient and AsyncProject need asyncio, and no event loop of asyncio runs in this thread: await them \
    within asyncio.run(…). With trio, call the blocking Client in a thread: await trio.to_thread.run_sync(…)";

/// Makes the Python object of an answer.
type Answer<'a> = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + 'a>;

/// The future that an event loop waits for, completed from a thread of the runtime.
pub struct LoopFuture {
    event_loop: Py<PyAny>,
    /// `None` once it is completed.
    future: Option<Py<PyAny>>,
}

impl LoopFuture {
    /// A future of the event loop that runs in this thread; the second is the same future for Python to await. An error where
    /// another library awaits, such as trio, which cannot wait for a future of asyncio.
    pub fn new(py: Python<'_>) -> PyResult<(Self, Py<PyAny>)> {
        static RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let event_loop = RUNNING_LOOP.import(py, "asyncio", "get_running_loop")?.call0();
        let event_loop = event_loop.map_err(|error| {
            let needed = PyRuntimeError::new_err(NO_EVENT_LOOP);
            needed.set_cause(py, Some(error));
            needed
        })?;
        let future = event_loop.call_method0(intern!(py, "create_future"))?.unbind();
        Ok((LoopFuture { event_loop: event_loop.unbind(), future: Some(future.clone_ref(py)) }, future))
    }

    /// However the future ends, cancelled or completed, the task ends too.
    pub fn abort_when_done(future: &Bound<'_, PyAny>, task: AbortHandle) -> PyResult<()> {
        future.call_method1(intern!(future.py(), "add_done_callback"), (AbortOnDone(task),)).map(drop)
    }

    pub fn complete<T: for<'a> IntoPyObject<'a>>(mut self, answer: PyResult<T>) {
        self.schedule(Box::new(|py| answer?.into_py_any(py)));
    }

    /// Has the event loop set the answer. An error is ignored: it means that the loop is closed, so that nothing waits.
    fn schedule(&mut self, answer: Answer<'_>) {
        static SET_ANSWER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let Some(future) = self.future.take() else { return };
        let _ = Python::try_attach(|py| {
            let (method, value) = match answer(py) {
                Ok(value) => (intern!(py, "set_result"), value),
                Err(error) => (intern!(py, "set_exception"), error.into_value(py).into_any()),
            };
            let make = || wrap_pyfunction!(_set_answer, py).map(|function| function.into_any().unbind());
            let set_answer = SET_ANSWER.get_or_try_init(py, make)?;
            let call_soon = intern!(py, "call_soon_threadsafe");
            self.event_loop.call_method1(py, call_soon, (set_answer, future, method, value))
        });
    }
}

impl Drop for LoopFuture {
    /// A task that panics must not leave its future waiting.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.schedule(Box::new(|_| Err(panicked())));
        }
    }
}

/// The event loop calls this in its own thread. The future may have been cancelled in the meantime.
#[pyfunction]
fn _set_answer(future: &Bound<'_, PyAny>, method: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match future.call_method0(intern!(future.py(), "done"))?.is_truthy()? {
        true => Ok(()),
        false => future.call_method1(method, (value,)).map(drop),
    }
}

/// The `done` callback of a future.
#[pyclass(frozen)]
struct AbortOnDone(AbortHandle);

#[pymethods]
impl AbortOnDone {
    fn __call__(&self, _future: &Bound<'_, PyAny>) {
        self.0.abort();
    }
}
