//! Progress bars. Python draws them; a bar is told of what is done a few times a second at most.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::client;
use crate::python::convert::extras::import_extra;

const BETWEEN_PAINTS: Duration = Duration::from_millis(100);

/// The bar of one call, taken down when it is dropped.
pub struct Progress {
    label: &'static str,
    /// Whether the caller wants one: `None` leaves it to whether somebody can see it.
    wanted: Option<bool>,
    bar: RwLock<Option<Py<PyAny>>>,
    begun: OnceLock<Instant>,
    done: AtomicUsize,
    painted: AtomicUsize,
    last_paint: AtomicU64,
}

impl Progress {
    /// An error where a bar is wanted and nothing can draw it.
    pub fn new(label: &'static str, wanted: Option<bool>) -> PyResult<Self> {
        if wanted == Some(true) {
            Python::attach(|py| import_extra(py, "tqdm.auto").map(drop))?;
        }
        Ok(Progress {
            label,
            wanted,
            bar: RwLock::new(None),
            begun: OnceLock::new(),
            done: AtomicUsize::new(0),
            painted: AtomicUsize::new(0),
            last_paint: AtomicU64::new(0),
        })
    }

    fn paint(&self, done: usize) {
        let before = self.painted.swap(done, Ordering::Relaxed);
        let bar = self.bar.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = bar.as_ref().filter(|_| done > before) {
            // A bar that cannot be painted is no reason to lose what it counts.
            let _ = Python::attach(|py| bar.call_method1(py, "update", (done - before,)));
        }
    }
}

impl client::Progress for Progress {
    fn expect(&self, total: usize) {
        let bar = Python::attach(|py| {
            let made = py.import("pygeodesign._progress")?.call_method1("bar", (self.label, total, self.wanted))?;
            PyResult::Ok(if made.is_none() { None } else { Some(made.unbind()) })
        });
        *self.bar.write().unwrap_or_else(PoisonError::into_inner) = bar.unwrap_or_default();
        self.begun.get_or_init(Instant::now);
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let elapsed = self.begun.get().map(|begun| begun.elapsed().as_millis() as u64).unwrap_or_default();
        let due = self.last_paint.load(Ordering::Relaxed) + BETWEEN_PAINTS.as_millis() as u64;
        if elapsed >= due {
            self.last_paint.store(elapsed, Ordering::Relaxed);
            self.paint(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.paint(self.done.load(Ordering::Relaxed));
        if let Some(bar) = self.bar.write().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = Python::attach(|py| bar.call_method0(py, "close"));
        }
    }
}
