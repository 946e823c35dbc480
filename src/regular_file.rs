//! Files that somebody else may have put where ours are expected: opening one never waits, and only a regular file is read.

use std::fs::{File, OpenOptions};
use std::io;
#[cfg(any(feature = "cli", feature = "service"))]
use std::io::Read;
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

/// Reads a text of up to this many bytes.
#[cfg(any(feature = "cli", feature = "service"))]
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let file = open_regular(path)?;
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {max_bytes} bytes"));
    if file.metadata()?.len() > max_bytes {
        return Err(too_large());
    }
    let mut text = String::new();
    // It may have grown since.
    let read = file.take(max_bytes + 1).read_to_string(&mut text)?;
    if read as u64 > max_bytes { Err(too_large()) } else { Ok(text) }
}
