//! Waiting for a request without holding the GIL, in a blocking call or for asyncio.
//!
//! Requests run on one runtime with threads per process, which ends with the interpreter. A blocking call runs its request on
//! its own thread instead, unless another blocking call does so at the moment: otherwise one of the runtime's threads would be
//! woken to send the request, and would wake the calling thread when the response is there. For a small response from a service
//! nearby, these two wake-ups take longer than the response itself.

use std::borrow::Cow;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::{Interval, sleep, timeout};

use super::callback::{check_may_wait, in_request};
use super::coroutine::{Coroutine, LoopFuture, ToPython};
use super::interrupts::signal_checks;
use super::logging::ask_level;
use crate::convert::errors::{Result, panicked};
use geodesign_client::{Error, IDLE_CONNECTION_TIMEOUT};
use geodesign_common::blocking;
use geodesign_common::per_process::PerProcess;

/// The time that the end of the interpreter waits, first for the waiting calls, then for the runtime's threads.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_WORKERS: usize = 4;

static ENGINE: PerProcess<io::Result<Engine>> = PerProcess::new();

struct Engine {
    /// `None` once the interpreter shuts down.
    runtime: Mutex<Option<Runtime>>,
    caller_runtime: CallerRuntime,
    /// Turns true when the interpreter shuts down. Every waiting call subscribes to it.
    closing: watch::Sender<bool>,
}

impl Engine {
    fn start() -> io::Result<Self> {
        let workers = available_parallelism().map_or(1, usize::from).min(MAX_WORKERS);
        let runtime =
            Builder::new_multi_thread().worker_threads(workers).thread_name("pygeodesign").enable_all().build()?;
        let (caller_runtime, closing) = (CallerRuntime::new()?, watch::Sender::new(false));
        Ok(Engine { runtime: Mutex::new(Some(runtime)), caller_runtime, closing })
    }
}

/// A request that has not started. Its type is the same for every operation, so that the code that waits for it is compiled once.
pub type Request<T = ToPython> = Pin<Box<dyn Future<Output = PyResult<T>> + Send>>;

/// A request that stores its response itself.
type Task<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// The request of an operation. Only this is compiled for each operation.
pub fn request<T>(response: impl Future<Output = Result<T>> + Send + 'static) -> Request
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

/// Like [`wait`], with connections that go on after the call: the connections of the runtime with threads.
pub fn wait_on_workers<T: Send>(
    py: Python<'_>,
    response: impl Future<Output = Result<T>> + Send + 'static,
) -> PyResult<T> {
    wait_for(py, Box::pin(async { Ok(response.await?) }), false)
}

fn wait_for<T: Send>(py: Python<'_>, request: Request<T>, on_this_thread: bool) -> PyResult<T> {
    let mut response = None;
    wait_until_done(py, Box::pin(async { response = Some(request.await) }), on_this_thread)?;
    response.unwrap_or_else(|| Err(panicked()))
}

/// A coroutine that starts the request when it is first awaited. Cancelling the task that awaits it drops the request.
pub fn awaitable(name: impl Into<Cow<'static, str>>, request: Request) -> Coroutine {
    Coroutine::new(name, move |py| {
        let (loop_future, future) = LoopFuture::new(py)?;
        let task = async move { loop_future.complete(request.await) };
        Ok((future, engine(py)?.1.spawn(task).abort_handle()))
    })
}

/// Drops all requests in progress. No request can be started from then on.
pub fn stop() {
    let Some(Ok(engine)) = ENGINE.get() else { return };
    let Some(runtime) = engine.runtime.lock().take() else { return };
    engine.closing.send_replace(true);
    let _ = runtime.block_on(async { timeout(SHUTDOWN_TIMEOUT, engine.closing.closed()).await });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
}

fn wait_until_done(py: Python<'_>, request: Task<'_>, on_this_thread: bool) -> PyResult<()> {
    check_may_wait()?;
    let (engine, handle) = engine(py)?;
    py.detach(|| {
        let closing = engine.closing.subscribe();
        let request =
            async |signal_checks: &mut Interval| until_done_or_interrupted(request, closing, signal_checks).await;
        let waiting = AssertUnwindSafe(|| match engine.caller_runtime.try_acquire().filter(|_| on_this_thread) {
            Some(lease) => lease.block_on(&handle, request),
            None => handle.block_on(async { request(&mut signal_checks()).await }),
        });
        match in_request(|| catch_unwind(waiting)) {
            Ok(Some(outcome)) => outcome,
            Ok(None) => sleep_for_ever(),
            Err(_) => Err(panicked()),
        }
    })
}

/// Drops the request when it is interrupted. `None` if the interpreter shuts down before it is done.
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
            _ = signal_checks.tick() => match Python::try_attach(|py| py.check_signals()) {
                Some(Ok(())) => {}
                Some(Err(interrupt)) => return Some(Err(interrupt)),
                // The interpreter is gone already.
                None => return None,
            }
        }
    }
}

fn engine(py: Python<'_>) -> PyResult<(&'static Engine, Handle)> {
    ask_level(py);
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

/// Runs Python code in a thread that ends with it. pyproj keeps a pointer for each system thread, and frees its target
/// once the thread leaves Python: a thread that came back, such as one of a runtime, would crash.
pub fn in_new_thread<T: Send>(work: impl FnOnce(Python<'_>) -> PyResult<T> + Send) -> PyResult<T> {
    let ended = std::thread::scope(|scope| scope.spawn(|| Python::attach(work)).join());
    ended.unwrap_or_else(|_| Err(panicked()))
}

/// Runs Python code with requests, while other requests go on.
pub async fn in_python_thread<T: Send + 'static>(
    work: impl FnOnce(Python<'_>) -> PyResult<T> + Send + 'static,
) -> Result<T> {
    Ok(blocking::run(|| in_new_thread(work)).await.map_err(Error::from)??)
}

/// The time that a call polls for its response before its thread sleeps until the response wakes it. It is longer than a service on the
/// same machine takes for a small response, and too short to cost a call to a service elsewhere anything. On one processor it does
/// not poll: a service on the same machine responds when this thread sleeps.
const SPIN_TIME: Duration = Duration::from_micros(100);
/// Interval for polling connections while no call does it.
const REAP_INTERVAL: Duration = Duration::from_millis(250);
/// The time for which they are polled after the last call. By then the connection pool has closed every idle connection.
const REAP_FOR: Duration = IDLE_CONNECTION_TIMEOUT.saturating_mul(2).saturating_add(Duration::from_secs(30));

/// A runtime without threads, for one call at a time.
struct CallerRuntime(Mutex<Inner>);

struct Inner {
    runtime: Runtime,
    /// Continues from call to call. A timer that ends before all others wakes the runtime when it is set, by two system calls;
    /// while this one is set, the time-outs of a request end after it.
    signal_checks: Interval,
    spin_time: Duration,
    last_call: Instant,
    /// True while [`CallerRuntime::reap_idle_connections`] runs.
    is_reaped: bool,
}

/// The right of one call to use the [`CallerRuntime`].
struct Lease {
    caller_runtime: &'static CallerRuntime,
    inner: MutexGuard<'static, Inner>,
}

impl CallerRuntime {
    fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signal_checks = runtime.block_on(async { signal_checks() });
        let spin_time = if available_parallelism().is_ok_and(|processors| processors.get() == 1) {
            Duration::ZERO
        } else {
            SPIN_TIME
        };
        let last_call = Instant::now();
        Ok(CallerRuntime(Mutex::new(Inner { runtime, signal_checks, spin_time, last_call, is_reaped: false })))
    }

    /// `None` while another call uses it.
    fn try_acquire(&'static self) -> Option<Lease> {
        self.0.try_lock().map(|inner| Lease { caller_runtime: self, inner })
    }

    /// Nothing polls the connections of this runtime between calls. So another runtime does, for a while after the last call:
    /// a connection that the server has closed, or that belongs to a client that is gone, is then closed here, too.
    async fn reap_idle_connections(&'static self) {
        loop {
            sleep(REAP_INTERVAL).await;
            let reap_once = || self.try_acquire().is_none_or(|mut lease| lease.inner.reap_once());
            if !spawn_blocking(reap_once).await.unwrap_or_default() {
                return;
            }
        }
    }
}

impl Lease {
    /// Completes a request on this thread. `workers` is the runtime with threads, for work that goes on after the call. The request
    /// gets the times when it should check for Ctrl-C.
    fn block_on<T>(mut self, workers: &Handle, request: impl AsyncFnOnce(&mut Interval) -> T) -> T {
        let inner = &mut *self.inner;
        let result = inner.runtime.block_on(async {
            // Connections that were closed since the last call must not be used for this one. Their tasks learn of it here,
            // and run before a request is written.
            yield_now().await;
            let start = Instant::now();
            let result = spin_then_wait(request(&mut inner.signal_checks), start + inner.spin_time).await;
            if start.elapsed() > SPIN_TIME {
                // An abandoned request closes its connection now, not when the connections are polled next.
                poll_io().await;
            }
            result
        });
        inner.last_call = Instant::now();
        if !std::mem::replace(&mut inner.is_reaped, true) {
            workers.spawn(self.caller_runtime.reap_idle_connections());
        }
        result
    }
}

impl Inner {
    /// Returns whether another reap is due.
    fn reap_once(&mut self) -> bool {
        self.runtime.block_on(poll_io());
        self.is_reaped = self.last_call.elapsed() < REAP_FOR;
        self.is_reaped
    }
}

/// The first yield has the runtime collect events, the second has the connections' tasks act on them.
async fn poll_io() {
    yield_now().await;
    yield_now().await;
}

/// A processor that sleeps is slow to wake. Until the time is `until`, this thread only yields to other threads.
async fn spin_then_wait<T>(request: impl Future<Output = T>, until: Instant) -> T {
    let mut request = pin!(request);
    while Instant::now() < until {
        tokio::select! {
            biased;
            result = &mut request => return result,
            () = yield_now() => std::thread::yield_now(),
        }
    }
    request.await
}
