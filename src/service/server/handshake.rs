//! The beginning of a connection, with or without TLS, on one port.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::redirect::redirect_to_https;

/// How long the TLS handshake of a connection may take, or its request in plain http and the redirect that answers it.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The first byte of a TLS connection. No http request starts with it.
const TLS_HANDSHAKE_RECORD: u8 = 0x16;

/// A TCP connection, or TLS over one.
pub type Connection = Box<dyn Stream>;

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The connection to serve; without `tls`, it is plain http. `None` where the peer fails, or where it speaks plain http and
/// was redirected to https. Nothing of what a peer sends is logged: it may be a token.
pub async fn connect(stream: TcpStream, tls: Option<Arc<ServerConfig>>) -> Option<Connection> {
    let _ = stream.set_nodelay(true);
    match tls {
        Some(tls) => timeout(HANDSHAKE_TIMEOUT, handshake(stream, tls.into())).await.ok()?,
        None => Some(Box::new(stream)),
    }
}

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
