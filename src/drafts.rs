//! Files that take their name when they are whole: nobody reads half of one, and a failure leaves the file that was there.

use std::io;
#[cfg(feature = "cli")]
use std::io::Write;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Nobody else, at any time.
    Owner,
    /// Whoever may read the other files that this user makes.
    Usual,
}

/// Writes a whole file.
#[cfg(feature = "cli")]
pub fn write_whole(path: &Path, content: &[u8], readers: Readers) -> io::Result<()> {
    let mut file = draft_of(path, readers)?;
    file.write_all(content)?;
    file.persist(path)?;
    Ok(())
}

/// A file in the folder of `path`, to be filled and then persisted as `path`. It is removed if it is dropped before.
pub fn draft_of(path: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = Builder::new();
    #[cfg(unix)]
    if readers == Readers::Usual {
        // From which the system takes what the user's umask has.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    builder.prefix(".draft-").tempfile_in(folder).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            io::Error::new(io::ErrorKind::NotFound, format!("there is no folder {}", folder.display()))
        }
        _ => error,
    })
}
