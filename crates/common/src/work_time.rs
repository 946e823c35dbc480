//! Ends work that takes too long, or whose result is no longer wanted. SQLite checks between its steps; the functions that it calls and our
//! own loops check, too.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    static CURRENT: RefCell<Option<Arc<WorkTime>>> = const { RefCell::new(None) };
}

/// Time limit of a piece of work.
#[derive(Debug)]
pub struct WorkTime {
    end: Instant,
    is_unwanted: AtomicBool,
}

impl WorkTime {
    pub fn from_now(time: Duration) -> Arc<Self> {
        Arc::new(WorkTime { end: Instant::now() + time, is_unwanted: AtomicBool::new(false) })
    }

    /// Runs work on this thread. The work checks [`is_over`] from time to time.
    pub fn during<T>(self: Arc<Self>, work: impl FnOnce() -> T) -> T {
        let _until_done = Earlier(CURRENT.replace(Some(self)));
        work()
    }

    pub fn is_over(&self) -> bool {
        self.is_unwanted.load(Ordering::Relaxed) || Instant::now() > self.end
    }
}

/// Ends the work when this is dropped.
pub struct Wanted(pub Arc<WorkTime>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.is_unwanted.store(true, Ordering::Relaxed);
    }
}

/// The thread's earlier work, which resumes when this is dropped.
struct Earlier(Option<Arc<WorkTime>>);

impl Drop for Earlier {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Returns the time limit of the work on this thread, if it has one.
pub fn current() -> Option<Arc<WorkTime>> {
    CURRENT.with_borrow(Clone::clone)
}

/// True if the work on this thread has to end now.
pub fn is_over() -> bool {
    CURRENT.with_borrow(|work| work.as_ref().is_some_and(|work| work.is_over()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_with_its_time_or_when_nobody_waits_for_it() {
        assert!(!is_over());
        WorkTime::from_now(Duration::ZERO).during(|| {
            std::thread::sleep(Duration::from_millis(1));
            assert!(is_over());
            let wanted = Wanted(WorkTime::from_now(Duration::from_secs(60)));
            wanted.0.clone().during(|| {
                assert!(!is_over());
                drop(wanted);
                assert!(is_over());
            });
            assert!(is_over());
        });
        assert!(!is_over());
    }
}
