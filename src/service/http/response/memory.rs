//! The memory that requests share: bodies that arrive, large responses until they are sent, and cached ones.

use std::collections::HashMap;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::cache::{Key, ResponseCache};
use crate::service::byte_budget::{ByteBudget, ByteLease, Exhausted};
use crate::service::http::error::{Overload, Result};
use crate::service::limits::Limits;
use crate::service::peer::Peer;
use crate::service::store::DatabaseUser;

/// Responses of fewer bytes wait for no other.
pub const LARGE_RESPONSE: usize = 64 * 1024;
/// What compressing a response takes until it is sent.
const COMPRESSION_MEMORY: usize = 1024 * 1024;
/// How long a request waits for memory, or a response for its turn to be made. A client that sent a body sees no response meanwhile.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// A client of a large response may always read nothing for this long.
const MIN_STALL: Duration = Duration::from_secs(1);
/// More turns than any service has.
const MAX_TURNS: u64 = 1 << 20;
/// Locks and queues that nobody uses are removed when there are more.
const MAX_UNUSED: usize = 1024;
/// What there is too much of.
const UNSENT: &str = "Too many large responses wait to be sent";

pub struct Memory {
    pub limits: Arc<Limits>,
    pub cache: ResponseCache,
    bytes: ByteBudget,
    turns: Arc<Semaphore>,
    turns_of: Shared<DatabaseUser, Semaphore>,
    making: Shared<Key, AsyncMutex<()>>,
}

impl Memory {
    pub fn new(limits: Arc<Limits>) -> Self {
        let bytes = ByteBudget::new(limits.memory_bytes, limits.memory_bytes_per_user);
        Memory {
            cache: ResponseCache::new(bytes.clone()),
            bytes,
            turns: Arc::new(turns(limits.large_reads)),
            turns_of: Shared::default(),
            making: Shared::default(),
            limits,
        }
    }

    /// No bytes yet, for a body or a response of a user.
    pub fn empty_lease(&self, user: Option<DatabaseUser>) -> ByteLease {
        self.bytes.empty_lease(user)
    }

    /// Waits until the lease has `bytes`. Cached responses make room for it. `problem` is what the refusal says.
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

    /// Counts a large response as taken until its last copy is sent or dropped.
    pub async fn keep(&self, body: Bytes) -> Result<Bytes> {
        let mut lease = self.bytes.empty_lease(None);
        self.extend(&mut lease, body.len()).await?;
        Ok(leased_bytes(body, lease))
    }

    /// What of the share of a user a response of this length takes until it is sent, beside the memory that it has already.
    pub async fn share(&self, user: DatabaseUser, bytes: usize) -> Result<ByteLease> {
        let mut lease = self.bytes.empty_shared_lease(Some(user));
        self.extend(&mut lease, bytes).await?;
        Ok(lease)
    }

    /// Has a lease suffice for a response of this length.
    pub async fn extend(&self, lease: &mut ByteLease, bytes: usize) -> Result<()> {
        if bytes < LARGE_RESPONSE { Ok(()) } else { self.grow(lease, bytes, UNSENT).await }
    }

    /// A response that is compressed as it is sent.
    pub async fn keep_compressed(&self, body: Body, user: Option<DatabaseUser>) -> Result<Body> {
        let mut lease = self.empty_lease(user);
        self.grow(&mut lease, COMPRESSION_MEMORY, UNSENT).await?;
        Ok(Body::new(LeasedBody { body, _lease: lease }))
    }

    /// For how long this peer may read nothing of its response: the less memory is left for large ones, the shorter.
    pub fn max_stall(&self, peer: &Peer) -> Duration {
        let longest = Duration::from_secs(self.limits.response_stall_seconds);
        if !peer.has_large_response() {
            return longest;
        }
        longest.mul_f64((1.0 - self.bytes.pressure(peer.user())).max(0.0)).max(MIN_STALL)
    }

    /// Waits until a response to this user may be made that is as large as a project with `project_bytes`.
    pub async fn turn_of(&self, user: DatabaseUser, project_bytes: u64) -> Result<OwnedSemaphorePermit> {
        let limit = self.limits.large_reads_per_user;
        let turns = self.turns_of.get(user, || turns(limit));
        self.turn_among(turns, project_bytes, limit, Overload::of_sender(MAKING, "large_reads_per_user", limit)).await
    }

    /// The same for a response to any user.
    pub async fn turn(&self, project_bytes: u64) -> Result<OwnedSemaphorePermit> {
        let limit = self.limits.large_reads;
        let overload = Overload::of_service(MAKING, "large_reads", limit);
        self.turn_among(self.turns.clone(), project_bytes, limit, overload).await
    }

    /// One of the largest project takes all turns, because a response is in memory twice while it is made: as the texts of the
    /// database and as JSON.
    async fn turn_among(
        &self,
        turns: Arc<Semaphore>,
        project_bytes: u64,
        limit: u64,
        overload: Overload,
    ) -> Result<OwnedSemaphorePermit> {
        let bytes_of_turn = (self.limits.project_bytes / self.limits.large_reads).max(1);
        let weight = project_bytes.div_ceil(bytes_of_turn).clamp(1, limit).min(MAX_TURNS) as u32;
        // The semaphores are never closed.
        let turn = timeout(PATIENCE, turns.acquire_many_owned(weight)).await.ok().and_then(std::result::Result::ok);
        turn.ok_or_else(|| overload.into())
    }

    /// Locked by the request that makes a response which others wait for.
    pub fn making(&self, key: Key) -> Arc<AsyncMutex<()>> {
        self.making.get(key, AsyncMutex::default)
    }
}

const MAKING: &str = "Too many large responses are being made at the same time";

fn turns(limit: u64) -> Semaphore {
    Semaphore::new(limit.min(MAX_TURNS) as usize)
}

/// Values that are there while they are used.
struct Shared<K, V>(Mutex<HashMap<K, Weak<V>>>);

impl<K, V> Default for Shared<K, V> {
    fn default() -> Self {
        Shared(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Shared<K, V> {
    fn get(&self, key: K, new: impl FnOnce() -> V) -> Arc<V> {
        let mut values = self.0.lock();
        if values.len() > MAX_UNUSED {
            values.retain(|_, value| value.strong_count() > 0);
        }
        let value = values.entry(key).or_default();
        value.upgrade().unwrap_or_else(|| {
            let new = Arc::new(new());
            *value = Arc::downgrade(&new);
            new
        })
    }
}

/// The same bytes, with a lease that their last copy gives back.
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
