//! Errors of the database, and of the changes asked for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::ErrorCode;

use geodesign::model::{
    DesignId, DiagramId, InvalidEdit, InvalidId, InvalidProject, ProjectId, SystemId, TeamId, Username,
};

pub type Result<T> = std::result::Result<T, StoreError>;

type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// A change to the files of an open database by other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Displacement {
    Gone,
    /// The log alone: another copy of SQLite in the same process, such as Python's, deletes it when it closes the database.
    WithoutLog,
    Replaced,
    Overwritten,
}

/// True if an error comes from SQLite.
pub fn is_of_sqlite(error: &(dyn std::error::Error + 'static)) -> bool {
    error.is::<rusqlite::Error>()
}

/// Reason why the database refused or failed a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error(
        "the database {path} cannot be opened: {source}. Check that its folder exists and is writable, and that it is a database of pygeodesign"
    )]
    Open { path: PathBuf, source: BoxedError },
    /// The file is on a network drive or in a folder shared with a virtual machine.
    #[error(
        "put the database on a disk of this machine, not on a network drive or in a folder shared with a virtual machine: the file \
         system of {path} lacks the locks or the shared memory that SQLite needs ({source})"
    )]
    NotLocal { path: PathBuf, source: rusqlite::Error },
    #[error(
        "the database {path} was made by a newer version of pygeodesign (its schema is {found}, this version knows {known}); update pygeodesign"
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    /// The file was not changed.
    #[error(
        "the database {path} was made by an older version of pygeodesign (its schema is {found}, the oldest that this version opens \
         is {oldest}). It was not changed. With the older version, write an archive of each project: `project.archive(\"NAME.zip\")`. \
         This version loads them into another database: `pygeodesign serve --load NAME.zip --db ANOTHER.sqlite`"
    )]
    Older { path: PathBuf, found: u32, oldest: u32 },
    /// The file was not changed.
    #[error("{path} is not a database of pygeodesign: {found}; it was not changed. Choose another file")]
    Foreign { path: PathBuf, found: String },
    #[error("the backup {path} cannot be written: {source}")]
    Backup { path: PathBuf, source: BoxedError },
    #[error("a backup cannot replace {path}: {reason}. Choose another file")]
    BackupTarget { path: PathBuf, reason: &'static str },
    #[error("the database failed: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A value in the database, or one to be written, does not fit its column.
    #[error("the database holds a value that cannot be read: {0}")]
    Content(#[source] BoxedError),
    /// The administrator of the service asked for something impossible.
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("the service has stopped; start a new one")]
    Closed,
    /// Nothing has been read or written since this was noticed.
    #[error(
        "put the right file at {path} and start the service again: the database was {displacement} while it was open. Nothing is \
         read from it or written to it any more"
    )]
    Displaced { path: PathBuf, displacement: Displacement },
    #[error("the service runs in the process that started it, not in this one; start another service here")]
    OtherProcess,
    #[error("nothing was written: it took longer than allowed, or the service is stopping")]
    TimedOut,
    /// SQLite ended the transaction, as it does when the disk is full.
    #[error("nothing was written: SQLite rolled the transaction back")]
    RolledBack,
    /// The transaction shared by several writes failed.
    #[error("nothing was written: {0}")]
    NotCommitted(#[source] Arc<StoreError>),
    #[error("the operating system provides no random numbers: {0}")]
    Random(#[from] getrandom::Error),
}

/// An impossible request of an administrator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    #[error(transparent)]
    Edit(InvalidEdit),
    #[error("there is no user {username:?}; the users are {known}", username = username.as_str())]
    UnknownUser { username: Username, known: String },
    #[error("there is no project {id}; the projects are {known}")]
    UnknownProject { id: ProjectId, known: String },
    #[error("{} is not a member of the project", .0.as_str())]
    NotAMember(Username),
    #[error("there is already a user {:?}; the waiting person has to join again with another name", .0.as_str())]
    NameTaken(Username),
    #[error("choose a name other than {username:?}: {problem}", username = username.as_str())]
    Name { username: Username, problem: String },
    #[error(
        "choose a name other than {username:?}: it looks too much like the user {other:?}",
        username = username.as_str()
    )]
    LooksAlike { username: Username, other: String },
    #[error("{0} has passed; choose a later time")]
    Past(&'static str),
    #[error("the project has no system {0}")]
    UnknownSystem(SystemId),
    #[error("impacts: there is no system {name:?}; the systems are {known}")]
    UnknownSystemName { name: String, known: String },
    #[error("the project has no change team {0}")]
    UnknownTeam(TeamId),
    #[error("the team has no design {0}")]
    UnknownDesign(DesignId),
    #[error("the project has no diagram {0}")]
    UnknownDiagram(DiagramId),
    #[error("the new project {0:?} needs boundaries with features, or bounds (west,south,east,north in degrees)")]
    NoStudyArea(String),
    #[error("the new project {title:?} is invalid: {source}")]
    NewProject { title: String, source: InvalidProject },
    #[error("the new project {title:?} is invalid: two tags have the code {code:?}")]
    SharedTagCode { title: String, code: String },
    #[error("a creation code must not be empty")]
    EmptyCreationCode,
    #[error("the id of a linked project must not be empty")]
    EmptyLinkedProject,
    /// `owner` is the system or the diagram, such as `system 3`.
    #[error("{name} of {owner} must be a number of 0 or more, not {value}")]
    NegativeFigure { name: &'static str, owner: String, value: f64 },
    #[error("the session {0} belongs to another project")]
    SessionOfAnotherProject(String),
    #[error(transparent)]
    Id(#[from] InvalidId),
    /// The features of a map do not fit its kind.
    #[error(transparent)]
    Map(BoxedError),
}

impl InputError {
    /// Error for a map with features that do not fit its kind.
    pub fn map(error: impl Into<BoxedError>) -> Self {
        InputError::Map(error.into())
    }
}

impl StoreError {
    /// Error for a value that does not fit its column.
    pub fn content(error: impl Into<BoxedError>) -> Self {
        StoreError::Content(error.into())
    }

    pub fn open(path: &Path, source: impl Into<BoxedError>) -> Self {
        StoreError::Open { path: path.to_owned(), source: source.into() }
    }

    /// Adds the path of the database to an error of SQLite that occurred while the file was opened.
    pub fn while_opening(self, path: &Path) -> Self {
        match self {
            StoreError::Sqlite(source) if is_not_local(&source) => {
                StoreError::NotLocal { path: path.to_owned(), source }
            }
            StoreError::Sqlite(source) => StoreError::open(path, source),
            other => other,
        }
    }

    /// True if another process was using the database for longer than a transaction waits.
    pub fn is_busy(&self) -> bool {
        match self {
            StoreError::Sqlite(error) => {
                matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
            }
            StoreError::Open { source, .. } => source
                .downcast_ref::<rusqlite::Error>()
                .and_then(rusqlite::Error::sqlite_error_code)
                .is_some_and(|code| matches!(code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)),
            StoreError::NotCommitted(cause) => cause.is_busy(),
            _ => false,
        }
    }

    /// True if a statement or a write took longer than allowed, or the service stops.
    pub fn is_interrupted(&self) -> bool {
        match self {
            StoreError::TimedOut => true,
            StoreError::Sqlite(error) => error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted),
            StoreError::NotCommitted(cause) => cause.is_interrupted(),
            _ => false,
        }
    }

    /// True if the database's files were moved or replaced.
    pub fn is_displaced(&self) -> bool {
        match self {
            StoreError::Displaced { .. } => true,
            StoreError::NotCommitted(cause) => cause.is_displaced(),
            _ => false,
        }
    }

    /// True if the disk is full.
    pub fn is_full(&self) -> bool {
        match self {
            StoreError::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => failure.code == ErrorCode::DiskFull,
            StoreError::NotCommitted(cause) => cause.is_full(),
            _ => false,
        }
    }
}

/// True if a file system has no locks, or no memory that processes share.
fn is_not_local(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{
        SQLITE_IOERR_LOCK, SQLITE_IOERR_RDLOCK, SQLITE_IOERR_SHMLOCK, SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMOPEN,
        SQLITE_IOERR_SHMSIZE, SQLITE_PROTOCOL,
    };
    const CODES: [i32; 7] = [
        SQLITE_IOERR_LOCK,
        SQLITE_IOERR_RDLOCK,
        SQLITE_IOERR_SHMLOCK,
        SQLITE_IOERR_SHMMAP,
        SQLITE_IOERR_SHMOPEN,
        SQLITE_IOERR_SHMSIZE,
        SQLITE_PROTOCOL,
    ];
    matches!(error, rusqlite::Error::SqliteFailure(failure, _) if CODES.contains(&failure.extended_code))
}
