//! Starting and stopping.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use super::paging::Paging;
use super::store::{Store, StoreError};
use super::{ROOT, demo, routes};

/// How long a stopping service waits for answers under way.
const GRACE: Duration = Duration::from_secs(2);
const WORKERS: usize = 2;

/// Where a service listens and what it holds.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// The database file; made where it is missing. `None` is a temporary one, gone when the service stops.
    pub path: Option<PathBuf>,
    /// Whether an empty database gets the demo project.
    pub demo: bool,
    pub host: String,
    /// 0 takes a free port.
    pub port: u16,
    pub paging: Paging,
}

impl Default for ServiceConfig {
    fn default() -> Self {
        ServiceConfig { path: None, demo: true, host: "127.0.0.1".into(), port: 0, paging: Paging::default() }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the service cannot listen on {host}:{port}: {cause}")]
    Listen { host: String, port: u16, cause: std::io::Error },
    #[error(
        "the service would listen on {0}, where plain http shows every token to the network; use 127.0.0.1 or localhost"
    )]
    NotLoopback(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the service has no thread to run on: {0}")]
    Thread(std::io::Error),
}

/// A service that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    store: Store,
    worker: Mutex<Option<Worker>>,
}

#[derive(Debug)]
struct Worker {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Running {
    /// Opens the database, listens, and answers from then on.
    pub fn start(config: ServiceConfig) -> Result<Self, StartError> {
        let store = Store::open(config.path.as_deref())?;
        if config.demo && store.is_empty()? {
            demo::create(&store)?;
        }
        let failed = |cause| StartError::Listen { host: config.host.clone(), port: config.port, cause };
        let listener = TcpListener::bind((config.host.as_str(), config.port)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if !address.ip().is_loopback() {
            return Err(StartError::NotLoopback(config.host));
        }
        listener.set_nonblocking(true).map_err(failed)?;
        let router = routes::router(store.clone(), config.paging);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("geodesign-service")
            .enable_all()
            .build()
            .map_err(StartError::Thread)?;
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let (draining, drained) = oneshot::channel::<()>();
                let shutdown = async move {
                    let _ = stopped.await;
                    let _ = draining.send(());
                };
                let serving = axum::serve(listener, router).with_graceful_shutdown(shutdown);
                let grace = async {
                    let _ = drained.await;
                    tokio::time::sleep(GRACE).await;
                };
                tokio::select! {
                    _ = serving => {}
                    () = grace => {}
                }
            });
            runtime.shutdown_timeout(GRACE);
        };
        let thread =
            std::thread::Builder::new().name("geodesign-service".into()).spawn(serve).map_err(StartError::Thread)?;
        Ok(Running { address, store, worker: Mutex::new(Some(Worker { stop, thread })) })
    }

    /// The API root, such as `http://127.0.0.1:40513/api/v1/`.
    pub fn url(&self) -> String {
        format!("http://{}{ROOT}/", self.address)
    }

    /// What the service stores, for administration beside the wire.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Finishes the answers under way and ends. Further calls do nothing.
    pub fn stop(&self) {
        let worker = self.worker.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(Worker { stop, thread }) = worker {
            let _ = stop.send(());
            let _ = thread.join();
        }
        self.store.close();
    }

    pub fn is_running(&self) -> bool {
        self.worker.lock().unwrap_or_else(std::sync::PoisonError::into_inner).is_some()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}
