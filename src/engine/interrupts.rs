//! Ctrl-C during long computations of this crate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::convert::errors::panicked;

/// Interval between checks for Ctrl-C in a waiting call.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The times when a call that waits on this runtime checks for Ctrl-C.
pub fn signal_checks() -> Interval {
    let mut signal_checks = interval_at(Instant::now() + SIGNAL_CHECK_INTERVAL, SIGNAL_CHECK_INTERVAL);
    signal_checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    signal_checks
}

/// True if the caller of a computation has been interrupted, so that nothing waits for its result.
#[derive(Clone, Default)]
pub struct Interrupted(Arc<AtomicBool>);

impl Interrupted {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Computes on a thread without Python while the calling one waits. Ctrl-C ends the wait; the computation goes on until it
/// checks [`Interrupted`].
pub fn compute<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Interrupted) -> T + Send + 'static,
) -> PyResult<T> {
    let result = Arc::new(Mutex::new(None));
    let slot = result.clone();
    run_beside(py, Box::new(move |interrupted| *slot.lock() = Some(work(interrupted))))?;
    let result = result.lock().take();
    result.ok_or_else(panicked)
}

/// Waits for the end of the work, which may be a panic.
fn run_beside(py: Python<'_>, work: Box<dyn FnOnce(&Interrupted) + Send>) -> PyResult<()> {
    let interrupted = Interrupted::default();
    let _waiting = InterruptOnDrop(interrupted.clone());
    let (sender, mut receiver) = mpsc::channel();
    // Not a thread of a runtime: an operation computes while one of these runs it.
    let thread = thread::Builder::new().name("pygeodesign".into());
    thread.spawn(move || {
        work(&interrupted);
        let _ = sender.send(());
    })?;
    loop {
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(SIGNAL_CHECK_INTERVAL);
            (receiver, received)
        });
        match received {
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// Dropped with the wait, after the computation or before.
struct InterruptOnDrop(Interrupted);

impl Drop for InterruptOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Counts steps of a conversion that needs Python all the time, to check for Ctrl-C and let other threads run now and then.
#[derive(Default)]
pub struct Steps(std::cell::Cell<u32>);

impl Steps {
    /// The number of steps in about a millisecond.
    const PER_LOOK: u32 = 16 * 1024;

    /// One more small step, such as a new object. The error is the interrupt's.
    #[inline]
    pub fn count(&self, py: Python<'_>) -> PyResult<()> {
        let steps = self.0.get() + 1;
        if steps < Self::PER_LOOK {
            self.0.set(steps);
            return Ok(());
        }
        self.0.set(0);
        look(py)
    }
}

/// True for Ctrl-C or the end of the program, which are not errors of the work in progress and must reach the caller.
pub fn is_interrupt(py: Python<'_>, error: &PyErr) -> bool {
    !error.is_instance_of::<PyException>(py)
}

/// Postpones a Ctrl-C, for code that cannot return the error of its Python code; the next check finds it.
pub fn postpone_interrupt(py: Python<'_>, error: &PyErr) {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        // It cannot fail: SIGINT has a handler, which has just raised this.
        let _ = py.import("_thread").and_then(|threads| threads.call_method0("interrupt_main"));
    }
}

/// Only the main thread is interrupted. If this is another one, the main thread needs a turn to notice Ctrl-C.
#[cold]
pub fn look(py: Python<'_>) -> PyResult<()> {
    py.detach(std::thread::yield_now);
    py.check_signals()
}
