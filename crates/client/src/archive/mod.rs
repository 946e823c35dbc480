//! Archives of projects: filled from a service, brought up to date, opened as a project that does not change.

mod download;
mod old_archive;

use std::path::{Path, PathBuf};

use bytes::Bytes;

pub use self::download::{ArchiveOptions, SyncReport, Traffic};
use super::http::Transport;
use super::{Client, Project, Result};
use geodesign::archive::Archive;

impl Project {
    /// The project in an archive, after all of the file was verified. Its reading operations respond as the service did; those that
    /// write are errors.
    pub fn open_archive(path: &Path) -> Result<Self> {
        Project::of_archive(Archive::open(path)?)
    }

    /// The same for the content of an archive, which messages call by `path`.
    pub fn open_archive_bytes(content: Bytes, path: PathBuf) -> Result<Self> {
        Project::of_archive(Archive::from_bytes(content, path)?)
    }

    /// The project in an archive that this process wrote just now, without verifying all of the file.
    pub fn open_own_archive(path: &Path) -> Result<Self> {
        Project::of_archive(Archive::open_own(path)?)
    }

    fn of_archive(archive: Archive) -> Result<Self> {
        let id = archive.manifest().projectid.clone();
        Ok(Client::with(Transport::from_archive(archive)?).project(id))
    }

    /// The archive that the project was opened from. `None` for a project of a service.
    pub fn opened_archive(&self) -> Option<&Archive> {
        self.client().transport.archive()
    }
}
