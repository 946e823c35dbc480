//! Whose TLS handshake is next. Handshakes are most of the work of a connection, so an address begins no more than so many a second:
//! further connections of it wait for their turn, in the order in which they came. One that its client has closed meanwhile takes no
//! turn, so that a program which opens and drops connections delays its neighbours behind the same address by little. Who was known
//! before has turns apart.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::client_hello::ticket_in;
use crate::service::known_tickets::KnownTickets;
use crate::service::limits::Limits;
use crate::service::rate_limiter::RateLimiter;
use crate::service::store::DatabaseUser;

/// How often it is looked whether a client that waits has gone.
const CLOSED_CHECK_INTERVAL: Duration = Duration::from_millis(50);
/// A client's first message, with a ticket, is shorter.
const MAX_HELLO_BYTES: usize = 8 * 1024;
/// How often and how long the rest of that message is waited for.
const HELLO_CHECK_INTERVAL: Duration = Duration::from_millis(5);
const MAX_HELLO_CHECKS: usize = 100;

/// The turns of all addresses.
pub struct Turns {
    of_addresses: RateLimiter,
    of_users: RateLimiter,
    pub known: Arc<KnownTickets>,
    max_waiting: usize,
    queues: Mutex<HashMap<IpAddr, Arc<Queue>>>,
}

/// The connections of an address that wait. The lock is given in the order in which it was asked for.
#[derive(Default)]
struct Queue {
    turn: tokio::sync::Mutex<()>,
    waiting: AtomicUsize,
}

/// A place in the queue of an address, until it is dropped.
struct Place<'t> {
    turns: &'t Turns,
    network: IpAddr,
    queue: Arc<Queue>,
}

impl Turns {
    pub fn new(limits: &Limits) -> Self {
        Turns {
            of_addresses: RateLimiter::per_second(limits.handshakes_per_second),
            of_users: RateLimiter::per_second(limits.handshakes_per_second),
            known: Arc::default(),
            max_waiting: usize::try_from(limits.connections_per_address / 2).unwrap_or(usize::MAX).max(1),
            queues: Mutex::default(),
        }
    }

    /// Waits until a connection may begin its handshake. Returns false if it is to be closed: because its client has gone, or because
    /// too many of its address wait. The caller limits the time.
    pub async fn wait(&self, stream: &TcpStream, network: IpAddr) -> bool {
        if is_closed(stream).await {
            return false;
        }
        let is_queue_empty = !self.queues.lock().contains_key(&network);
        if is_queue_empty && self.of_addresses.count(&network).is_ok() {
            return true;
        }
        if let Some(user) = self.known_user(stream).await
            && self.of_users.count(&user).is_ok()
        {
            return true;
        }
        let Some(place) = self.place(network) else { return false };
        tokio::select! {
            turn = place.queue.turn.lock() => {
                let may_begin = self.take_turn(stream, network).await;
                drop(turn);
                may_begin
            }
            () = closed(stream) => false,
        }
    }

    async fn take_turn(&self, stream: &TcpStream, network: IpAddr) -> bool {
        loop {
            if is_closed(stream).await {
                return false;
            }
            match self.of_addresses.count(&network) {
                Ok(()) => return true,
                Err(time) => sleep(time.min(CLOSED_CHECK_INTERVAL)).await,
            }
        }
    }

    /// The user whom a client's ticket tells. The ticket is not verified: whoever sends that of another gets a turn, but no session.
    pub async fn known_user(&self, stream: &TcpStream) -> Option<DatabaseUser> {
        let mut hello = vec![0; MAX_HELLO_BYTES];
        for _ in 0..MAX_HELLO_CHECKS {
            let length = stream.peek(&mut hello).await.ok().filter(|length| *length > 0)?;
            match ticket_in(&hello[..length]) {
                Ok(ticket) => return self.known.user_of(ticket?),
                Err(_) if length == hello.len() => return None,
                Err(_) => sleep(HELLO_CHECK_INTERVAL).await,
            }
        }
        None
    }

    /// `None` if too many wait.
    fn place(&self, network: IpAddr) -> Option<Place<'_>> {
        let (queue, before) = {
            let mut queues = self.queues.lock();
            let queue = queues.entry(network).or_default().clone();
            let before = queue.waiting.fetch_add(1, Ordering::Relaxed);
            (queue, before)
        };
        let place = Place { turns: self, network, queue };
        (before < self.max_waiting).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut queues = self.turns.queues.lock();
        if self.queue.waiting.fetch_sub(1, Ordering::Relaxed) == 1 {
            queues.remove(&self.network);
        }
    }
}

async fn closed(stream: &TcpStream) {
    while !is_closed(stream).await {
        sleep(CLOSED_CHECK_INTERVAL).await;
    }
}

/// Whether the client has closed the connection. What it sent before may be unread.
async fn is_closed(stream: &TcpStream) -> bool {
    stream.ready(Interest::READABLE).await.map_or(true, |ready| ready.is_read_closed())
}
