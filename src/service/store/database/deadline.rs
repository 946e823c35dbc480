//! When the work of a connection has to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::error::{Result, StoreError};

/// SQLite asks whether to go on after about this many steps of its virtual machine, which take less than a millisecond.
const STEPS_BETWEEN_CHECKS: i32 = 2_000;

/// Limits for all connections of a database.
#[derive(Debug, Default)]
pub struct TimeLimits {
    /// How many milliseconds a statement may take; 0 for no limit.
    statement_ms: AtomicU64,
    /// Whether all work has to end now.
    stopped: AtomicBool,
}

/// When the statement that a connection runs, and the write that it belongs to, have to end.
#[derive(Debug)]
pub struct Deadline {
    limits: Arc<TimeLimits>,
    /// The milliseconds of `statement` and `write` are counted from here. 0 is for none.
    start: Instant,
    statement: AtomicU64,
    write: AtomicU64,
}

impl TimeLimits {
    pub fn limit_statements(&self, time: Duration) {
        self.statement_ms.store(time.as_millis() as u64, Ordering::Relaxed);
    }

    /// Ends all statements that run, and those that start from now on.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl Deadline {
    /// Has SQLite ask the new deadline of a connection.
    pub fn install(connection: &mut Connection, limits: Arc<TimeLimits>) -> rusqlite::Result<Arc<Self>> {
        let deadline = Arc::new(Deadline {
            limits,
            start: Instant::now(),
            statement: AtomicU64::new(0),
            write: AtomicU64::new(0),
        });
        let asked = deadline.clone();
        connection.progress_handler(STEPS_BETWEEN_CHECKS, Some(move || asked.has_passed()))?;
        Ok(deadline)
    }

    /// For a statement that is about to run.
    pub fn begin_statement(&self) -> Result<()> {
        let now = self.now();
        let write = self.write.load(Ordering::Relaxed);
        if self.limits.stopped.load(Ordering::Relaxed) || (write > 0 && now > write) {
            return Err(StoreError::TimedOut);
        }
        let end = match self.limits.statement_ms.load(Ordering::Relaxed) {
            0 => u64::MAX,
            limit => now.saturating_add(limit),
        };
        self.statement.store(end, Ordering::Relaxed);
        Ok(())
    }

    /// For the statements that begin and end transactions: nothing ends these early.
    pub fn clear(&self) {
        self.statement.store(0, Ordering::Relaxed);
        self.write.store(0, Ordering::Relaxed);
    }

    pub fn begin_write(&self, time: Duration) {
        self.write.store(self.now().saturating_add(time.as_millis() as u64), Ordering::Relaxed);
    }

    /// Whether the write took longer than it may.
    pub fn end_write(&self) -> bool {
        let write = self.write.load(Ordering::Relaxed);
        let late = write > 0 && self.now() > write;
        self.clear();
        late
    }

    fn has_passed(&self) -> bool {
        let (statement, write) = (self.statement.load(Ordering::Relaxed), self.write.load(Ordering::Relaxed));
        if statement == 0 && write == 0 {
            return false;
        }
        let now = self.now();
        self.limits.stopped.load(Ordering::Relaxed) || (statement > 0 && now > statement) || (write > 0 && now > write)
    }

    /// At least 1.
    fn now(&self) -> u64 {
        self.start.elapsed().as_millis() as u64 + 1
    }
}
