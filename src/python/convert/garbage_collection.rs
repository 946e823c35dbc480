//! Python's cyclic garbage collection.

use pyo3::prelude::*;

/// While this exists, Python's cyclic garbage collection is off. Dicts, lists and shapes that are made here hold no cycles, but
/// each new object would bring the next collection closer, which visits all of them.
pub struct GarbageCollectionPaused<'py> {
    /// The module `gc`, if collection was on before.
    gc_to_enable: Option<Bound<'py, PyModule>>,
}

impl<'py> GarbageCollectionPaused<'py> {
    pub fn new(py: Python<'py>) -> PyResult<Self> {
        let gc = py.import("gc")?;
        let was_on = gc.call_method0("isenabled")?.is_truthy()?;
        if was_on {
            gc.call_method0("disable")?;
        }
        Ok(GarbageCollectionPaused { gc_to_enable: was_on.then_some(gc) })
    }

    /// The same pause, to be ended by another thread.
    pub fn into_pause(mut self) -> GarbageCollectionPause {
        GarbageCollectionPause(self.gc_to_enable.take().map(Bound::unbind))
    }
}

/// The same pause, which any thread may end by dropping this.
pub struct GarbageCollectionPause(Option<Py<PyModule>>);

impl Drop for GarbageCollectionPause {
    fn drop(&mut self) {
        // An interpreter that shuts down has no use for it.
        Python::try_attach(|py| {
            let gc_to_enable = self.0.take().map(|gc| gc.into_bound(py));
            drop(GarbageCollectionPaused { gc_to_enable });
        });
    }
}

impl Drop for GarbageCollectionPaused<'_> {
    fn drop(&mut self) {
        if let Some(gc) = &self.gc_to_enable {
            // `gc.enable()` cannot fail.
            let _ = gc.call_method0("enable");
        }
    }
}
