//! The other end of a connection.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::byte_budget::ByteLease;
use super::store::DatabaseUser;

/// The sender of one or all requests on a connection, with the connection's activity.
#[derive(Debug)]
pub struct Peer {
    /// The address or, for IPv6, its network: one machine can have any number of addresses in it.
    pub network: IpAddr,
    /// True if the peer is on this machine.
    pub is_local: bool,
    /// True if the connection has TLS.
    pub has_tls: bool,
    connection: Arc<Activity>,
    /// Distinguishes the connection's requests.
    request: u64,
    /// Memory of the request's body.
    body: Mutex<Option<Arc<ByteLease>>>,
    /// True if memory is counted for the response to the request.
    has_large_response: AtomicBool,
}

/// Activity on a connection.
#[derive(Debug)]
struct Activity {
    opened: Instant,
    /// The user of the token in the last request, if it was valid.
    user: Mutex<Option<DatabaseUser>>,
    /// Requests so far.
    requests: AtomicU64,
    /// Requests that are being answered.
    active_requests: AtomicUsize,
    /// Milliseconds from `opened` to the last activity: a request that arrived or was answered, or a part of a response that was read.
    last_active_ms: AtomicU64,
    /// Responses that wait for the client to read, by their requests.
    unread: Mutex<BTreeMap<u64, Unread>>,
}

/// A response that waits for the client to read.
#[derive(Debug)]
struct Unread {
    parts: usize,
    /// Time when the client last read a part, or when the response began to wait.
    since: Instant,
    is_large: bool,
}

impl Peer {
    pub fn new(address: IpAddr, has_tls: bool) -> Self {
        Self::opened_at(address, has_tls, Instant::now())
    }

    fn opened_at(address: IpAddr, has_tls: bool, opened: Instant) -> Self {
        let address = address.to_canonical();
        let connection = Activity {
            opened,
            user: Mutex::default(),
            requests: AtomicU64::new(0),
            active_requests: AtomicUsize::new(0),
            last_active_ms: AtomicU64::new(0),
            unread: Mutex::default(),
        };
        Peer {
            network: network_of(address),
            is_local: address.is_loopback(),
            has_tls,
            connection: Arc::new(connection),
            request: 0,
            body: Mutex::default(),
            has_large_response: AtomicBool::new(false),
        }
    }

    /// Returns the same peer as the sender of the next request. In HTTP/2, a connection answers many at the same time.
    pub fn of_next_request(&self) -> Self {
        Peer {
            network: self.network,
            is_local: self.is_local,
            has_tls: self.has_tls,
            connection: self.connection.clone(),
            request: self.connection.requests.fetch_add(1, Ordering::Relaxed),
            body: Mutex::default(),
            has_large_response: AtomicBool::new(false),
        }
    }

    /// Returns a peer whose connection was opened some time ago.
    #[cfg(test)]
    pub fn opened_ago(address: IpAddr, time: Duration) -> Self {
        Peer::opened_at(address, false, Instant::now() - time)
    }

    /// Returns the user, once a request had a valid token.
    pub fn user(&self) -> Option<DatabaseUser> {
        *self.connection.user.lock()
    }

    /// Notes the user of a request's token; `None` if it was not valid.
    pub fn set_user(&self, user: Option<DatabaseUser>) {
        *self.connection.user.lock() = user;
    }

    /// Counts a request as active until the guard is dropped.
    pub fn begin_request(self: &Arc<Self>) -> ActiveRequest {
        self.touch();
        self.connection.active_requests.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(self.clone())
    }

    /// Counts a part of the response to this request as unread until the guard is dropped.
    pub fn begin_part(self: &Arc<Self>) -> UnreadPart {
        let is_large = self.has_large_response.load(Ordering::Relaxed);
        let mut unread = self.connection.unread.lock();
        unread.entry(self.request).or_insert_with(|| Unread { parts: 0, since: Instant::now(), is_large }).parts += 1;
        UnreadPart(self.clone())
    }

    /// True while a request is being answered, or a response waits to be read.
    pub fn is_active(&self) -> bool {
        self.connection.active_requests.load(Ordering::Relaxed) > 0 || !self.connection.unread.lock().is_empty()
    }

    /// Time since the connection opened.
    pub fn open_for(&self) -> Duration {
        self.connection.opened.elapsed()
    }

    /// Time since a request last arrived, was answered, or read a part of its response. At first, time since the connection opened.
    pub fn inactive_for(&self) -> Duration {
        let last_active = Duration::from_millis(self.connection.last_active_ms.load(Ordering::Relaxed));
        self.open_for().saturating_sub(last_active)
    }

    /// Longest time that a response has waited for the client to read a part of it.
    pub fn longest_stall(&self) -> Duration {
        self.connection.unread.lock().values().map(|unread| unread.since.elapsed()).max().unwrap_or_default()
    }

    /// True if memory is counted for a response that waits to be read.
    pub fn has_large_response(&self) -> bool {
        self.connection.unread.lock().values().any(|unread| unread.is_large)
    }

    /// Notes whether memory is counted for the response to this request.
    pub fn set_large_response(&self, is_large: bool) {
        self.has_large_response.store(is_large, Ordering::Relaxed);
    }

    /// Keeps the memory of a body counted until its request is answered, or until its writes are done.
    pub fn keep_body(&self, lease: ByteLease) {
        *self.body.lock() = Some(Arc::new(lease));
    }

    /// Returns the memory of the body of the request that is being answered.
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

/// A part of a response that the client has not read.
#[derive(Debug)]
pub struct UnreadPart(Arc<Peer>);

impl Drop for UnreadPart {
    fn drop(&mut self) {
        let connection = &self.0.connection;
        if let Entry::Occupied(mut unread) = connection.unread.lock().entry(self.0.request) {
            unread.get_mut().parts -= 1;
            unread.get_mut().since = Instant::now();
            if unread.get().parts == 0 {
                unread.remove();
            }
        }
        self.0.touch();
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
        let network = |address: &str| Peer::new(address.parse().unwrap(), false).network;
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), network("2001:db8:1:2:ffff::1"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_eq!(network("::ffff:192.0.2.7"), network("192.0.2.7"));
        assert!(Peer::new("::ffff:127.0.0.1".parse().unwrap(), false).is_local);
    }
}
