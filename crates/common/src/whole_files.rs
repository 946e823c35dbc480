//! Files that get their name only when complete: readers never see half a file, and a failure leaves the previous file in place. If the
//! name is a symbolic link, its target is replaced.

use std::fs;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// Users who may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// The owner alone, from the start.
    Owner,
    /// Everyone who may read this user's other files.
    Usual,
}

/// Writes a complete file. A path that is not a regular file, such as `/dev/stdout` or a pipe, is written to directly.
pub fn write_whole(path: &Path, content: &[u8], readers: Readers) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(content);
    }
    let mut file = draft_of(path, readers)?;
    file.write_all(content)?;
    persist(file, path, readers)
}

/// Returns the file that a path leads to through symbolic links. It may not exist yet.
pub fn target_of(path: &Path) -> PathBuf {
    const MAX_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = fs::read_link(&target) else { break };
        target = folder_of(&target).join(link);
    }
    target
}

/// Returns the folder of a path.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a draft in the folder of the file that `path` leads to: fill it, then [`persist`] it. A draft dropped before that is removed.
pub fn draft_of(path: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let target = target_of(path);
    let folder = folder_of(&target);
    let mut builder = Builder::new();
    #[cfg(unix)]
    if readers == Readers::Usual {
        // The system takes the bits of the user's umask away.
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    builder.prefix(".draft-").tempfile_in(folder).map_err(|error| in_folder(error, folder))
}

/// Returns the error for a file that cannot be created in a folder. It names the folder if there is none.
pub fn in_folder(error: io::Error, folder: &Path) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound => {
            io::Error::new(io::ErrorKind::NotFound, format!("there is no folder {}", folder.display()))
        }
        _ => error,
    }
}

/// Replaces the file that `path` leads to with a draft. With [`Readers::Usual`], the draft takes over that file's permissions.
pub fn persist(draft: NamedTempFile, path: &Path, readers: Readers) -> io::Result<()> {
    let target = target_of(path);
    if readers == Readers::Usual
        && let Ok(former) = fs::metadata(&target)
    {
        draft.as_file().set_permissions(former.permissions())?;
    }
    draft.persist(target)?;
    Ok(())
}
