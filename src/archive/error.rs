//! Why an archive cannot be written or read.

use std::io;
use std::path::PathBuf;

use zip::result::ZipError;

/// Why an archive cannot be written or read. The file that was there before stays as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    #[error("the archive {path} cannot be opened: {source}")]
    Open { path: PathBuf, source: io::Error },
    #[error("{path} is not an archive of a project: {problem}")]
    Foreign { path: PathBuf, problem: Problem },
    #[error(
        "the archive {path} was written by a newer version of pygeodesign (its format is {found}, this one knows {known}); \
         update pygeodesign"
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("the archive {path} is damaged: {problem}; archive the project again, or take a copy of the file")]
    Damaged { path: PathBuf, problem: Problem },
    #[error("the archive {path} is refused: {problem}")]
    Refused { path: PathBuf, problem: Problem },
    #[error("the archive {path} cannot be written: {source}")]
    Write { path: PathBuf, source: io::Error },
}

/// What is wrong with the content of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    #[error("it is no zip file that can be read ({0})")]
    Zip(#[from] ZipError),
    #[error("it cannot be read ({0})")]
    Read(#[from] io::Error),
    #[error("it has no manifest.json")]
    NoManifest,
    #[error("its manifest cannot be read ({0})")]
    Manifest(#[from] serde_json::Error),
    #[error("its manifest is that of another format, {0:?}")]
    OtherFormat(String),
    #[error("{0:?} is no name of a member")]
    Name(String),
    #[error("its manifest does not name the member {0:?}")]
    Unlisted(String),
    #[error("the member {0:?} is missing")]
    Missing(String),
    #[error("two of its members have the same name")]
    Duplicates,
    #[error("the member {0:?} has another SHA-256 digest than the manifest says")]
    Digest(String),
    #[error("the member {name:?} has not the size that the manifest says, {size} bytes")]
    Size { name: String, size: u64 },
    #[error("it has {found} members; at most {limit} are read")]
    TooMany { found: u64, limit: u64 },
    #[error("{what} has {found} bytes; at most {limit} are read")]
    TooLarge { what: String, found: u64, limit: u64 },
    #[error("its {unpacked} bytes were packed into {packed}, which no project does")]
    Bomb { unpacked: u64, packed: u64 },
}
