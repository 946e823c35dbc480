//! The name of a workshop, which is part of its path and of its file's name, and the errors of workshops.

use std::borrow::Borrow;
use std::path::PathBuf;
use std::str::FromStr;
use std::{fmt, io};

use serde::{Deserialize, Serialize};

use crate::store::StoreError;

const MAX_CHARACTERS: usize = 64;
/// Ending of the name of its database.
const ENDING: &str = ".sqlite";

/// 1 to 64 ASCII letters and digits, `-`, `_` and `.`; the first is a letter or a digit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WorkshopName(String);

/// Error for a string that is not the name of a workshop.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is not a workshop name; use 1 to 64 letters (a to z), digits, -, _ or ., beginning with a letter or a digit"
)]
pub struct InvalidWorkshopName(String);

impl WorkshopName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Prefix of the paths of its operations.
    pub fn prefix(&self) -> String {
        format!("/w/{}", self.0)
    }

    /// The name of its database.
    pub fn file_name(&self) -> String {
        format!("{}{ENDING}", self.0)
    }

    /// The workshop of a database with this file name; `None` for a file that is not a database, by its ending.
    pub fn of_file(name: &str) -> Option<Result<Self, InvalidWorkshopName>> {
        // SQLite's own files end in `.sqlite-wal` and `.sqlite-shm`.
        name.strip_suffix(ENDING).filter(|_| !name.starts_with('.')).map(str::parse)
    }
}

impl FromStr for WorkshopName {
    type Err = InvalidWorkshopName;

    fn from_str(text: &str) -> Result<Self, InvalidWorkshopName> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let is_name = text.len() <= MAX_CHARACTERS
            && text.bytes().all(is_allowed)
            && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric());
        if is_name { Ok(WorkshopName(text.to_owned())) } else { Err(InvalidWorkshopName(text.to_owned())) }
    }
}

impl TryFrom<String> for WorkshopName {
    type Error = InvalidWorkshopName;

    fn try_from(text: String) -> Result<Self, InvalidWorkshopName> {
        text.parse()
    }
}

impl From<WorkshopName> for String {
    fn from(name: WorkshopName) -> Self {
        name.0
    }
}

impl Borrow<str> for WorkshopName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkshopName {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The reason why a folder, or a workshop in it, is not served or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkshopError {
    #[error("the folder of workshops {path} cannot be used: {source}")]
    Folder { path: PathBuf, source: io::Error },
    #[error("another service serves the workshops of {0}; stop it first, or give another folder")]
    Locked(PathBuf),
    #[error(transparent)]
    Name(#[from] InvalidWorkshopName),
    #[error("there is no workshop {0}")]
    Unknown(WorkshopName),
    #[error("the workshop {0} already exists; give another name")]
    Exists(WorkshopName),
    #[error("the file of the workshop {0} is empty; remove it, or put a copy of its database in its place")]
    Empty(WorkshopName),
    #[error("limits apply to all workshops of a service; give them to the service (--limit), not to the workshop {0}")]
    Limits(WorkshopName),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WorkshopError {
    /// True if other files have replaced the database that was open.
    pub fn is_displaced(&self) -> bool {
        matches!(self, WorkshopError::Store(error) if error.is_displaced())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_needs_no_escapes_in_a_path_and_stays_in_its_folder() {
        for name in ["spring", "Fado-2050", "7", "class_3.b"] {
            assert_eq!(name.parse::<WorkshopName>().unwrap().prefix(), format!("/w/{name}"));
        }
        let long = "a".repeat(65);
        for text in ["", ".", "..", ".hidden", "-x", "a/b", "a\\b", "a b", "a%2fb", "caf\u{e9}", &long] {
            assert!(text.parse::<WorkshopName>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_database_is_told_by_the_end_of_its_name() {
        assert_eq!(WorkshopName::of_file("spring.sqlite").unwrap().unwrap().as_str(), "spring");
        assert!(WorkshopName::of_file("two words.sqlite").unwrap().is_err());
        for other in ["spring.sqlite-wal", "spring.zip", ".sqlite", ".draft.sqlite", "operator-token"] {
            assert!(WorkshopName::of_file(other).is_none(), "{other}");
        }
    }
}
