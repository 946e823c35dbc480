//! Responses that are ready before the request's body has arrived, such as an error that needs no look at the body.
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
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use parking_lot::Mutex;

use super::check_limits::MAX_BODY_BYTES;
use super::extract::announced_length;

/// How long the rest of a body is read.
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

/// A body that a handler reads, and that can be read on afterwards.
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

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut *self.0.lock()).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().size_hint()
    }
}
