//! The return value of an operation of the async classes, and the delivery of its result to asyncio's event loop.
//!
//! The threads of the runtime put results into a queue, for which they do not need the GIL, and wake the event loop if the queue was
//! empty. The loop then takes all results in it. A thread that took the GIL for each result would wait for Python meanwhile,
//! instead of receiving the next ones.

use std::borrow::Cow;
use std::ffi::CString;
#[cfg(unix)]
use std::io::{self, Read, Write};
use std::mem::{replace, take};
#[cfg(unix)]
use std::os::fd::{AsRawFd, RawFd};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::exceptions::{PyNotImplementedError, PyRuntimeError, PyRuntimeWarning, PyStopIteration};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyWeakrefReference;
use pyo3::{IntoPyObjectExt, intern};
use tokio::task::AbortHandle;

use crate::convert::errors::panicked;

/// Starts the request; returns the asyncio future that receives its result, and the handle that drops the request.
type Start = Box<dyn FnOnce(Python<'_>) -> PyResult<(Py<PyAny>, AbortHandle)> + Send>;

/// One call of an operation. It is a coroutine, so that `asyncio.run`, `create_task`, `gather` and `wait_for` take it. Nothing
/// is sent before it is awaited.
#[pyclass(frozen, weakref, module = "pygeodesign._core")]
pub struct Coroutine {
    name: Cow<'static, str>,
    state: Mutex<State>,
}

enum State {
    New(Start),
    Running(Running),
    Done,
}

/// A request in progress. It is dropped with this.
struct Running {
    /// The iterator of the asyncio future.
    future: Py<PyAny>,
    request: AbortHandle,
}

impl Drop for Running {
    /// However the future ends, cancelled or completed, the request ends, too.
    fn drop(&mut self) {
        self.request.abort();
    }
}

impl Coroutine {
    /// `name` is the operation's name in messages.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        start: impl FnOnce(Python<'_>) -> PyResult<(Py<PyAny>, AbortHandle)> + Send + 'static,
    ) -> Self {
        Coroutine { name: name.into(), state: Mutex::new(State::New(Box::new(start))) }
    }

    fn replace(&self, state: State) -> State {
        replace(&mut *self.state.lock(), state)
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
        stepped.map_err(|error| delivered(py, error))
    }
}

/// A result that must not be lost: its object is made when the awaiting task takes it. If the task is cancelled before, this is dropped.
#[pyclass(frozen)]
pub struct Undelivered(Mutex<Option<ToPython>>);

impl Undelivered {
    pub fn new(to_python: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send + 'static) -> Self {
        Undelivered(Mutex::new(Some(Box::new(to_python))))
    }
}

/// The end of a coroutine, with the object of a result in place of an [`Undelivered`].
fn delivered(py: Python<'_>, end: PyErr) -> PyErr {
    if !end.is_instance_of::<PyStopIteration>(py) {
        return end;
    }
    let Ok(value) = end.value(py).getattr(intern!(py, "value")) else { return end };
    let Some(to_python) = value.cast::<Undelivered>().ok().and_then(|result| result.get().0.lock().take()) else {
        return end;
    };
    to_python(py).map_or_else(|error| error, |object| PyStopIteration::new_err((object,)))
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
        &self.name
    }

    fn __repr__(&self) -> String {
        format!("<{}() to await>", self.name)
    }
}

impl Drop for Coroutine {
    fn drop(&mut self) {
        if let State::New(_) = self.replace(State::Done) {
            Python::try_attach(|py| {
                // Python also drops objects while an exception propagates, which the warning must not replace.
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

const NO_EVENT_LOOP: &str = "AsyncClient and AsyncProject need asyncio, and no event loop of asyncio runs in this thread: await them \
    within asyncio.run(…). With trio, call the blocking Client in a thread: await trio.to_thread.run_sync(…)";

/// The future that an event loop waits for, completed from a thread of the runtime.
pub struct LoopFuture {
    results: ResultQueue,
    /// `None` once it is completed.
    future: Option<Py<PyAny>>,
}

impl LoopFuture {
    /// A future of the event loop that runs in this thread, and the same future for Python to await. Fails if another library awaits, such
    /// as trio, which cannot wait for a future of asyncio.
    pub fn new(py: Python<'_>) -> PyResult<(Self, Py<PyAny>)> {
        static RUNNING_LOOP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let event_loop = RUNNING_LOOP.import(py, "asyncio", "get_running_loop")?.call0();
        let event_loop = event_loop.map_err(|error| {
            let needed = PyRuntimeError::new_err(NO_EVENT_LOOP);
            needed.set_cause(py, Some(error));
            needed
        })?;
        let future = event_loop.call_method0(intern!(py, "create_future"))?.unbind();
        Ok((LoopFuture { results: ResultQueue::of(&event_loop)?, future: Some(future.clone_ref(py)) }, future))
    }

    pub fn complete(mut self, result: PyResult<ToPython>) {
        self.put(Box::new(|py| result?(py)));
    }

    fn put(&mut self, to_python: ToPython) {
        if let Some(future) = self.future.take() {
            self.results.put(future, to_python);
        }
    }
}

impl Drop for LoopFuture {
    /// A task that panics must not leave its future waiting.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.put(Box::new(|_| Err(panicked())));
        }
    }
}

/// Makes the Python object of a result.
pub type ToPython = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// The results for one event loop. Cheap to clone.
#[derive(Clone)]
struct ResultQueue(Arc<Shared>);

struct Shared {
    /// The waiting futures, each with its result.
    completed: Mutex<Vec<(Py<PyAny>, ToPython)>>,
    waker: LoopWaker,
}

impl ResultQueue {
    /// The queue of an event loop. It lives as long as the loop.
    fn of(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        static QUEUES: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = event_loop.py();
        let make = || py.import("weakref")?.call_method0("WeakKeyDictionary").map(Bound::unbind);
        let queues = QUEUES.get_or_try_init(py, make)?.bind(py);
        if let Ok(known) = queues.call_method1(intern!(py, "get"), (event_loop,))?.cast::<ResultTaker>() {
            return Ok(known.get().0.clone());
        }
        let queue = Self::new(event_loop)?;
        queues.set_item(event_loop, ResultTaker(queue.clone()))?;
        Ok(queue)
    }

    fn new(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        let with = |waker| ResultQueue(Arc::new(Shared { completed: Mutex::default(), waker }));
        #[cfg(unix)]
        {
            let queue = with(LoopWaker::socket()?);
            let arguments = (queue.0.waker.socket_to_read(), ResultTaker(queue.clone()));
            match event_loop.call_method1(intern!(event_loop.py(), "add_reader"), arguments) {
                Ok(_) => return Ok(queue),
                Err(error) if error.is_instance_of::<PyNotImplementedError>(event_loop.py()) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(with(LoopWaker::calls(event_loop)?))
    }

    /// Makes the event loop set the result of a future; may be called from any thread.
    fn put(&self, future: Py<PyAny>, to_python: ToPython) {
        let was_empty = {
            let mut completed = self.0.completed.lock();
            completed.push((future, to_python));
            completed.len() == 1
        };
        if was_empty {
            self.0.waker.wake(|py| ResultTaker(self.clone()).into_py_any(py));
        }
    }
}

/// The callback by which an event loop takes its results.
#[pyclass(frozen)]
struct ResultTaker(ResultQueue);

#[pymethods]
impl ResultTaker {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let Shared { completed, waker } = &*self.0.0;
        // Before the results are taken, so that the next one wakes the loop again.
        waker.forget_calls();
        let completed = take(&mut *completed.lock());
        let mut outcome = Ok(());
        for (future, to_python) in completed {
            outcome = outcome.and(set_result(future.bind(py), to_python));
        }
        outcome
    }
}

/// The future may have been cancelled in the meantime.
fn set_result(future: &Bound<'_, PyAny>, to_python: ToPython) -> PyResult<()> {
    let py = future.py();
    if future.call_method0(intern!(py, "done"))?.is_truthy()? {
        return Ok(());
    }
    let set = match to_python(py) {
        Ok(value) => future.call_method1(intern!(py, "set_result"), (value,)),
        Err(error) => future.call_method1(intern!(py, "set_exception"), (error.into_value(py),)),
    };
    set.map(drop)
}

/// A way to make an event loop call a callback.
enum LoopWaker {
    /// The loop calls it when there is something to read, so that no other thread needs the GIL to wake it.
    #[cfg(unix)]
    Socket { read: UnixStream, write: UnixStream },
    /// `call_soon_threadsafe`, for event loops that do not wait for sockets. The reference is weak, because the loop owns what owns
    /// this.
    Calls(Py<PyWeakrefReference>),
}

impl LoopWaker {
    #[cfg(unix)]
    fn socket() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        write.set_nonblocking(true)?;
        Ok(LoopWaker::Socket { read, write })
    }

    fn calls(event_loop: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(LoopWaker::Calls(PyWeakrefReference::new(event_loop)?.unbind()))
    }

    /// The socket that the loop waits for.
    #[cfg(unix)]
    fn socket_to_read(&self) -> Option<RawFd> {
        match self {
            LoopWaker::Socket { read, .. } => Some(read.as_raw_fd()),
            LoopWaker::Calls(_) => None,
        }
    }

    /// Wakes the loop. An error is ignored: it means that the loop is closed, so that nothing waits; or that the socket is full of
    /// earlier calls.
    fn wake(&self, callback: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        match self {
            #[cfg(unix)]
            LoopWaker::Socket { write, .. } => {
                let mut write = write;
                let _ = write.write(&[0]);
            }
            LoopWaker::Calls(event_loop) => {
                let _ = Python::try_attach(|py| -> PyResult<()> {
                    let Some(event_loop) = event_loop.bind(py).upgrade() else { return Ok(()) };
                    event_loop.call_method1(intern!(py, "call_soon_threadsafe"), (callback(py)?,)).map(drop)
                });
            }
        }
    }

    /// Clears the wake-up calls received so far.
    fn forget_calls(&self) {
        match self {
            #[cfg(unix)]
            LoopWaker::Socket { read, .. } => {
                let mut read = read;
                while read.read(&mut [0; 64]).is_ok_and(|count| count == 64) {}
            }
            LoopWaker::Calls(_) => {}
        }
    }
}
