//! The manifest of an archive: where it comes from, and what is in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::model::{JsonObject, ProjectId};

/// The version of the format that this version of the package writes. It reads this one and all earlier ones.
pub const FORMAT_VERSION: u32 = 1;
/// What tells an archive of a project from any other zip file.
pub const FORMAT: &str = "pygeodesign-archive";

/// What is in an archive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: String,
    pub version: u32,
    pub projectid: ProjectId,
    /// The API root of the service that the project was read from.
    pub source: String,
    /// When the last answer was read: an ISO 8601 date-time in UTC.
    pub created_at: String,
    /// How many diagrams, systems and so on there are.
    pub counts: BTreeMap<String, u64>,
    pub members: BTreeMap<String, Member>,
    /// Requests that the service refused, by the names that their members would have, with the status (403 or 404).
    #[serde(default)]
    pub refused: BTreeMap<String, u16>,
    /// The tags (`ETag`) that the service gave its answers, by the names of their members. A later request with such a tag is
    /// answered in full only if the answer is another one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub etags: BTreeMap<String, String>,
    /// The change id of the project before the answers were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changeid: Option<String>,
    /// The id of the last event of the project (`events/`) before the answers were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event: Option<String>,
    /// What later versions add.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Size and digest of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Bytes of its content.
    pub size: u64,
    /// SHA-256 of its content, in lower-case hexadecimal digits.
    pub sha256: String,
}

impl Member {
    pub fn of(content: &[u8]) -> Self {
        let digest = Sha256::digest(content);
        Member { size: content.len() as u64, sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect() }
    }
}
