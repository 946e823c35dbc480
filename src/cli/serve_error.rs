//! Why a service could not be started from the command line.

use std::io;
use std::path::PathBuf;

use crate::service::{InvalidLimit, MapFileError, StartError, StoreError};

/// Why a service could not be started from the command line.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{path}: {source}")]
    ReadSetup { path: PathBuf, source: io::Error },
    #[error("{path}: {source}")]
    ParseSetup { path: PathBuf, source: serde_path_to_error::Error<serde_json::Error> },
    #[error(transparent)]
    MapFile(#[from] MapFileError),
    #[error("{path}: {source}")]
    Limit { path: PathBuf, source: InvalidLimit },
}
