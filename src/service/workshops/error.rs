//! What can go wrong with a workshop of a folder.

use std::io;
use std::path::PathBuf;

use super::name::{InvalidWorkshopName, WorkshopName};
use crate::service::store::StoreError;

/// Why a folder, or a workshop in it, is not served or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkshopError {
    #[error("the folder of workshops {path} cannot be used: {source}")]
    Folder { path: PathBuf, source: io::Error },
    #[error("another service serves the workshops of {0}; stop it first, or take another folder")]
    Locked(PathBuf),
    #[error(transparent)]
    Name(#[from] InvalidWorkshopName),
    #[error("there is no workshop {0}")]
    Unknown(WorkshopName),
    #[error("there is a workshop {0} already; take another name")]
    Exists(WorkshopName),
    #[error("the file of the workshop {0} is empty; remove it, or put a copy of its database in its place")]
    Empty(WorkshopName),
    #[error("limits hold for all workshops of a service; give them to the service (--limit), not to the workshop {0}")]
    Limits(WorkshopName),
    #[error(transparent)]
    Store(#[from] StoreError),
}
