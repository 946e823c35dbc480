//! Format of an archive: the manifest, the names of members, and the problems that a file can have.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fmt, io};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use zip::result::ZipError;

use crate::model::{JsonObject, LoadedFrom, ProjectId};
use geodesign_common::digest::{hex, sha256};

/// Largest ratio of unpacked to packed bytes, for each member and for the file.
pub const MAX_RATIO: u64 = 100;

/// The format version that this package writes. It reads this version and all earlier ones.
pub const FORMAT_VERSION: u32 = 1;
/// Marks a zip file as a project archive.
pub const FORMAT: &str = "pygeodesign-archive";
/// The member about the project itself.
const PROJECT: &str = "project.json";
/// Characters that are encoded in the ids of paths.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The manifest of an archive: its members and their origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: String,
    pub version: u32,
    pub projectid: ProjectId,
    /// The API root of the service that the project was read from.
    pub source: String,
    /// Time at which the last response was read: an ISO 8601 date-time in UTC.
    pub created_at: String,
    /// Numbers of diagrams, systems and so on.
    pub counts: BTreeMap<String, u64>,
    pub members: BTreeMap<String, Member>,
    /// Requests that the service refused, by the names that their members would have, with the status (403 or 404).
    #[serde(default)]
    pub refused: BTreeMap<String, u16>,
    /// The ETags that the service gave its responses, by the names of their members.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub etags: BTreeMap<String, String>,
    /// The project's change id, read before everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changeid: Option<String>,
    /// The id of the project's last event (`events/`), read before everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event: Option<String>,
    /// The id of the service, if it has one: a service with the same id at another address is the same service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The archive this project was loaded from, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded_from: Option<LoadedFrom>,
    /// Fields of later versions.
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
    pub fn new(content: &[u8]) -> Self {
        Member { size: content.len() as u64, sha256: hex(&sha256(&[content])) }
    }
}

/// The name of a member: segments of letters, digits, `-`, `.`, `_`, `~` and `%`, none of which is `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberName(String);

impl MemberName {
    /// Returns `None` for a text that could lead out of a folder, or that does not come from a path of the service.
    pub fn new(name: &str) -> Option<Self> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
        let is_segment = |part: &str| !part.is_empty() && part.bytes().all(is_allowed) && !matches!(part, "." | "..");
        name.split('/').all(is_segment).then(|| MemberName(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MemberName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the member with the response to a request for this path, which is below the API root and percent-encoded. `None` if the path is
/// not below the project.
pub fn member_name(project: &str, path: &str) -> Option<MemberName> {
    // Programs encode more or fewer letters than needed.
    let encoded = |segment| utf8_percent_encode(&percent_decode_str(segment).decode_utf8_lossy(), RESERVED).to_string();
    let path = path.split('/').map(encoded).collect::<Vec<_>>().join("/");
    let path = path.strip_prefix("projects/")?.strip_prefix(project)?.strip_prefix('/')?.trim_end_matches('/');
    match path {
        "" => MemberName::new(PROJECT),
        // No other response is a picture.
        _ if path.contains("/thumbnail/") => MemberName::new(&format!("{path}.png")),
        _ => MemberName::new(&format!("{path}.json")),
    }
}

/// Reasons why an archive cannot be written or read. An earlier file with its name stays as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    #[error("the archive {path} cannot be opened: {source}")]
    Open { path: PathBuf, source: io::Error },
    #[error("{path} is not an archive of a project: {problem}")]
    Foreign { path: PathBuf, problem: Problem },
    #[error(
        "the archive {path} was written by a newer version of pygeodesign (its format is {found}, this version reads up to {known}); \
         update pygeodesign"
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("the archive {path} is damaged: {problem}; archive the project again, or use another copy of the file")]
    Damaged { path: PathBuf, problem: Problem },
    #[error("the archive {path} is refused: {problem}")]
    Refused { path: PathBuf, problem: Problem },
    #[error("the archive {path} cannot be written: {source}")]
    Write { path: PathBuf, source: io::Error },
}

/// Problem with the content of a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    #[error("it is not a readable zip file ({0})")]
    Zip(#[from] ZipError),
    #[error("it cannot be read ({0})")]
    Read(#[from] io::Error),
    #[error("it has no manifest.json")]
    NoManifest,
    #[error("its manifest cannot be read ({0})")]
    Manifest(#[from] serde_json::Error),
    #[error("its manifest has the unknown format {0:?}")]
    OtherFormat(String),
    #[error("{0:?} is not a valid member name")]
    Name(String),
    #[error("its manifest does not name the member {0:?}")]
    Unlisted(String),
    #[error("the member {0:?} is missing")]
    Missing(String),
    #[error("two of its members have the same name")]
    Duplicates,
    #[error("the SHA-256 digest of the member {0:?} differs from the manifest")]
    Digest(String),
    #[error("the member {name:?} does not have the size in the manifest, {size} bytes")]
    Size { name: String, size: u64 },
    #[error("it has {found} members; at most {limit} are read")]
    TooMany { found: u64, limit: u64 },
    #[error("{what} has {found} bytes; at most {limit} are read")]
    TooLarge { what: String, found: u64, limit: u64 },
    #[error("{what} unpacks from {packed} to {unpacked} bytes; at most {MAX_RATIO} times the packed size is read")]
    Bomb { what: String, unpacked: u64, packed: u64 },
    #[error("{name} has more than {limit} values, which would take far more memory than its bytes")]
    TooManyValues { name: String, limit: usize },
    #[error("the arrays and objects in {name} are nested in more than {limit} levels")]
    TooDeep { name: String, limit: usize },
    #[error("the digest of the member {0:?} is not 64 hexadecimal digits")]
    NoDigest(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_named_for_the_path_of_its_request() {
        let name = |path| member_name("StatenIsland2050", path).map(|name| name.to_string());
        assert_eq!(name("projects/StatenIsland2050/").as_deref(), Some("project.json"));
        assert_eq!(name("projects/StatenIsland2050/systems/1/").as_deref(), Some("systems/1.json"));
        assert_eq!(
            name("projects/StatenIsland2050/members/a%2Fb/diagrams/").as_deref(),
            Some("members/a%2Fb/diagrams.json")
        );
        assert_eq!(
            name("projects/StatenIsland2050/diagrams/7/thumbnail/0b0e/").as_deref(),
            Some("diagrams/7/thumbnail/0b0e.png")
        );
        assert_eq!(name("projects/StatenIsland2051/systems/"), None);
        assert_eq!(name("projects/"), None);
    }

    #[test]
    fn a_path_has_one_name_however_it_is_encoded() {
        let name = |path: &str| member_name("StatenIsland2050", path).map(|name| name.to_string());
        let plain = name("projects/StatenIsland2050/members/amara.okafor/diagrams/");
        assert_eq!(name("projects/StatenIsland2050/members/amara%2Eok%61for/diagrams/"), plain);
    }

    #[test]
    fn a_name_leads_out_of_no_folder() {
        for name in ["", "/a", "a/", "..", "a/../b", "a//b", "./a", "a\\b", "C:a", "a b", "é"] {
            assert_eq!(MemberName::new(name), None, "{name}");
        }
    }
}
