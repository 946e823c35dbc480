//! The gate in front of all work: it limits how much one user, and all users together, do at the same time.
//!
//! Every request has a [`Pass`] from its arrival. Light work stays on the threads that serve all requests, and looks up what SQLite finds
//! in microseconds. Any other work runs on another thread through [`run`], in one of its user's places. So a new route is safe by default.
//! All writes share one thread, on which users take turns (see [`super::group_commit`]).
//!
//! A place belongs to the work, not to the request: if the client disconnects, the work ends early, and then frees its place.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::error::{Overload, Result};
use crate::limits::Limits;
use crate::store::{DatabaseUser, Digest, StoreError};
use geodesign_common::blocking;
use geodesign_common::work_time::{Wanted, WorkTime};

/// Number of users and tokens remembered. Beyond it, those without work are forgotten.
const MAX_REMEMBERED: usize = 4096;
const WORKING: &str = "Too many heavy requests at the same time";

tokio::task_local! {
    static PASS: Pass;
}

/// The gate of a service.
pub struct Gate {
    limits: Arc<Limits>,
    places: Arc<Semaphore>,
    shares: Shared<Sender, Share>,
    /// The users of tokens that were valid.
    users: Mutex<HashMap<Digest, DatabaseUser>>,
}

/// The sender of a request: the user of its token, the token while its user is unknown, or without a token, the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sender {
    User(DatabaseUser),
    Token(Digest),
    Network(IpAddr),
}

/// One sender's part of the gate.
struct Share {
    places: Arc<Semaphore>,
    /// One permit per waiting request.
    queue: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

/// Places taken by work. Dropping this frees them.
struct Place {
    _own: Ticket,
    _of_all: OwnedSemaphorePermit,
}

/// A permit of one sender's share.
pub struct Ticket {
    _share: Arc<Share>,
    _permit: OwnedSemaphorePermit,
}

/// Lets a request do its work. Without a gate, as in tests and for the service's own work, it does not wait.
#[derive(Clone, Default)]
pub struct Pass {
    gate: Option<Arc<Gate>>,
    network: Option<IpAddr>,
    token: Arc<OnceLock<Digest>>,
    place: Option<Arc<Place>>,
}

/// The turn of a user with free places. The next step is a place among those that all users share.
pub struct Turn {
    pass: Pass,
    own: Option<(Ticket, u32)>,
    until: Instant,
}

impl Gate {
    pub fn new(limits: Arc<Limits>) -> Self {
        Gate { places: semaphore(limits.heavy_requests), shares: Shared::default(), users: Mutex::default(), limits }
    }

    /// Time limit for waiting for a place, and for the work itself.
    fn time(&self) -> Duration {
        Duration::from_secs(self.limits.statement_seconds)
    }

    fn share(&self, sender: Sender) -> Arc<Share> {
        let Limits { heavy_requests_per_user, requests_per_user, .. } = *self.limits;
        self.shares.get(sender, || Share {
            places: semaphore(heavy_requests_per_user),
            queue: semaphore(requests_per_user),
            streams: semaphore(requests_per_user),
        })
    }
}

fn semaphore(permits: u64) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(usize::try_from(permits).unwrap_or(usize::MAX).min(u32::MAX as usize)))
}

impl Pass {
    /// The pass of a request from this network.
    pub fn new(gate: Arc<Gate>, network: IpAddr) -> Self {
        Pass { gate: Some(gate), network: Some(network), ..Pass::default() }
    }

    /// The pass of the request that this task answers.
    pub fn current() -> Self {
        PASS.try_with(Clone::clone).unwrap_or_default()
    }

    /// Does work with this pass.
    pub fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        PASS.scope(self, work)
    }

    /// Notes the token of the request.
    pub fn note_token(&self, token: &Digest) {
        let _ = self.token.set(*token);
    }

    /// Notes the user of a valid token.
    pub fn note_user(&self, user: DatabaseUser) {
        let (Some(gate), Some(token)) = (&self.gate, self.token.get()) else { return };
        let mut users = gate.users.lock();
        if users.len() > MAX_REMEMBERED {
            users.clear();
        }
        users.entry(*token).or_insert(user);
    }

    /// The sender of the request; `None` without a gate.
    pub fn sender(&self) -> Option<Sender> {
        match self.token.get() {
            Some(token) => {
                let user = self.gate.as_ref()?.users.lock().get(token).copied();
                Some(user.map_or(Sender::Token(*token), Sender::User))
            }
            None => self.network.map(Sender::Network),
        }
    }

    /// Counts a request as waiting until the ticket is dropped.
    pub fn wait(&self) -> Result<Option<Ticket>> {
        self.ticket(|share| &share.queue, "Too many requests of the user are waiting")
    }

    /// Counts a stream as open until the ticket is dropped.
    pub fn open_stream(&self) -> Result<Option<Ticket>> {
        self.ticket(|share| &share.streams, "The user has too many open streams of changes")
    }

    fn ticket(&self, of: fn(&Share) -> &Arc<Semaphore>, problem: &'static str) -> Result<Option<Ticket>> {
        let (Some(gate), Some(sender)) = (&self.gate, self.sender()) else { return Ok(None) };
        let share = gate.share(sender);
        let limit = gate.limits.requests_per_user;
        let permit = of(&share).clone().try_acquire_owned();
        let permit = permit.map_err(|_| Overload::of_sender(problem, "requests_per_user", limit))?;
        Ok(Some(Ticket { _share: share, _permit: permit }))
    }

    /// Waits for this many of the user's places, or for all if there are fewer. A request that has a place needs no other.
    pub async fn turn(&self, places: u64, patience: Duration) -> Result<Turn> {
        let until = Instant::now() + patience;
        let (None, Some(gate), Some(sender)) = (&self.place, &self.gate, self.sender()) else {
            return Ok(Turn { pass: self.clone(), own: None, until });
        };
        let limit = gate.limits.heavy_requests_per_user;
        let places = places.clamp(1, limit.min(gate.limits.heavy_requests)) as u32;
        let share = gate.share(sender);
        let permit = match share.places.clone().try_acquire_many_owned(places) {
            Ok(permit) => permit,
            Err(_) => {
                let _waiting = self.wait()?;
                let overload = Overload::of_sender(WORKING, "heavy_requests_per_user", limit);
                acquire(&share.places, places, until).await.ok_or(overload)?
            }
        };
        let ticket = Ticket { _share: share, _permit: permit };
        Ok(Turn { pass: self.clone(), own: Some((ticket, places)), until })
    }

    /// Runs work on another thread. Work that exceeds its time has no result: its loops may have ended early.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let Some(gate) = &self.gate else { return Ok(blocking::run(work).await?) };
        let entered = self.turn(1, gate.time()).await?.enter().await?;
        let wanted = Wanted(WorkTime::from_now(gate.time()));
        let time = wanted.0.clone();
        let work = move || {
            let _until_done = entered;
            let result = time.clone().during(work);
            if time.is_over() { Err(StoreError::TimedOut) } else { Ok(result) }
        };
        Ok(blocking::run(work).await??)
    }
}

impl Turn {
    /// Waits for a place, which the pass keeps until its last copy is dropped.
    pub async fn enter(self) -> Result<Pass> {
        let Turn { pass, own, until } = self;
        let (Some((own, places)), Some(gate)) = (own, &pass.gate) else { return Ok(pass) };
        let overload = Overload::of_service(WORKING, "heavy_requests", gate.limits.heavy_requests);
        let of_all = acquire(&gate.places, places, until).await.ok_or(overload)?;
        Ok(Pass { place: Some(Arc::new(Place { _own: own, _of_all: of_all })), ..pass })
    }
}

/// Waits for permits; `None` if they are not free in time.
async fn acquire(permits: &Arc<Semaphore>, count: u32, until: Instant) -> Option<OwnedSemaphorePermit> {
    // The semaphores are never closed.
    timeout_at(until, permits.clone().acquire_many_owned(count)).await.ok()?.ok()
}

/// Runs long work on another thread, in a place of the user whose request this task answers.
pub async fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    Pass::current().run(work).await
}

/// Runs all of this work in the same places.
pub fn hold<T>(
    places: u64,
    patience: Duration,
    work: impl Future<Output = Result<T>>,
) -> impl Future<Output = Result<T>> {
    // Reading a complete project is a large future.
    let work = Box::pin(work);
    async move { Pass::current().turn(places, patience).await?.enter().await?.scope(work).await }
}

/// Values that are kept while they are used, and for some time after.
pub struct Shared<K, V>(Mutex<HashMap<K, Arc<V>>>);

impl<K, V> Default for Shared<K, V> {
    fn default() -> Self {
        Shared(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Shared<K, V> {
    pub fn get(&self, key: K, new: impl FnOnce() -> V) -> Arc<V> {
        let mut values = self.0.lock();
        if values.len() > MAX_REMEMBERED {
            values.retain(|_, value| Arc::strong_count(value) > 1);
        }
        values.entry(key).or_insert_with(|| Arc::new(new())).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread::sleep;

    use super::*;
    use crate::http::error::ApiError;
    use crate::store::{DatabaseNumber, UserKey};
    use geodesign_common::work_time::is_over;

    const SOON: Duration = Duration::from_secs(5);

    fn gate(heavy_requests: u64, heavy_requests_per_user: u64) -> Arc<Gate> {
        Arc::new(Gate::new(Arc::new(Limits {
            heavy_requests,
            heavy_requests_per_user,
            requests_per_user: 2,
            statement_seconds: 1,
            ..Limits::default()
        })))
    }

    /// A pass of a user with a token that was valid before.
    fn pass_of(gate: &Arc<Gate>, user: u8, token: u8) -> Pass {
        let pass = Pass::new(gate.clone(), [127, 0, 0, 1].into());
        pass.note_token(&[token; 32]);
        pass.note_user(DatabaseNumber(1).user(UserKey(user.into())));
        pass
    }

    async fn entered(pass: &Pass, places: u64) -> Result<Pass> {
        pass.turn(places, Duration::from_millis(20)).await?.enter().await
    }

    fn refusal(result: Result<impl Sized>) -> String {
        result.map(drop).unwrap_err().to_string()
    }

    #[tokio::test]
    async fn a_user_has_a_share_of_the_places_with_all_tokens_together() {
        let gate = gate(3, 2);
        let _first = entered(&pass_of(&gate, 1, 1), 1).await.unwrap();
        let second = entered(&pass_of(&gate, 1, 2), 1).await.unwrap();
        assert!(refusal(entered(&pass_of(&gate, 1, 3), 1).await).contains("heavy_requests_per_user is 2"));
        let _other = entered(&pass_of(&gate, 2, 4), 1).await.unwrap();
        assert!(refusal(entered(&pass_of(&gate, 3, 5), 1).await).contains("heavy_requests is 3"));
        drop(second);
        assert!(entered(&pass_of(&gate, 1, 3), 1).await.is_ok());
    }

    #[tokio::test]
    async fn work_that_takes_several_places_takes_no_more_than_a_user_has() {
        let gate = gate(4, 2);
        let pass = pass_of(&gate, 1, 1);
        let held = entered(&pass, 9).await.unwrap();
        assert!(entered(&pass, 1).await.is_err());
        // What is done at these places needs no other.
        assert_eq!(held.run(|| 1).await.unwrap(), 1);
        assert!(entered(&held, 1).await.is_ok());
    }

    #[tokio::test]
    async fn requests_that_wait_and_streams_are_limited_each() {
        let gate = gate(1, 1);
        let pass = pass_of(&gate, 1, 1);
        let _place = entered(&pass, 1).await.unwrap();
        let waiting = [pass.wait().unwrap(), pass.wait().unwrap()];
        assert!(refusal(pass.turn(1, SOON).await).contains("requests_per_user is 2"));
        let streams = [pass.open_stream().unwrap(), pass.open_stream().unwrap()];
        assert!(pass.open_stream().is_err());
        assert!(pass_of(&gate, 2, 2).open_stream().is_ok());
        drop((waiting, streams));
        assert!(pass.open_stream().is_ok());
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_ends_before_its_place_is_free() {
        let gate = gate(1, 1);
        let pass = pass_of(&gate, 1, 1);
        let (begun, has_begun) = mpsc::channel();
        let work = move || {
            begun.send(()).unwrap();
            while !is_over() {
                sleep(Duration::from_millis(1));
            }
        };
        let working = tokio::spawn({
            let pass = pass.clone();
            async move { pass.run(work).await }
        });
        blocking::run(move || has_begun.recv().unwrap()).await.unwrap();
        assert!(entered(&pass, 1).await.is_err());
        working.abort();
        assert!(pass.turn(1, SOON).await.unwrap().enter().await.is_ok());
    }

    #[tokio::test]
    async fn work_ends_when_its_time_is_over_and_a_panic_is_an_error() {
        let pass = pass_of(&gate(1, 1), 1, 1);
        let work = || {
            while !is_over() {
                sleep(Duration::from_millis(10));
            }
        };
        assert!(matches!(pass.run(work).await, Err(ApiError::Store(StoreError::TimedOut))));
        let panicked = pass.run(|| -> () { panic!("for the test") }).await;
        assert!(matches!(panicked, Err(ApiError::Task(_))));
        assert!(entered(&pass, 1).await.is_ok());
    }
}
