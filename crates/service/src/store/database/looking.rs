//! Reads a database without changing anything. Opening it for use leaves files next to it, and may move its log into it.

use std::fs;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, OpenFlags};

use super::place::beside;

const ESCAPED_IN_URI: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b':').remove(b'.');

/// Opens the file itself, without its log, its locks and the files next to it. SQLite opens it, because closing it otherwise would release
/// the locks of a service in this process.
pub fn open_unchanged(path: &Path) -> rusqlite::Result<Connection> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    #[cfg(not(unix))]
    let text = format!("/{}", path.to_string_lossy().replace('\\', "/"));
    #[cfg(not(unix))]
    let bytes = text.as_bytes();
    let path = percent_encode(bytes, ESCAPED_IN_URI);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)
}

/// True if the log of a database has content.
pub fn has_log(path: &Path) -> bool {
    fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
}

/// Reads copies of the file and its log, because opening the originals would change them.
pub fn look_at_copy<T>(
    path: &Path,
    look: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> std::result::Result<T, Box<dyn std::error::Error + Send + Sync>> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("copy.sqlite");
    fs::copy(path, &copy)?;
    fs::copy(beside(path, "-wal"), beside(&copy, "-wal"))?;
    Ok(look(&Connection::open(&copy)?)?)
}
