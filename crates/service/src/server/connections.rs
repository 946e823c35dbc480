//! The connections of a service: their number, the closing of stale ones, and their end with the service.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Once};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_rustls::TlsAcceptor;

use super::admission::admit;
use super::handshake::{Accepted, answer_once, connect};
use super::network::Network;
use super::unread::WatchedBody;
use crate::http::Frontend;
use crate::limits::Limits;
use crate::peer::Peer;

/// Interval between checks of the time limits.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// Bytes that a connection holds of a request head, or in HTTP/2 of all bodies, before the service has read them. hyper's own limits,
/// 400 KB and 1 MB, let a client that fills all connections take some gigabytes.
const MAX_UNREAD_BYTES: u32 = 256 * 1024;
/// Connections that are being refused at the same time. Further ones are closed.
const MAX_REFUSALS: usize = 128;
/// Time for a refused client to send its request and to read the reason.
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(1);

/// Accepts connections and answers their requests until `stop` is ready; then finishes responses in progress. Without
/// `tls`, connections are plain http. If there are networks, connections from elsewhere are closed.
pub async fn serve(
    mut listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    networks: Vec<Network>,
    frontend: Frontend,
    limits: Arc<Limits>,
    stop: impl Future<Output = ()> + Send,
) {
    let mut connections = Connections::new(tls, frontend, limits);
    let mut checks = interval(CHECK_INTERVAL);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut stop = pin!(stop);
    let refused_elsewhere = Once::new();
    loop {
        tokio::select! {
            () = &mut stop => break,
            () = connections.one_ended() => {}
            _ = checks.tick() => connections.close_stale(),
            // axum's implementation waits and tries again after an error such as too many open files.
            (stream, address) = axum::serve::Listener::accept(&mut listener) => {
                if is_served(&networks, address.ip()) {
                    connections.accept(stream, address);
                } else {
                    refused_elsewhere.call_once(|| tracing::warn!(
                        "{} is not in a network of --http-for; its connection was closed; further ones are not logged",
                        address.ip()
                    ));
                }
            }
        }
    }
    drop(listener);
    connections.finish().await;
}

/// True if a peer is served: without networks, every peer is, because only this machine reaches a service without TLS.
fn is_served(networks: &[Network], address: IpAddr) -> bool {
    let address = address.to_canonical();
    networks.is_empty() || address.is_loopback() || networks.iter().any(|network| network.contains(address))
}

struct Connections {
    door: Arc<Door>,
    limits: Arc<Limits>,
    stopping: GracefulShutdown,
    tasks: JoinSet<()>,
    open: HashMap<Id, OpenConnection>,
    refusals: Arc<Semaphore>,
}

/// State that all connections share.
struct Door {
    tls: Option<TlsAcceptor>,
    http: auto::Builder<TokioExecutor>,
    frontend: Frontend,
}

struct OpenConnection {
    task: AbortHandle,
    peer: Arc<Peer>,
}

impl Connections {
    fn new(tls: Option<Arc<ServerConfig>>, frontend: Frontend, limits: Arc<Limits>) -> Self {
        let mut http = auto::Builder::new(TokioExecutor::new());
        // QGIS finds `Location` in this spelling only.
        http.http1().title_case_headers(true).max_buf_size(MAX_UNREAD_BYTES as usize);
        http.http2().initial_connection_window_size(MAX_UNREAD_BYTES);
        Connections {
            door: Arc::new(Door { tls: tls.map(TlsAcceptor::from), http, frontend }),
            limits,
            stopping: GracefulShutdown::new(),
            tasks: JoinSet::new(),
            open: HashMap::new(),
            refusals: Arc::new(Semaphore::new(MAX_REFUSALS)),
        }
    }

    /// Waits until a connection ends.
    async fn one_ended(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => {
                let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
                self.open.remove(&id);
            }
            None => std::future::pending().await,
        }
    }

    /// Serves a connection, which replaces others if no more may be open, or refuses it.
    fn accept(&mut self, stream: TcpStream, address: SocketAddr) {
        let peer = Arc::new(Peer::new(address.ip(), self.door.tls.is_some()));
        if self.open.len() as u64 >= self.limits.connections {
            let open = self.open.iter().map(|(id, connection)| (*id, connection.peer.as_ref()));
            let replaced = admit(&peer, open, &self.limits);
            if replaced.is_empty() {
                return self.refuse(stream);
            }
            replaced.iter().filter_map(|id| self.open.remove(id)).for_each(|other| other.task.abort());
        }
        let connection = serve_connection(self.door.clone(), stream, peer.clone(), self.stopping.watcher());
        let task = self.tasks.spawn(connection);
        self.open.insert(task.id(), OpenConnection { task, peer });
    }

    /// Answers the request on a connection in plain http with 503. In TLS, that would need a handshake, which is most of the work of a
    /// connection.
    fn refuse(&self, stream: TcpStream) {
        if let (None, Ok(place)) = (&self.door.tls, self.refusals.clone().try_acquire_owned()) {
            let frontend = self.door.frontend.clone();
            tokio::spawn(async move {
                let refusal = answer_once(stream, move |request| frontend.too_many_connections(request.headers()));
                let _ = timeout(REFUSAL_TIMEOUT, refusal).await;
                drop(place);
            });
        }
    }

    /// Closes connections whose clients send no request or do not read their responses. hyper limits neither in HTTP/2, nor the
    /// latter in HTTP/1.1.
    fn close_stale(&self) {
        let max_idle_time = Duration::from_secs(self.limits.request_head_seconds);
        self.close_idle_for(max_idle_time);
        let is_stalled = |peer: &Peer| peer.longest_stall() >= self.door.frontend.max_stall(peer);
        self.open.values().filter(|connection| is_stalled(&connection.peer)).for_each(|stalled| stalled.task.abort());
    }

    fn close_idle_for(&self, time: Duration) {
        let is_idle = |peer: &Peer| !peer.is_active() && peer.inactive_for() >= time;
        self.open.values().filter(|connection| is_idle(&connection.peer)).for_each(|idle| idle.task.abort());
    }

    async fn finish(mut self) {
        self.door.frontend.end_streams();
        let mut ended = pin!(std::mem::take(&mut self.stopping).shutdown());
        let mut checks = interval(CHECK_INTERVAL);
        loop {
            tokio::select! {
                () = &mut ended => return,
                // The client of a connection in HTTP/2 may not confirm that it sends no further request.
                _ = checks.tick() => self.close_idle_for(CHECK_INTERVAL),
            }
        }
    }
}

async fn serve_connection(door: Arc<Door>, stream: TcpStream, peer: Arc<Peer>, stopping: Watcher) {
    let _open = door.frontend.begin_connection();
    // What the handshake and the responses need is boxed, so that an idle connection has no memory for it.
    let Some(Accepted { stream, is_http2 }) = Box::pin(connect(stream, door.tls.as_ref())).await else { return };
    let http = door.http.clone();
    let http = if is_http2 { http.http2_only() } else { http.http1_only() };
    let service = service_fn(move |request: Request<Incoming>| {
        let peer = Arc::new(peer.of_next_request());
        let answer = Box::pin(door.frontend.clone().answer(request, peer.clone()));
        async move { Ok::<_, Infallible>(answer.await.map(|body| WatchedBody::new(body, peer))) }
    });
    let _ = stopping.watch(http.serve_connection(TokioIo::new(stream), service)).await;
}
