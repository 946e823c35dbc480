//! Files that take their name when they are whole: nobody reads half of one, and a failure leaves the file that was there. Where a
//! symbolic link has the name, the file that it leads to is replaced.

use std::fs;
use std::io;
use std::io::Write;
use std::path::{Path, PathBuf};

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
pub fn write_whole(path: &Path, content: &[u8], readers: Readers) -> io::Result<()> {
    let mut file = draft_of(path, readers)?;
    file.write_all(content)?;
    persist(file, path, readers)
}

/// The file that a path leads to through symbolic links, which may not be there yet.
pub fn target_of(path: &Path) -> PathBuf {
    const MAX_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(link) = fs::read_link(&target) else { break };
        target = folder_of(&target).join(link);
    }
    target
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file beside the one that `path` leads to, to be filled and then persisted as that. It is removed if it is dropped before.
pub fn draft_of(path: &Path, readers: Readers) -> io::Result<NamedTempFile> {
    let target = target_of(path);
    let folder = folder_of(&target);
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

/// Has a draft take the place of the file that `path` leads to, with the permissions of the one that was there.
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
