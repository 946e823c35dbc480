//! The connections of a database, which serve one transaction at a time, and the deadlines of their work.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::{Result, StoreError};
use super::functions::add_functions;
use super::migrations::migrate;
use super::place::Place;
use geodesign_common::work_time;

/// Longest wait of a transaction for another process.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Settings of a database.
#[derive(Debug, Clone, Copy)]
pub struct StoreSettings {
    /// Connections for reading that are kept open between transactions.
    pub max_idle_readers: usize,
    /// Longest wait for another process when opening the file or reading from it.
    pub busy_timeout: Duration,
    /// KiB of the file's pages that each connection keeps in memory.
    pub page_cache_kib: u32,
    /// Statements that each connection keeps prepared.
    pub prepared_statements: usize,
}

impl StoreSettings {
    /// Settings for one of many databases in a process: they take few resources, and delay no other database if the file is locked.
    pub const ONE_OF_MANY: Self = StoreSettings {
        max_idle_readers: 2,
        busy_timeout: Duration::from_millis(250),
        page_cache_kib: 512,
        prepared_statements: 32,
    };
}

/// Settings for a service's only database. Page caches are small: each connection fills its own, and the system caches the file for all.
impl Default for StoreSettings {
    fn default() -> Self {
        StoreSettings { max_idle_readers: 8, busy_timeout: BUSY_TIMEOUT, page_cache_kib: 512, prepared_statements: 64 }
    }
}

/// A connection whose statements have deadlines.
#[derive(Debug)]
pub struct TimedConnection {
    pub connection: Connection,
    pub deadline: Arc<Deadline>,
}

impl TimedConnection {
    pub fn new(mut connection: Connection, limits: &Arc<TimeLimits>) -> Result<Self> {
        let deadline = Deadline::install(&mut connection, limits.clone())?;
        Ok(TimedConnection { connection, deadline })
    }
}

/// Opens the file for writing, and brings it to the newest version of the schema.
pub fn open_writer(path: &Path, synchronous: &str, settings: &StoreSettings) -> Result<Connection> {
    let mut connection = Connection::open(path)?;
    configure(&connection, settings)?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    migrate(&mut connection, path)?;
    // Moves the schema from the log into the file, which then identifies itself.
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    Ok(connection)
}

/// Opens an existing database of ours. The last connection to close removes the files next to it, if it may write.
pub fn open_existing(path: &Path, settings: &StoreSettings) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection, settings)?;
    Ok(connection)
}

pub fn open_reader(path: &Path, settings: &StoreSettings) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    configure(&connection, settings)?;
    Ok(connection)
}

fn configure(connection: &Connection, settings: &StoreSettings) -> rusqlite::Result<()> {
    connection.busy_timeout(settings.busy_timeout)?;
    // A negative size is in KiB.
    connection.pragma_update(None, "cache_size", -i64::from(settings.page_cache_kib))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(settings.prepared_statements);
    // Otherwise SQLite would plan a cached statement again whenever other values are bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// SQLite asks whether to go on after about this many steps of its virtual machine, which take less than a millisecond.
const STEPS_BETWEEN_CHECKS: i32 = 2_000;

/// Limits for all connections of a database.
#[derive(Debug, Default)]
pub struct TimeLimits {
    /// Milliseconds that a statement may take; 0 for no limit.
    statement_ms: AtomicU64,
    /// True once all work has to end.
    stopped: AtomicBool,
}

/// The times by which a connection's statement, and the write that it belongs to, have to end.
#[derive(Debug)]
pub struct Deadline {
    limits: Arc<TimeLimits>,
    /// Start of the milliseconds in `statement` and `write`, where 0 stands for none.
    start: Instant,
    statement: AtomicU64,
    write: AtomicU64,
}

impl TimeLimits {
    pub fn limit_statements(&self, time: Duration) {
        self.statement_ms.store(time.as_millis() as u64, Ordering::Relaxed);
    }

    /// Ends all running statements, and those that start from now on.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl Deadline {
    /// Has SQLite check a connection's new deadline, between its own steps and within the functions that it calls.
    pub fn install(connection: &mut Connection, limits: Arc<TimeLimits>) -> rusqlite::Result<Arc<Self>> {
        let deadline = Arc::new(Deadline {
            limits,
            start: Instant::now(),
            statement: AtomicU64::new(0),
            write: AtomicU64::new(0),
        });
        let asked = deadline.clone();
        connection.progress_handler(STEPS_BETWEEN_CHECKS, Some(move || asked.has_passed()))?;
        let asked = deadline.clone();
        add_functions(connection, move || asked.has_passed())?;
        Ok(deadline)
    }

    /// Sets the deadline of a statement that is about to run.
    pub fn begin_statement(&self) -> Result<()> {
        let now = self.now();
        let write = self.write.load(Ordering::Relaxed);
        if self.limits.stopped.load(Ordering::Relaxed) || (write > 0 && now > write) || work_time::is_over() {
            return Err(StoreError::TimedOut);
        }
        let end = match self.limits.statement_ms.load(Ordering::Relaxed) {
            0 => u64::MAX,
            limit => now.saturating_add(limit),
        };
        self.statement.store(end, Ordering::Relaxed);
        Ok(())
    }

    /// Clears the deadline for the statements that begin and end transactions: nothing ends these early.
    pub fn clear(&self) {
        self.statement.store(0, Ordering::Relaxed);
        self.write.store(0, Ordering::Relaxed);
    }

    pub fn begin_write(&self, time: Duration) {
        self.write.store(self.now().saturating_add(time.as_millis() as u64), Ordering::Relaxed);
    }

    /// Ends the write, and returns true if it took longer than allowed.
    pub fn end_write(&self) -> bool {
        let write = self.write.load(Ordering::Relaxed);
        let late = write > 0 && self.now() > write;
        self.clear();
        late
    }

    pub fn has_passed(&self) -> bool {
        let (statement, write) = (self.statement.load(Ordering::Relaxed), self.write.load(Ordering::Relaxed));
        if statement == 0 && write == 0 {
            return false;
        }
        let now = self.now();
        self.limits.stopped.load(Ordering::Relaxed)
            || (statement > 0 && now > statement)
            || (write > 0 && now > write)
            || work_time::is_over()
    }

    /// Milliseconds since `start`, at least 1.
    fn now(&self) -> u64 {
        self.start.elapsed().as_millis() as u64 + 1
    }
}

/// Connections for reading. Each serves one transaction at a time, and is kept for the next.
#[derive(Debug)]
pub struct Readers {
    place: Arc<Place>,
    settings: StoreSettings,
    time_limits: Arc<TimeLimits>,
    /// `None` once the store is closed.
    idle: Mutex<Option<Vec<TimedConnection>>>,
}

impl Readers {
    pub fn new(place: Arc<Place>, settings: StoreSettings, time_limits: Arc<TimeLimits>) -> Self {
        Readers { place, settings, time_limits, idle: Mutex::new(Some(Vec::new())) }
    }

    /// Returns a connection that has begun a transaction. Dropping it closes it.
    pub fn begin(&self) -> Result<TimedConnection> {
        let idle = self.idle.lock().as_mut().ok_or_else(|| self.place.closed())?.pop();
        let reader = match idle {
            Some(idle) => idle,
            None => {
                self.place.check_files()?;
                TimedConnection::new(open_reader(self.place.path(), &self.settings)?, &self.time_limits)?
            }
        };
        reader.connection.prepare_cached("BEGIN")?.execute([])?;
        Ok(reader)
    }

    /// Ends the transaction, and keeps the connection for the next one.
    pub fn end(&self, reader: TimedConnection) -> Result<()> {
        reader.deadline.clear();
        reader.connection.prepare_cached("COMMIT")?.execute([])?;
        if let Some(idle) = self.idle.lock().as_mut().filter(|idle| idle.len() < self.settings.max_idle_readers) {
            idle.push(reader);
        }
        Ok(())
    }

    /// Fails if no further connection may be opened: the store is closed, or other files have taken the place of its own.
    pub fn check_open(&self) -> Result<()> {
        if self.idle.lock().is_none() { Err(self.place.closed()) } else { self.place.check_files() }
    }

    pub fn close(&self) {
        self.idle.lock().take();
    }
}
