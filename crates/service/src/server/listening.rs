//! Listens and answers on separate threads, for any kind of service.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::certificates::{self, CertificateError, OwnAuthority};
use super::config::{ServiceConfig, Tls};
use super::connections;
use super::network::Network;
use crate::ROOT;
use crate::http::{Frontend, RoomAuthority};
use crate::limits::Limits;
use geodesign_common::per_process::ProcessBound;

/// Time that a stopping service waits for requests in progress.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
#[cfg(target_os = "linux")]
const MAX_UNACCEPTED_CONNECTIONS: i32 = 1024;
/// Time that it then waits for other work of its threads, such as an interrupted query.
const INTERRUPT_TIMEOUT: Duration = Duration::from_millis(500);
const WORKER_THREADS: usize = 2;

/// The reason why a service could not listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    #[error("the service cannot listen on {host}:{port}: {source}")]
    Listen { host: String, port: u16, source: io::Error },
    #[error(
        "the service would listen on {0}, where plain http shows every token to the network; give it a certificate (--tls-cert \
         and --tls-key, or --tls-self-signed), name a private network (--http-for), or use 127.0.0.1"
    )]
    NotLoopback(String),
    #[error(
        "--http-for serves the devices of a network, but only this machine can reach {0}; also give --host, such as 0.0.0.0"
    )]
    OnlyLoopback(String),
    #[error("a service has either TLS or networks that it serves in plain http, not both")]
    TlsAndHttp,
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}

/// A port that listens. Connections wait until they are served.
pub struct Port {
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    /// Networks to serve. If there are any, connections from elsewhere are closed.
    networks: Vec<Network>,
    address: Address,
}

/// The address at which a service is reached.
#[derive(Debug, Clone)]
pub struct Address {
    address: SocketAddr,
    authority: Option<OwnAuthority>,
    encrypted: bool,
}

/// The threads that answer, until they are stopped. A forked child of the process that started them cannot stop them.
#[derive(Debug)]
pub struct Answering {
    /// `None` once the service is stopped.
    thread: ProcessBound<Mutex<Option<ServerThread>>>,
}

/// The thread that runs the service, and the signal that ends it.
#[derive(Debug)]
struct ServerThread {
    stop: oneshot::Sender<()>,
    handle: JoinHandle<()>,
}

impl Port {
    /// Listens on the configured address, which must be a loopback address unless connections are encrypted, or limited to private
    /// networks.
    pub fn listen(config: &ServiceConfig) -> Result<Self, ListenError> {
        let (tls, authority) = tls_config(&config.tls)?;
        let encrypted = tls.is_some();
        let failed = |source| ListenError::Listen { host: config.host.clone(), port: config.port, source };
        let listener = TcpListener::bind((config.host.as_str(), config.port)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let is_loopback = address.ip().is_loopback();
        match config.http_for.is_empty() {
            true if !encrypted && !is_loopback => return Err(ListenError::NotLoopback(config.host.clone())),
            false if encrypted => return Err(ListenError::TlsAndHttp),
            false if is_loopback => return Err(ListenError::OnlyLoopback(config.host.clone())),
            _ => {}
        }
        listener.set_nonblocking(true).map_err(failed)?;
        // The standard library lets 128 connections wait to be accepted; further ones would try again after a second.
        #[cfg(target_os = "linux")]
        rustix::net::listen(&listener, MAX_UNACCEPTED_CONNECTIONS).map_err(|error| failed(error.into()))?;
        Ok(Port {
            listener,
            tls,
            networks: config.http_for.clone(),
            address: Address { address, authority, encrypted },
        })
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Answers requests from now on, and runs `upkeep` alongside. At most `blocking_threads` do long work.
    pub fn serve(
        self,
        frontend: Frontend,
        limits: Arc<Limits>,
        blocking_threads: usize,
        upkeep: impl Future<Output = std::convert::Infallible> + Send + 'static,
    ) -> io::Result<Answering> {
        let Port { listener, tls, networks, .. } = self;
        let runtime = runtime::Builder::new_multi_thread()
            .worker_threads(WORKER_THREADS)
            .max_blocking_threads(blocking_threads)
            .thread_name("geodesign-service")
            .enable_all()
            .build()?;
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let finish = frontend.clone();
                let serve = move |stop| connections::serve(listener, tls, networks, frontend, limits, stop);
                // On the threads that answer, so that connections are accepted no faster than their handshakes are made: a flood would
                // have each replaced before its turn came.
                let serving = tokio::spawn(serve_until(stopped, serve));
                tokio::select! {
                    _ = serving => {}
                    never = upkeep => match never {},
                }
                finish.interrupt();
            });
            runtime.shutdown_timeout(INTERRUPT_TIMEOUT);
        };
        let handle = thread::Builder::new().name("geodesign-service".into()).spawn(run)?;
        Ok(Answering { thread: ProcessBound::new(Mutex::new(Some(ServerThread { stop, handle }))) })
    }
}

impl Address {
    pub fn listening(&self) -> SocketAddr {
        self.address
    }

    /// True if connections have TLS.
    pub fn is_encrypted(&self) -> bool {
        self.encrypted
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

    /// The API root for programs on this machine.
    pub fn local_url(&self) -> String {
        match self.address.ip() {
            ip if !ip.is_unspecified() => self.url(),
            std::net::IpAddr::V4(_) => self.url_at("127.0.0.1"),
            std::net::IpAddr::V6(_) => self.url_at("::1"),
        }
    }

    /// The service's own authority, if it has one.
    pub fn authority(&self) -> Option<&RoomAuthority> {
        self.authority.as_ref().map(|authority| &authority.room)
    }

    pub fn ca_file(&self) -> Option<&Path> {
        self.authority.as_ref().map(|authority| &*authority.file)
    }
}

impl Answering {
    /// Finishes the requests that are being answered, then stops. Returns true if there is something to close; false in a forked child of
    /// the process that started the service.
    pub fn stop(&self) -> bool {
        let Some(thread) = self.thread.get() else { return false };
        if let Some(ServerThread { stop, handle }) = thread.lock().take() {
            let _ = stop.send(());
            let _ = handle.join();
        }
        true
    }

    /// True until the service is stopped. Always false in a forked child.
    pub fn is_running(&self) -> bool {
        self.thread.get().is_some_and(|thread| thread.lock().is_some())
    }
}

/// Serves until `stopped` is signalled, and then for at most [`SHUTDOWN_TIMEOUT`].
async fn serve_until<Serving: Future<Output = ()>>(
    stopped: oneshot::Receiver<()>,
    serve: impl FnOnce(Pin<Box<dyn Future<Output = ()> + Send>>) -> Serving,
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

/// The certificate to serve with, and the service's own authority.
fn tls_config(tls: &Tls) -> Result<(Option<Arc<ServerConfig>>, Option<OwnAuthority>), CertificateError> {
    match tls {
        Tls::Off => Ok((None, None)),
        Tls::Files { certificate, key } => Ok((Some(certificates::from_files(certificate, key)?), None)),
        Tls::SelfSigned { folder, names } => {
            let self_signed = certificates::load_or_create(folder, names)?;
            Ok((Some(self_signed.config), Some(self_signed.authority)))
        }
    }
}
