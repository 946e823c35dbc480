//! The archive that is being brought up to date.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use crate::archive::{Archive, ArchiveError, Manifest, MemberName, member_name};
use crate::blocking;
use crate::client::{Error, Project, Result};
use crate::model::operations::Endpoint;

/// An earlier archive of the same project. Cheap to clone.
#[derive(Debug, Clone)]
pub struct OldArchive {
    archive: Arc<Archive>,
    /// Whether it was read from the service that is asked now: tags of another service mean nothing.
    is_of_service: bool,
}

/// The answer to a request at that time: its content, or the status that it was refused with.
pub type OldAnswer = std::result::Result<Bytes, u16>;

impl OldArchive {
    /// Verifies the whole file. An archive of another project is an error.
    pub async fn open(project: &Project, path: &Path) -> Result<Self> {
        let owned = path.to_owned();
        let archive = blocking::run(move || Archive::open(&owned)).await??;
        let Manifest { projectid, source, .. } = archive.manifest();
        if projectid != project.id() {
            return Err(Error::Input(format!(
                "{} is an archive of the project {projectid}, not of {}; give another path",
                path.display(),
                project.id()
            )));
        }
        let is_of_service = source == project.client().root();
        Ok(OldArchive { archive: Arc::new(archive), is_of_service })
    }

    pub fn manifest(&self) -> &Manifest {
        self.archive.manifest()
    }

    /// The change id that the project had, if it can be compared with that of today.
    pub fn changeid(&self) -> Option<&str> {
        self.manifest().changeid.as_deref().filter(|_| self.is_of_service)
    }

    /// The id of the last event before it was read, if the events of today go on from there.
    pub fn last_event(&self) -> Option<&str> {
        self.manifest().last_event.as_deref().filter(|_| self.is_of_service)
    }

    /// The tag of an answer, if it can be compared with that of today.
    pub fn etag(&self, name: &MemberName) -> Option<&str> {
        self.manifest().etags.get(name.as_str()).map(String::as_str).filter(|_| self.is_of_service)
    }

    /// The answer to a request. `None` if it was not asked for.
    pub async fn read(&self, endpoint: &Endpoint) -> Result<Option<OldAnswer>> {
        let (old, path) = (self.clone(), endpoint.path.clone());
        Ok(blocking::run(move || old.read_path(&path)).await??)
    }

    /// As [`read`](Self::read), on a thread that may wait for the disk.
    pub fn read_path(&self, path: &str) -> Result<Option<OldAnswer>, ArchiveError> {
        let Manifest { projectid, members, refused, .. } = self.manifest();
        let Some(name) = member_name(projectid.as_str(), path) else { return Ok(None) };
        if !members.contains_key(name.as_str()) && !refused.contains_key(name.as_str()) {
            return Ok(None);
        }
        Ok(Some(self.archive.answer(path)?.map(Bytes::from)))
    }
}
