//! Starting and stopping a service.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::certificates::{self, CertificateError};
use super::config::{ServiceConfig, Tls};
use super::connections;
use super::self_signed;
use super::upkeep::Upkeep;
use crate::fork::ProcessBound;
use crate::service::demo;
use crate::service::http::{Operations, ROOT};
use crate::service::limits::Limits;
use crate::service::load::{IsInterrupted, LoadError, PreparedArchive};
use crate::service::store::{Store, StoreError};

/// How long a stopping service waits for the requests that it has begun to answer.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
#[cfg(target_os = "linux")]
const MAX_UNACCEPTED_CONNECTIONS: i32 = 1024;
/// How long it then waits for what its threads still do, such as a query that it has interrupted.
const INTERRUPT_TIMEOUT: Duration = Duration::from_millis(500);
const WORKER_THREADS: usize = 2;
/// Threads for queries and computations that take long. Their number also limits how much memory such work takes at once.
const MAX_BLOCKING_THREADS: usize = 16;

/// Why a service could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    #[error("the service cannot listen on {host}:{port}: {source}")]
    Listen { host: String, port: u16, source: io::Error },
    #[error(
        "the service would listen on {0}, where plain http shows every token to the network; give it a certificate (--tls-cert \
         and --tls-key, or --tls-self-signed), or use 127.0.0.1"
    )]
    NotLoopback(String),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("the service cannot start its threads: {0}")]
    Thread(#[source] io::Error),
}

/// A service that runs, on threads of its own, until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    /// The certificate of the service's own authority, if it has one.
    ca_file: Option<PathBuf>,
    encrypted: bool,
    store: Store,
    /// `None` once the service is stopped.
    thread: ProcessBound<Mutex<Option<ServerThread>>>,
}

/// The thread that the service's runtime lives on, and the signal that ends it.
#[derive(Debug)]
struct ServerThread {
    stop: oneshot::Sender<()>,
    handle: JoinHandle<()>,
}

impl Server {
    /// Opens the database and listens. The service answers requests from then on.
    pub fn start(config: ServiceConfig) -> Result<Self, StartError> {
        Server::start_unless(config, &|| false)
    }

    /// The same, but gives up loading archives when `is_interrupted` says so.
    pub fn start_unless(config: ServiceConfig, is_interrupted: IsInterrupted) -> Result<Self, StartError> {
        let (tls, ca_file) = tls_config(&config.tls)?;
        let encrypted = tls.is_some();
        let (listener, address) = listen(&config, encrypted)?;
        let limits = Arc::new(config.limits);
        // Before the database is created, so that an archive that cannot be loaded leaves nothing behind.
        let read = |path: &PathBuf| PreparedArchive::read(path, &limits, is_interrupted);
        let archives = config.archives.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let was_there = config.path.as_deref().is_none_or(Path::exists);
        let store = Store::open_with(config.path.as_deref(), limits.clone())?;
        // A database that was there before may be a copy without its log. It gets no demo, which would hide that.
        if config.demo && store.is_new() && store.is_empty()? {
            demo::create(&store)?;
        }
        if let Err(error) = load(&store, &archives, &limits, is_interrupted) {
            store.close();
            if let Some(path) = config.path.as_deref().filter(|_| !was_there) {
                let _ = std::fs::remove_file(path);
            }
            return Err(error);
        }
        store.limit_statements(Duration::from_secs(limits.statement_seconds));
        let operations = Operations::new(store.clone(), config.paging, &config.cors, limits.clone());
        let upkeep = Upkeep { store: store.clone(), backups: config.backups };
        let thread = ServerThread::spawn(listener, tls, operations, limits, upkeep).map_err(StartError::Thread)?;
        Ok(Server { address, ca_file, encrypted, store, thread: ProcessBound::new(Mutex::new(Some(thread))) })
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

    /// With [`Tls::SelfSigned`], the certificate of the authority. Clients that trust it (`ca_bundle`) can connect.
    pub fn ca_file(&self) -> Option<&Path> {
        self.ca_file.as_deref()
    }

    /// The database, for administration: users, members and all else that the HTTP operations cannot change.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Finishes the requests that are being answered, then stops and closes the database. Does nothing on a service that is
    /// stopped already, and nothing in a forked child of the process that started it.
    pub fn stop(&self) {
        let Some(thread) = self.thread.get() else { return };
        if let Some(ServerThread { stop, handle }) = thread.lock().take() {
            let _ = stop.send(());
            let _ = handle.join();
        }
        self.store.close();
    }

    /// Whether the service was not stopped yet. Always false in a forked child.
    pub fn is_running(&self) -> bool {
        self.thread.get().is_some_and(|thread| thread.lock().is_some())
    }
}

/// Loads all archives or, if one of them does not fit into the database, none.
fn load(
    store: &Store,
    archives: &[PreparedArchive],
    limits: &Limits,
    is_interrupted: IsInterrupted,
) -> Result<(), StartError> {
    if archives.is_empty() {
        return Ok(());
    }
    store.write(|write| archives.iter().try_for_each(|archive| Ok(archive.load(write, limits, is_interrupted)?)))
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl ServerThread {
    fn spawn(
        listener: TcpListener,
        tls: Option<Arc<ServerConfig>>,
        operations: Operations,
        limits: Arc<Limits>,
        upkeep: Upkeep,
    ) -> io::Result<Self> {
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(WORKER_THREADS)
            .max_blocking_threads(MAX_BLOCKING_THREADS)
            .thread_name("geodesign-service")
            .enable_all()
            .build()?;
        let (stop, stopped) = oneshot::channel();
        let store = upkeep.store.clone();
        let run = move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let finish = operations.clone();
                let serve = |stop| connections::serve(listener, tls, operations, limits, stop);
                tokio::select! {
                    () = serve_until(stopped, serve) => {}
                    never = upkeep.run() => match never {},
                }
                store.interrupt();
                // Threads that draw use the database, which is closed next.
                let _ = timeout(INTERRUPT_TIMEOUT, finish.finish()).await;
            });
            runtime.shutdown_timeout(INTERRUPT_TIMEOUT);
        };
        let handle = thread::Builder::new().name("geodesign-service".into()).spawn(run)?;
        Ok(ServerThread { stop, handle })
    }
}

/// Serves until `stopped` is signalled, and then for [`SHUTDOWN_TIMEOUT`] at most.
async fn serve_until<Serving: Future<Output = ()>>(
    stopped: oneshot::Receiver<()>,
    serve: impl FnOnce(Pin<Box<dyn Future<Output = ()>>>) -> Serving,
) {
    let (shutdown_started, shutdown) = oneshot::channel::<()>();
    let stop = async move {
        let _ = stopped.await;
        let _ = shutdown_started.send(());
    };
    let time_out = async {
        let _ = shutdown.await;
        sleep(SHUTDOWN_TIMEOUT).await;
    };
    tokio::select! {
        () = serve(Box::pin(stop)) => {}
        () = time_out => {}
    }
}

/// The certificate to serve with, and the certificate of the service's own authority.
fn tls_config(tls: &Tls) -> Result<(Option<Arc<ServerConfig>>, Option<PathBuf>), CertificateError> {
    match tls {
        Tls::Off => Ok((None, None)),
        Tls::Files { certificate, key } => Ok((Some(certificates::from_files(certificate, key)?), None)),
        Tls::SelfSigned { folder, names } => {
            let self_signed = self_signed::load_or_create(folder, names)?;
            Ok((Some(self_signed.config), Some(self_signed.ca_file)))
        }
    }
}

/// Listens on the configured address, which must be a loopback address unless connections are encrypted.
fn listen(config: &ServiceConfig, encrypted: bool) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |source| StartError::Listen { host: config.host.clone(), port: config.port, source };
    let listener = TcpListener::bind((config.host.as_str(), config.port)).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    if !encrypted && !address.ip().is_loopback() {
        return Err(StartError::NotLoopback(config.host.clone()));
    }
    listener.set_nonblocking(true).map_err(failed)?;
    // The standard library lets 128 connections wait to be accepted; further ones would try again after a second.
    #[cfg(target_os = "linux")]
    rustix::net::listen(&listener, MAX_UNACCEPTED_CONNECTIONS).map_err(|error| failed(error.into()))?;
    Ok((listener, address))
}
