//! Progress bars. Python draws them, and is called at most a few times a second.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::RwLock;
use pyo3::prelude::*;

use super::callback::in_request;
use super::interrupts::postpone_interrupt;
use super::package::of_package;
use crate::convert::errors::import_extra;
use geodesign_client as client;

/// The least time between two paints of a bar.
const PAINT_INTERVAL: Duration = Duration::from_millis(100);

/// The progress bar of one call; dropping it closes the bar.
pub struct Progress {
    label: &'static str,
    /// True to show a bar. `None`: in a notebook or a terminal.
    wanted: Option<bool>,
    bar: RwLock<Option<Py<PyAny>>>,
    start: OnceLock<Instant>,
    done: AtomicUsize,
    /// The part of `done` that the bar shows.
    painted: AtomicUsize,
    /// Milliseconds after `start`.
    last_paint: AtomicU64,
}

impl Progress {
    /// Fails if a bar is wanted and tqdm, which draws it, is missing.
    pub fn new(label: &'static str, wanted: Option<bool>) -> PyResult<Self> {
        if wanted == Some(true) {
            Python::attach(|py| import_extra(py, "tqdm.auto").map(drop))?;
        }
        Ok(Progress {
            label,
            wanted,
            bar: RwLock::new(None),
            start: OnceLock::new(),
            done: AtomicUsize::new(0),
            painted: AtomicUsize::new(0),
            last_paint: AtomicU64::new(0),
        })
    }

    fn paint(&self, done: usize) {
        let before = self.painted.swap(done, Ordering::Relaxed);
        let bar = self.bar.read();
        if let Some(bar) = bar.as_ref().filter(|_| done > before) {
            show(|py| bar.call_method1(py, "update", (done - before,)));
        }
    }
}

impl client::Progress for Progress {
    fn expect(&self, total: usize) {
        let bar = show(|py| {
            let made = of_package(py, "progress_bar")?.call1((self.label, total, self.wanted))?;
            PyResult::Ok(if made.is_none() { None } else { Some(made.unbind()) })
        });
        *self.bar.write() = bar.flatten();
        self.start.get_or_init(Instant::now);
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let elapsed = self.start.get().map(|start| start.elapsed().as_millis() as u64).unwrap_or_default();
        let due = self.last_paint.load(Ordering::Relaxed) + PAINT_INTERVAL.as_millis() as u64;
        if elapsed >= due {
            self.last_paint.store(elapsed, Ordering::Relaxed);
            self.paint(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.paint(self.done.load(Ordering::Relaxed));
        if let Some(bar) = self.bar.write().take() {
            show(|py| bar.call_method0(py, "close"));
        }
    }
}

/// A bar that fails must not fail the call whose progress it shows. Ctrl-C meanwhile is for that call.
fn show<T>(step: impl FnOnce(Python<'_>) -> PyResult<T>) -> Option<T> {
    Python::attach(|py| in_request(|| step(py)).inspect_err(|error| postpone_interrupt(py, error)).ok())
}
