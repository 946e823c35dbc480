//! What a service knows of the other end of a connection.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::byte_budget::ByteLease;
use super::known_tickets::{KnownTickets, TicketId};
use super::store::DatabaseUser;

/// The sender of the requests of a connection, and what the connection does.
#[derive(Debug)]
pub struct Peer {
    /// For IPv6 the network, in which a machine can have any number of addresses.
    pub network: IpAddr,
    /// Whether the peer is on this machine.
    pub is_local: bool,
    /// Whether the connection has TLS.
    pub has_tls: bool,
    connection: Arc<Activity>,
    /// Whether the connection answers several requests at the same time, of which this is the sender of one.
    shares_connection: bool,
    /// The memory of the body of the request that is being answered.
    body: Mutex<Option<Arc<ByteLease>>>,
}

/// What happens on a connection.
#[derive(Debug)]
struct Activity {
    opened: Instant,
    /// The user of the token in the last request, if it was valid.
    user: Mutex<Option<DatabaseUser>>,
    /// Requests that are being answered.
    active_requests: AtomicUsize,
    /// Milliseconds from `opened` to when a request last arrived or was answered.
    last_active_ms: AtomicU64,
    /// How many requests have arrived.
    requests: AtomicU64,
    has_large_response: AtomicBool,
    /// Whether a response waits for the peer to read.
    is_sending: AtomicBool,
    /// Whether the connection is to be closed at its next request.
    closes_next: AtomicBool,
    /// Of a connection with TLS: what its tickets begin with, until a token was valid, and where that is told.
    tickets: Mutex<Option<(TicketId, Arc<KnownTickets>)>>,
}

impl Peer {
    pub fn new(address: IpAddr) -> Self {
        Self::opened_at(address, Instant::now())
    }

    /// The same, whose connection has TLS or not.
    pub fn with_tls(self, has_tls: bool) -> Self {
        Peer { has_tls, ..self }
    }

    fn opened_at(address: IpAddr, opened: Instant) -> Self {
        let address = address.to_canonical();
        let connection = Activity {
            opened,
            user: Mutex::default(),
            active_requests: AtomicUsize::new(0),
            last_active_ms: AtomicU64::new(0),
            requests: AtomicU64::new(0),
            has_large_response: AtomicBool::new(false),
            is_sending: AtomicBool::new(false),
            closes_next: AtomicBool::new(false),
            tickets: Mutex::default(),
        };
        Peer {
            network: network_of(address),
            is_local: address.is_loopback(),
            has_tls: false,
            connection: Arc::new(connection),
            shares_connection: false,
            body: Mutex::default(),
        }
    }

    /// The same peer as the sender of one of the requests that its connection answers at the same time.
    pub fn of_one_request(&self) -> Self {
        Peer {
            network: self.network,
            is_local: self.is_local,
            has_tls: self.has_tls,
            connection: self.connection.clone(),
            shares_connection: true,
            body: Mutex::default(),
        }
    }

    /// A peer whose connection was opened some time ago.
    #[cfg(test)]
    pub fn opened_ago(address: IpAddr, time: Duration) -> Self {
        Peer::opened_at(address, Instant::now() - time)
    }

    /// The user, once a request had a valid token.
    pub fn user(&self) -> Option<DatabaseUser> {
        *self.connection.user.lock()
    }

    /// Notes whose token a request had; `None` if it was not valid.
    pub fn set_user(&self, user: Option<DatabaseUser>) {
        let mut known = self.connection.user.lock();
        if *known == user {
            return;
        }
        *known = user;
        if let Some(user) = user
            && let Some((id, tickets)) = self.connection.tickets.lock().take()
        {
            tickets.insert(id, user);
        }
    }

    /// Has the tickets of the connection be known once a token was valid on it.
    pub fn give_tickets(&self, id: TicketId, known: Arc<KnownTickets>) {
        *self.connection.tickets.lock() = Some((id, known));
    }

    /// Counts a request as active until the guard is dropped.
    pub fn begin_request(self: &Arc<Self>) -> ActiveRequest {
        self.touch();
        self.connection.active_requests.fetch_add(1, Ordering::Relaxed);
        if !self.shares_connection {
            self.connection.requests.fetch_add(1, Ordering::Relaxed);
        }
        ActiveRequest(self.clone())
    }

    /// How many requests have arrived so far, if each is answered before the next one arrives.
    pub fn requests(&self) -> u64 {
        self.connection.requests.load(Ordering::Relaxed)
    }

    /// Whether a request is being answered, or its response waits to be read.
    pub fn is_active(&self) -> bool {
        self.connection.active_requests.load(Ordering::Relaxed) > 0
            || self.connection.is_sending.load(Ordering::Relaxed)
    }

    /// How long ago a request arrived, was answered, or read a part of its response. At first, how long ago the connection opened.
    pub fn inactive_for(&self) -> Duration {
        let last_active = Duration::from_millis(self.connection.last_active_ms.load(Ordering::Relaxed));
        self.connection.opened.elapsed().saturating_sub(last_active)
    }

    pub fn set_sending(&self, is_sending: bool) {
        if self.connection.is_sending.swap(is_sending, Ordering::Relaxed) && !is_sending {
            self.touch();
        }
    }

    /// Whether the connection is to be closed at its next request, because its user has too many.
    pub fn closes_next(&self) -> bool {
        self.connection.closes_next.load(Ordering::Relaxed)
    }

    pub fn close_next(&self) {
        self.connection.closes_next.store(true, Ordering::Relaxed);
    }

    /// Whether the last response, or one on a connection with several, is one of those that memory is counted for.
    pub fn has_large_response(&self) -> bool {
        self.connection.has_large_response.load(Ordering::Relaxed)
    }

    pub fn set_large_response(&self, is_large: bool) {
        if is_large || !self.shares_connection {
            self.connection.has_large_response.store(is_large, Ordering::Relaxed);
        }
    }

    /// Keeps the memory of a body counted until its request was answered, or what it writes was written.
    pub fn keep_body(&self, lease: ByteLease) {
        *self.body.lock() = Some(Arc::new(lease));
    }

    /// The memory of the body of the request that is being answered.
    pub fn body(&self) -> Option<Arc<ByteLease>> {
        self.body.lock().clone()
    }

    fn touch(&self) {
        let time = self.connection.opened.elapsed();
        self.connection.last_active_ms.store(time.as_millis() as u64, Ordering::Relaxed);
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub struct ActiveRequest(Arc<Peer>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.body.lock().take();
        self.0.touch();
        self.0.connection.active_requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// An IPv4 address, or the first 64 bits of an IPv6 address.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_ipv6_network_count_as_one() {
        let network = |address: &str| Peer::new(address.parse().unwrap()).network;
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), network("2001:db8:1:2:ffff::1"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:192.0.2.7"), network("192.0.2.7"));
        assert!(Peer::new("::ffff:127.0.0.1".parse().unwrap()).is_local);
    }
}
