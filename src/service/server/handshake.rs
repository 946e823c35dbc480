//! The beginning of a connection, with or without TLS, on one port.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::certificates::HTTP_2;
use super::redirect::redirect_to_https;

/// How long the TLS handshake of a connection may take, or its request in plain http and the redirect that answers it.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The first byte of a TLS connection. No http request starts with it.
const TLS_HANDSHAKE_RECORD: u8 = 0x16;

/// A connection, and what is spoken on it.
pub struct Accepted {
    pub stream: Connection,
    pub is_http2: bool,
}

/// A TCP connection, or TLS over one.
pub type Connection = Box<dyn Stream>;

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The connection to serve; without `tls`, it is plain http. `None` where the peer fails, or where it speaks plain http and
/// was redirected to https. Nothing of what a peer sends is logged: it may be a token.
pub async fn connect(stream: TcpStream, tls: Option<Arc<ServerConfig>>) -> Option<Accepted> {
    let _ = stream.set_nodelay(true);
    match tls {
        Some(tls) => timeout(HANDSHAKE_TIMEOUT, handshake(stream, tls.into())).await.ok()?,
        None => Some(Accepted { stream: Box::new(stream), is_http2: false }),
    }
}

async fn handshake(stream: TcpStream, tls: TlsAcceptor) -> Option<Accepted> {
    let mut first = [0];
    stream.peek(&mut first).await.ok()?;
    if first == [TLS_HANDSHAKE_RECORD] {
        let stream = tls.accept(stream).await.ok()?;
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP_2);
        return Some(Accepted { stream: Box::new(stream), is_http2 });
    }
    let address = stream.local_addr().ok()?;
    let _ = redirect_to_https(stream, address).await;
    None
}
