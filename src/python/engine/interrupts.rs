//! Ctrl-C during long computations of this crate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;

use super::runtime::wait;
use crate::blocking;
use crate::client::Error;

/// Whether the caller of a computation has been interrupted, so that nobody waits for its result.
#[derive(Clone, Default)]
pub struct Interrupted(Arc<AtomicBool>);

impl Interrupted {
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Computes on a thread without Python while the calling one waits. Ctrl-C ends the wait; the computation goes on until it
/// looks at [`Interrupted`].
pub fn compute<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Interrupted) -> T + Send + 'static,
) -> PyResult<T> {
    let interrupted = Interrupted::default();
    let waiting = InterruptOnDrop(interrupted.clone());
    wait(
        py,
        Box::pin(async move {
            let _waiting = waiting;
            Ok(blocking::run(move || work(&interrupted)).await.map_err(Error::from)?)
        }),
    )
}

/// Dropped with the wait, after the computation or before.
struct InterruptOnDrop(Interrupted);

impl Drop for InterruptOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Counts steps of a conversion that needs Python all the time, to look for Ctrl-C and let other threads have a turn now and then.
#[derive(Default)]
pub struct Steps(std::cell::Cell<u32>);

impl Steps {
    /// So many steps take about a millisecond.
    const PER_LOOK: u32 = 16 * 1024;

    /// One more small step, such as an object that was made. The error is that of the interrupt.
    #[inline]
    pub fn count(&self, py: Python<'_>) -> PyResult<()> {
        let steps = self.0.get() + 1;
        match steps < Self::PER_LOOK {
            true => {
                self.0.set(steps);
                Ok(())
            }
            false => {
                self.0.set(0);
                look(py)
            }
        }
    }
}

/// Only the main thread is interrupted. If this is another one, the main thread needs a turn to notice Ctrl-C.
#[cold]
pub fn look(py: Python<'_>) -> PyResult<()> {
    py.detach(std::thread::yield_now);
    py.check_signals()
}
