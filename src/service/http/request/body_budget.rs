//! Receiving bodies within the memory that they share.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use bytes::BytesMut;
use tokio::time::{Instant, timeout};

use crate::service::byte_budget::{ByteBudget, ByteLease, Exhausted};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::overload::Overload;
use crate::service::limits::Limits;
use crate::service::peer::Peer;

/// A body of no more bytes than this waits for no other.
const MAX_UNCOUNTED_BYTES: usize = 64 * 1024;
/// By how many bytes the memory for a body of unknown length grows.
const GROWTH: usize = 256 * 1024;
/// How long a body waits for memory. A client that sent it sees no answer meanwhile.
const PATIENCE: Duration = Duration::from_secs(5);

/// The memory of all bodies that are received, decoded or written.
pub struct BodyBudget {
    bytes: ByteBudget,
    limits: Arc<Limits>,
}

impl BodyBudget {
    pub fn new(limits: Arc<Limits>) -> Self {
        let bytes = ByteBudget::new(limits.request_bodies_bytes, limits.request_bodies_bytes_per_user);
        BodyBudget { bytes, limits }
    }

    /// Receives a body of `max` bytes or less. It takes the memory that its length announces, or without a length, memory for what
    /// has come. The memory counts as taken until the request of `peer` was answered.
    pub async fn receive(
        &self,
        body: Body,
        announced: Option<usize>,
        max: usize,
        peer: Option<&Peer>,
    ) -> Result<Bytes> {
        if announced.is_some_and(|announced| announced > max) {
            return Err(ApiError::TooLarge);
        }
        let mut lease = self.bytes.empty_lease(peer.and_then(Peer::user));
        self.grow(&mut lease, announced.unwrap_or(0)).await?;
        let body = self.receive_within(body, max, &mut lease).await?;
        if let Some(peer) = peer.filter(|_| lease.bytes() > 0) {
            peer.keep_body(lease);
        }
        Ok(body)
    }

    async fn receive_within(&self, mut body: Body, max: usize, lease: &mut ByteLease) -> Result<Bytes> {
        let deadline = Instant::now() + Duration::from_secs(self.limits.request_body_seconds);
        let stall = Duration::from_secs(self.limits.request_body_stall_seconds);
        let mut received = BytesMut::new();
        loop {
            let patience = stall.min(deadline.saturating_duration_since(Instant::now()));
            let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx));
            let frame = timeout(patience, frame).await.map_err(|_| ApiError::TooSlow)?;
            let Some(frame) = frame else { return Ok(received.freeze()) };
            let frame = frame.map_err(|_| ApiError::invalid("The body did not arrive whole."))?;
            let Ok(data) = frame.into_data() else { continue };
            let length = received.len() + data.len();
            if length > max {
                return Err(ApiError::TooLarge);
            }
            if length > lease.bytes() {
                self.grow(lease, length.next_multiple_of(GROWTH)).await?;
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

    async fn grow(&self, lease: &mut ByteLease, bytes: usize) -> Result<()> {
        if bytes <= MAX_UNCOUNTED_BYTES {
            return Ok(());
        }
        let Limits { request_bodies_bytes: total, request_bodies_bytes_per_user: share, .. } = *self.limits;
        lease.grow_to(bytes, PATIENCE).await.map_err(|exhausted| {
            let overload = match exhausted {
                Exhausted::Share => Overload::of_sender(
                    "Too many large bodies of one user at the same time",
                    "request_bodies_bytes_per_user",
                    share,
                ),
                Exhausted::Total => {
                    Overload::of_service("Too many large bodies at the same time", "request_bodies_bytes", total)
                }
            };
            ApiError::from(overload)
        })
    }
}
