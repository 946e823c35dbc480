//! The database file and its connections.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::{Connection, TransactionBehavior};
use tempfile::TempDir;
use tokio::sync::watch;

use super::connection::{
    BUSY_TIMEOUT, Readers, StoreSettings, TimeLimits, TimedConnection, open_existing, open_reader, open_writer,
};
use super::error::Displacement;
use super::error::{Result, StoreError};
use super::feed::{ChangeFeed, uncommitted_changes};
use super::files;
use super::files::{Found, claim, opening};
use super::place::{Content, Place};
use super::token_uses::TokenUses;
use super::transaction::{Reader, Writer};
use super::values::{DatabaseNumber, Digest, digest};
use crate::limits::Limits;
use geodesign_common::per_process::ProcessBound;

/// Longest wait for a write when a store is closed.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// The database of a service. Clones share it.
#[derive(Debug, Clone)]
pub struct Store {
    number: DatabaseNumber,
    connections: Arc<ProcessBound<Connections>>,
}

#[derive(Debug)]
struct Connections {
    place: Arc<Place>,
    settings: StoreSettings,
    limits: Arc<Limits>,
    is_new: bool,
    /// Counts commits.
    commits: watch::Sender<u64>,
    feed: ChangeFeed,
    token_uses: TokenUses,
    /// The file owner's token. It exists only here: no file has it, and it ends with this store.
    file_owner: OnceLock<Digest>,
    time_limits: Arc<TimeLimits>,
    readers: Readers,
    writer: Mutex<Option<TimedConnection>>,
    /// Never writes, so that `PRAGMA data_version` counts the commits of all other connections, in this process or another.
    /// Opened when it is first needed.
    watcher: Mutex<Option<Connection>>,
    /// Moves what was committed from the log into the file. Opened when it is first needed.
    checkpointer: Mutex<Option<Connection>>,
    /// The folder of a temporary database, deleted when the store is closed or dropped.
    temporary: Mutex<Option<TempDir>>,
}

/// The file of the first temporary database of this process, before it had any content. Later ones start as a copy of it, in a tenth of the
/// time that creating the schema takes.
static EMPTY: OnceLock<Vec<u8>> = OnceLock::new();

impl Store {
    /// Opens a file with the default limits and brings it to the newest schema; creates it if it does not exist. Without a path, creates a
    /// temporary one.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        Store::open_with(path, Arc::default(), StoreSettings::default())
    }

    /// The same with other limits and settings.
    pub fn open_with(path: Option<&Path>, limits: Arc<Limits>, settings: StoreSettings) -> Result<Self> {
        let (path, temporary) = match path {
            // The process may change its working folder.
            Some(path) => (std::path::absolute(path).map_err(|error| StoreError::open(path, error))?, None),
            None => {
                let folder = tempfile::Builder::new().prefix("geodesign-").tempdir();
                let folder =
                    folder.map_err(|error| StoreError::Open { path: std::env::temp_dir(), source: error.into() })?;
                (folder.path().join("service.sqlite"), Some(folder))
            }
        };
        // A temporary database need not survive a power failure. Any other keeps every write that was acknowledged.
        let synchronous = if temporary.is_some() { "OFF" } else { "FULL" };
        let found = claim(&path)?;
        let is_copy = temporary.is_some() && EMPTY.get().is_some_and(|empty| std::fs::write(&path, empty).is_ok());
        let writer = opening(&path, || open_writer(&path, synchronous, &settings)).inspect_err(|_| {
            if found == Found::Nothing {
                // The file that was just created. If it stays, it is an empty one.
                let _ = std::fs::remove_file(&path);
            }
        })?;
        if is_copy {
            writer.execute("UPDATE service SET id = lower(hex(randomblob(16)))", [])?;
        } else if temporary.is_some() {
            std::fs::read(&path).into_iter().for_each(|empty| drop(EMPTY.set(empty)));
        }
        let time_limits = Arc::new(TimeLimits::default());
        let writer = TimedConnection::new(writer, &time_limits)?;
        let place = Arc::new(Place::of_open_files(path));
        let connections = Connections {
            readers: Readers::new(place.clone(), settings, time_limits.clone()),
            place,
            settings,
            is_new: found != Found::Ours,
            commits: watch::Sender::new(0),
            feed: ChangeFeed::default(),
            token_uses: TokenUses::default(),
            file_owner: OnceLock::new(),
            time_limits,
            limits,
            writer: Mutex::new(Some(writer)),
            watcher: Mutex::default(),
            checkpointer: Mutex::default(),
            temporary: Mutex::new(temporary),
        };
        Ok(Store { number: DatabaseNumber::next(), connections: Arc::new(ProcessBound::new(connections)) })
    }

    /// Returns the number of this database in the process.
    pub fn number(&self) -> DatabaseNumber {
        self.number
    }

    /// True if there was no database at the path before.
    pub fn is_new(&self) -> bool {
        self.connections.get().is_some_and(|connections| connections.is_new)
    }

    /// Runs a transaction that reads. It does not wait for other transactions.
    pub fn read<T>(&self, read: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        let connections = self.connections.get().ok_or(StoreError::OtherProcess)?;
        let reader = connections.readers.begin()?;
        let TimedConnection { connection, deadline } = &reader;
        let Connections { limits, token_uses, file_owner, .. } = connections;
        let result = read(&Reader::new(self.number, connection, deadline, limits, token_uses, file_owner));
        // After a panic this line is not reached, and the connection is closed.
        connections.readers.end(reader)?;
        result
    }

    /// Runs a transaction that writes, and commits it. If `write` fails or panics, the database stays as it was.
    pub fn write<T, E: From<StoreError>>(
        &self,
        write: impl FnOnce(&Writer) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.write_within(BUSY_TIMEOUT, write)
    }

    /// The same, but waits at most `patience` for another process that writes.
    pub fn write_within<T, E: From<StoreError>>(
        &self,
        patience: Duration,
        write: impl FnOnce(&Writer) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let connections = self.connections.get().ok_or(StoreError::OtherProcess)?;
        // A panic rolls the transaction back as it drops it, so that the next one finds a usable connection.
        let mut writer = connections.writer.lock();
        connections.check_place(&mut writer)?;
        let TimedConnection { connection, deadline } = writer.as_mut().ok_or_else(|| connections.place.closed())?;
        deadline.clear();
        connection.busy_timeout(patience).map_err(StoreError::from)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = transaction.map_err(StoreError::from)?;
        let Connections { limits, token_uses, file_owner, .. } = connections;
        let reader = Reader::new(self.number, &transaction, deadline, limits, token_uses, file_owner);
        let result = write(&Writer::new(reader))?;
        deadline.clear();
        let changes = uncommitted_changes(&transaction, limits.project_changes)?;
        let uses = token_uses.write(&transaction)?;
        transaction.commit().map_err(StoreError::from)?;
        // If another file is in the place of the database now, it lacks what was committed.
        connections.check_place(&mut writer)?;
        token_uses.forget(&uses);
        // Before the next write, so that changes are published in the order of commits.
        connections.feed.publish(&changes);
        connections.commits.send_modify(|commits| *commits += 1);
        Ok(result)
    }

    /// Gives the holder of this token all rights, as the operator and as an administrator of every project, as long as this store is open.
    /// It is for programs that may write the file anyway: they can use the operations instead. Only the first such token counts.
    pub fn admit_file_owner(&self, token: &str) {
        if let Some(connections) = self.connections.get() {
            let _ = connections.file_owner.set(digest(token));
        }
    }

    /// Notes that a token was used.
    pub fn note_token_use(&self, token: &Digest) {
        if let Some(connections) = self.connections.get() {
            connections.token_uses.note(token);
        }
    }

    /// Limits the time of every statement from now on.
    pub fn limit_statements(&self, time: Duration) {
        if let Some(connections) = self.connections.get() {
            connections.time_limits.limit_statements(time);
        }
    }

    /// Ends all running statements, and those that start from now on.
    pub fn interrupt(&self) {
        if let Some(connections) = self.connections.get() {
            connections.time_limits.stop();
        }
    }

    /// Returns a number that changes with every commit, including those of other processes.
    pub fn version(&self) -> Result<i64> {
        self.connections.get().ok_or(StoreError::OtherProcess)?.version()
    }

    /// Returns a number that grows with every commit of this store, to wait for the next one.
    pub fn commits(&self) -> Option<watch::Receiver<u64>> {
        self.connections.get().map(|connections| connections.commits.subscribe())
    }

    /// Returns the changes of projects as this store commits them. Those that another process commits are published with the next one.
    pub fn feed(&self) -> Option<&ChangeFeed> {
        self.connections.get().map(|connections| &connections.feed)
    }

    /// Returns the bytes of the file and of its log.
    pub fn file_bytes(&self) -> u64 {
        let Some(connections) = self.connections.get() else { return 0 };
        files::file_bytes(connections.place.path())
    }

    /// Moves what was committed from the log into the file itself, so that the file alone is complete. Neither waits for other transactions
    /// nor delays them. Returns false if others still read an earlier state of the file.
    pub fn checkpoint(&self) -> Result<bool> {
        let connections = self.connections.get().ok_or(StoreError::OtherProcess)?;
        let Connections { place, checkpointer, settings, readers, .. } = connections;
        let version = connections.version()?;
        let mut checkpointer = checkpointer.lock();
        let connection = match &mut *checkpointer {
            Some(connection) => connection,
            none => {
                readers.check_open()?;
                none.insert(open_existing(place.path(), settings)?)
            }
        };
        let is_whole = checkpoint(connection, "PASSIVE")?;
        let content = Content::of(place.path());
        if is_whole && connections.version()? == version {
            place.settle(version, content);
        }
        Ok(is_whole)
    }

    /// Fails if the opened files are no longer at the database's path, and then closes it, so that no write is lost in files that cannot be
    /// found. A write in progress checks this itself.
    pub fn check_place(&self) -> Result<()> {
        let connections = self.connections.get().ok_or(StoreError::OtherProcess)?;
        match connections.writer.try_lock() {
            Some(mut writer) => connections.check_place(&mut writer),
            // Another thread may have noticed, and be about to close it.
            None => self.displaced().map_or(Ok(()), Err),
        }
    }

    /// Returns the reason why [`Store::check_place`] closed the database, if it did.
    pub fn displaced(&self) -> Option<StoreError> {
        let place = &self.connections.get()?.place;
        place.displaced().map(|_| place.closed())
    }

    /// Writes a copy of everything that was committed before, while others read and write. A database of ours at `target` is replaced once
    /// the copy is complete and checked.
    pub fn backup(&self, target: &Path) -> Result<()> {
        let connections = self.connections.get().ok_or(StoreError::OtherProcess)?;
        let path = connections.place.path();
        connections.readers.check_open()?;
        files::write(&open_reader(path, &connections.settings)?, path, target)
    }

    /// Creates a folder next to the database, for a file to be sent. Dropping it removes it with all its content.
    pub fn folder_to_send(&self) -> Result<TempDir> {
        let connections = self.connections.get().ok_or(StoreError::OtherProcess)?;
        let path = connections.place.path();
        let folder = path.parent().unwrap_or(path);
        let folder = tempfile::Builder::new().prefix(".sent-").tempdir_in(folder);
        folder.map_err(|source| StoreError::Backup { path: path.to_owned(), source: source.into() })
    }

    /// Writes a backup into such a folder.
    pub fn backup_to_send(&self) -> Result<(TempDir, PathBuf)> {
        let folder = self.folder_to_send()?;
        let file = folder.path().join("backup.sqlite");
        self.backup(&file)?;
        Ok((folder, file))
    }

    /// Returns the path of the file; `None` for a temporary one.
    pub fn path(&self) -> Option<&Path> {
        let connections = self.connections.get()?;
        connections.temporary.lock().is_none().then(|| connections.place.path())
    }

    /// Closes the file. All later transactions fail with [`StoreError::Closed`].
    pub fn close(&self) {
        if let Some(connections) = self.connections.get() {
            // A write that does not end is left to the end of the process: the service has to stop.
            let mut writer = connections.writer.try_lock_for(CLOSE_TIMEOUT);
            if let Some(writer) = &mut writer {
                // Closes it in another way if other files are in its place. It cannot fail otherwise.
                let _ = connections.check_place(writer);
            }
            connections.close_others();
            // Last, because a connection that may write removes the files next to the database.
            if let Some(writer) = &mut writer {
                writer.take();
            }
            connections.temporary.lock().take();
        }
    }
}

impl Connections {
    fn version(&self) -> Result<i64> {
        let mut watcher = self.watcher.lock();
        let connection = match &mut *watcher {
            Some(connection) => connection,
            none => {
                self.readers.check_open()?;
                none.insert(open_reader(self.place.path(), &self.settings)?)
            }
        };
        Ok(connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?)
    }

    /// See [`Store::check_place`].
    fn check_place(&self, writer: &mut Option<TimedConnection>) -> Result<()> {
        if writer.is_none() {
            return Err(self.place.closed());
        }
        let checked = self.place.check_files().and_then(|()| self.place.check_content(|| self.version()));
        let (Err(error), Some(_)) = (&checked, self.place.displaced()) else { return checked };
        tracing::error!("{error}");
        self.close_others();
        if let Some(TimedConnection { connection, .. }) = writer.take() {
            // A file that was moved is complete then.
            let is_whole = connection.busy_timeout(CLOSE_TIMEOUT).is_ok()
                && checkpoint(&connection, "TRUNCATE").is_ok_and(|is_whole| is_whole);
            drop(connection);
            let is_same = matches!(self.place.displaced(), Some(Displacement::Gone | Displacement::WithoutLog));
            if is_whole || !is_same {
                self.place.remove_log();
            }
        }
        checked
    }

    /// Closes all connections except the one that writes.
    fn close_others(&self) {
        self.readers.close();
        self.watcher.lock().take();
        self.checkpointer.lock().take();
    }
}

/// Moves what was committed from the log into the file. Returns true if all of it is there.
fn checkpoint(connection: &Connection, mode: &str) -> Result<bool> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let (logged, moved): (i64, i64) = connection.query_row(&sql, [], |row| Ok((row.get(1)?, row.get(2)?)))?;
    Ok(moved >= logged)
}
