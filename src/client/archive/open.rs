//! A project from an archive.

use std::path::Path;

use crate::archive::Archive;
use crate::client::http::Transport;
use crate::client::{Client, Project, Result};

impl Project {
    /// The project in an archive, after all of the file was verified. Its reading operations answer as the service did; those that
    /// write are errors.
    pub fn open_archive(path: &Path) -> Result<Self> {
        let archive = Archive::open(path)?;
        let id = archive.manifest().projectid.clone();
        Ok(Client { transport: Transport::from_archive(archive)? }.project(id))
    }

    /// The archive that the project was opened from. `None` for a project of a service.
    pub fn opened_archive(&self) -> Option<&Archive> {
        self.client().transport.archive()
    }
}
