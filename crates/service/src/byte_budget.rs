//! Memory shared by many requests, with a limit for all of them together and one for each user.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::store::DatabaseUser;

/// A budget of bytes from which leases are taken. Clones share it.
#[derive(Debug, Clone)]
pub struct ByteBudget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: usize,
    /// Bytes that one user may hold.
    share: usize,
    usage: Mutex<Usage>,
    released: Notify,
}

#[derive(Debug, Default)]
struct Usage {
    held: usize,
    held_by: HashMap<DatabaseUser, usize>,
    /// Requests waiting for bytes held by others, and for bytes held by their own user.
    waiting: usize,
    waiting_for_own: HashMap<DatabaseUser, usize>,
}

/// Bytes taken from a budget. Dropping the lease gives them back.
#[derive(Debug)]
pub struct ByteLease {
    budget: ByteBudget,
    user: Option<DatabaseUser>,
    /// True if the bytes count for the user's share only, because another lease already has them.
    is_shared: bool,
    bytes: usize,
}

/// The part of a budget that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    Total,
    /// The user's share of it.
    Share,
}

impl ByteBudget {
    pub fn new(total: u64, share: u64) -> Self {
        let total = usize::try_from(total).unwrap_or(usize::MAX);
        let share = usize::try_from(share).unwrap_or(usize::MAX).min(total);
        ByteBudget(Arc::new(Inner { total, share, usage: Mutex::default(), released: Notify::new() }))
    }

    /// Returns a lease without bytes, which can grow. Without a user, it counts for no user's share.
    pub fn empty_lease(&self, user: Option<DatabaseUser>) -> ByteLease {
        ByteLease { budget: self.clone(), user, is_shared: false, bytes: 0 }
    }

    /// Returns an empty lease for bytes that another lease already has: they count for this user's share only.
    pub fn empty_shared_lease(&self, user: Option<DatabaseUser>) -> ByteLease {
        ByteLease { budget: self.clone(), user, is_shared: true, bytes: 0 }
    }

    /// Returns the used fraction of the budget or of the user's share, whichever is larger; 1 while a request waits for bytes.
    pub fn pressure(&self, user: Option<DatabaseUser>) -> f64 {
        let usage = self.0.usage.lock();
        let own = |counts: &HashMap<DatabaseUser, usize>| user.and_then(|user| counts.get(&user)).copied().unwrap_or(0);
        if usage.waiting > 0 || own(&usage.waiting_for_own) > 0 {
            return 1.0;
        }
        let used = usage.held as f64 / self.0.total as f64;
        used.max(own(&usage.held_by) as f64 / self.0.share as f64)
    }
}

impl ByteLease {
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes further bytes until the lease has `bytes`, or returns at once which part is used up. A single lease may always have a user's
    /// full share, and never takes more.
    pub fn try_grow_to(&mut self, bytes: usize) -> Result<(), Exhausted> {
        let bytes = bytes.min(self.budget.0.share);
        let further = bytes.saturating_sub(self.bytes);
        let mut usage = self.budget.0.usage.lock();
        let held_by_user = self.user.and_then(|user| usage.held_by.get(&user)).copied().unwrap_or(0);
        if held_by_user + further > self.budget.0.share {
            return Err(Exhausted::Share);
        }
        let in_total = if self.is_shared { 0 } else { further };
        if usage.held + in_total > self.budget.0.total {
            return Err(Exhausted::Total);
        }
        usage.held += in_total;
        if let Some(user) = self.user.filter(|_| further > 0) {
            *usage.held_by.entry(user).or_default() += further;
        }
        self.bytes += further;
        Ok(())
    }

    /// Same as `try_grow_to`, but waits for other leases to give bytes back.
    pub async fn grow_to(&mut self, bytes: usize, patience: Duration) -> Result<(), Exhausted> {
        if self.try_grow_to(bytes).is_ok() {
            return Ok(());
        }
        let deadline = Instant::now() + patience;
        let budget = self.budget.clone();
        loop {
            let mut released = pin!(budget.0.released.notified());
            released.as_mut().enable();
            let Err(exhausted) = self.try_grow_to(bytes) else { return Ok(()) };
            let _waiting = Waiting::new(&budget, self.user.filter(|_| exhausted == Exhausted::Share));
            timeout_at(deadline, released).await.map_err(|_| exhausted)?;
        }
    }

    /// Gives back the bytes that the lease has beyond `bytes`.
    pub fn shrink_to(&mut self, bytes: usize) {
        self.give_back(self.bytes.saturating_sub(bytes));
    }

    fn give_back(&mut self, bytes: usize) {
        if bytes == 0 {
            return;
        }
        self.bytes -= bytes;
        let mut usage = self.budget.0.usage.lock();
        usage.held -= if self.is_shared { 0 } else { bytes };
        if let Some(user) = self.user {
            subtract(&mut usage.held_by, user, bytes);
        }
        drop(usage);
        self.budget.0.released.notify_waiters();
    }
}

impl Drop for ByteLease {
    fn drop(&mut self) {
        self.give_back(self.bytes);
    }
}

/// Counts a request as waiting until this is dropped.
struct Waiting<'a> {
    budget: &'a ByteBudget,
    /// The user whose share the request waits for; `None` if it waits for the budget of all.
    user: Option<DatabaseUser>,
}

impl<'a> Waiting<'a> {
    fn new(budget: &'a ByteBudget, user: Option<DatabaseUser>) -> Self {
        let mut usage = budget.0.usage.lock();
        match user {
            Some(user) => *usage.waiting_for_own.entry(user).or_default() += 1,
            None => usage.waiting += 1,
        }
        Waiting { budget, user }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut usage = self.budget.0.usage.lock();
        match self.user {
            Some(user) => subtract(&mut usage.waiting_for_own, user, 1),
            None => usage.waiting -= 1,
        }
    }
}

/// Removes a count that reaches 0, so that the map holds current users only.
fn subtract(counts: &mut HashMap<DatabaseUser, usize>, user: DatabaseUser, amount: usize) {
    if let Some(count) = counts.get_mut(&user) {
        *count -= amount;
        if *count == 0 {
            counts.remove(&user);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{DatabaseNumber, UserKey};

    const NOW: Duration = Duration::ZERO;
    const SOON: Duration = Duration::from_secs(5);

    fn user(key: i64) -> DatabaseUser {
        DatabaseNumber(1).user(UserKey(key))
    }

    fn lease(budget: &ByteBudget, key: i64, bytes: usize) -> Result<ByteLease, Exhausted> {
        let mut lease = budget.empty_lease(Some(user(key)));
        lease.try_grow_to(bytes).map(|()| lease)
    }

    #[test]
    fn a_user_gets_no_more_than_the_share_and_all_users_no_more_than_the_total() {
        let budget = ByteBudget::new(100, 60);
        let first = lease(&budget, 1, 50).unwrap();
        assert_eq!(lease(&budget, 1, 11).unwrap_err(), Exhausted::Share);
        assert_eq!(lease(&budget, 2, 51).unwrap_err(), Exhausted::Total);
        let _second = lease(&budget, 2, 50).unwrap();
        drop(first);
        assert!(lease(&budget, 3, 50).is_ok());
    }

    #[test]
    fn what_is_larger_than_a_share_takes_the_whole_share() {
        let budget = ByteBudget::new(100, 60);
        let _large = lease(&budget, 1, 1000).unwrap();
        assert!(lease(&budget, 2, 41).is_err());
        assert!(lease(&budget, 2, 40).is_ok());
    }

    #[test]
    fn shared_bytes_count_once_in_the_total_and_for_each_user_in_the_share() {
        let budget = ByteBudget::new(100, 50);
        let _made = lease(&budget, 1, 50).unwrap();
        let shared = |key| {
            let mut lease = budget.empty_shared_lease(Some(user(key)));
            lease.try_grow_to(50).map(|()| lease)
        };
        let _read = [shared(2).unwrap(), shared(3).unwrap(), shared(4).unwrap()];
        assert_eq!(shared(2).unwrap_err(), Exhausted::Share);
        assert!(lease(&budget, 5, 50).is_ok());
    }

    #[tokio::test]
    async fn a_lease_waits_until_another_is_given_back() {
        let budget = ByteBudget::new(100, 100);
        let first = lease(&budget, 1, 100).unwrap();
        let mut second = budget.empty_lease(Some(user(2)));
        assert_eq!(second.grow_to(1, NOW).await, Err(Exhausted::Total));
        assert_eq!(budget.pressure(None), 1.0);
        let give_back = async {
            tokio::task::yield_now().await;
            drop(first);
        };
        assert_eq!(tokio::join!(second.grow_to(10, SOON), give_back).0, Ok(()));
        assert_eq!(budget.pressure(None), 0.1);
        second.shrink_to(4);
        assert_eq!((second.bytes(), budget.pressure(Some(user(2)))), (4, 0.04));
        second.shrink_to(5);
        drop(second);
        assert_eq!(budget.pressure(None), 0.0);
    }

    #[tokio::test]
    async fn pressure_on_the_share_of_a_user_is_no_pressure_on_others() {
        let budget = ByteBudget::new(100, 50);
        let _first = lease(&budget, 1, 25).unwrap();
        let mut second = budget.empty_lease(Some(user(1)));
        let waits = second.grow_to(26, SOON);
        let look = async {
            tokio::task::yield_now().await;
            (budget.pressure(Some(user(1))), budget.pressure(Some(user(2))))
        };
        let pressures = tokio::select! {
            biased;
            _ = waits => unreachable!("the share is used up"),
            pressures = look => pressures,
        };
        assert_eq!(pressures, (1.0, 0.25));
    }
}
