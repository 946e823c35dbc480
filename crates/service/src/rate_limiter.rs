//! Limits the rate of events, such as requests with a token or handshakes from an address.

use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Burst allowed after a pause, in seconds' worth of events.
const BURST: Duration = Duration::from_secs(5);
/// Two keys in the same cell share a rate. Among 200 keys, that happens once in three services.
const CELLS: usize = 1 << 16;

/// A rate for each of any number of keys, in memory that does not grow (the generic cell rate algorithm).
///
/// No key can choose its cell: the hash is seeded at random.
#[derive(Debug)]
pub struct RateLimiter {
    start: Instant,
    /// The time between two events at the rate.
    interval: Duration,
    hasher: RandomState,
    /// Nanoseconds from `start` to when the past events of a cell would have happened at the rate.
    cells: Box<[AtomicU64]>,
}

impl RateLimiter {
    pub fn per_second(rate: u64) -> Self {
        RateLimiter {
            start: Instant::now(),
            interval: Duration::from_secs(1) / u32::try_from(rate).unwrap_or(u32::MAX).max(1),
            hasher: RandomState::new(),
            cells: std::iter::repeat_with(AtomicU64::default).take(CELLS).collect(),
        }
    }

    /// Counts an event. An event beyond the rate is not counted: the time until it is allowed is returned.
    pub fn count(&self, key: &impl Hash) -> Result<(), Duration> {
        self.count_at(key, self.start.elapsed())
    }

    fn count_at(&self, key: &impl Hash, now: Duration) -> Result<(), Duration> {
        let cell = &self.cells[self.hasher.hash_one(key) as usize % CELLS];
        let latest = (now + BURST).as_nanos() as u64;
        let next = |arrival: u64| arrival.max(now.as_nanos() as u64) + self.interval.as_nanos() as u64;
        let counted = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |arrival| {
            Some(next(arrival)).filter(|next| *next <= latest)
        });
        counted.map(drop).map_err(|arrival| Duration::from_nanos(next(arrival).saturating_sub(latest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_may_burst_and_then_keep_its_rate() {
        let limiter = RateLimiter::per_second(10);
        let counted = |now: Duration| (0..1000).take_while(|_| limiter.count_at(&"token", now).is_ok()).count();
        assert_eq!(counted(Duration::ZERO), 50);
        assert_eq!(counted(Duration::from_secs(1)), 10);
        assert_eq!(counted(Duration::from_secs(100)), 50);
    }

    #[test]
    fn the_time_to_wait_is_that_after_which_the_event_is_accepted() {
        let limiter = RateLimiter::per_second(4);
        let refused = (0..).find_map(|_| limiter.count_at(&1, Duration::ZERO).err()).unwrap();
        assert_eq!(refused, Duration::from_millis(250));
        assert!(limiter.count_at(&1, refused - Duration::from_millis(1)).is_err());
        assert!(limiter.count_at(&1, refused).is_ok());
    }

    #[test]
    fn one_key_does_not_use_up_the_rate_of_another() {
        let limiter = RateLimiter::per_second(1);
        while limiter.count_at(&0, Duration::ZERO).is_ok() {}
        let others = (1..100).filter(|key| limiter.count_at(key, Duration::ZERO).is_ok()).count();
        assert!(others >= 98, "{others}");
    }
}
