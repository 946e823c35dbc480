//! A workshop of a service that has many.

use serde::{Deserialize, Serialize};

/// What the operator of a service learns of a workshop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedWorkshop {
    pub name: String,
    /// The API root, below the address of the service.
    pub root: String,
    /// The bytes of the database and its log.
    pub bytes: u64,
    /// When it was last written to, in UTC.
    pub changed: Option<String>,
    /// Whether its database is open.
    pub is_open: bool,
    /// Why its database could not be opened when that was last tried.
    pub problem: Option<String>,
}

/// Where the database of an archived workshop is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedWorkshop {
    /// Below the folder of the service.
    pub file: String,
}
