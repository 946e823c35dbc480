//! Connections to the database file.

use std::path::Path;
use std::sync::Arc;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::deadline::{Deadline, TimeLimits};
use super::error::Result;
use super::migrations::migrate;
use super::settings::StoreSettings;

/// A connection whose statements end in time.
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
    // Moves the schema from the log into the file, which then says whose it is.
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    Ok(connection)
}

/// For a file that exists and is ours. The last connection that is closed removes the files beside it, if it may write.
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
    // Otherwise SQLite would plan a cached statement anew whenever other values are bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}
