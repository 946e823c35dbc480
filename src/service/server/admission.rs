//! Which connection makes place for a new one when the service has no place for more.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::service::limits::Limits;
use crate::service::peer::Peer;
use crate::service::store::DatabaseUser;

/// How long a connection has to send its first request with a valid token.
const MIN_TIME_WITHOUT_USER: Duration = Duration::from_secs(1);
/// A connection of a user with too many is closed after this time without a request.
const MIN_IDLE_TIME_OVER_SHARE: Duration = Duration::from_secs(1);
/// The same for connections of other users. Clients may send the next request on it until then.
const MIN_IDLE_TIME: Duration = Duration::from_secs(10);
/// How long a request may be active on a connection that is closed before others.
const MIN_ACTIVE_TIME: Duration = Duration::from_secs(5);

/// What becomes of a new connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission<Id> {
    /// It takes the place of another one.
    InsteadOf(Id),
    /// It is refused. If a user has too many connections, one of them is to be closed at its next request.
    Refused { next_to_close: Option<Id> },
}

/// How soon a connection is closed for another; the least first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    WithoutUserOverShare,
    WithoutUser,
    IdleOverShare,
    Idle,
    ActiveOverShare,
}

/// Decides on a connection of `newcomer` while the connections of `open` are all that the service may have. `is_known` is one whose
/// client had a valid token before: for it, connections without a user need not have had their time.
///
/// Connections without a user go first, then those of users with more than their share, then idle ones. A network with more
/// than its share only takes the place of its own connections.
pub fn admit<'a, Id: Copy>(
    newcomer: &Peer,
    is_known: bool,
    open: impl Iterator<Item = (Id, &'a Peer)> + Clone,
    limits: &Limits,
) -> Admission<Id> {
    let mut of_network: HashMap<IpAddr, u64> = HashMap::new();
    let mut of_user: HashMap<DatabaseUser, u64> = HashMap::new();
    for (_, peer) in open.clone() {
        *of_network.entry(peer.network).or_default() += 1;
        if let Some(user) = peer.user() {
            *of_user.entry(user).or_default() += 1;
        }
    }
    let network_is_over_share = |network: &IpAddr, further: u64| {
        of_network.get(network).is_some_and(|count| count + further > limits.connections_per_address)
    };
    let user_is_over_share =
        |user: &DatabaseUser| of_user.get(user).is_some_and(|&count| count > limits.connections_per_user);
    let newcomer_is_over_share = network_is_over_share(&newcomer.network, 1);

    let rank = |peer: &Peer| {
        let (is_active, time) = (peer.is_active(), peer.inactive_for());
        let rank = match peer.user() {
            None if !newcomer_is_over_share && network_is_over_share(&peer.network, 0) => Rank::WithoutUserOverShare,
            None if is_known => Rank::WithoutUser,
            None if time >= if is_active { MIN_ACTIVE_TIME } else { MIN_TIME_WITHOUT_USER } => Rank::WithoutUser,
            Some(user) if user_is_over_share(&user) => match is_active {
                false if time >= MIN_IDLE_TIME_OVER_SHARE => Rank::IdleOverShare,
                true if time >= MIN_ACTIVE_TIME => Rank::ActiveOverShare,
                _ => return None,
            },
            Some(_) if !is_active && time >= MIN_IDLE_TIME => Rank::Idle,
            _ => return None,
        };
        Some((rank, Reverse(time)))
    };
    let may_be_replaced = |peer: &Peer| !newcomer_is_over_share || peer.network == newcomer.network;
    let replaceable = open.clone().filter(|(_, peer)| may_be_replaced(peer));
    let first = replaceable.filter_map(|(id, peer)| Some((rank(peer)?, id))).min_by(|(a, _), (b, _)| a.cmp(b));
    match first {
        Some((_, id)) => Admission::InsteadOf(id),
        None => {
            let over_share = open.filter(|(_, peer)| peer.user().is_some_and(|user| user_is_over_share(&user)));
            let staying = over_share.filter(|(_, peer)| !peer.closes_next());
            Admission::Refused { next_to_close: staying.map(|(id, _)| id).next() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::{DatabaseNumber, UserKey};

    const SECOND: u64 = 1;
    const LONG_AGO: u64 = 60;

    /// A connection from 192.0.2.`network` of a user, or 0 for none, that has been idle for some seconds.
    fn peer(network: u8, user: i64, idle: u64) -> Peer {
        let peer = Peer::opened_ago([192, 0, 2, network].into(), Duration::from_secs(idle));
        peer.set_user(Some(DatabaseNumber(1).user(UserKey(user))).filter(|_| user > 0));
        peer
    }

    /// What becomes of a new connection from 192.0.2.1, where an address may have 3 connections and a user 2.
    fn admission(open: &[Peer]) -> Admission<usize> {
        let limits = Limits { connections_per_address: 3, connections_per_user: 2, ..Limits::default() };
        admit(&peer(1, 0, 0), false, open.iter().enumerate(), &limits)
    }

    /// The same for a client that was known before.
    fn admission_of_known(open: &[Peer]) -> Admission<usize> {
        let limits = Limits { connections_per_address: 3, connections_per_user: 2, ..Limits::default() };
        admit(&peer(1, 0, 0), true, open.iter().enumerate(), &limits)
    }

    const REFUSED: Admission<usize> = Admission::Refused { next_to_close: None };

    #[test]
    fn the_connection_that_has_been_idle_longest_without_a_token_is_closed_first() {
        let open = [peer(1, 1, LONG_AGO), peer(2, 0, 5), peer(3, 0, 7), peer(4, 0, 6)];
        assert_eq!(admission(&open), Admission::InsteadOf(2));
    }

    #[test]
    fn connections_without_a_token_from_an_address_with_too_many_are_closed_before_others_however_new() {
        let open = [peer(2, 0, LONG_AGO), peer(3, 0, 0), peer(3, 0, 0), peer(3, 0, 0), peer(3, 0, 0)];
        assert!(matches!(admission(&open), Admission::InsteadOf(1..)));
    }

    #[test]
    fn a_connection_of_a_user_is_closed_only_after_it_was_idle_for_some_time() {
        assert_eq!(admission(&[peer(2, 1, 5), peer(3, 2, 9)]), REFUSED);
        assert_eq!(admission(&[peer(2, 1, 5), peer(3, 2, 11)]), Admission::InsteadOf(1));
    }

    #[test]
    fn connections_of_a_user_with_too_many_are_closed_before_those_of_others() {
        let open = [peer(2, 1, LONG_AGO), peer(2, 2, 2), peer(3, 2, 2), peer(4, 2, 3)];
        assert_eq!(admission(&open), Admission::InsteadOf(3));
        let busy = [peer(2, 1, 0), peer(2, 2, 0), peer(3, 2, 0), peer(4, 2, 0)];
        assert_eq!(admission(&busy), Admission::Refused { next_to_close: Some(1) });
    }

    #[test]
    fn an_address_with_too_many_takes_the_places_of_its_own_connections_only() {
        let own = [peer(1, 1, 0), peer(1, 2, 0), peer(1, 0, SECOND), peer(2, 0, LONG_AGO)];
        assert_eq!(admission(&own), Admission::InsteadOf(2));
        let of_users = [peer(1, 1, 0), peer(1, 2, 0), peer(1, 3, 0), peer(2, 0, LONG_AGO)];
        assert_eq!(admission(&of_users), REFUSED);
    }

    #[test]
    fn a_new_connection_has_time_for_its_first_request() {
        assert_eq!(admission(&[peer(1, 0, 0), peer(2, 0, 0)]), REFUSED);
    }

    #[test]
    fn who_was_known_before_takes_the_place_of_a_connection_without_a_token_however_new_it_is() {
        assert_eq!(admission_of_known(&[peer(2, 1, 0), peer(2, 0, 0)]), Admission::InsteadOf(1));
        // Also where the address has too many.
        let open = [peer(1, 0, 0), peer(1, 1, 0), peer(1, 2, 0), peer(2, 0, 0)];
        assert_eq!((admission(&open), admission_of_known(&open)), (REFUSED, Admission::InsteadOf(0)));
        assert_eq!(admission_of_known(&[peer(2, 1, 5), peer(3, 2, 5)]), REFUSED);
    }
}
