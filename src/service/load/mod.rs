//! Loading an archived project into a database. What the archive tells becomes rows: ids, dates, authors, orders, figures, and the
//! fields that this service does not know. The service answers of them, and takes changes, as for any other project.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::content::{Answers, Content};
use self::limits::{check_parts, check_totals};
use self::rows::{Picture, insert};
use crate::archive::{Archive, ArchiveError};
use crate::model::{DiagramId, InvalidId, ProjectId, SystemId, Username};
use crate::service::limits::LimitExceeded;
use crate::service::limits::Limits;
use crate::service::store::{OPERATOR, Store, StoreError, StoreSettings, Writer, new_uuid};

mod content;
mod limits;
mod rows;

/// A verified archive with all that a database needs of it.
#[derive(Debug)]
pub struct PreparedArchive {
    path: PathBuf,
    content: Content,
    pictures: Vec<Picture>,
}

impl PreparedArchive {
    /// Verifies an archive, and checks that its content can be loaded.
    pub fn read(path: &Path, limits: &Arc<Limits>, is_interrupted: IsInterrupted) -> Result<Self, LoadError> {
        let archive = Archive::open(path)?;
        let prepare = || {
            let (limit, picture_bytes) = (limits.project_origin_bytes(), picture_bytes(&archive));
            limit.check_total("the project", 0, picture_bytes)?;
            let (content, pictures) =
                (Content::read(Answers::new(&archive, is_interrupted))?, read_pictures(&archive)?);
            check_parts(&content, limits)?;
            let prepared = PreparedArchive { path: path.to_owned(), content, pictures };
            // Refuses what would exceed a quota before there is a file.
            let store = Store::open_with(None, limits.clone(), StoreSettings::default())?;
            store.write(|write| prepared.write(write, limits, is_interrupted))?;
            Ok(prepared)
        };
        prepare().map_err(|problem| LoadError::refused(path, problem))
    }

    /// Writes the project into a database.
    pub fn load(&self, write: &Writer, limits: &Limits, is_interrupted: IsInterrupted) -> Result<(), LoadError> {
        self.write(write, limits, is_interrupted).map_err(|problem| LoadError::refused(&self.path, problem))
    }

    fn write(&self, write: &Writer, limits: &Limits, is_interrupted: IsInterrupted) -> Result<(), LoadProblem> {
        let project = insert(write, &self.content, &self.pictures, &operator()?, is_interrupted)?;
        let pictures: usize = self.pictures.iter().map(|picture| picture.png.len()).sum();
        let kept = pictures as u64 + write.loaded_bytes(project)?;
        limits.project_origin_bytes().check_total("the project", 0, kept)?;
        check_totals(write, &self.content, project, limits)
    }
}

fn operator() -> Result<Username, LoadProblem> {
    Ok(OPERATOR.parse()?)
}

fn picture_bytes(archive: &Archive) -> u64 {
    let members = archive.manifest().members.iter();
    members.filter(|(name, _)| name.ends_with(".png")).map(|(_, member)| member.size).sum()
}

/// The pictures in an archive. Those whose jobs this service cannot have are left out.
fn read_pictures(archive: &Archive) -> Result<Vec<Picture>, LoadProblem> {
    let mut pictures = Vec::new();
    for name in archive.manifest().members.keys() {
        let Some(path) = name.strip_suffix(".png") else { continue };
        let ["diagrams", diagram, "thumbnail", job] = *path.split('/').collect::<Vec<_>>() else { continue };
        let (Ok(diagram), Ok(job)) = (diagram.parse(), job.parse()) else { continue };
        let path = format!("projects/{}/{path}/", archive.manifest().projectid);
        if let Ok(png) = archive.answer(&path)? {
            pictures.push(Picture { diagram: DiagramId(diagram), job, own_job: new_uuid()?, png });
        }
    }
    Ok(pictures)
}

/// Why an archive cannot be loaded. The database stays as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("the archive {path} cannot be loaded: {problem}")]
    Refused { path: PathBuf, problem: Box<LoadProblem> },
}

/// What of an archive does not fit into a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadProblem {
    #[error(
        "the database has the project {0} already; remove --load to serve it as it is, or load the archive into another database"
    )]
    ProjectExists(ProjectId),
    #[error("the database has a {0} already, in another project; load the archive into another database")]
    IdTaken(String),
    #[error("the answer {name} cannot be read: {source}")]
    Unreadable { name: String, source: serde_json::Error },
    #[error("it has no {0}, without which there is no project")]
    Missing(&'static str),
    #[error("the diagram {diagram} belongs to the system {system}, which is not in the archive")]
    UnknownSystem { diagram: DiagramId, system: SystemId },
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Id(#[from] InvalidId),
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LoadError {
    pub fn refused(path: &Path, problem: LoadProblem) -> Self {
        LoadError::Refused { path: path.to_owned(), problem: Box::new(problem) }
    }
}

/// Tells whether whoever waits for the project has given up. Threads that read an archive ask it.
pub type IsInterrupted<'i> = &'i (dyn Fn() -> bool + Sync);

fn check(is_interrupted: IsInterrupted) -> Result<(), LoadProblem> {
    if is_interrupted() { Err(LoadProblem::Interrupted) } else { Ok(()) }
}
