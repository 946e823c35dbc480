//! Which service serves a folder. It alone may move or delete the databases that it has open.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::WorkshopError;
use super::folder::WorkshopFolder;
use crate::drafts::{Readers, draft_of};

/// Locked while a service runs, and by a command that changes the folder while none does.
const LOCK: &str = ".lock";
/// Where the running service is.
const SERVICE: &str = ".service.json";

/// The right to move and delete the databases of a folder, until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
    service: PathBuf,
}

/// How to reach the service of a folder from this machine.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunningService {
    /// The API root.
    pub url: String,
    /// The certificate of the service's own authority, if it has one.
    pub ca_file: Option<PathBuf>,
}

impl FolderLock {
    /// The lock of a folder, unless another process has it.
    pub fn take(folder: &WorkshopFolder) -> Result<Self, WorkshopError> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let file = options.open(folder.path().join(LOCK)).map_err(|error| folder.failed(error))?;
        match file.try_lock() {
            Ok(()) => {
                let service = folder.path().join(SERVICE);
                // That of a service which was killed.
                let _ = fs::remove_file(&service);
                Ok(FolderLock { _file: file, service })
            }
            Err(TryLockError::WouldBlock) => Err(WorkshopError::Locked(folder.path().to_owned())),
            Err(TryLockError::Error(error)) => Err(folder.failed(error)),
        }
    }

    /// Tells commands on this machine where the service is.
    pub fn announce(&self, service: &RunningService) -> io::Result<()> {
        let mut draft = draft_of(&self.service, Readers::Owner)?;
        draft.write_all(&serde_json::to_vec(service)?)?;
        draft.persist(&self.service)?;
        Ok(())
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.service);
    }
}

impl RunningService {
    /// The service that has the lock of a folder. `None` if it has not told yet where it is.
    pub fn of(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(SERVICE)).ok()?).ok()
    }
}
