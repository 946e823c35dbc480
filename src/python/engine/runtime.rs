//! Waiting for a request without holding the GIL, in a blocking call or for asyncio.
//!
//! Requests run on one runtime with threads per process, which ends with the interpreter. A blocking call runs its request on
//! its own thread instead, unless another blocking call does so at the moment.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::time::Duration;

use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;
use tokio::time::{Interval, timeout};

use super::caller_runtime::CallerRuntime;
use super::coroutine::Coroutine;
use super::interrupts::signal_checks;
use super::loop_future::LoopFuture;
use super::panics::panicked;
use crate::fork::PerProcess;

/// How long the end of the interpreter waits, first for the calls that wait, then for the runtime's threads.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_WORKERS: usize = 4;

static ENGINE: PerProcess<std::io::Result<Engine>> = PerProcess::new();

struct Engine {
    /// `None` once the interpreter shuts down.
    runtime: Mutex<Option<Runtime>>,
    caller_runtime: CallerRuntime,
    /// Turns true when the interpreter shuts down. Every waiting call subscribes to it.
    closing: watch::Sender<bool>,
}

impl Engine {
    fn start() -> std::io::Result<Self> {
        let workers = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_WORKERS);
        let runtime =
            Builder::new_multi_thread().worker_threads(workers).thread_name("pygeodesign").enable_all().build()?;
        let (caller_runtime, closing) = (CallerRuntime::new()?, watch::Sender::new(false));
        Ok(Engine { runtime: Mutex::new(Some(runtime)), caller_runtime, closing })
    }
}

/// Makes the Python object of a response.
pub type ToPython = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// A request that has not started. Its type is the same for every operation, so that what waits for it is compiled once.
pub type Request<T = ToPython> = Pin<Box<dyn Future<Output = PyResult<T>> + Send>>;

/// A request that stores or delivers its response itself.
type Task<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The request of an operation. This is all that is compiled for each of them.
pub fn request<T>(response: impl Future<Output = PyResult<T>> + Send + 'static) -> Request
where
    T: for<'a> IntoPyObject<'a> + Send + 'static,
{
    Box::pin(async move {
        let response = response.await?;
        let to_python: ToPython = Box::new(move |py| response.into_py_any(py));
        Ok(to_python)
    })
}

/// Completes a request while other Python threads go on. Ctrl-C drops the request.
pub fn wait(py: Python<'_>, request: Request) -> PyResult<Py<PyAny>> {
    wait_for(py, request, true)?(py)
}

/// As [`wait`], with connections that go on when the call is over: those of the runtime with threads.
pub fn wait_on_workers<T: Send>(py: Python<'_>, request: Request<T>) -> PyResult<T> {
    wait_for(py, request, false)
}

fn wait_for<T: Send>(py: Python<'_>, request: Request<T>, on_this_thread: bool) -> PyResult<T> {
    let mut response = None;
    wait_until_done(py, Box::pin(async { response = Some(request.await) }), on_this_thread)?;
    response.unwrap_or_else(|| Err(panicked()))
}

/// A coroutine that starts the request when it is first awaited. Cancelling the task that awaits it drops the request.
pub fn awaitable(name: &'static str, request: Request) -> Coroutine {
    Coroutine::new(name, move |py| {
        let (loop_future, future) = LoopFuture::new(py)?;
        let task: Task<'static> = Box::pin(async move {
            let response = request.await;
            loop_future.complete(response);
        });
        Ok((future, engine(py)?.1.spawn(task).abort_handle()))
    })
}

/// Drops all requests under way. No request can be started from then on.
pub fn stop() {
    let Some(Ok(engine)) = ENGINE.get() else { return };
    let Some(runtime) = engine.runtime.lock().take() else { return };
    engine.closing.send_replace(true);
    let _ = runtime.block_on(async { timeout(SHUTDOWN_TIMEOUT, engine.closing.closed()).await });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
}

fn wait_until_done(py: Python<'_>, request: Task<'_>, on_this_thread: bool) -> PyResult<()> {
    let (engine, handle) = engine(py)?;
    py.detach(|| {
        let closing = engine.closing.subscribe();
        let request =
            async |signal_checks: &mut Interval| until_done_or_interrupted(request, closing, signal_checks).await;
        let waiting = AssertUnwindSafe(|| match engine.caller_runtime.try_acquire().filter(|_| on_this_thread) {
            Some(lease) => lease.block_on(&handle, request),
            None => handle.block_on(async { request(&mut signal_checks()).await }),
        });
        match catch_unwind(waiting) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => sleep_for_ever(),
            Err(_) => Err(panicked()),
        }
    })
}

/// Drops the request when it is interrupted. `None` where the interpreter shuts down before it is done.
async fn until_done_or_interrupted(
    mut request: Task<'_>,
    mut closing: watch::Receiver<bool>,
    signal_checks: &mut Interval,
) -> Option<PyResult<()>> {
    loop {
        tokio::select! {
            biased;
            () = &mut request => return Some(Ok(())),
            _ = closing.wait_for(|closing| *closing) => return None,
            _ = signal_checks.tick() => {
                if let Err(interrupt) = Python::attach(|py| py.check_signals()) {
                    return Some(Err(interrupt));
                }
            }
        }
    }
}

fn engine(py: Python<'_>) -> PyResult<(&'static Engine, Handle)> {
    let engine = ENGINE.get_or_init(Engine::start).as_ref().map_err(|problem| {
        PyRuntimeError::new_err(format!("pygeodesign cannot start the threads that send its requests: {problem}"))
    })?;
    let handle = engine.runtime.lock().as_ref().map(|runtime| runtime.handle().clone());
    match handle {
        Some(handle) => Ok((engine, handle)),
        None if on_main_thread(py)? => Err(PyRuntimeError::new_err("the interpreter is shutting down")),
        None => py.detach(|| sleep_for_ever()),
    }
}

fn on_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    Ok(threading.call_method0("current_thread")?.is(&threading.call_method0("main_thread")?))
}

/// The interpreter does not wait for daemon threads when it shuts down, and they must not return to it.
fn sleep_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}
