//! Whole copies of a database that is in use.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::connection::open_existing;
use super::error::{Result, StoreError};
use super::ownership::{beside, check};
use super::settings::StoreSettings;

/// Writes a copy of a database of ours, which a service may be using, to `target`. A database of ours that is there is replaced
/// once the copy is complete and was checked.
pub fn backup_file(source: &Path, target: &Path) -> Result<()> {
    check(source)?;
    let connection = open_existing(source, &StoreSettings::default()).map_err(|error| match error {
        StoreError::Sqlite(error) => StoreError::open(source, error),
        other => other,
    })?;
    write(&connection, source, target)
}

/// Writes a copy of the database at `path`, to which `source` is connected.
pub fn write(source: &Connection, path: &Path, target: &Path) -> Result<()> {
    check_target(path, target)?;
    copy(source, target).map_err(|source| StoreError::Backup { path: target.to_owned(), source })
}

/// A backup takes the place of nothing but a database of ours that nobody uses.
fn check_target(source: &Path, target: &Path) -> Result<()> {
    if !target.exists() {
        return Ok(());
    }
    let refuse = |reason| Err(StoreError::BackupTarget { path: target.to_owned(), reason });
    let is_source = fs::canonicalize(source).ok() == fs::canonicalize(target).ok();
    match check(target) {
        _ if is_source => refuse("it is the database itself"),
        Err(_) => refuse("it is not a database of pygeodesign"),
        Ok(()) if ["-wal", "-journal"].iter().any(|ending| beside(target, ending).exists()) => refuse("it is in use"),
        Ok(()) => Ok(()),
    }
}

fn copy(source: &Connection, target: &Path) -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().prefix(".backup-").suffix(".sqlite").tempfile_in(folder)?;
    let mut copy = Connection::open(file.path())?;
    // In one step, so that it sees one state of the source, however often that changes.
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
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::store::Store;

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
