//! The memory of large responses: how many are made at the same time, and how much of them waits to be sent.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::service::byte_budget::{ByteBudget, ByteLease, Exhausted};
use crate::service::http::error::{ApiError, Overload, Result};
use crate::service::limits::Limits;
use crate::service::peer::Peer;
use crate::service::store::DatabaseUser;

/// Responses of fewer bytes wait for no other.
pub const LARGE_RESPONSE: usize = 64 * 1024;
/// What compressing a response takes until it is sent.
const COMPRESSION_MEMORY: usize = 1024 * 1024;
/// How long a response waits for memory, or for its turn to be made.
const PATIENCE: Duration = Duration::from_secs(5);
/// A client of a large response may always read nothing for this long.
const MIN_STALL: Duration = Duration::from_secs(1);
/// More turns than any service has.
const MAX_TURNS: u64 = 1 << 20;
/// Queues of users are removed when there are so many of them, except those that are used.
const MAX_UNUSED_QUEUES: usize = 1024;

/// The memory of all large responses.
pub struct ResponseMemory {
    bytes: ByteBudget,
    turns: Arc<Semaphore>,
    turns_of: Mutex<HashMap<Sender, Weak<Semaphore>>>,
    limits: Arc<Limits>,
}

/// The permission to make a large response.
#[must_use]
pub struct Turn {
    _of_sender: Option<OwnedSemaphorePermit>,
    _of_all: OwnedSemaphorePermit,
}

/// Who asks for a response: the user of the connection, or the network, if there was no valid token yet.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Sender {
    User(DatabaseUser),
    Network(IpAddr),
    Unknown,
}

impl ResponseMemory {
    pub fn new(limits: Arc<Limits>) -> Self {
        let semaphore = |turns: u64| Semaphore::new(turns.min(MAX_TURNS) as usize);
        ResponseMemory {
            bytes: ByteBudget::new(limits.responses_bytes, limits.responses_bytes_per_user),
            turns: Arc::new(semaphore(limits.large_reads)),
            turns_of: Mutex::default(),
            limits,
        }
    }

    /// Waits until a response to this peer may be made that is as large as a project with `project_bytes`.
    pub async fn turn(&self, peer: Option<&Peer>, project_bytes: u64) -> Result<Turn> {
        self.turn_after(Some(self.turns_of(peer)), project_bytes).await
    }

    /// The same for a response that others wait for as well, so that no one user delays it.
    pub async fn shared_turn(&self, project_bytes: u64) -> Result<Turn> {
        self.turn_after(None, project_bytes).await
    }

    async fn turn_after(&self, turns_of_sender: Option<Arc<Semaphore>>, project_bytes: u64) -> Result<Turn> {
        let problem = "Too many large responses are being made at the same time";
        let deadline = Instant::now() + PATIENCE;
        // The semaphores are never closed.
        let of_sender = match turns_of_sender {
            Some(turns) => Some(
                timeout_at(
                    deadline,
                    turns.acquire_many_owned(self.weight(project_bytes, self.limits.large_reads_per_user)),
                )
                .await
                .ok()
                .and_then(std::result::Result::ok)
                .ok_or_else(|| {
                    Overload::of_sender(problem, "large_reads_per_user", self.limits.large_reads_per_user)
                })?,
            ),
            None => None,
        };
        let of_all = timeout_at(
            deadline,
            self.turns.clone().acquire_many_owned(self.weight(project_bytes, self.limits.large_reads)),
        )
        .await
        .ok()
        .and_then(std::result::Result::ok);
        let of_all = of_all.ok_or_else(|| Overload::of_service(problem, "large_reads", self.limits.large_reads))?;
        Ok(Turn { _of_sender: of_sender, _of_all: of_all })
    }

    /// How many of these turns such a response takes. One of the largest project takes all, because a response is in memory twice
    /// while it is made: as the texts of the database and as JSON.
    fn weight(&self, project_bytes: u64, turns: u64) -> u32 {
        let bytes_of_turn = (self.limits.project_bytes / self.limits.large_reads).max(1);
        project_bytes.div_ceil(bytes_of_turn).clamp(1, turns).min(MAX_TURNS) as u32
    }

    /// Counts a large response as taken until its last copy is sent or dropped. `make_room` is called if there is no memory left.
    pub async fn keep(&self, body: Bytes, user: Option<DatabaseUser>, make_room: impl FnOnce()) -> Result<Bytes> {
        match self.try_keep(body.clone(), user) {
            Err(_) => make_room(),
            kept => return kept,
        }
        let mut lease = self.bytes.empty_lease(user);
        let granted = lease.grow_to(body.len(), PATIENCE).await;
        granted.map_err(|exhausted| self.overload(exhausted))?;
        Ok(leased_bytes(body, lease))
    }

    /// The same, but fails at once if there is no memory left.
    pub fn try_keep(&self, body: Bytes, user: Option<DatabaseUser>) -> Result<Bytes> {
        if body.len() < LARGE_RESPONSE {
            return Ok(body);
        }
        let mut lease = self.bytes.empty_lease(user);
        lease.try_grow_to(body.len()).map_err(|exhausted| self.overload(exhausted))?;
        Ok(leased_bytes(body, lease))
    }

    /// Counts a response that has its memory already, because others get it too, as that of a user as well. The user waits for
    /// `expected_bytes` before the response is got, so that the wait keeps no response from being dropped.
    pub async fn keep_shared(
        &self,
        user: Option<DatabaseUser>,
        expected_bytes: usize,
        response: impl Future<Output = Result<Bytes>>,
    ) -> Result<Bytes> {
        let mut lease = self.bytes.empty_shared_lease(user);
        let counted = |bytes: usize| if bytes < LARGE_RESPONSE { 0 } else { bytes };
        let granted = lease.grow_to(counted(expected_bytes), PATIENCE).await;
        granted.map_err(|exhausted| self.overload(exhausted))?;
        let body = response.await?;
        let granted = lease.grow_to(counted(body.len()), PATIENCE).await;
        granted.map_err(|exhausted| self.overload(exhausted))?;
        Ok(if lease.bytes() > 0 { leased_bytes(body, lease) } else { body })
    }

    /// A response that is compressed as it is sent.
    pub async fn keep_compressed(&self, body: Body, user: Option<DatabaseUser>) -> Result<Body> {
        let mut lease = self.bytes.empty_lease(user);
        let granted = lease.grow_to(COMPRESSION_MEMORY, PATIENCE).await;
        granted.map_err(|exhausted| self.overload(exhausted))?;
        Ok(Body::new(LeasedBody::new(body, lease)))
    }

    /// For how long this peer may read nothing of its response: the less memory is left for large ones, the shorter.
    pub fn max_stall(&self, peer: &Peer) -> Duration {
        let longest = Duration::from_secs(self.limits.response_stall_seconds);
        match peer.has_large_response() {
            true => longest.mul_f64((1.0 - self.bytes.pressure(peer.user())).max(0.0)).max(MIN_STALL),
            false => longest,
        }
    }

    fn turns_of(&self, peer: Option<&Peer>) -> Arc<Semaphore> {
        let sender =
            peer.map_or(Sender::Unknown, |peer| peer.user().map_or(Sender::Network(peer.network), Sender::User));
        let mut turns_of = self.turns_of.lock();
        if turns_of.len() > MAX_UNUSED_QUEUES {
            turns_of.retain(|_, turns| turns.strong_count() > 0);
        }
        if let Some(turns) = turns_of.get(&sender).and_then(Weak::upgrade) {
            return turns;
        }
        let turns = Arc::new(Semaphore::new(self.limits.large_reads_per_user.min(MAX_TURNS) as usize));
        turns_of.insert(sender, Arc::downgrade(&turns));
        turns
    }

    fn overload(&self, exhausted: Exhausted) -> ApiError {
        let problem = "Too many large responses wait to be sent";
        let overload = match exhausted {
            Exhausted::Total => Overload::of_service(problem, "responses_bytes", self.limits.responses_bytes),
            Exhausted::Share => {
                Overload::of_sender(problem, "responses_bytes_per_user", self.limits.responses_bytes_per_user)
            }
        };
        overload.into()
    }
}

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
