//! Where connections come from: one port, with or without TLS.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::serve;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;

/// How long a peer may take until its handshake, or its request in plain http, is complete.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Peers that may be at that at once. When others wait, the one that has been at it longest is dropped, but not before
/// it had its time.
const MAX_HANDSHAKES: usize = 128;
const PATIENCE: Duration = Duration::from_secs(1);
const MAX_HEAD: usize = 16 * 1024;
/// What is read of a request after it has been answered, and for how long.
const MAX_DRAINED_BYTES: u64 = 256 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
/// The first byte of a TLS connection; no http request begins with it.
const TLS_HANDSHAKE_RECORD: u8 = 0x16;

/// Hands out connections. With TLS, a request in plain http is sent to https on the same port.
///
/// All of it ends when the listener is dropped.
#[derive(Debug)]
pub struct Listener {
    tcp: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    greetings: JoinSet<Option<Connection>>,
    /// The same greetings and when they began, the oldest first.
    pending: VecDeque<(Instant, AbortHandle)>,
}

/// A TCP connection, or TLS over one.
pub type Connection = Box<dyn Stream>;

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Listener {
    /// Without `tls`, plain http.
    pub fn new(tcp: TcpListener, tls: Option<Arc<ServerConfig>>) -> Self {
        Listener { tcp, tls, greetings: JoinSet::new(), pending: VecDeque::new() }
    }

    /// Leaves the peer to a task of its own, so that it holds up nobody.
    fn handshake(&mut self, stream: TcpStream, tls: TlsAcceptor) {
        let greeting = async move { timeout(HANDSHAKE_TIMEOUT, handshake(stream, tls)).await.ok()? };
        self.pending.push_back((Instant::now(), self.greetings.spawn(greeting)));
    }

    fn drop_oldest(&mut self) {
        if let Some((_, greeting)) = self.pending.pop_front() {
            greeting.abort();
        }
    }
}

impl Listener {
    /// The next connection. Nothing is lost where this is dropped.
    pub async fn accept(&mut self) -> Connection {
        loop {
            let full = self.pending.len() >= MAX_HANDSHAKES;
            let oldest = self.pending.front().map_or_else(Instant::now, |(since, _)| *since);
            tokio::select! {
                // Waits out what keeps it from accepting, such as too many open files.
                (stream, _) = serve::Listener::accept(&mut self.tcp), if !full => {
                    let _ = stream.set_nodelay(true);
                    match self.tls.clone() {
                        Some(tls) => self.handshake(stream, tls.into()),
                        None => return Box::new(stream),
                    }
                }
                () = sleep_until(oldest + PATIENCE), if full => self.drop_oldest(),
                Some(greeted) = self.greetings.join_next() => {
                    self.pending.retain(|(_, greeting)| !greeting.is_finished());
                    if let Ok(Some(connection)) = greeted {
                        return connection;
                    }
                }
            }
        }
    }
}

/// The connection to serve, if the peer speaks TLS. Of what peers send nothing is logged: it may hold a token.
async fn handshake(stream: TcpStream, tls: TlsAcceptor) -> Option<Connection> {
    let mut first = [0];
    stream.peek(&mut first).await.ok()?;
    if first == [TLS_HANDSHAKE_RECORD] {
        return Some(Box::new(tls.accept(stream).await.ok()?));
    }
    let _ = redirect(stream).await;
    None
}

/// Answers one request in plain http with where it belongs.
async fn redirect(mut stream: TcpStream) -> io::Result<()> {
    let here = stream.local_addr()?;
    let here = SocketAddr::new(here.ip().to_canonical(), here.port());
    let Some(head) = read_head(&mut stream).await? else { return Ok(()) };
    let location = location(&String::from_utf8_lossy(&head), here);
    let answer = format!(
        "HTTP/1.1 301 Moved Permanently\r\nLocation: {location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // To close with bytes unread resets the connection, and the reset may overtake the answer.
    let mut rest = stream.take(MAX_DRAINED_BYTES);
    let _ = timeout(DRAIN_TIMEOUT, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await;
    Ok(())
}

/// What the peer sends up to the end of the head, perhaps with more behind it. `None` where that is too long or
/// never comes.
async fn read_head(stream: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    const END: &[u8] = b"\r\n\r\n";
    let mut head = Vec::with_capacity(1024);
    loop {
        let searched = head.len().saturating_sub(END.len() - 1);
        let room = MAX_HEAD - head.len();
        if (&mut *stream).take(room as u64).read_buf(&mut head).await? == 0 {
            return Ok(None);
        }
        if head[searched..].windows(END.len()).any(|bytes| bytes == END) {
            return Ok(Some(head));
        }
    }
}

/// The https address of what a request asks for. What could end or extend a header never gets into it.
fn location(head: &str, here: SocketAddr) -> String {
    let mut lines = head.lines().take_while(|line| !line.is_empty());
    let target = lines
        .next()
        .and_then(|request| request.split(' ').nth(1))
        .filter(|target| target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic()))
        .unwrap_or("/");
    let host = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, host)| host.trim())
        .filter(|host| is_host(host));
    match host {
        Some(host) => format!("https://{host}{target}"),
        None => format!("https://{here}{target}"),
    }
}

/// Whether this is a name or an address, with or without a port.
fn is_host(given: &str) -> bool {
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let name = given.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(given, |(name, _)| name);
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirected(head: &str) -> String {
        location(head, ([127, 0, 0, 1], 8443).into())
    }

    #[test]
    fn a_request_is_sent_to_the_same_place_on_https() {
        assert_eq!(
            redirected("GET /x?y=1 HTTP/1.1\r\nAccept: */*\r\nhOST: a.org:80\r\n\r\n"),
            "https://a.org:80/x?y=1"
        );
        assert_eq!(redirected("POST // HTTP/1.1\r\nHost: [::1]:9\r\n\r\n"), "https://[::1]:9//");
        assert_eq!(redirected("GET /x HTTP/1.0\r\n\r\n"), "https://127.0.0.1:8443/x");
    }

    #[test]
    fn what_is_no_host_or_target_is_left_out() {
        for host in
            ["", ":1", "a b", "a/b", "a@b", "a:b", "a:1:2", "::1", "[::1", "[a]", "a\rX: y", "a\u{fffd}", "ä.org"]
        {
            assert_eq!(redirected(&format!("GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n")), "https://127.0.0.1:8443/x");
        }
        for target in ["*", "x", "@b.org", "http://b.org/", "/\rX:y", "/\u{7f}", "/ä", ""] {
            assert_eq!(redirected(&format!("GET {target} HTTP/1.1\r\nHost: a.org\r\n\r\n")), "https://a.org/");
        }
        assert_eq!(redirected("\u{0}\r\n\r\nHost: a.org\r\n"), "https://127.0.0.1:8443/");
    }
}
