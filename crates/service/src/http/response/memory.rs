//! The memory that requests share: bodies that arrive, large responses until they are sent, and cached ones.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use tokio::sync::Mutex;

use super::cache::{Key, LARGE_RESPONSE, ResponseCache};
use crate::byte_budget::{ByteBudget, ByteLease, Exhausted};
use crate::http::error::{Overload, Result};
use crate::http::gate::Shared;
use crate::limits::Limits;
use crate::peer::Peer;
use crate::store::DatabaseUser;

/// Bytes that compressing a response takes until it is sent.
const COMPRESSION_MEMORY: usize = 1024 * 1024;
/// Time that a request waits for memory. A client that sent a body sees no response meanwhile.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// A client may always leave a large response unread for this long.
const MIN_STALL: Duration = Duration::from_secs(1);
/// Problem named when too many responses are unsent.
const UNSENT: &str = "Too many large responses wait to be sent";

pub struct Memory {
    pub limits: Arc<Limits>,
    pub cache: ResponseCache,
    bytes: ByteBudget,
    making: Shared<Key, Mutex<()>>,
}

impl Memory {
    pub fn new(limits: Arc<Limits>) -> Self {
        let bytes = ByteBudget::new(limits.memory_bytes, limits.memory_bytes_per_user);
        Memory { cache: ResponseCache::new(bytes.clone()), bytes, making: Shared::default(), limits }
    }

    /// Returns a lease without bytes, for a user's body or response.
    pub fn empty_lease(&self, user: Option<DatabaseUser>) -> ByteLease {
        self.bytes.empty_lease(user)
    }

    /// Waits until the lease has `bytes`. Cached responses make room for it. A refusal names `problem`.
    pub async fn grow(&self, lease: &mut ByteLease, bytes: usize, problem: &'static str) -> Result<()> {
        if lease.try_grow_to(bytes) == Err(Exhausted::Total) {
            self.cache.clear();
        }
        lease.grow_to(bytes, PATIENCE).await.map_err(|exhausted| {
            let Limits { memory_bytes: total, memory_bytes_per_user: share, .. } = *self.limits;
            match exhausted {
                Exhausted::Total => Overload::of_service(problem, "memory_bytes", total).into(),
                Exhausted::Share => Overload::of_sender(problem, "memory_bytes_per_user", share).into(),
            }
        })
    }

    /// Counts a large response's memory until its last copy is sent or dropped. `lease` is the memory that making it took.
    pub async fn keep(&self, body: Bytes, mut lease: ByteLease) -> Result<Bytes> {
        lease.shrink_to(if body.len() < LARGE_RESPONSE { 0 } else { body.len() });
        self.extend(&mut lease, body.len()).await?;
        Ok(leased_bytes(body, lease))
    }

    /// Takes part of a user's share for a response of this length until it is sent, in addition to the memory that it already has.
    pub async fn share(&self, user: DatabaseUser, bytes: usize) -> Result<ByteLease> {
        let mut lease = self.bytes.empty_shared_lease(Some(user));
        self.extend(&mut lease, bytes).await?;
        Ok(lease)
    }

    /// Extends a lease so that it suffices for a response of this length.
    pub async fn extend(&self, lease: &mut ByteLease, bytes: usize) -> Result<()> {
        if bytes < LARGE_RESPONSE { Ok(()) } else { self.grow(lease, bytes, UNSENT).await }
    }

    /// Counts the memory for compressing a response as it is sent.
    pub async fn keep_compressed(&self, body: Body, user: Option<DatabaseUser>) -> Result<Body> {
        let mut lease = self.empty_lease(user);
        self.grow(&mut lease, COMPRESSION_MEMORY, UNSENT).await?;
        Ok(Body::new(LeasedBody { body, _lease: lease }))
    }

    /// Time for which this peer may leave its response unread: the less memory is left for large ones, the shorter.
    pub fn max_stall(&self, peer: &Peer) -> Duration {
        let longest = Duration::from_secs(self.limits.response_stall_seconds);
        if !peer.has_large_response() {
            return longest;
        }
        longest.mul_f64((1.0 - self.bytes.pressure(peer.user())).max(0.0)).max(MIN_STALL)
    }

    /// Takes memory for making a response of a project with `project_bytes`, which is held twice meanwhile: as database texts and as JSON.
    pub async fn to_make(&self, project_bytes: u64) -> Result<ByteLease> {
        let bytes = usize::try_from(project_bytes.saturating_mul(2)).unwrap_or(usize::MAX);
        let mut lease = self.empty_lease(None);
        self.grow(&mut lease, bytes, "Too many large responses are being made at the same time").await?;
        Ok(lease)
    }

    /// Returns the lock of the request that makes a response while others wait for it.
    pub fn making(&self, key: Key) -> Arc<Mutex<()>> {
        self.making.get(key, Mutex::default)
    }
}

/// Attaches a lease to bytes. Dropping their last copy gives it back.
pub fn leased_bytes(bytes: Bytes, lease: ByteLease) -> Bytes {
    if lease.bytes() == 0 { bytes } else { Bytes::from_owner(LeasedBytes { bytes, _lease: lease }) }
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
struct LeasedBody {
    body: Body,
    _lease: ByteLease,
}

impl HttpBody for LeasedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
