//! Starting and stopping: one port, its connections, and the threads that answer them.

mod certificates;
mod connections;
mod listener;

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use super::demo;
use super::http::{Operations, Paging, ROOT};
use super::store::{Store, StoreError};
use crate::fork::ProcessBound;
use certificates::CertificateError;
use listener::Listener;

pub use certificates::names_of_this_machine;

/// How long a stopping service waits for answers under way.
const GRACE: Duration = Duration::from_secs(2);
const WORKERS: usize = 2;
/// Threads that read the database, or work on something that takes its time. What they hold is what a room can make the
/// service hold at once.
const READERS: usize = 16;

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
    pub tls: Tls,
}

/// How a service is encrypted.
#[derive(Debug, Clone, Default)]
pub enum Tls {
    /// Not at all; for this machine only.
    #[default]
    Off,
    /// With a certificate chain and its key, both PEM files.
    Files { certificate: PathBuf, key: PathBuf },
    /// With a certificate authority of its own, kept in a folder, for these names and addresses.
    SelfSigned { folder: PathBuf, names: Vec<String> },
}

impl Default for ServiceConfig {
    fn default() -> Self {
        let (host, paging, tls) = ("127.0.0.1".into(), Paging::default(), Tls::default());
        ServiceConfig { path: None, demo: true, host, port: 0, paging, tls }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the service cannot listen on {host}:{port}: {cause}")]
    Listen { host: String, port: u16, cause: std::io::Error },
    #[error(
        "the service would listen on {0}, where plain http shows every token to the network; give it a certificate (--tls-cert \
         and --tls-key, or --tls-self-signed), or use 127.0.0.1"
    )]
    NotLoopback(String),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the service has no thread to run on: {0}")]
    Thread(std::io::Error),
}

/// A service that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    /// The certificate authority of a service that has its own.
    ca_file: Option<PathBuf>,
    encrypted: bool,
    store: Store,
    worker: ProcessBound<Mutex<Option<Worker>>>,
}

#[derive(Debug)]
struct Worker {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Opens the database, listens, and answers from then on.
    pub fn start(config: ServiceConfig) -> Result<Self, StartError> {
        let (tls, ca_file) = match &config.tls {
            Tls::Off => (None, None),
            Tls::Files { certificate, key } => (Some(certificates::from_files(certificate, key)?), None),
            Tls::SelfSigned { folder, names } => {
                let made = certificates::self_signed(folder, names)?;
                (Some(made.config), Some(made.ca_file))
            }
        };
        let encrypted = tls.is_some();
        let failed = |cause| StartError::Listen { host: config.host.clone(), port: config.port, cause };
        let listener = TcpListener::bind((config.host.as_str(), config.port)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if !encrypted && !address.ip().is_loopback() {
            return Err(StartError::NotLoopback(config.host));
        }
        listener.set_nonblocking(true).map_err(failed)?;
        let store = Store::open(config.path.as_deref())?;
        if config.demo && store.is_empty()? {
            demo::create(&store)?;
        }
        let operations = Operations::new(store.clone(), config.paging);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .max_blocking_threads(READERS)
            .thread_name("geodesign-service")
            .enable_all()
            .build()
            .map_err(StartError::Thread)?;
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let listener = Listener::new(listener, tls);
                let (draining, drained) = oneshot::channel::<()>();
                let shutdown = async move {
                    let _ = stopped.await;
                    let _ = draining.send(());
                };
                let serving = connections::serve(listener, operations, shutdown);
                let grace = async {
                    let _ = drained.await;
                    tokio::time::sleep(GRACE).await;
                };
                tokio::select! {
                    () = serving => {}
                    () = grace => {}
                }
            });
            runtime.shutdown_timeout(GRACE);
        };
        let thread =
            std::thread::Builder::new().name("geodesign-service".into()).spawn(serve).map_err(StartError::Thread)?;
        Ok(Server {
            address,
            ca_file,
            encrypted,
            store,
            worker: ProcessBound::new(Mutex::new(Some(Worker { stop, thread }))),
        })
    }

    /// The API root, such as `http://127.0.0.1:40513/api/v1/`.
    pub fn url(&self) -> String {
        self.url_at(&self.address.ip().to_string())
    }

    /// The API root under another name or address of this machine.
    pub fn url_at(&self, host: &str) -> String {
        let scheme = if self.encrypted { "https" } else { "http" };
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        format!("{scheme}://{host}:{}{ROOT}/", self.address.port())
    }

    /// The file that clients of a service with an authority of its own trust: their `ca_bundle`.
    pub fn ca_file(&self) -> Option<&Path> {
        self.ca_file.as_deref()
    }

    /// What the service stores, for administration beside the wire.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Finishes the answers under way and ends. Further calls do nothing, nor does one in a child of the process.
    pub fn stop(&self) {
        let Some(worker) = self.worker.get() else { return };
        if let Some(Worker { stop, thread }) = worker.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = stop.send(());
            let _ = thread.join();
        }
        self.store.close();
    }

    pub fn is_running(&self) -> bool {
        self.worker.get().is_some_and(|worker| worker.lock().unwrap_or_else(PoisonError::into_inner).is_some())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
