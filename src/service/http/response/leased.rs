//! Bytes and bodies whose memory counts as taken for as long as they exist.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};

use crate::service::byte_budget::ByteLease;

/// The same bytes, with a lease that their last copy gives back.
pub fn leased_bytes(bytes: Bytes, lease: ByteLease) -> Bytes {
    Bytes::from_owner(LeasedBytes { bytes, _lease: lease })
}

struct LeasedBytes {
    bytes: Bytes,
    _lease: ByteLease,
}

impl AsRef<[u8]> for LeasedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A body with a lease.
pub struct LeasedBody {
    body: Body,
    _lease: ByteLease,
}

impl LeasedBody {
    pub fn new(body: Body, lease: ByteLease) -> Self {
        LeasedBody { body, _lease: lease }
    }
}

impl HttpBody for LeasedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
