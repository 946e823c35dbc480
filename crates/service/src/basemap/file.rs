//! A connection to a tile file that others made: it is only read, no code in it is run, and queries have a time limit.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Params, Row};

use super::tile::{Form, Found, MAX_TILE_BYTES};

/// Size limit for any value. Longer ones are not read.
const MAX_VALUE_BYTES: i32 = 4 * MAX_TILE_BYTES as i32;
/// Time limit for finding a tile. With an index it takes microseconds.
pub const TILE_TIME: Duration = Duration::from_millis(500);
/// Time limit for each query that runs once, when the service starts.
pub const START_TIME: Duration = Duration::from_secs(5);
/// Approximate number of SQLite steps between checks of the time limit.
const STEPS_BETWEEN_CHECKS: i32 = 2_000;
/// Checks before a statement can be too slow. Finding a tile by an index takes about twenty steps, less than one check.
const MIN_CHECKS: u32 = 50;

const FIND_TILE: &str =
    "SELECT tile_data FROM tiles WHERE zoom_level = ?1 AND tile_column = ?2 AND tile_row = ?3 LIMIT 1";
/// Finds a virtual table, which code outside SQLite's core would read.
const FIND_VIRTUAL_TABLE: &str =
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND (rootpage = 0 OR rootpage IS NULL) LIMIT 1";

pub struct TileFile {
    connection: Connection,
    deadline: Arc<Deadline>,
}

/// The time by which a statement has to end.
struct Deadline {
    /// Start of the count of milliseconds.
    opened: Instant,
    end: AtomicU64,
    checks: AtomicU32,
}

impl Deadline {
    fn give(&self, time: Duration) {
        self.end.store((self.opened.elapsed() + time).as_millis() as u64, Ordering::Relaxed);
        self.checks.store(0, Ordering::Relaxed);
    }

    /// True if the time is over. A statement that has done little is not slow: the machine is busy.
    fn has_passed(&self) -> bool {
        let checks = self.checks.fetch_add(1, Ordering::Relaxed);
        checks >= MIN_CHECKS && self.opened.elapsed().as_millis() as u64 > self.end.load(Ordering::Relaxed)
    }
}

impl TileFile {
    pub fn open(path: &Path) -> rusqlite::Result<Self> {
        // Immutable: no lock is taken, no log is read, and nothing is written next to the file.
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let mut connection = Connection::open_with_flags(uri(path), flags)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        let deadline = Arc::new(Deadline { opened: Instant::now(), end: AtomicU64::new(0), checks: AtomicU32::new(0) });
        let asked = deadline.clone();
        connection.progress_handler(STEPS_BETWEEN_CHECKS, Some(move || asked.has_passed()))?;
        let file = TileFile { connection, deadline };
        file.deadline.give(START_TIME);
        // Finds damage before it is used.
        file.connection.pragma_update(None, "cell_size_check", true)?;
        let is_virtual = file.first(FIND_VIRTUAL_TABLE, [], |_| Ok(()))?.is_some();
        if is_virtual {
            return Err(rusqlite::Error::InvalidQuery);
        }
        file.only_reading()
    }

    /// Lets statements and views read, and do nothing else: functions and recursion could go on for ever.
    fn only_reading(mut self) -> rusqlite::Result<Self> {
        let reads = |context: AuthContext<'_>| match context.action {
            AuthAction::Select | AuthAction::Read { .. } => Authorization::Allow,
            _ => Authorization::Deny,
        };
        self.connection.authorizer(Some(reads))?;
        Ok(self)
    }

    /// Returns the first row of a query that runs once, at the start.
    pub fn first<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        self.deadline.give(START_TIME);
        self.connection.prepare(sql)?.query_row(parameters, read).optional()
    }

    /// Returns a value of the metadata, or an empty string if there is none.
    pub fn metadata(&self, name: &str) -> rusqlite::Result<String> {
        let sql = "SELECT value FROM metadata WHERE name = ?1 LIMIT 1";
        let value = self.first(sql, [name], |row| Ok(row.get_ref(0)?.as_str().unwrap_or_default().to_owned()))?;
        Ok(value.unwrap_or_default())
    }

    pub fn any_tile(&self, form: Form) -> rusqlite::Result<Option<Found>> {
        self.first("SELECT tile_data FROM tiles LIMIT 1", [], |row| Ok(found_in(form, row.get_ref(0)?)))
    }

    /// Looks up the tile at a place. Rows are counted from the south.
    pub fn tile(&self, form: Form, zoom: i64, column: i64, row: i64) -> rusqlite::Result<Found> {
        self.deadline.give(TILE_TIME);
        let mut find = self.connection.prepare_cached(FIND_TILE)?;
        let found = find.query_row((zoom, column, row), |row| Ok(found_in(form, row.get_ref(0)?))).optional();
        match found {
            Ok(found) => Ok(found.unwrap_or(Found::Nothing)),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::TooBig) => Ok(Found::Unfit),
            Err(error) => Err(error),
        }
    }
}

fn found_in(form: Form, value: ValueRef<'_>) -> Found {
    match value {
        ValueRef::Null => Found::Nothing,
        ValueRef::Blob(bytes) => form.found_in(bytes),
        _ => Found::Unfit,
    }
}

fn uri(path: &Path) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-');
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let path = path.as_os_str().as_encoded_bytes();
    #[cfg(windows)]
    let path = &[b"/", path.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect::<Vec<_>>().as_slice()]
        .concat();
    format!("file:{}?mode=ro&immutable=1", percent_encode(path, ESCAPED))
}
