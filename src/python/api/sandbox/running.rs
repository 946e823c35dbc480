//! The service of a sandbox, which lives as long as anything that needs it.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::fork::PerProcess;
use crate::service::Server;

/// The service of a sandbox and of its clients. It stops with the last of them.
pub(super) struct Running(Arc<Server>);

impl Running {
    pub(super) fn new(service: Server) -> Self {
        let service = Arc::new(service);
        stop_at_exit(&service);
        Running(service)
    }
}

impl Deref for Running {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The last request of a client may end on a thread of the runtime, which must not wait.
        if tokio::runtime::Handle::try_current().is_ok() {
            let service = self.0.clone();
            let _ = std::thread::Builder::new().spawn(move || service.stop());
            return;
        }
        // Without the GIL: requests under way may need it to end.
        Python::try_attach(|py| py.detach(|| self.0.stop()));
    }
}

/// The services of this process that have not been dropped.
static STARTED: PerProcess<Mutex<Vec<Weak<Server>>>> = PerProcess::new();

fn stop_at_exit(service: &Arc<Server>) {
    let mut started = STARTED.get_or_init(Mutex::default).lock();
    started.retain(|service| service.strong_count() > 0);
    started.push(Arc::downgrade(service));
}

/// Stops the services that still run, so that no temporary database is left.
pub fn stop_all() {
    let Some(started) = STARTED.get() else { return };
    let started = std::mem::take(&mut *started.lock());
    started.iter().filter_map(Weak::upgrade).for_each(|service| service.stop());
}
