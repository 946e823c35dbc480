//! Sends requests at a limited rate.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

/// Gives each request its turn, at equal intervals. A request that is sent again, or led elsewhere, has no further turn.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    /// `requests_per_second` is greater than 0.
    pub fn new(requests_per_second: f64) -> Self {
        let interval = Duration::try_from_secs_f64(requests_per_second.recip()).unwrap_or(Duration::MAX / 2);
        Pace { interval, next: Mutex::new(Instant::now()) }
    }

    /// Waits until the next request may be sent.
    pub async fn turn(&self) {
        let turn = {
            let mut next = self.next.lock();
            let turn = (*next).max(Instant::now());
            *next = turn.checked_add(self.interval).unwrap_or(turn);
            turn
        };
        sleep_until(turn).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_have_equal_intervals() {
        let (pace, start) = (Pace::new(100.0), Instant::now());
        for _ in 0..5 {
            pace.turn().await;
        }
        assert!(start.elapsed() >= Duration::from_millis(40));
    }
}
