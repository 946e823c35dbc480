//! The rest of a request's body, where an answer is ready before it was read.
//!
//! A connection that is closed on a peer who is still sending loses the answer, and the next request on it.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use http_body::Frame;
use hyper::body::Incoming;

use super::extract::{MAX_BODY_BYTES, announced_length};

/// How long a peer may take to send what nobody reads.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers once the body has arrived, read or not; past the limits, the answer says that the connection ends.
pub async fn answer_then_drain(request: Request<Incoming>, answer: impl AsyncFnOnce(Request) -> Response) -> Response {
    if request.body().is_end_stream() {
        return answer(request.map(Body::new)).await;
    }
    let (parts, body) = request.into_parts();
    let too_far = announced_length(&parts.headers).is_some_and(|length| length > MAX_BODY_BYTES);
    let body = Shared(Arc::new(Mutex::new(body)));
    let mut rest = body.clone();
    let mut response = answer(Request::from_parts(parts, Body::new(body))).await;
    if rest.is_end_stream() {
        return response;
    }
    if too_far || !tokio::time::timeout(PATIENCE, rest.discard()).await.unwrap_or(false) {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A body that the handler reads, and what is left of it afterwards.
#[derive(Clone)]
struct Shared(Arc<Mutex<Incoming>>);

impl Shared {
    /// Reads to the end; false where it is too far away.
    async fn discard(&mut self) -> bool {
        let mut length = 0;
        while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut *self).poll_frame(cx)).await {
            let Ok(frame) = frame else { return false };
            length += frame.data_ref().map_or(0, Bytes::len);
            if length > MAX_BODY_BYTES {
                return false;
            }
        }
        true
    }
}

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let mut body = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Pin::new(&mut *body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).size_hint()
    }
}
