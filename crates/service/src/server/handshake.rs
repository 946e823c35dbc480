//! The beginning of a connection, with or without TLS, on one port: plain http on the port of a service with TLS is redirected to
//! https.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv6Addr, SocketAddr};

use axum::BoxError;
use axum::body::HttpBody;
use axum::http::uri::{Authority, PathAndQuery, Scheme};
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, Interest};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::certificates::HTTP_2;
use crate::http::check_host;

/// The first byte of a TLS connection. No http request starts with it.
const TLS_HANDSHAKE_RECORD: u8 = 0x16;

/// A connection and its protocol.
pub struct Accepted {
    pub stream: Connection,
    pub is_http2: bool,
}

/// A TCP connection, or TLS over one.
pub type Connection = Box<dyn Stream>;

pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The connection to serve; without `tls`, it is plain http. `None` if the peer fails, or if it speaks plain http and was redirected to
/// https. Nothing that a peer sends is logged: it may be a token.
pub async fn connect(stream: TcpStream, tls: Option<&TlsAcceptor>) -> Option<Accepted> {
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else { return Some(Accepted { stream: Box::new(stream), is_http2: false }) };
    let mut first = [0];
    stream.peek(&mut first).await.ok()?;
    if first == [TLS_HANDSHAKE_RECORD] {
        // A handshake is most of the work of a connection, and is not made for a client that has gone.
        if stream.ready(Interest::READABLE).await.ok()?.is_read_closed() {
            return None;
        }
        let stream = tls.accept(stream).await.ok()?;
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP_2);
        return Some(Accepted { stream: Box::new(stream), is_http2 });
    }
    // In the place of a `Host` header that is missing or names no host.
    let address = stream.local_addr().ok()?;
    let _ = answer_once(stream, move |request| redirect(request, address)).await;
    None
}

/// Answers one request in plain http, and reads what the client still sends until it closes the connection. The caller limits the time.
pub async fn answer_once<B>(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    answer: impl Fn(&Request<Incoming>) -> Response<B>,
) -> io::Result<()>
where
    B: HttpBody<Data: Send, Error: Into<BoxError>> + 'static,
{
    let service = service_fn(async |request: Request<Incoming>| Ok::<_, Infallible>(answer(&request)));
    let connection = http1::Builder::new()
        .keep_alive(false)
        .title_case_headers(true)
        .serve_connection(TokioIo::new(stream), service);
    let mut stream = connection.without_shutdown().await.map_err(io::Error::other)?.io.into_inner();
    stream.shutdown().await?;
    // Closing a connection with unread bytes resets it, and the reset can reach the client before the response does.
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await?;
    Ok(())
}

fn redirect<B>(request: &Request<B>, address: SocketAddr) -> Response<String> {
    let mut response = Response::new(String::new());
    let is_well_formed = check_host(request.version(), request.headers()).is_ok();
    match location(request.uri(), request.headers(), address).filter(|_| is_well_formed) {
        Some(location) => {
            *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
            response.headers_mut().insert(header::LOCATION, location);
        }
        None => *response.status_mut() = StatusCode::BAD_REQUEST,
    }
    response
}

/// The https address of the resource that a request asks for.
fn location(target: &Uri, headers: &HeaderMap, address: SocketAddr) -> Option<HeaderValue> {
    let host = headers.get(header::HOST).and_then(host);
    let address = SocketAddr::new(address.ip().to_canonical(), address.port());
    let host = host.or_else(|| address.to_string().parse().ok())?;
    let path = target.path_and_query().filter(|path| path.as_str().starts_with('/'));
    let location = Uri::builder()
        .scheme(Scheme::HTTPS)
        .authority(host)
        .path_and_query(path.cloned().unwrap_or(PathAndQuery::from_static("/")))
        .build();
    HeaderValue::try_from(location.ok()?.to_string()).ok()
}

/// The value of a `Host` header, if it is a name or an address, with or without a port.
fn host(header: &HeaderValue) -> Option<Authority> {
    let authority = Authority::try_from(header.as_bytes()).ok()?;
    let port = authority.port().map(|port| format!(":{port}")).unwrap_or_default();
    // An authority may have a user name as well, or a port that is not a number.
    let is_complete = authority.as_str().strip_suffix(&port) == Some(authority.host());
    let is_host = match authority.host().strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => ServerName::try_from(authority.host()).is_ok(),
    };
    (is_complete && is_host).then_some(authority)
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    /// The status code of the response to a request, and its `Location`.
    async fn response_to(request: &str) -> (String, Option<String>) {
        let (mut client, stream) = tokio::io::duplex(16 * 1024);
        let address = ([127, 0, 0, 1], 8443).into();
        let service = tokio::spawn(answer_once(stream, move |request| redirect(request, address)));
        client.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        client.read_to_end(&mut response).await.unwrap();
        drop(client);
        let _ = service.await.unwrap();
        let response = String::from_utf8(response).unwrap();
        let location = response.lines().find_map(|line| line.strip_prefix("Location: ")).map(str::to_owned);
        (response.split_whitespace().nth(1).unwrap_or_default().to_owned(), location)
    }

    async fn redirected(request: &str) -> String {
        let (status, location) = response_to(request).await;
        assert_eq!(status, "301", "{request:?}");
        location.unwrap()
    }

    #[tokio::test]
    async fn a_request_is_redirected_to_the_same_host_path_and_query_in_https() {
        let request = "GET /x?y=1 HTTP/1.1\r\nAccept: */*\r\nhOST: a.org:80\r\n\r\n";
        assert_eq!(redirected(request).await, "https://a.org:80/x?y=1");
        assert_eq!(redirected("POST // HTTP/1.1\r\nHost: [::1]:9\r\n\r\n").await, "https://[::1]:9//");
        let with_body = "POST /x HTTP/1.1\r\nHost: a.org\r\nContent-Length: 10000\r\n\r\n{";
        assert_eq!(redirected(with_body).await, "https://a.org/x");
    }

    #[tokio::test]
    async fn a_missing_or_invalid_host_is_replaced_by_the_address_of_the_service() {
        for host in ["", ":1", "a b", "a/b", "a@b", "a:b", "a:1:2", "::1", "[::1", "[a]", "a\u{fffd}", "ä.org"] {
            let location = redirected(&format!("GET /x HTTP/1.1\r\nHost: {host}\r\n\r\n")).await;
            assert_eq!(location, "https://127.0.0.1:8443/x", "{host:?}");
        }
        assert_eq!(redirected("GET /x HTTP/1.0\r\n\r\n").await, "https://127.0.0.1:8443/x");
    }

    #[tokio::test]
    async fn a_target_that_is_no_path_is_replaced_by_the_root() {
        for target in ["*", "http://b.org/"] {
            let location = redirected(&format!("GET {target} HTTP/1.1\r\nHost: a.org\r\n\r\n")).await;
            assert_eq!(location, "https://a.org/", "{target:?}");
        }
    }

    #[tokio::test]
    async fn a_malformed_request_is_refused_and_gets_no_location() {
        for request in [
            "\u{0}\r\n\r\nHost: a.org\r\n",
            "GET /x HTTP/1.1\r\nHost: a\rX: y\r\n\r\n",
            "GET /\rX:y HTTP/1.1\r\nHost: a.org\r\n\r\n",
            "GET /\u{7f} HTTP/1.1\r\nHost: a.org\r\n\r\n",
            "GET  HTTP/1.1\r\nHost: a.org\r\n\r\n",
            "GET /x HTTP/1.1\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: a.org\r\nHost: b.org\r\n\r\n",
        ] {
            assert_eq!(response_to(request).await, ("400".into(), None), "{request:?}");
        }
    }
}
