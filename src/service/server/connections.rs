//! The connections of a service: how many it serves at once, which of them it closes, and how they end with it.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Once};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{Instant, timeout, timeout_at};

use super::admission::{Admission, admit};
use super::handshake::{Accepted, connect};
use super::http2;
use super::network::Network;
use super::turns::Turns;
use super::write_stall_timeout::WriteStallTimeout;
use crate::service::http::Frontend;
use crate::service::limits::Limits;
use crate::service::peer::Peer;

/// For each connection. A request head must fit.
const MAX_BUFFER_BYTES: usize = 128 * 1024;

/// Accepts connections and answers their requests until `stop` is ready; then finishes the responses that were begun. Without
/// `tls`, connections are plain http. If there are networks, connections from elsewhere are closed.
pub async fn serve(
    mut listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    networks: Vec<Network>,
    frontend: Frontend,
    limits: Arc<Limits>,
    stop: impl Future<Output = ()>,
) {
    let mut connections = Connections::new(tls, frontend, limits);
    let mut refusals = Refusals::default();
    let mut stop = pin!(stop);
    let refused_elsewhere = Once::new();
    loop {
        let accepted = async {
            refusals.place().await;
            // axum's implementation waits and tries again after an error such as too many open files.
            axum::serve::Listener::accept(&mut listener).await
        };
        tokio::select! {
            () = &mut stop => break,
            known = connections.one_ended() => {
                known.into_iter().for_each(|(stream, address)| connections.accept_known(stream, address));
            }
            (stream, address) = accepted => {
                if !is_served(&networks, address.ip()) {
                    refused_elsewhere.call_once(|| tracing::warn!(
                        "{} is not in a network of --http-for; its connection was closed, and later ones of others are not named",
                        address.ip()
                    ));
                } else if let Some(refused) = connections.accept(stream, address) {
                    refusals.refuse(refused, connections.frontend.clone());
                }
            }
        }
    }
    drop(listener);
    connections.finish().await;
}

/// Whether a peer is served: without networks everybody is, because only this machine reaches a service without TLS.
fn is_served(networks: &[Network], address: IpAddr) -> bool {
    let address = address.to_canonical();
    networks.is_empty() || address.is_loopback() || networks.iter().any(|network| network.contains(address))
}

struct Connections {
    tls: Option<Arc<ServerConfig>>,
    frontend: Frontend,
    limits: Arc<Limits>,
    turns: Arc<Turns>,
    draining: watch::Sender<bool>,
    tasks: JoinSet<()>,
    open: HashMap<Id, OpenConnection>,
    /// Connections without a place, of which it is looked whether their clients were known before.
    knocking: JoinSet<Option<(TcpStream, SocketAddr)>>,
    oldest_knock_first: VecDeque<AbortHandle>,
}

struct OpenConnection {
    task: AbortHandle,
    peer: Arc<Peer>,
}

impl Connections {
    fn new(tls: Option<Arc<ServerConfig>>, frontend: Frontend, limits: Arc<Limits>) -> Self {
        Connections {
            tls,
            frontend,
            turns: Arc::new(Turns::new(&limits)),
            limits,
            draining: watch::channel(false).0,
            tasks: JoinSet::new(),
            open: HashMap::new(),
            knocking: JoinSet::new(),
            oldest_knock_first: VecDeque::new(),
        }
    }

    /// Waits until a connection ended, or until a client without a place was seen to be known, which is returned.
    async fn one_ended(&mut self) -> Option<(TcpStream, SocketAddr)> {
        tokio::select! {
            Some(ended) = self.tasks.join_next_with_id() => {
                let id = ended.map_or_else(|error| error.id(), |(id, ())| id);
                self.open.remove(&id);
                None
            }
            Some(looked_at) = self.knocking.join_next() => looked_at.ok().flatten(),
            else => std::future::pending().await,
        }
    }

    /// Serves a connection. One that cannot be served is closed or, if it is in plain http, returned.
    fn accept(&mut self, stream: TcpStream, address: SocketAddr) -> Option<TcpStream> {
        let refused = self.accept_as(stream, address, false)?;
        if self.tls.is_none() {
            return Some(refused);
        }
        // A refusal in TLS would need a handshake, which is most of the work of a connection.
        let turns = self.turns.clone();
        self.oldest_knock_first.push_back(self.knocking.spawn(async move {
            let user = timeout(MAX_WAIT, turns.known_user(&refused)).await.ok().flatten();
            user.map(|_| (refused, address))
        }));
        if self.oldest_knock_first.len() > MAX_KNOCKING
            && let Some(oldest) = self.oldest_knock_first.pop_front()
        {
            oldest.abort();
        }
        None
    }

    fn accept_known(&mut self, stream: TcpStream, address: SocketAddr) {
        let _closed = self.accept_as(stream, address, true);
    }

    /// Serves a connection, or returns it if it has no place.
    fn accept_as(&mut self, stream: TcpStream, address: SocketAddr, is_known: bool) -> Option<TcpStream> {
        let peer = Arc::new(Peer::new(address.ip()).with_tls(self.tls.is_some()));
        if self.open.len() as u64 >= self.limits.connections {
            let open = self.open.iter().map(|(id, connection)| (*id, connection.peer.as_ref()));
            match admit(&peer, is_known, open, &self.limits) {
                Admission::InsteadOf(other) => self.close(other),
                Admission::Refused { next_to_close } => {
                    next_to_close.and_then(|id| self.open.get(&id)).inspect(|other| other.peer.close_next());
                    return Some(stream);
                }
            }
        }
        let connection = serve_connection(
            stream,
            self.tls.clone(),
            self.frontend.clone(),
            peer.clone(),
            self.turns.clone(),
            self.limits.clone(),
            self.draining.subscribe(),
        );
        let task = self.tasks.spawn(connection);
        self.open.insert(task.id(), OpenConnection { task, peer });
        None
    }

    fn close(&mut self, id: Id) {
        if let Some(connection) = self.open.remove(&id) {
            connection.task.abort();
        }
    }

    async fn finish(mut self) {
        self.draining.send_replace(true);
        self.frontend.end_streams();
        while self.tasks.join_next().await.is_some() {}
    }
}

async fn serve_connection(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    frontend: Frontend,
    peer: Arc<Peer>,
    turns: Arc<Turns>,
    limits: Arc<Limits>,
    mut draining: watch::Receiver<bool>,
) {
    let _open = frontend.begin_connection();
    // What the handshake, HTTP/2 and the responses need is boxed, so that an idle connection has no memory for it.
    let connection = tokio::select! {
        connection = Box::pin(connect(stream, tls, &turns, &peer)) => connection,
        _ = draining.wait_for(|draining| *draining) => None,
    };
    drop(turns);
    let Some(Accepted { stream, is_http2 }) = connection else { return };
    let stream = {
        let (frontend, reader) = (frontend.clone(), peer.clone());
        WriteStallTimeout::new(stream, peer.clone(), move || frontend.max_stall(&reader))
    };
    if is_http2 {
        return Box::pin(http2::serve(stream, frontend, peer, limits, draining)).await;
    }
    let service = service_fn(move |request: Request<Incoming>| {
        let answer = Box::pin(frontend.clone().answer(request, peer.clone()));
        async move { Ok::<_, Infallible>(answer.await) }
    });
    // Longer than clients keep an idle connection, so that it is they who close it.
    let request_head_timeout = Duration::from_secs(limits.request_head_seconds);
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(request_head_timeout)
            .max_buf_size(MAX_BUFFER_BYTES)
            // QGIS finds `Location` in this spelling only.
            .title_case_headers(true)
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = draining.wait_for(|draining| *draining) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Refused connections that are open until their client has read why. While there are this many, no connection is accepted, until
/// one ends or the oldest is [`MIN_TIME`] old and is closed.
const MAX_REFUSALS: usize = 128;
/// Connections in TLS without a place whose first message is waited for. For a further one, that which has waited longest is closed.
const MAX_KNOCKING: usize = 128;
const MIN_TIME: Duration = Duration::from_millis(50);
/// How long the request is waited for, and how long what follows it is read.
const MAX_WAIT: Duration = Duration::from_secs(1);
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// Connections that are being refused. They are closed when this is dropped.
#[derive(Default)]
pub struct Refusals {
    tasks: JoinSet<()>,
    /// The same with the time at which each began.
    oldest_first: VecDeque<(Instant, AbortHandle)>,
}

impl Refusals {
    /// Waits until a further connection can be refused.
    pub async fn place(&mut self) {
        while self.tasks.len() >= MAX_REFUSALS {
            self.oldest_first.retain(|(_, refusal)| !refusal.is_finished());
            let oldest = self.oldest_first.front().map_or_else(Instant::now, |(begin, _)| *begin);
            if timeout_at(oldest + MIN_TIME, self.tasks.join_next()).await.is_err()
                && let Some((_, oldest)) = self.oldest_first.pop_front()
            {
                oldest.abort();
                self.tasks.join_next().await;
            }
        }
    }

    /// Answers the request on a connection in plain http with 503.
    pub fn refuse(&mut self, stream: TcpStream, frontend: Frontend) {
        let refusal = self.tasks.spawn(async move {
            let _ = refuse(stream, frontend).await;
        });
        self.oldest_first.push_back((Instant::now(), refusal));
    }
}

/// A client may not expect a response before it has sent its request. Closing a connection with unread bytes resets it, and
/// the reset can reach the client before the response does.
async fn refuse(stream: TcpStream, frontend: Frontend) -> io::Result<()> {
    let refusal = service_fn(|request: Request<Incoming>| {
        std::future::ready(Ok::<_, Infallible>(frontend.too_many_connections(request.headers())))
    });
    let mut connection = http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(MAX_REQUEST_BYTES)
        .serve_connection(TokioIo::new(stream), refusal);
    let sent = timeout(MAX_WAIT, poll_fn(|context| connection.poll_without_shutdown(context))).await?;
    sent.map_err(io::Error::other)?;
    let mut stream = connection.into_parts().io.into_inner();
    stream.shutdown().await?;
    let mut rest = vec![0; MAX_REQUEST_BYTES];
    let drain = async { while stream.read(&mut rest).await.is_ok_and(|length| length > 0) {} };
    Ok(timeout(MAX_WAIT, drain).await?)
}
