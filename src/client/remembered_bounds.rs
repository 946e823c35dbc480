//! The bounds of a project as it last answered them, so that not every new diagram needs a request for them.

use parking_lot::Mutex;

use crate::fork::PerProcess;
use crate::model::Bounds;

/// `None` until they have been read.
#[derive(Debug)]
pub struct RememberedBounds(PerProcess<Mutex<Option<Bounds>>>);

impl RememberedBounds {
    pub fn new() -> Self {
        RememberedBounds(PerProcess::new())
    }

    pub fn get(&self) -> Option<Bounds> {
        *self.0.get_or_init(Mutex::default).lock()
    }

    pub fn set(&self, bounds: Bounds) {
        *self.0.get_or_init(Mutex::default).lock() = Some(bounds);
    }
}
