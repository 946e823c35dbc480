//! What the service keeps: a SQLite file, read by many at once and written by one at a time.

mod administration;
mod attachments;
mod changes;
mod creation;
mod diagrams;
mod new_diagrams;
mod projects;
mod systems;
mod teams;
mod thumbnails;
mod tokens;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::fmt::temporal::DateTimePrinter;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Params, Row, TransactionBehavior};
use tempfile::TempDir;

use crate::fork::ProcessBound;
use crate::model::{ProjectId, Username};

pub use administration::{Account, DiagramFigures, SystemFigures};
pub use changes::TagsNamed;
pub use diagrams::Diagrams;
pub use new_diagrams::{NewDiagram, NewDiagramRow, Place};
pub use projects::Geography;
pub use thumbnails::{Appearance, Drawing, Job};

/// Every version of the schema, oldest first. `PRAGMA user_version` says how many a file has had.
const MIGRATIONS: [&str; 2] = [include_str!("migrations/1_projects.sql"), include_str!("migrations/2_writes.sql")];
const BUSY_MILLISECONDS: u32 = 5_000;
/// Reading connections kept open between requests.
const IDLE_READERS: usize = 8;

/// A user, by its key in this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserKey(pub(in crate::service) i64);

/// A project, by its key in this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProjectKey(pub(in crate::service) i64);

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "the database {path} cannot be opened: {cause}. Check that its folder exists and may be written to, and that it is a database of pygeodesign"
    )]
    Open { path: PathBuf, cause: String },
    #[error(
        "the database {path} was made by a newer version of pygeodesign (its schema is {found}, this one knows {known}); update pygeodesign"
    )]
    Newer { path: PathBuf, found: u32, known: usize },
    #[error("the database failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the database holds what cannot be read: {0}")]
    Content(String),
    /// What whoever runs the service asked for cannot be.
    #[error("{0}")]
    Input(String),
    #[error("the service has stopped; start a new one")]
    Closed,
    #[error("the service runs in the process that started it, and this is another; start one here")]
    OtherProcess,
    /// The disk refused what was written.
    #[error("nothing was written: {cause}")]
    NotCommitted { cause: String, full: bool },
    #[error("no random numbers from the system: {0}")]
    Random(String),
}

pub type Result<T> = std::result::Result<T, StoreError>;

impl StoreError {
    /// Whether there is no room for what was to be written.
    pub fn is_full(&self) -> bool {
        match self {
            StoreError::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => failure.code == ErrorCode::DiskFull,
            StoreError::NotCommitted { full, .. } => *full,
            _ => false,
        }
    }
}

/// The database of a service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store(Arc<ProcessBound<Inner>>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    /// `None` once the store is closed.
    readers: Mutex<Option<Vec<Connection>>>,
    writer: Mutex<Option<Connection>>,
    /// Sees what any other connection commits, in this process or another; opened when it is first asked.
    watcher: Mutex<Option<Connection>>,
    /// Removed with everything in it when the store is closed or dropped.
    temporary: Mutex<Option<TempDir>>,
}

impl Store {
    /// Opens a file, made where it is missing and brought to the newest schema; without a path, a temporary one.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let cannot = |path: &Path| {
            let path = path.to_owned();
            move |cause: &dyn std::fmt::Display| StoreError::Open { path, cause: cause.to_string() }
        };
        let (path, temporary) = match path {
            Some(path) => (path.to_owned(), None),
            None => {
                let folder = tempfile::Builder::new().prefix("geodesign-").tempdir();
                let folder = folder.map_err(|cause| cannot(&std::env::temp_dir())(&cause))?;
                (folder.path().join("service.sqlite"), Some(folder))
            }
        };
        let mut writer = Connection::open(&path).map_err(|cause| cannot(&path)(&cause))?;
        // A temporary file need not survive a power cut; any other must keep what was acknowledged.
        let synchronous = if temporary.is_some() { "OFF" } else { "FULL" };
        prepare(&writer).map_err(|cause| cannot(&path)(&cause))?;
        let set_up = |writer: &mut Connection| {
            writer.pragma_update(None, "synchronous", synchronous)?;
            writer.pragma_update(None, "journal_mode", "WAL")?;
            migrate(writer, &path)
        };
        set_up(&mut writer).map_err(|error| match error {
            StoreError::Sqlite(cause) => cannot(&path)(&cause),
            newer => newer,
        })?;
        Ok(Store(Arc::new(ProcessBound::new(Inner {
            path,
            readers: Mutex::new(Some(Vec::new())),
            writer: Mutex::new(Some(writer)),
            watcher: Mutex::default(),
            temporary: Mutex::new(temporary),
        }))))
    }

    /// Reads at one moment in time, beside any other reader and the writer.
    pub fn read<T>(&self, read: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let inner = self.0.get().ok_or(StoreError::OtherProcess)?;
        let connection = inner.begin_reading()?;
        let result = read(&Reader(&connection));
        // A connection that a panic or an error keeps from this is closed.
        inner.end_reading(connection)?;
        result
    }

    /// A number that changes with every commit, whoever makes it.
    pub fn version(&self) -> Result<i64> {
        let inner = self.0.get().ok_or(StoreError::OtherProcess)?;
        let mut watcher = locked(&inner.watcher);
        if locked(&inner.readers).is_none() {
            return Err(StoreError::Closed);
        }
        let connection = match &mut *watcher {
            Some(connection) => connection,
            none => none.insert(inner.reader()?),
        };
        Ok(connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
    }

    /// Writes all or nothing: an error, whatever it is, leaves the database as it was.
    pub fn write<T, E: From<StoreError>>(
        &self,
        write: impl FnOnce(&Writer) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let inner = self.0.get().ok_or(StoreError::OtherProcess)?;
        let mut writer = locked(&inner.writer);
        let connection = writer.as_mut().ok_or(StoreError::Closed)?;
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(StoreError::from)?;
        let result = write(&Writer(Reader(&transaction)))?;
        transaction.commit().map_err(StoreError::from)?;
        Ok(result)
    }

    /// Whether there is no project yet.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.project_ids()?.is_empty())
    }

    /// All projects, oldest first.
    pub fn project_ids(&self) -> Result<Vec<ProjectId>> {
        self.read(|read| read.all("SELECT id FROM projects ORDER BY key", [], |row| parsed(row, 0)))
    }

    /// All users, in order of their names.
    pub fn usernames(&self) -> Result<Vec<Username>> {
        self.read(|read| read.all("SELECT username FROM users ORDER BY username", [], |row| parsed(row, 0)))
    }

    /// Lets go of the file. Whatever comes after is refused.
    pub fn close(&self) {
        if let Some(inner) = self.0.get() {
            locked(&inner.readers).take();
            locked(&inner.watcher).take();
            locked(&inner.writer).take();
            locked(&inner.temporary).take();
        }
    }
}

impl Inner {
    fn begin_reading(&self) -> Result<Connection> {
        let idle = locked(&self.readers).as_mut().ok_or(StoreError::Closed)?.pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.reader()?,
        };
        connection.prepare_cached("BEGIN")?.execute([])?;
        Ok(connection)
    }

    fn end_reading(&self, connection: Connection) -> Result<()> {
        connection.prepare_cached("COMMIT")?.execute([])?;
        if let Some(idle) = locked(&self.readers).as_mut().filter(|idle| idle.len() < IDLE_READERS) {
            idle.push(connection);
        }
        Ok(())
    }

    fn reader(&self) -> Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        prepare(&connection)?;
        Ok(connection)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A connection is sound after a panic: its transaction was rolled back when it was dropped.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_millis(BUSY_MILLISECONDS.into()))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    // Plans that hang on what is bound to a statement would be made again for every request.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let Some(missing) = MIGRATIONS.get(found as usize..) else {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: MIGRATIONS.len() });
    };
    missing.iter().try_for_each(|migration| transaction.execute_batch(migration))?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as u32)?;
    Ok(transaction.commit()?)
}

/// One moment of the database. The questions it answers stand in one file per resource.
pub struct Reader<'c>(&'c Connection);

impl Reader<'_> {
    fn all<T>(&self, sql: &str, parameters: impl Params, read: impl FnMut(&Row) -> Result<T>) -> Result<Vec<T>> {
        let mut statement = self.0.prepare_cached(sql)?;
        let mut rows = statement.query(parameters)?;
        let (mut all, mut read) = (Vec::new(), read);
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    fn one<T>(&self, sql: &str, parameters: impl Params, read: impl FnOnce(&Row) -> Result<T>) -> Result<Option<T>> {
        let mut statement = self.0.prepare_cached(sql)?;
        statement.query_row(parameters, |row| Ok(read(row))).optional()?.transpose()
    }

    fn exists(&self, sql: &str, parameters: impl Params) -> Result<bool> {
        Ok(self.0.prepare_cached(sql)?.exists(parameters)?)
    }
}

/// One write in progress; it reads what it has written.
pub struct Writer<'c>(Reader<'c>);

impl<'c> std::ops::Deref for Writer<'c> {
    type Target = Reader<'c>;

    fn deref(&self) -> &Reader<'c> {
        &self.0
    }
}

impl Writer<'_> {
    /// Runs a statement; how many rows it changed.
    pub(in crate::service) fn run(&self, sql: &str, parameters: impl Params) -> Result<usize> {
        Ok(self.0.0.prepare_cached(sql)?.execute(parameters)?)
    }

    /// Makes a part of the write that leaves nothing behind if it fails or panics.
    pub fn all_or_nothing<T, E: From<StoreError>>(
        &self,
        part: impl FnOnce(&Writer) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.run("SAVEPOINT part", [])?;
        let part = catch_unwind(AssertUnwindSafe(|| part(self)));
        if !matches!(part, Ok(Ok(_))) && self.check_in_transaction().is_ok() {
            self.run("ROLLBACK TO part", [])?;
        }
        if self.check_in_transaction().is_ok() {
            self.run("RELEASE part", [])?;
        }
        part.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// An error where SQLite has given the whole write up, as it does when the disk is full.
    pub fn check_in_transaction(&self) -> Result<()> {
        match self.0.0.is_autocommit() {
            true => Err(StoreError::NotCommitted { cause: "the write was rolled back".into(), full: false }),
            false => Ok(()),
        }
    }

    /// Runs an insertion; the key of the new row.
    fn insert(&self, sql: &str, parameters: impl Params) -> Result<i64> {
        Ok(self.0.0.prepare_cached(sql)?.insert(parameters)?)
    }
}

/// A geometry out of its text; `null` is none.
fn to_geometry(text: &str) -> Result<Option<crate::geometry::Geometry>> {
    use serde::de::DeserializeSeed;
    let geometry = crate::geometry::GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text));
    geometry.map_err(|error| StoreError::Content(error.to_string()))
}

/// JSON text for a column.
fn to_json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Content(error.to_string()))
}

/// Now, in UTC, without zone, as the file keeps it.
fn utc_now() -> jiff::civil::DateTime {
    jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now())
}

/// A date-time with its microseconds, so that texts sort as moments do.
fn moment(at: jiff::civil::DateTime) -> String {
    const WITH_MICROSECONDS: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
    WITH_MICROSECONDS.datetime_to_string(&at)
}

fn new_uuid() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Random(error.to_string()))?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}

/// Sixteen letters and digits that nobody can guess.
fn new_id() -> Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Random(error.to_string()))?;
    Ok(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// A text column as what it stands for.
fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(row: &Row, column: usize) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|error| StoreError::Content(error.to_string()))?;
    text.parse().map_err(|error: T::Err| StoreError::Content(error.to_string()))
}

fn parsed_optional<T: std::str::FromStr<Err: std::fmt::Display>>(row: &Row, column: usize) -> Result<Option<T>> {
    match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => Ok(None),
        _ => parsed(row, column).map(Some),
    }
}

/// A text column of JSON as what it stands for.
fn json<T: serde::de::DeserializeOwned>(row: &Row, column: usize) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(|error| StoreError::Content(error.to_string()))?;
    serde_json::from_str(text).map_err(|error| StoreError::Content(error.to_string()))
}
