//! Whether something between client and service holds back events.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::fork::PerProcess;

/// How long no event is waited for again after the first one of a connection did not come in time. A proxy stays as it is; a
/// service that was only busy has its events asked for again after this.
const EVENTS_RETRY_INTERVAL: Duration = Duration::from_secs(600);

/// When a greeting did not come in time. The clones of a client share it, since the same proxy is in the way of all projects.
#[derive(Debug)]
pub struct HeldBackEvents(PerProcess<Mutex<Option<Instant>>>);

impl HeldBackEvents {
    pub fn new() -> Self {
        HeldBackEvents(PerProcess::new())
    }

    /// Whether events were held back a short while ago.
    pub fn are_held_back(&self) -> bool {
        let since = *self.0.get_or_init(Mutex::default).lock();
        since.is_some_and(|since| since.elapsed() < EVENTS_RETRY_INTERVAL)
    }

    /// Notes that a greeting did not come in time.
    pub fn note(&self) {
        *self.0.get_or_init(Mutex::default).lock() = Some(Instant::now());
    }
}
