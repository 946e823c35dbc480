//! Transactions that read and transactions that write.

use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::error::{Result, StoreError};
use super::keys::UserKey;
use crate::service::limits::Limits;

/// A transaction that reads: it sees the database as it was when the transaction started. Its queries stand in the file of
/// the resource that they read.
#[derive(Clone, Copy)]
pub struct Reader<'c> {
    connection: &'c Connection,
    limits: &'c Limits,
}

impl<'c> Reader<'c> {
    pub(super) fn new(connection: &'c Connection, limits: &'c Limits) -> Self {
        Reader { connection, limits }
    }

    /// The limits of the service.
    pub(in crate::service::store) fn limits(&self) -> &'c Limits {
        self.limits
    }

    pub(in crate::service::store) fn all<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        mut read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(parameters)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(read(row)?);
        }
        Ok(all)
    }

    pub(in crate::service::store) fn one<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        statement.query_row(parameters, |row| Ok(read(row))).optional()?.transpose()
    }

    pub(in crate::service::store) fn exists(&self, sql: &str, parameters: impl Params) -> Result<bool> {
        Ok(self.connection.prepare_cached(sql)?.exists(parameters)?)
    }
}

/// Who makes a change, for the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// Whoever runs the service: the setup file, options of the command line, or methods of `Sandbox`.
    Operator,
    User(UserKey),
    /// The change is not recorded.
    Nobody,
}

/// A transaction that writes. It reads what it has written.
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
    /// The author of changes is the operator.
    pub(super) fn new(connection: &'c Connection, limits: &'c Limits) -> Self {
        Writer { reader: Reader::new(connection, limits), author: Author::Operator }
    }

    /// The same transaction, with another author of the changes that are made through it.
    pub fn by(&self, author: Author) -> Self {
        Writer { reader: self.reader, author }
    }

    pub(in crate::service::store) fn author(&self) -> Author {
        self.author
    }

    /// Runs a statement. Returns the number of rows that it changed.
    pub(in crate::service::store) fn run(&self, sql: &str, parameters: impl Params) -> Result<usize> {
        Ok(self.connection.prepare_cached(sql)?.execute(parameters)?)
    }

    /// Runs an `INSERT`. Returns the key of the new row.
    pub(in crate::service::store) fn insert(&self, sql: &str, parameters: impl Params) -> Result<i64> {
        Ok(self.connection.prepare_cached(sql)?.insert(parameters)?)
    }

    /// Runs `change` in a savepoint, which is rolled back if `change` fails or panics. The rest of the transaction stays.
    pub fn savepoint<T, E: From<StoreError>>(
        &self,
        change: impl FnOnce(&Writer) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.run("SAVEPOINT change", [])?;
        let result = catch_unwind(AssertUnwindSafe(|| change(self)));
        if !matches!(result, Ok(Ok(_))) && self.check_in_transaction().is_ok() {
            self.run("ROLLBACK TO change", [])?;
        }
        if self.check_in_transaction().is_ok() {
            self.run("RELEASE change", [])?;
        }
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Fails if SQLite has rolled the whole transaction back, as it does when the disk is full.
    pub fn check_in_transaction(&self) -> Result<()> {
        if self.connection.is_autocommit() { Err(StoreError::RolledBack) } else { Ok(()) }
    }
}
