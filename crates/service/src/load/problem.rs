//! Reasons why an archive cannot be loaded.

use std::path::{Path, PathBuf};

use crate::limits::LimitExceeded;
use crate::store::StoreError;
use geodesign::archive::ArchiveError;
use geodesign::model::{DiagramId, InvalidId, InvalidImpact, InvalidQuantity, ProjectId, SystemId};

/// Maximum entries in the diagram lists of tags, selections and designs. Each is a row, written in about 40 microseconds.
pub const MAX_LISTED: usize = 200_000;

/// The reason why an archive cannot be loaded. The database stays as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("the archive {path} cannot be loaded: {problem}")]
    Refused { path: PathBuf, problem: Box<LoadProblem> },
}

/// Content of an archive that does not fit into a database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadProblem {
    #[error(
        "the database already has the project {0}; remove --load to serve it as it is, or load the archive into another database"
    )]
    ProjectExists(ProjectId),
    #[error("the database already has a {0}, in another project; load the archive into another database")]
    IdTaken(String),
    #[error("the response {name} cannot be read: {source}")]
    Unreadable { name: String, source: serde_json::Error },
    #[error("it has no {0}, which a project needs")]
    Missing(&'static str),
    #[error("the diagram {diagram} belongs to the system {system}, which is not in the archive")]
    UnknownSystem { diagram: DiagramId, system: SystemId },
    #[error("it has an impact on the system {0}, which is not in the archive")]
    UnknownAffected(SystemId),
    #[error(transparent)]
    Impact(#[from] InvalidImpact),
    #[error(transparent)]
    Quantity(#[from] InvalidQuantity),
    #[error("two of its {what} have the id {id}")]
    Repeated { what: &'static str, id: String },
    #[error("it has {members} members and {systems} systems; with these systems, it may have at most {most} members")]
    TooManyMembers { members: usize, systems: usize, most: usize },
    #[error(
        "its tags, selections, designs and reviews list {listed} diagrams and members, more than the {MAX_LISTED} allowed"
    )]
    TooManyListed { listed: usize },
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

/// Returns true if the caller no longer waits for the project. Threads that read an archive call it.
pub type IsInterrupted<'i> = &'i (dyn Fn() -> bool + Sync);

pub fn check(is_interrupted: IsInterrupted) -> Result<(), LoadProblem> {
    if is_interrupted() { Err(LoadProblem::Interrupted) } else { Ok(()) }
}
