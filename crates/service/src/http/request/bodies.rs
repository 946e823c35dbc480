//! The bodies of requests: received within the memory that they share, and read to the end if no handler does.
//!
//! If the service closed the connection while the client still sends, the client might never see the response. If it kept the
//! connection open with the body unread, the next request on it could not be read. So the rest of the body is read first.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::BytesMut;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use super::check_limits::MAX_BODY_BYTES;
use crate::byte_budget::ByteLease;
use crate::http::error::{ApiError, Result};
use crate::http::response::memory::Memory;
use crate::peer::Peer;

/// Bodies of up to this many bytes do not wait for others.
const MAX_UNCOUNTED_BYTES: usize = 64 * 1024;
/// Bytes by which the memory for a body of unknown length grows.
const GROWTH: usize = 256 * 1024;
/// Receives the body of a request. Takes memory for the announced length or, without one, for the bytes received. The memory counts as
/// taken until the request is answered.
pub async fn receive(memory: &Memory, request: Request) -> Result<Bytes> {
    let announced = announced_length(request.headers()).unwrap_or_default();
    if announced > MAX_BODY_BYTES {
        return Err(ApiError::TooLarge);
    }
    let peer = request.extensions().get::<Arc<Peer>>().cloned();
    let mut lease = memory.empty_lease(peer.as_ref().and_then(|peer| peer.user()));
    grow(memory, &mut lease, announced).await?;
    let body = receive_within(memory, request.into_body(), &mut lease).await?;
    if let Some(peer) = peer.filter(|_| lease.bytes() > 0) {
        peer.keep_body(lease);
    }
    Ok(body)
}

async fn receive_within(memory: &Memory, mut body: Body, lease: &mut ByteLease) -> Result<Bytes> {
    let deadline = Instant::now() + Duration::from_secs(memory.limits.request_body_seconds);
    let stall = Duration::from_secs(memory.limits.request_body_stall_seconds);
    let mut received = BytesMut::new();
    loop {
        let patience = stall.min(deadline.saturating_duration_since(Instant::now()));
        let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx));
        let frame = timeout(patience, frame).await.map_err(|_| ApiError::TooSlow)?;
        let Some(frame) = frame else { return Ok(received.freeze()) };
        let frame = frame.map_err(|_| ApiError::invalid("The body is incomplete."))?;
        let Ok(data) = frame.into_data() else { continue };
        let length = received.len() + data.len();
        if length > MAX_BODY_BYTES {
            return Err(ApiError::TooLarge);
        }
        if length > lease.bytes() {
            grow(memory, lease, length.next_multiple_of(GROWTH)).await?;
        }
        if received.is_empty() {
            if body.is_end_stream() {
                return Ok(data);
            }
            received.reserve(lease.bytes().max(length));
        }
        received.extend_from_slice(&data);
    }
}

async fn grow(memory: &Memory, lease: &mut ByteLease, bytes: usize) -> Result<()> {
    if bytes <= MAX_UNCOUNTED_BYTES {
        return Ok(());
    }
    memory.grow(lease, bytes, "Too many large bodies at the same time").await
}

/// Time limit for reading the rest of a body.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Answers a request, reads what `answer` left of its body, and returns the response. If the rest is too large or too slow,
/// the response closes the connection.
pub async fn answer_then_drain(request: Request<Incoming>, answer: impl AsyncFnOnce(Request) -> Response) -> Response {
    if request.body().is_end_stream() {
        return answer(request.map(Body::new)).await;
    }
    let (parts, body) = request.into_parts();
    let announces_too_much = announced_length(&parts.headers).is_some_and(|length| length > MAX_BODY_BYTES);
    let body = SharedBody(Arc::new(Mutex::new(body)));
    let mut rest = body.clone();
    let mut response = answer(Request::from_parts(parts, Body::new(body))).await;
    if rest.is_end_stream() {
        return response;
    }
    let is_hopeless = announces_too_much || response.status() == StatusCode::REQUEST_TIMEOUT;
    if is_hopeless || !tokio::time::timeout(DRAIN_TIMEOUT, rest.drain()).await.unwrap_or(false) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A body that a handler reads, and whose rest can be read afterwards.
#[derive(Clone)]
struct SharedBody(Arc<Mutex<Incoming>>);

impl SharedBody {
    /// Reads to the end. Returns false if that fails or takes more than [`MAX_BODY_BYTES`].
    async fn drain(&mut self) -> bool {
        let mut length = 0;
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut *self).poll_frame(cx)).await {
            let Ok(frame) = frame else { return false };
            length += frame.data_ref().map_or(0, Bytes::len);
            if length > MAX_BODY_BYTES {
                return false;
            }
        }
        true
    }
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut *self.0.lock()).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().size_hint()
    }
}

/// The `Content-Length` of a request.
pub fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
