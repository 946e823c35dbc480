//! Transactions that read and transactions that write.

use std::ops::{ControlFlow, Deref};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::time::Duration;

use rusqlite::{CachedStatement, Connection, OptionalExtension, Params, Row};

use super::connection::Deadline;
use super::error::{Result, StoreError};
use super::token_uses::TokenUses;
use super::values::{DatabaseNumber, Digest, UserKey};
use crate::limits::Limits;

/// A transaction that reads: it sees the database as it was when the transaction started. Its queries are in the file of the resource that
/// they read.
#[derive(Clone, Copy)]
pub struct Reader<'c> {
    database: DatabaseNumber,
    connection: &'c Connection,
    deadline: &'c Deadline,
    limits: &'c Limits,
    token_uses: &'c TokenUses,
    file_owner: &'c OnceLock<Digest>,
    shows_names: bool,
}

impl<'c> Reader<'c> {
    pub(super) fn new(
        database: DatabaseNumber,
        connection: &'c Connection,
        deadline: &'c Deadline,
        limits: &'c Limits,
        token_uses: &'c TokenUses,
        file_owner: &'c OnceLock<Digest>,
    ) -> Self {
        Reader { database, connection, deadline, limits, token_uses, file_owner, shows_names: true }
    }

    /// Returns the same transaction, but hides the names of authors.
    pub fn without_names(self) -> Self {
        Reader { shows_names: false, ..self }
    }

    /// Returns the name of an author; empty if names are hidden.
    pub(in crate::store) fn shown(&self, author: String) -> Result<String> {
        if self.shows_names { Ok(author) } else { Ok(String::new()) }
    }

    /// True if the names of members and authors are hidden.
    pub(in crate::store) fn hides_names(&self) -> bool {
        !self.shows_names
    }

    pub(in crate::store) fn token_uses(&self) -> &'c TokenUses {
        self.token_uses
    }

    /// True if this is the token of the file owner.
    pub(in crate::store) fn is_of_file_owner(&self, token: &Digest) -> bool {
        self.file_owner.get() == Some(token)
    }

    /// Returns the number of this database.
    pub fn database(&self) -> DatabaseNumber {
        self.database
    }

    /// The limits of the service.
    pub(in crate::store) fn limits(&self) -> &'c Limits {
        self.limits
    }

    /// Prepares a statement that is about to run.
    fn statement(&self, sql: &str) -> Result<CachedStatement<'c>> {
        self.deadline.begin_statement()?;
        Ok(self.connection.prepare_cached(sql)?)
    }

    /// Fails when the statement has to end, for work on its rows that SQLite does not see.
    pub(in crate::store) fn check_time(&self) -> Result<()> {
        if self.deadline.has_passed() { Err(StoreError::TimedOut) } else { Ok(()) }
    }

    pub(in crate::store) fn all<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        mut read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.query(parameters)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    /// Reads the first rows, up to the one where `read` breaks.
    pub(in crate::store) fn until(
        &self,
        sql: &str,
        parameters: impl Params,
        mut read: impl FnMut(&Row) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.query(parameters)?;
        while let Some(row) = rows.next()? {
            if read(row)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    pub(in crate::store) fn one<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.statement(sql)?;
        statement.query_row(parameters, |row| Ok(read(row))).optional()?.transpose()
    }

    pub(in crate::store) fn exists(&self, sql: &str, parameters: impl Params) -> Result<bool> {
        Ok(self.statement(sql)?.exists(parameters)?)
    }
}

/// The author of a change, for the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The operator of the service, through a setup file, command-line options, or methods of `Sandbox`.
    Operator,
    User(UserKey),
    /// The change is not recorded.
    Nobody,
}

impl From<UserKey> for Author {
    fn from(user: UserKey) -> Self {
        if user == UserKey::FILE_OWNER { Author::Operator } else { Author::User(user) }
    }
}

/// A transaction that writes. It also reads what it has written.
pub struct Writer<'c> {
    reader: Reader<'c>,
    author: Author,
}

impl<'c> Deref for Writer<'c> {
    type Target = Reader<'c>;

    fn deref(&self) -> &Reader<'c> {
        &self.reader
    }
}

impl<'c> Writer<'c> {
    /// The operator is the author of its changes.
    pub(super) fn new(reader: Reader<'c>) -> Self {
        Writer { reader, author: Author::Operator }
    }

    /// Returns the same transaction, with another author for its changes.
    pub fn by(&self, author: Author) -> Self {
        Writer { reader: self.reader, author }
    }

    pub(in crate::store) fn author(&self) -> Author {
        self.author
    }

    /// Runs a statement. Returns the number of rows that it changed.
    pub(in crate::store) fn run(&self, sql: &str, parameters: impl Params) -> Result<usize> {
        Ok(self.statement(sql)?.execute(parameters)?)
    }

    /// Runs an `INSERT`. Returns the key of the new row.
    pub(in crate::store) fn insert(&self, sql: &str, parameters: impl Params) -> Result<i64> {
        Ok(self.statement(sql)?.insert(parameters)?)
    }

    /// Runs `change` in a savepoint, which is rolled back if `change` fails, panics or takes longer than `time`. The rest of the
    /// transaction stays, unless SQLite rolls it back (see [`Writer::check_in_transaction`]).
    pub fn savepoint<T, E: From<StoreError>>(
        &self,
        time: Duration,
        change: impl FnOnce(&Writer) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.control("SAVEPOINT change")?;
        self.deadline.begin_write(time);
        let mut result = catch_unwind(AssertUnwindSafe(|| change(self)));
        if self.deadline.end_write() && matches!(result, Ok(Ok(_))) {
            result = Ok(Err(StoreError::TimedOut.into()));
        }
        if !matches!(result, Ok(Ok(_))) && self.check_in_transaction().is_ok() {
            self.control("ROLLBACK TO change")?;
        }
        if self.check_in_transaction().is_ok() {
            self.control("RELEASE change")?;
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Runs a statement that controls transactions, which nothing ends early.
    fn control(&self, sql: &str) -> Result<()> {
        self.deadline.clear();
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    /// Fails if SQLite has rolled back the transaction, as it does when the disk is full or a statement that writes takes longer than
    /// allowed.
    pub fn check_in_transaction(&self) -> Result<()> {
        if self.connection.is_autocommit() { Err(StoreError::RolledBack) } else { Ok(()) }
    }
}

#[cfg(test)]
impl Writer<'_> {
    /// A statement that writes and never ends by itself.
    pub fn write_for_ever(&self) -> Result<usize> {
        self.run(
            "INSERT INTO creation_codes WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers) \
             SELECT number FROM numbers WHERE number < 0",
            [],
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::store::Store;

    const ENDLESS_QUERY: &str = "WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers) \
                                 SELECT 1 FROM numbers WHERE number < 0";

    #[test]
    fn a_query_ends_after_the_time_of_a_statement() {
        let store = Store::open(None).unwrap();
        store.limit_statements(Duration::from_millis(50));
        let started = Instant::now();
        let error = store.read(|read| read.exists(ENDLESS_QUERY, [])).unwrap_err();
        assert!(error.is_interrupted(), "{error}");
        assert!(started.elapsed() < Duration::from_secs(2));
        assert!(store.read(|read| read.creation_codes()).unwrap().is_empty());
    }

    #[test]
    fn a_query_ends_when_the_service_stops() {
        let store = Store::open(None).unwrap();
        std::thread::scope(|scope| {
            let query = scope.spawn(|| store.read(|read| read.exists(ENDLESS_QUERY, [])));
            std::thread::sleep(Duration::from_millis(50));
            store.interrupt();
            assert!(query.join().unwrap().unwrap_err().is_interrupted());
        });
    }

    #[test]
    fn a_change_that_takes_too_long_outside_of_sqlite_is_not_written_either() {
        let store = Store::open(None).unwrap();
        let written = store.write(|write| {
            let slow = write.savepoint(Duration::from_millis(10), |write| {
                write.add_creation_code("slow")?;
                std::thread::sleep(Duration::from_millis(30));
                Ok(())
            });
            assert!(matches!(slow, Err(StoreError::TimedOut)), "{slow:?}");
            write.savepoint(Duration::from_secs(5), |write| write.add_creation_code("fast"))
        });
        written.unwrap();
        assert_eq!(store.read(|read| read.creation_codes()).unwrap(), ["fast"]);
    }
}
