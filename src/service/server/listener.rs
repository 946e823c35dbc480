//! Accepting connections, with or without TLS, on one port.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::serve;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;

use super::redirect::redirect_to_https;

/// How long the TLS handshake of a connection may take, or its request in plain http and the redirect that answers it.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Handshakes that may be in progress at once. While there are so many, the oldest one is dropped to accept a further
/// connection, but not before it is [`MIN_HANDSHAKE_TIME`] old.
const MAX_HANDSHAKES: usize = 128;
const MIN_HANDSHAKE_TIME: Duration = Duration::from_secs(1);
/// The first byte of a TLS connection. No http request starts with it.
const TLS_HANDSHAKE_RECORD: u8 = 0x16;

/// Accepts connections. With TLS, plain http on the same port is answered with a redirect to https.
///
/// Dropping the listener ends all handshakes in progress.
#[derive(Debug)]
pub struct Listener {
    tcp: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    handshakes: JoinSet<Option<Connection>>,
    /// The same handshakes with the time at which each started, oldest first.
    pending: VecDeque<(Instant, AbortHandle)>,
}

/// A TCP connection, or TLS over one.
pub type Connection = Box<dyn Stream>;

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Listener {
    /// Without `tls`, connections are plain http.
    pub fn new(tcp: TcpListener, tls: Option<Arc<ServerConfig>>) -> Self {
        Listener { tcp, tls, handshakes: JoinSet::new(), pending: VecDeque::new() }
    }

    /// The next connection. Cancel safe: if the future is dropped, no connection is lost.
    pub async fn accept(&mut self) -> Connection {
        loop {
            let full = self.pending.len() >= MAX_HANDSHAKES;
            let oldest = self.pending.front().map_or_else(Instant::now, |(start, _)| *start);
            tokio::select! {
                // axum's implementation waits and tries again after an error such as too many open files.
                (stream, _) = serve::Listener::accept(&mut self.tcp), if !full => {
                    let _ = stream.set_nodelay(true);
                    match self.tls.clone() {
                        Some(tls) => self.spawn_handshake(stream, tls.into()),
                        None => return Box::new(stream),
                    }
                }
                () = sleep_until(oldest + MIN_HANDSHAKE_TIME), if full => self.drop_oldest_handshake(),
                Some(finished) = self.handshakes.join_next() => {
                    self.pending.retain(|(_, handshake)| !handshake.is_finished());
                    if let Ok(Some(connection)) = finished {
                        return connection;
                    }
                }
            }
        }
    }

    /// Each handshake has a task of its own, so that a slow peer does not delay the others.
    fn spawn_handshake(&mut self, stream: TcpStream, tls: TlsAcceptor) {
        let handshake = async move { timeout(HANDSHAKE_TIMEOUT, handshake(stream, tls)).await.ok()? };
        self.pending.push_back((Instant::now(), self.handshakes.spawn(handshake)));
    }

    fn drop_oldest_handshake(&mut self) {
        if let Some((_, handshake)) = self.pending.pop_front() {
            handshake.abort();
        }
    }
}

/// The TLS connection to serve, or `None` where the peer speaks plain http or fails. Nothing of what a peer sends is logged:
/// it may be a token.
async fn handshake(stream: TcpStream, tls: TlsAcceptor) -> Option<Connection> {
    let mut first = [0];
    stream.peek(&mut first).await.ok()?;
    if first == [TLS_HANDSHAKE_RECORD] {
        return Some(Box::new(tls.accept(stream).await.ok()?));
    }
    let address = stream.local_addr().ok()?;
    let _ = redirect_to_https(stream, address).await;
    None
}
