//! Files that somebody else may have put where ours are expected: opening one never waits, and only a regular file is read.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file for reading. A pipe, a device or a folder is an error, at once.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    // Opening a pipe would wait for somebody who writes.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
    }
}
