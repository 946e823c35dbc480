//! Who was known before: TLS tickets of connections on which a request had a valid token.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;

use super::store::DatabaseUser;

/// The first bytes of all tickets of one connection, at random.
pub type TicketId = [u8; 16];

/// How many connections are remembered. A client has the tickets of its last few.
const MAX_KNOWN: usize = 16_384;

/// The tickets that are worth something, each with the user whose token was valid.
#[derive(Debug, Default)]
pub struct KnownTickets(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    users: HashMap<TicketId, DatabaseUser>,
    oldest_first: VecDeque<TicketId>,
}

impl KnownTickets {
    pub fn insert(&self, id: TicketId, user: DatabaseUser) {
        let mut known = self.0.lock();
        if known.users.insert(id, user).is_none() {
            known.oldest_first.push_back(id);
        }
        if known.oldest_first.len() > MAX_KNOWN
            && let Some(oldest) = known.oldest_first.pop_front()
        {
            known.users.remove(&oldest);
        }
    }

    /// The user of the connection that a ticket was given on, if the user's token was valid there.
    pub fn user_of(&self, ticket: &[u8]) -> Option<DatabaseUser> {
        let id: TicketId = ticket.first_chunk().copied()?;
        self.0.lock().users.get(&id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::{DatabaseNumber, UserKey};

    #[test]
    fn the_oldest_tickets_are_forgotten_first() {
        let (known, user) = (KnownTickets::default(), DatabaseNumber(1).user(UserKey(1)));
        let id = |number: usize| (number as u128).to_le_bytes();
        (0..=MAX_KNOWN).for_each(|number| known.insert(id(number), user));
        known.insert(id(MAX_KNOWN), user);
        let is_known = |number: usize| known.user_of(&[&id(number)[..], b"the ticket"].concat()).is_some();
        assert!(!is_known(0) && is_known(1) && is_known(MAX_KNOWN) && known.user_of(b"short").is_none());
    }
}
