//! Why an archive cannot be loaded.

use std::path::{Path, PathBuf};

use crate::archive::ArchiveError;
use crate::model::{DiagramId, InvalidId, ProjectId, SystemId};
use crate::service::limits::LimitExceeded;
use crate::service::store::StoreError;

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
    #[error("a thread that reads it failed: {0}")]
    Thread(#[from] std::io::Error),
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
