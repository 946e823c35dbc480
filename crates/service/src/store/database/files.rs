//! The files of databases: recognising ours, and copying them.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode};

use super::connection::{StoreSettings, open_existing};
use super::error::{Result, StoreError};
use super::looking::{has_log, look_at_copy, open_unchanged};
use super::migrations::{APPLICATION_ID, check_version};
use super::place::beside;
use geodesign_common::whole_files::target_of;

/// The newest version of the schema that was written without an `application_id`.
const LAST_VERSION_WITHOUT_ID: i32 = 3;
/// Only our databases have all of these columns.
const KNOWN_COLUMNS: [&str; 4] = [
    "SELECT key, username FROM users",
    "SELECT digest, user, issued_at, expires_at FROM tokens",
    "SELECT key, id, external_connection, bounds, center FROM projects",
    "SELECT id, project, system, grid_location, changed_at FROM diagrams",
];

/// Number of attempts to read a file whose log seems damaged, and the time between them.
const MAX_LOOKS: usize = 50;
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// State of a database's path before it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing. The file was created.
    Nothing,
    /// A file without content.
    Empty,
    /// A database of ours, of a supported version.
    Ours,
}

/// Claims a file as a database of ours: creates one that only its owner may read, or checks that the existing one is ours and of a
/// supported version.
pub fn claim(path: &Path) -> Result<Found> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => match create(path) {
            // Another service has created it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Found::Empty),
            created => created.map(|()| Found::Nothing).map_err(|error| StoreError::open(path, error)),
        },
        Err(error) => Err(StoreError::open(path, error)),
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => Ok(Found::Empty),
        Ok(metadata) if metadata.is_file() => {
            check(path)?;
            check_version(path)?;
            Ok(Found::Ours)
        }
        Ok(_) => Err(foreign(path, "it is not a file")),
    }
}

/// Checks that an existing file is a database of ours, of any version.
pub fn check(path: &Path) -> Result<()> {
    check_are_files(path)?;
    let look = || is_ours(&open_unchanged(path)?);
    let mut ours = look();
    for _ in 1..MAX_LOOKS {
        if !ours.as_ref().is_err_and(is_damaged) || !has_log(path) {
            break;
        }
        // Another process may be moving pages from the log into the file.
        sleep(LOOK_INTERVAL);
        ours = look();
    }
    match ours {
        Ok(true) => return Ok(()),
        // If the disk is full, pages that belong in the file stay in the log.
        Err(error) if !is_damaged(&error) || !has_log(path) => return Err(unreadable(path, error)),
        _ => {}
    }
    // What a service wrote until it was killed may be in its log only.
    if has_log(path) && look_at_copy(path, is_ours).map_err(|error| StoreError::open(path, error))? {
        return Ok(());
    }
    Err(foreign(path, "it has no tables of pygeodesign, or was copied without its log (the file that ends in -wal)"))
}

/// Refuses a pipe or a device, for which SQLite could wait forever.
fn check_are_files(path: &Path) -> Result<()> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        if fs::metadata(beside(path, ending)).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(foreign(path, &format!("{} is not a file", beside(path, ending).display())));
        }
    }
    Ok(())
}

fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // SQLite gives the files next to it the same permissions.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn foreign(path: &Path, found: &str) -> StoreError {
    StoreError::Foreign { path: path.to_owned(), found: found.to_owned() }
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn unreadable(path: &Path, error: rusqlite::Error) -> StoreError {
    use ErrorCode::{CannotOpen, DatabaseBusy, PermissionDenied, SystemIoFailure};
    match error.sqlite_error_code() {
        Some(CannotOpen | DatabaseBusy | PermissionDenied | SystemIoFailure) => {
            StoreError::Sqlite(error).while_opening(path)
        }
        _ => foreign(path, &error.to_string()),
    }
}

fn is_ours(database: &Connection) -> rusqlite::Result<bool> {
    let number = |pragma: &str| database.query_row(pragma, [], |row| row.get::<_, i32>(0));
    let (id, version) = (number("PRAGMA application_id")?, number("PRAGMA user_version")?);
    // Without a version, it is a copy of a database that was completely in its log.
    if id == APPLICATION_ID && version != 0 {
        return Ok(true);
    }
    // Fails if the tables cannot be read, so that a damaged file of another program is not taken for one without tables.
    let tables: i64 = database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let has_columns = || tables > 0 && KNOWN_COLUMNS.iter().all(|columns| database.prepare(columns).is_ok());
    Ok(id == 0 && (1..=LAST_VERSION_WITHOUT_ID).contains(&version) && has_columns())
}

/// Writes a copy of a database of ours, which a service may be using, to `target`. A database of ours at `target` is replaced once the copy
/// is complete and checked.
pub fn backup_file(source: &Path, target: &Path) -> Result<()> {
    check(source)?;
    let connection = opening(source, || {
        let connection = open_existing(source, &StoreSettings::default())?;
        // The first read opens the log.
        connection.query_row("PRAGMA schema_version", [], |_| Ok(()))?;
        Ok(connection)
    })?;
    write(&connection, source, target)
}

/// Opens a database that was checked or created. If its file system lacks what SQLite needs, removes the files that this left next to it.
pub fn opening<T>(path: &Path, open: impl FnOnce() -> Result<T>) -> Result<T> {
    let files = ["-wal", "-shm"].map(|ending| beside(path, ending));
    let were_there = files.each_ref().map(|file| file.exists());
    open().map_err(|error| {
        let error = error.while_opening(path);
        if matches!(error, StoreError::NotLocal { .. }) {
            files.iter().zip(were_there).filter(|(_, was_there)| !was_there).for_each(|(file, _)| {
                let _ = fs::remove_file(file);
            });
        }
        error
    })
}

/// Writes a copy of the database at `path`, to which `source` is connected.
pub fn write(source: &Connection, path: &Path, target: &Path) -> Result<()> {
    check_target(Some(path), target)?;
    let bytes = file_bytes(path);
    copy(source, target, bytes).map_err(|source| StoreError::Backup { path: target.to_owned(), source })
}

/// Checks that a backup replaces only a database of ours that is not in use.
pub fn check_backup_target(target: &Path) -> Result<()> {
    check_target(None, target)
}

fn check_target(source: Option<&Path>, target: &Path) -> Result<()> {
    if !target.exists() {
        return Ok(());
    }
    let refuse = |reason| Err(StoreError::BackupTarget { path: target.to_owned(), reason });
    let is_source = source.is_some_and(|source| fs::canonicalize(source).ok() == fs::canonicalize(target).ok());
    match check(target) {
        _ if is_source => refuse("it is the database itself"),
        Err(_) => refuse("it is not a database of pygeodesign"),
        Ok(()) if ["-wal", "-journal"].iter().any(|ending| beside(target, ending).exists()) => refuse("it is in use"),
        Ok(()) => Ok(()),
    }
}

/// Returns the bytes of the file and of its log.
pub fn file_bytes(path: &Path) -> u64 {
    let bytes = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    bytes(path) + bytes(&beside(path, "-wal"))
}

type Copied = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// With less free space than this, nothing can be written.
const MIN_FREE_BYTES: u64 = 64 * 1024;

/// Copies a database of about this many `bytes`.
fn copy(source: &Connection, target: &Path, bytes: u64) -> Copied {
    let target = &target_of(target);
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().prefix(".backup-").suffix(".sqlite").tempfile_in(folder)?;
    let room = free_bytes(file.as_file());
    copy_into(file.path(), source).map_err(|error| match (room, free_bytes(file.as_file())) {
        // SQLite's message depends on what it was doing when the disk was full.
        (Some(room), Some(left)) if room < bytes || left < MIN_FREE_BYTES => {
            format!("the disk is full: it had room for {room} bytes, and the database has {bytes} ({error})").into()
        }
        _ => error,
    })?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

/// Returns the bytes still free on the file's disk; `None` if they are unknown.
#[cfg(target_os = "linux")]
fn free_bytes(file: &fs::File) -> Option<u64> {
    let disk = rustix::fs::fstatvfs(file).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(target_os = "linux"))]
fn free_bytes(_file: &fs::File) -> Option<u64> {
    None
}

fn copy_into(path: &Path, source: &Connection) -> Copied {
    let mut copy = Connection::open(path)?;
    // In one step, so that it sees one state of the source, however often the source changes.
    match Backup::new(source, &mut copy)?.step(-1)? {
        StepResult::Done => {}
        _ => return Err("another process is using the database; try again".into()),
    }
    // The copy has no log, so that it is one file.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    let problem: String = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if problem != "ok" {
        return Err(format!("the copy is damaged: {problem}").into());
    }
    copy.close().map_err(|(_, error)| error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::store::Store;

    use super::*;

    #[test]
    fn a_new_database_can_be_read_by_its_owner_only_and_has_our_id() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a%20?b#.sqlite");
        let store = Store::open(Some(&path)).unwrap();
        store.write(|write| write.add_creation_code("FADO")).unwrap();
        #[cfg(unix)]
        for ending in ["", "-wal", "-shm"] {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(beside(&path, ending)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{ending}");
        }
        // Also while the service runs.
        let id: i32 = open_unchanged(&path).unwrap().query_row("PRAGMA application_id", [], |row| row.get(0)).unwrap();
        assert_eq!(id, APPLICATION_ID);
    }

    /// The columns that identify a database without an id.
    const WITHOUT_ID: &str = "CREATE TABLE users (key, username);
        CREATE TABLE tokens (digest, user, issued_at, expires_at);
        CREATE TABLE projects (key, id, external_connection, bounds, center);
        CREATE TABLE diagrams (id, project, system, grid_location, changed_at);
        PRAGMA user_version = 1";

    #[test]
    fn a_file_of_a_version_without_an_id_is_recognised_and_refused_as_an_older_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.sqlite");
        Connection::open(&path).unwrap().execute_batch(WITHOUT_ID).unwrap();
        let before = fs::read(&path).unwrap();
        check(&path).unwrap();
        assert!(matches!(Store::open(Some(&path)), Err(StoreError::Older { found: 1, .. })));
        assert_eq!(fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_file_is_recognised_while_all_of_it_is_in_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let (path, killed) = (folder.path().join("old.sqlite"), folder.path().join("killed.sqlite"));
        let old = Connection::open(&path).unwrap();
        old.pragma_update(None, "journal_mode", "WAL").unwrap();
        old.execute_batch(WITHOUT_ID).unwrap();
        fs::copy(&path, &killed).unwrap();
        assert!(check(&killed).is_err());
        fs::copy(beside(&path, "-wal"), beside(&killed, "-wal")).unwrap();
        check(&killed).unwrap();
    }

    #[test]
    fn a_file_whose_pages_are_partly_in_its_log_is_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let (path, torn) = (folder.path().join("service.sqlite"), folder.path().join("torn.sqlite"));
        let store = Store::open(Some(&path)).unwrap();
        store.write(|write| write.add_creation_code("FADO")).unwrap();
        fs::copy(&path, &torn).unwrap();
        fs::copy(beside(&path, "-wal"), beside(&torn, "-wal")).unwrap();
        // As left by a service that ran out of space while it moved pages from the log.
        let log = fs::read(beside(&torn, "-wal")).unwrap();
        fs::OpenOptions::new().write(true).open(&torn).unwrap().set_len(4096 * 3).unwrap();
        assert!(log.len() > 4096);
        check(&torn).unwrap();
    }

    #[test]
    fn a_backup_replaces_a_backup_and_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let [path, target] = ["service.sqlite", "copy.sqlite"].map(|name| folder.path().join(name));
        let store = Store::open(Some(&path)).unwrap();
        store.backup(&target).unwrap();
        store.write(|write| write.add_creation_code("FADO")).unwrap();
        backup_file(&path, &target).unwrap();
        let copied = Store::open(Some(&target)).unwrap();
        assert!(copied.read(|read| read.has_creation_code("FADO")).unwrap() && !copied.is_new());
        assert!(matches!(store.backup(&target), Err(StoreError::BackupTarget { reason: "it is in use", .. })));
        copied.close();
        fs::write(&target, "notes").unwrap();
        for refused in [&target, &path] {
            assert!(matches!(store.backup(refused), Err(StoreError::BackupTarget { .. })));
        }
        assert_eq!(fs::read(&target).unwrap(), b"notes");
    }

    #[test]
    fn after_a_checkpoint_the_file_alone_holds_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let [path, copy] = ["service.sqlite", "copy.sqlite"].map(|name| folder.path().join(name));
        let store = Store::open(Some(&path)).unwrap();
        store.write(|write| write.add_creation_code("FADO")).unwrap();
        assert!(store.checkpoint().unwrap());
        fs::copy(&path, &copy).unwrap();
        let copied = Store::open(Some(&copy)).unwrap();
        assert!(copied.read(|read| read.has_creation_code("FADO")).unwrap());
    }
}
