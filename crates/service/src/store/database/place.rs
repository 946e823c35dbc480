//! Checks that the files at the path of an open database are those that were opened: programs that synchronise or restore files may move
//! them, delete them or put others in their place.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use parking_lot::Mutex;

use super::error::{Displacement, Result, StoreError};

/// The endings of the database's files: the database itself, its log and its index.
const ENDINGS: [&str; 3] = ["", "-wal", "-shm"];

/// Returns the path of a file that SQLite keeps next to a database.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// The path of an open database, and the files that were opened there.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    files: [Option<FileId>; 3],
    /// The file's content when all of its log had been moved into it, and the version of the database at that time.
    settled: Mutex<Option<(i64, Content)>>,
    displaced: OnceLock<Displacement>,
}

/// Distinguishes a file from others that may later be at its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
}

/// Changes with every write to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    #[cfg(unix)]
    bytes_and_time: (u64, i64, i64),
}

impl Place {
    /// Notes the files of a database that SQLite has just opened. It keeps them open, and they keep their names, until it is closed.
    pub fn of_open_files(path: PathBuf) -> Self {
        let files = ENDINGS.map(|ending| FileId::at(&beside(&path, ending)).ok());
        Place { path, files, settled: Mutex::default(), displaced: OnceLock::new() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fails if other files, or none, are at the path where the database was opened.
    pub fn check_files(&self) -> Result<()> {
        let look = |ending: &str, opened: &Option<FileId>| match (FileId::at(&beside(&self.path, ending)), opened) {
            (Ok(found), Some(opened)) if found != *opened => Some(Displacement::Replaced),
            (Err(error), Some(_)) if error.kind() == io::ErrorKind::NotFound => {
                Some(if ending.is_empty() { Displacement::Gone } else { Displacement::WithoutLog })
            }
            _ => None,
        };
        match ENDINGS.iter().zip(&self.files).find_map(|(ending, opened)| look(ending, opened)) {
            Some(displacement) => Err(self.displaced_by(displacement)),
            None => Ok(()),
        }
    }

    /// Fails if another program has written into the file. SQLite itself writes there only to move what was committed, and `version` shows
    /// commits.
    pub fn check_content(&self, version: impl FnOnce() -> Result<i64>) -> Result<()> {
        // Read before the version: a commit in between makes it another one.
        let content = Content::of(&self.path);
        match *self.settled.lock() {
            Some((settled_at, settled)) if content.is_some_and(|content| content != settled) => {
                if version()? == settled_at { Err(self.displaced_by(Displacement::Overwritten)) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// Notes the content of the file while everything that was committed until `version` is in it.
    pub fn settle(&self, version: i64, content: Option<Content>) {
        *self.settled.lock() = content.map(|content| (version, content));
    }

    /// Returns the change to the files, if one was noticed.
    pub fn displaced(&self) -> Option<Displacement> {
        self.displaced.get().copied()
    }

    /// Returns the error for using a closed database.
    pub fn closed(&self) -> StoreError {
        match self.displaced() {
            Some(displacement) => StoreError::Displaced { path: self.path.clone(), displacement },
            None => StoreError::Closed,
        }
    }

    /// Deletes the log and the index if they are still those of the opened database. A program that opens a file in its place would take
    /// the log for that file's own.
    pub fn remove_log(&self) {
        for (ending, opened) in ENDINGS.iter().zip(&self.files).skip(1) {
            let file = beside(&self.path, ending);
            if opened.is_some_and(|opened| FileId::at(&file).is_ok_and(|found| found == opened)) {
                let _ = fs::remove_file(file);
            }
        }
    }

    fn displaced_by(&self, displacement: Displacement) -> StoreError {
        // The first one counts: closing removes files.
        self.displaced.get_or_init(|| displacement);
        self.closed()
    }
}

impl FileId {
    #[cfg(unix)]
    fn at(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = fs::metadata(path)?;
        Ok(FileId { device_and_inode: (file.dev(), file.ino()) })
    }

    /// Windows neither moves nor deletes files that SQLite has open.
    #[cfg(not(unix))]
    fn at(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|_| FileId {})
    }
}

impl Content {
    #[cfg(unix)]
    pub fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let file = fs::metadata(path).ok()?;
        Some(Content { bytes_and_time: (file.len(), file.mtime(), file.mtime_nsec()) })
    }

    /// Windows reports the time of the last write with a delay, so it is not compared.
    #[cfg(not(unix))]
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|_| Content {})
    }
}

impl std::fmt::Display for Displacement {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Displacement::Gone => "moved or deleted",
            Displacement::WithoutLog => "left without its log, as when another SQLite of the same process closes it (read it in another process)",
            Displacement::Replaced => "replaced by another file",
            Displacement::Overwritten => "overwritten by another program",
        })
    }
}
