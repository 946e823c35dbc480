//! The part of a response that a client has not read, in HTTP/1.1 and HTTP/2. hyper waits for clients without limit, so unread responses
//! would keep their memory.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};

use crate::peer::{Peer, UnreadPart};

/// A client that reads this many bytes is not stalled.
const MAX_PART: usize = 64 * 1024;

/// The body of a response, in parts of [`MAX_PART`] or less. Each counts as unread until the connection has taken it, and so does the
/// body while it has a further part: in HTTP/2, a client can refuse to read one response while it reads others.
pub struct WatchedBody {
    body: Body,
    /// The rest of the last part of `body`.
    rest: Bytes,
    peer: Arc<Peer>,
    /// `None` while the client waits for the service.
    unread: Option<UnreadPart>,
}

impl WatchedBody {
    /// The body of a response to the request of a peer.
    pub fn new(body: Body, peer: Arc<Peer>) -> Self {
        let unread = (!body.is_end_stream()).then(|| peer.begin_part());
        WatchedBody { body, rest: Bytes::new(), peer, unread }
    }
}

/// Bytes until the connection has taken them.
struct Part {
    bytes: Bytes,
    _unread: UnreadPart,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(cx).map_ok(Frame::into_data) {
                Poll::Ready(Some(Ok(Ok(data)))) => self.rest = data,
                Poll::Ready(Some(Ok(Err(trailers)))) => return Poll::Ready(Some(Ok(trailers))),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error))),
                Poll::Ready(None) => {
                    self.unread = None;
                    return Poll::Ready(None);
                }
                Poll::Pending => {
                    self.unread = None;
                    return Poll::Pending;
                }
            }
        }
        let length = self.rest.len().min(MAX_PART);
        let part = Part { bytes: self.rest.split_to(length), _unread: self.peer.begin_part() };
        self.unread = (!self.is_end_stream()).then(|| self.peer.begin_part());
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = self.rest.len() as u64;
        hint.set_lower(hint.lower() + rest);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}
