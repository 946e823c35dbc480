//! Names of members, from paths of the service and back.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The name of a member: segments of letters, digits, `-`, `.`, `_`, `~` and `%`, none of which is `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemberName(String);

impl MemberName {
    /// `None` for a text that could lead out of a folder, or that no path of the service becomes.
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

const PROJECT: &str = "project.json";

/// What ids in paths are encoded by.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The member with the answer to a request for this path, which is below the API root and percent-encoded. `None` if the path
/// is not one of the project.
pub fn member_name(project: &str, path: &str) -> Option<MemberName> {
    // Programs encode more or fewer letters than needed.
    let encoded = |segment| utf8_percent_encode(&percent_decode_str(segment).decode_utf8_lossy(), RESERVED).to_string();
    let path = path.split('/').map(encoded).collect::<Vec<_>>().join("/");
    let path = path.strip_prefix("projects/")?.strip_prefix(project)?.strip_prefix('/')?.trim_end_matches('/');
    match path {
        "" => MemberName::new(PROJECT),
        // No other answer is a picture.
        _ if path.contains("/thumbnail/") => MemberName::new(&format!("{path}.png")),
        _ => MemberName::new(&format!("{path}.json")),
    }
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
