//! Waiting without holding the GIL, and asyncio.
//!
//! Requests run on one runtime per process; it ends with the interpreter. Where a blocking call asks a service on this
//! machine, its own thread does the work.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::caller_runtime::CallerRuntime;
use super::coroutine::{Coroutine, LoopFuture};
use crate::client::Error;
use crate::fork::PerProcess;
use crate::python::api::sandbox;

/// How often a waiting call looks for Ctrl-C.
const SIGNAL_CHECKS: Duration = Duration::from_millis(50);
/// How long the end of the interpreter waits for threads of ours.
const LAST_WORDS: Duration = Duration::from_secs(1);
const MAX_WORKERS: usize = 4;

static ENGINE: PerProcess<std::io::Result<Engine>> = PerProcess::new();

struct Engine {
    /// `None` once the interpreter shuts down.
    runtime: Mutex<Option<Runtime>>,
    caller_runtime: CallerRuntime,
    /// Turns true then. Every call that waits listens.
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

fn engine(py: Python<'_>) -> PyResult<(&'static Engine, Handle)> {
    let engine = ENGINE.get_or_init(Engine::start).as_ref().map_err(|problem| {
        PyRuntimeError::new_err(format!("the system gives pygeodesign no means to wait for answers: {problem}"))
    })?;
    let handle =
        engine.runtime.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|runtime| runtime.handle().clone());
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

/// What remains for a thread that the interpreter does not wait for when it shuts down.
fn sleep_for_ever() -> ! {
    loop {
        std::thread::park();
    }
}

/// Drops what is under way and stops the services. Nothing can be asked from then on.
#[pyfunction]
pub fn _stop(py: Python<'_>) {
    py.detach(|| {
        if let Some(Ok(engine)) = ENGINE.get() {
            let runtime = engine.runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(runtime) = runtime {
                engine.closing.send_replace(true);
                let _ = runtime.block_on(async { timeout(LAST_WORDS, engine.closing.closed()).await });
                runtime.shutdown_timeout(LAST_WORDS);
            }
        }
        sandbox::stop_all();
    });
}

/// A request that has not begun.
pub type Request<T> = Pin<Box<dyn Future<Output = PyResult<T>> + Send>>;

/// A request that sees to its answer itself, so that waiting is compiled once instead of for every operation.
type Task<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// RaggedArrays a request to its end while other Python threads go on. Ctrl-C drops the request.
///
/// `on_this_machine`: whether all answers come from there.
pub fn wait<T: Send>(py: Python<'_>, on_this_machine: bool, request: Request<T>) -> PyResult<T> {
    let mut answer = None;
    wait_until_done(py, on_this_machine, Box::pin(async { answer = Some(request.await) }))?;
    answer.unwrap_or_else(|| Err(panicked()))
}

fn wait_until_done(py: Python<'_>, on_this_machine: bool, request: Task<'_>) -> PyResult<()> {
    let (engine, handle) = engine(py)?;
    py.detach(|| {
        let request = until_done_or_interrupted(request, engine.closing.subscribe());
        let turn = if on_this_machine { engine.caller_runtime.try_acquire() } else { None };
        let waiting = AssertUnwindSafe(|| match turn {
            None => handle.block_on(request),
            Some(turn) => turn.block_on(&handle, request),
        });
        match catch_unwind(waiting) {
            Ok(Some(ended)) => ended,
            Ok(None) => sleep_for_ever(),
            Err(_) => Err(panicked()),
        }
    })
}

/// Drops the request where it is interrupted. `None` where the interpreter shuts down before it is done.
async fn until_done_or_interrupted(mut request: Task<'_>, mut closing: watch::Receiver<bool>) -> Option<PyResult<()>> {
    let mut checks = interval_at(Instant::now() + SIGNAL_CHECKS, SIGNAL_CHECKS);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = &mut request => return Some(Ok(())),
            _ = closing.wait_for(|closing| *closing) => return None,
            _ = checks.tick() => {
                if let Err(interrupt) = Python::attach(|py| py.check_signals()) {
                    return Some(Err(interrupt));
                }
            }
        }
    }
}

/// A request that starts when it is first awaited. Cancelling the task that awaits it drops the request.
pub fn awaitable<T>(name: &'static str, request: Request<T>) -> Coroutine
where
    T: for<'a> IntoPyObject<'a> + Send + 'static,
{
    Coroutine::new(name, move |py| {
        let (delivery, future) = LoopFuture::new(py)?;
        let delivered: Task<'static> = Box::pin(async move {
            let answer = request.await;
            delivery.complete(answer);
        });
        let task = engine(py)?.1.spawn(delivered);
        LoopFuture::abort_when_done(future.bind(py), task.abort_handle())?;
        Ok(future)
    })
}

pub fn panicked() -> PyErr {
    Error::Internal("it panicked".into()).into()
}
