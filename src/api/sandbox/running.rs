//! The service of a sandbox, which lives as long as anything needs it.

use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use pyo3::prelude::*;

use geodesign_common::per_process::PerProcess;
use geodesign_service::Server;

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
        // A client's last request may end on a thread of the runtime, which must not wait.
        if tokio::runtime::Handle::try_current().is_ok() {
            let service = self.0.clone();
            let _ = std::thread::Builder::new().spawn(move || service.stop());
            return;
        }
        // Without the GIL: requests in progress may need it to end.
        Python::try_attach(|py| py.detach(|| self.0.stop()));
    }
}

/// A service of this process, and its address.
struct Started {
    address: SocketAddr,
    service: Weak<Server>,
}

/// The services of this process that have not been dropped.
static STARTED: PerProcess<Mutex<Vec<Started>>> = PerProcess::new();

fn stop_at_exit(service: &Arc<Server>) {
    let mut started = STARTED.get_or_init(Mutex::default).lock();
    started.retain(|started| started.service.strong_count() > 0);
    started.push(Started { address: service.local_address(), service: Arc::downgrade(service) });
}

/// The addresses where services of this process listen, by host and port as in Python.
#[pyfunction]
pub fn _service_addresses() -> Vec<(String, u16)> {
    let Some(started) = STARTED.get() else { return Vec::new() };
    let started = started.lock();
    let running = started.iter().filter(|started| started.service.strong_count() > 0);
    running.map(|started| (started.address.ip().to_string(), started.address.port())).collect()
}

/// Stops the services that still run, so that no temporary database is left behind.
pub fn stop_all() {
    let Some(started) = STARTED.get() else { return };
    let started = std::mem::take(&mut *started.lock());
    started.iter().filter_map(|started| started.service.upgrade()).for_each(|service| service.stop());
}
