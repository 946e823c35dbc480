//! Archives of projects: filled from a service, updated, and opened as a read-only project.

mod download;
mod old_archive;

use std::path::{Path, PathBuf};

use bytes::Bytes;

pub use self::download::{ArchiveOptions, SyncReport, Traffic};
use super::http::Transport;
use super::{Client, Project, Result};
use geodesign::archive::Archive;

impl Project {
    /// Opens the project in an archive, after verifying the complete file. Reading operations respond as the service did; writing
    /// operations are errors.
    pub fn open_archive(path: &Path) -> Result<Self> {
        Project::of_archive(Archive::open(path)?)
    }

    /// Opens the project in an archive's content. Messages call the archive `path`.
    pub fn open_archive_bytes(content: Bytes, path: PathBuf) -> Result<Self> {
        Project::of_archive(Archive::from_bytes(content, path)?)
    }

    /// Opens the project in an archive that this process has just written, without verifying the complete file.
    pub fn open_own_archive(path: &Path) -> Result<Self> {
        Project::of_archive(Archive::open_own(path)?)
    }

    fn of_archive(archive: Archive) -> Result<Self> {
        let id = archive.manifest().projectid.clone();
        Ok(Client::with(Transport::from_archive(archive)?).project(id))
    }

    /// The archive that the project was opened from; `None` for a project of a service.
    pub fn opened_archive(&self) -> Option<&Archive> {
        self.client().transport.archive()
    }
}
