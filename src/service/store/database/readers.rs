//! The connections of a database that read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;

use super::answer_cache::AnswerCache;
use super::connection::{TimedConnection, open_reader};
use super::deadline::TimeLimits;
use super::error::{Result, StoreError};
use super::settings::StoreSettings;

/// Connections for reading. One serves a transaction at a time, and is kept for the next one.
#[derive(Debug)]
pub struct Readers {
    path: PathBuf,
    settings: StoreSettings,
    time_limits: Arc<TimeLimits>,
    /// `None` once the store is closed.
    idle: Mutex<Option<Vec<ReadConnection>>>,
}

/// A connection for reading, with the answers that it has read.
#[derive(Debug)]
pub struct ReadConnection {
    pub timed: TimedConnection,
    pub answers: AnswerCache,
}

impl Readers {
    pub fn new(path: &Path, settings: StoreSettings, time_limits: Arc<TimeLimits>) -> Self {
        Readers { path: path.to_owned(), settings, time_limits, idle: Mutex::new(Some(Vec::new())) }
    }

    /// A connection that has begun a transaction. Where it is dropped, it is closed.
    pub fn begin(&self) -> Result<ReadConnection> {
        let reader = self.take()?;
        reader.timed.connection.prepare_cached("BEGIN")?.execute([])?;
        Ok(reader)
    }

    /// Ends the transaction.
    pub fn end(&self, reader: ReadConnection) -> Result<()> {
        reader.timed.deadline.clear();
        reader.timed.connection.prepare_cached("COMMIT")?.execute([])?;
        self.keep(reader);
        Ok(())
    }

    /// A connection without a transaction.
    pub fn take(&self) -> Result<ReadConnection> {
        if let Some(idle) = self.idle.lock().as_mut().ok_or(StoreError::Closed)?.pop() {
            return Ok(idle);
        }
        let timed = TimedConnection::new(open_reader(&self.path, &self.settings)?, &self.time_limits)?;
        Ok(ReadConnection { timed, answers: AnswerCache::new(self.settings.answer_cache_kib as usize * 1024) })
    }

    /// Keeps a connection without a transaction, or closes it.
    pub fn keep(&self, reader: ReadConnection) {
        if let Some(idle) = self.idle.lock().as_mut().filter(|idle| idle.len() < self.settings.max_idle_readers) {
            idle.push(reader);
        }
    }

    pub fn check_open(&self) -> Result<()> {
        if self.idle.lock().is_none() { Err(StoreError::Closed) } else { Ok(()) }
    }

    pub fn close(&self) {
        self.idle.lock().take();
    }
}

impl ReadConnection {
    /// The `data_version` of the state that the transaction reads; without a transaction, that of the database as it is now.
    pub fn version(&self) -> Result<i64> {
        data_version(&self.timed.connection)
    }
}

/// A number that is another one after every commit of another connection.
pub fn data_version(connection: &Connection) -> Result<i64> {
    Ok(connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
}
