//! Chooses the connections that make room for a new one when the service has no place for more.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::limits::Limits;
use crate::peer::Peer;
use crate::store::DatabaseUser;

/// Time that a new connection has for its first request with a valid token. In a burst, further connections are refused, which clients see,
/// instead of closed before they are answered.
const FIRST_REQUEST_TIME: Duration = Duration::from_millis(100);
/// Idle time after which a connection of a user within the share may be closed: until then, clients may send the next request on it.
const MIN_IDLE_TIME: Duration = Duration::from_secs(10);

/// The party that a connection counts for.
#[derive(PartialEq, Eq, Hash)]
enum Party {
    User(DatabaseUser),
    /// The network of a connection that has had no valid token yet.
    Stranger(IpAddr),
}

/// Returns the connections to close for a new one from `newcomer`, when `open` are all that the service may have. If there are none, the
/// new one is refused.
///
/// Connections without a user, or of users with more than their share, go first, then idle ones. Among these, the party with most loses its
/// oldest one, or all beyond a user's share at once. Otherwise a flood would make the service look at all connections for each new one. An
/// address that has its share replaces only its own connections.
pub fn admit<'a, Id: Copy>(
    newcomer: &Peer,
    open: impl Iterator<Item = (Id, &'a Peer)> + Clone,
    limits: &Limits,
) -> Vec<Id> {
    let mut of_party: HashMap<Party, u64> = HashMap::new();
    for (_, peer) in open.clone() {
        *of_party.entry(party(peer)).or_default() += 1;
    }
    let of_network = open.clone().filter(|(_, peer)| peer.network == newcomer.network).count() as u64;
    let has_share = of_network >= limits.connections_per_address;
    let order = |peer: &Peer| {
        let party = party(peer);
        let number = of_party.get(&party).copied().unwrap_or_default();
        let idle_for = if peer.is_active() { Duration::ZERO } else { peer.inactive_for() };
        let (is_in_use, time) = match party {
            // Requests do not shorten this time, so that clients that connect again outlive an existing flood.
            Party::Stranger(_) if peer.open_for() >= FIRST_REQUEST_TIME => (false, peer.open_for()),
            Party::User(_) if number > limits.connections_per_user => (false, idle_for),
            Party::User(_) if idle_for >= MIN_IDLE_TIME => (true, idle_for),
            _ => return None,
        };
        Some(((is_in_use, Reverse(number)), Reverse(time)))
    };
    let replaceable = open.filter(|(_, peer)| !has_share || peer.network == newcomer.network);
    let mut replaceable: Vec<_> = replaceable.filter_map(|(id, peer)| Some((order(peer)?, id))).collect();
    replaceable.sort_unstable_by_key(|(order, _)| *order);
    let Some(((first, _), _)) = replaceable.first().copied() else { return Vec::new() };
    let (_, Reverse(number)) = first;
    let surplus = number.saturating_sub(limits.connections_per_user).max(1) as usize;
    replaceable.into_iter().take(surplus).take_while(|((rank, _), _)| *rank == first).map(|(_, id)| id).collect()
}

fn party(peer: &Peer) -> Party {
    peer.user().map_or(Party::Stranger(peer.network), Party::User)
}

#[cfg(test)]
mod tests {
    use std::borrow::Borrow;
    use std::sync::Arc;

    use super::*;
    use crate::store::{DatabaseNumber, UserKey};

    const LONG_AGO: u64 = 60;

    /// A connection from 192.0.2.`network` of a user, or 0 for none, that has been idle for some seconds.
    fn peer(network: u8, user: i64, idle: u64) -> Peer {
        let peer = Peer::opened_ago([192, 0, 2, network].into(), Duration::from_secs(idle));
        peer.set_user(Some(DatabaseNumber(1).user(UserKey(user))).filter(|_| user > 0));
        peer
    }

    /// The connections that make room for a new one from 192.0.2.1, where an address may have 3 connections and a user 2.
    fn replaced(open: &[impl Borrow<Peer>]) -> Vec<usize> {
        let limits = Limits { connections_per_address: 3, connections_per_user: 2, ..Limits::default() };
        admit(&peer(1, 0, 0), open.iter().map(Borrow::borrow).enumerate(), &limits)
    }

    const NONE: [usize; 0] = [];

    #[test]
    fn the_oldest_connection_without_a_token_is_closed_first() {
        let open = [peer(1, 1, LONG_AGO), peer(2, 0, 5), peer(3, 0, 7), peer(4, 0, 6)];
        assert_eq!(replaced(&open), [2]);
        assert_eq!(replaced(&[peer(2, 1, 0), peer(2, 0, 0)]), NONE);
    }

    #[test]
    fn connections_without_a_token_from_the_address_with_most_are_closed_before_others() {
        let open = [peer(2, 0, LONG_AGO), peer(3, 0, 1), peer(3, 0, 2)];
        assert_eq!(replaced(&open), [2]);
    }

    #[test]
    fn a_flood_makes_place_for_all_beyond_a_share_at_once() {
        assert_eq!(replaced(&[peer(2, 1, 0), peer(3, 0, 1), peer(3, 0, 2), peer(3, 0, 4), peer(3, 0, 3)]), [3, 4]);
    }

    #[test]
    fn a_connection_of_a_user_is_closed_only_after_it_was_idle_for_some_time() {
        assert_eq!(replaced(&[peer(2, 1, 5), peer(3, 2, 9)]), NONE);
        assert_eq!(replaced(&[peer(2, 1, 5), peer(3, 2, 11)]), [1]);
    }

    #[test]
    fn connections_of_a_user_with_too_many_are_closed_before_those_of_others() {
        let open = [peer(2, 1, LONG_AGO), peer(2, 2, 2), peer(2, 2, 2), peer(2, 2, 3)];
        assert_eq!(replaced(&open), [3]);
        let busy = [peer(2, 1, LONG_AGO), peer(2, 2, 0), peer(2, 2, 0), peer(2, 2, 0)].map(Arc::new);
        let _requests: Vec<_> = busy.iter().map(Peer::begin_request).collect();
        assert!(matches!(*replaced(&busy), [1..=3]));
        let beside_a_stranger = [peer(2, 2, 2), peer(2, 2, 2), peer(2, 2, 3), peer(1, 0, LONG_AGO)];
        assert_eq!(replaced(&beside_a_stranger), [2]);
    }

    #[test]
    fn an_address_with_its_share_takes_the_places_of_its_own_connections_only() {
        let own = [peer(1, 1, 0), peer(1, 2, 0), peer(1, 0, 1), peer(2, 0, LONG_AGO)];
        assert_eq!(replaced(&own), [2]);
        let of_users = [peer(1, 1, 0), peer(1, 2, 0), peer(1, 3, 0), peer(2, 0, LONG_AGO)];
        assert_eq!(replaced(&of_users), NONE);
    }
}
