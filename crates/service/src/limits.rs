//! The limits of a service for one request, one user and one project. The operator can change each limit by its name.

use std::fmt;

use memchr::memchr_iter;

use geodesign::model::{JsonObject, Limit};

/// `name: default, "unit", "description";` for every limit.
macro_rules! limits {
    ($($name:ident: $default:expr, $unit:literal, $description:literal;)*) => {
        /// Limits of a service. The default values allow a project of 2,000 diagrams with 500,000 vertices.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits {
            $(
                #[doc = concat!($description, " In ", $unit, ".")]
                pub $name: u64,
            )*
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($name: $default,)* }
            }
        }

        /// The limits with their names, for checks that name the limit in their error.
        impl Limits {
            $(
                #[doc = concat!($description, " With its name.")]
                pub fn $name(&self) -> NamedLimit {
                    NamedLimit { name: stringify!($name), unit: $unit, value: self.$name }
                }
            )*
        }

        impl Limits {
            /// Changes the limit of that name. A limit is at least 1.
            pub fn set(&mut self, name: &str, value: u64) -> Result<(), InvalidLimit> {
                let limit = match name {
                    $(stringify!($name) => &mut self.$name,)*
                    _ => return Err(InvalidLimit::Unknown(name.to_owned())),
                };
                if value == 0 {
                    return Err(InvalidLimit::Zero(name.to_owned()));
                }
                *limit = value;
                Ok(())
            }

            /// Returns every limit with its description.
            pub fn all(&self) -> Vec<Limit> {
                vec![$(Limit {
                    name: stringify!($name).into(),
                    value: self.$name,
                    unit: $unit.into(),
                    description: $description.into(),
                    extra: JsonObject::default(),
                },)*]
            }
        }

        const NAMES: &[&str] = &[$(stringify!($name),)*];
    };
}

limits! {
    // Fewer than the 1024 files that many systems let a process open, so that the database can open its own.
    connections: 800, "connections", "Connections that are open at the same time.";
    // A class that shares one address may have all of these.
    connections_per_address: 400, "connections", "Connections that an address keeps once the service has reached its limit of connections.";
    connections_per_user: 100, "connections", "Connections that a user, or an address without a valid token, keeps once the service has reached its limit of connections.";
    request_head_seconds: 75, "seconds", "Time without a complete request head, after which a connection is closed.";
    request_body_seconds: 120, "seconds", "Time in which a body must arrive.";
    request_body_stall_seconds: 10, "seconds", "Time without a byte of a body, after which its request is refused.";
    memory_bytes: 512 * 1024 * 1024, "bytes", "Bodies of requests that are being answered, large responses that were not sent yet, and cached responses.";
    memory_bytes_per_user: 256 * 1024 * 1024, "bytes", "Bodies of a user's requests that are being answered, and large responses to the user that were not sent yet.";
    response_stall_seconds: 30, "seconds", "Time without reading a response. Less while memory is short, but at least a second.";
    // Fewer than the threads for them, so that one is left for writes. Several users may use their complete share at the same time.
    heavy_requests: 12, "requests", "Requests that read or compute much at the same time.";
    heavy_requests_per_user: 3, "requests", "Requests of a user that read or compute much at the same time. One for a large project counts several times.";
    // A program may ask for the pictures of a project one by one, many at a time.
    requests_per_user: 200, "requests", "Requests of a user that wait for others, and as many streams of changes.";

    // A service of many workshops. Each open database has about ten files, and less than 2 MB.
    open_workshops: 200, "workshops", "Workshops whose databases are open at the same time. Only a service of a folder of workshops has more than one.";
    workshop_idle_seconds: 60, "seconds", "Time without a request, after which the database of one of many workshops is closed.";

    // Loading a map takes about twenty tiles of about ten KB each.
    basemap_bytes: 32 * 1024 * 1024, "bytes", "Tiles of the basemap that were not sent yet.";

    // Texts. A diagram's texts are in every member's responses.
    title_characters: 500, "characters", "The title of a project or a diagram.";
    name_characters: 500, "characters", "The name or the code of a system, a tag, a stakeholder, a group or a layer.";
    description_characters: 20_000, "characters", "The description of a project or a system.";
    note_characters: 100_000, "characters", "The notes of a diagram.";
    url_characters: 4_000, "characters", "An address of a layer or of an external diagram.";

    // JSON with any fields.
    metadata_bytes: 262_144, "bytes", "The metadata of a diagram or a layer, or the properties of a feature of a map.";
    metadata_values: 10_000, "values", "Values in such metadata, at all levels.";
    metadata_levels: 32, "levels", "Depth of nested arrays and objects in such metadata.";

    // Requests.
    text_body_bytes: 8_388_608, "bytes", "The body of a request that sends no geometries.";
    archive_bytes: 67_108_864, "bytes", "An archive to merge. Unpacked, it may have eight times as many.";
    list_items: 10_000, "items", "A list in the body of a request.";
    diagram_features: 50_000, "features", "The features of a diagram or a map.";
    diagram_vertices: 1_000_000, "vertices", "The vertices of a diagram or a map.";
    statement_seconds: 20, "seconds", "One query or change in the database, or other work for a request; and its wait for a turn.";
    write_seconds: 5, "seconds", "All changes of one request in the database. Other writes wait for them.";

    preview_vertices: 500_000, "vertices", "The vertices that a preview compares: of the drawing, the study area, the evaluation map, the constraints and the projects; those of costs of land inside the study area; and those of a question about land, in which a diagram counts as often as it is named.";

    // Files and reports, by Python programs that the service runs.
    map_file_bytes: 33_554_432, "bytes", "A file with a map, or maps to weigh, that the pages send.";
    process_seconds: 300, "seconds", "One file that is read, one map that is weighed, or one report. Others of the same user wait for it.";

    // A room behind one address joins within a minute; guessing codes does not get far.
    walk_ins_per_second: 5, "walk-ins per second", "Wrong joining codes and all codes of cards from an address; each wrong one is answered late.";
    project_walk_ins: 200, "people", "People who come with one joining code of a project: admitted, or waiting.";
    project_links: 100, "links", "The valid guest links of a project.";

    // Totals of a project or a user.
    project_diagrams: 50_000, "diagrams", "The diagrams of a project.";
    project_tags: 10_000, "tags", "The tags of a project.";
    project_stakeholders: 10_000, "stakeholders", "The stakeholders of a project.";
    project_layers: 1_000, "layers", "The external data layers of a project.";
    project_grouped_diagrams: 100_000, "diagrams", "The diagrams in all groups of a project.";
    project_teams: 1_000, "teams", "The change teams of a project.";
    project_designs: 10_000, "designs", "The designs of all teams of a project.";
    project_negotiations: 1_000, "sessions", "The negotiations of a project.";
    negotiation_moves: 10_000, "decisions", "The decisions of a negotiation.";
    project_comments: 10_000, "comments", "The comments on diagrams, designs and places of a project.";
    comment_characters: 2_000, "characters", "A comment; the comment of a vote or of a decision in a negotiation, and the message of a closed activity.";
    project_bytes: 134_217_728, "bytes", "The diagrams and maps of a project.";
    project_origin_bytes: 536_870_912, "bytes", "Pictures, and fields unknown to this service, that a project loaded from an archive keeps.";
    user_bytes: 1_073_741_824, "bytes", "The diagrams that a user has added, in all projects.";
    user_projects: 1_000, "projects", "The projects that a user administers.";
    idempotency_keys: 10_000, "answers", "Kept answers to a user's requests with an Idempotency-Key, in each project.";

    history_entries: 10_000, "entries", "Changes that the history of a project keeps.";
    history_days: 365, "days", "Time for which the history of a project keeps a change.";
    history_bytes: 100_000_000, "bytes", "Bytes of the history of a project, with what its changes replaced.";

    // Watching.
    project_changes: 10_000, "changes", "Changes of a project that a watcher can still receive after being away.";
    watcher_changes: 1_000, "changes", "Changes that wait for a watcher of a project to read them, before the watcher is dropped.";
    heartbeat_seconds: 15, "seconds", "Time without anything to send, after which a watcher is sent a comment.";
}

impl Limits {
    /// Returns the default limits of a service of many workshops: as many connections and as much work as several services together.
    pub fn of_many_workshops() -> Self {
        Limits { connections: 4_000, connections_per_address: 2_000, heavy_requests: 32, ..Limits::default() }
    }
}

/// Counts the arrays in a JSON text that begin with a number, as positions do.
pub fn positions(text: &[u8]) -> usize {
    let begins_with_number = |&bracket: &usize| {
        let mut after = text[bracket + 1..].iter().skip_while(|byte| byte.is_ascii_whitespace());
        after.next().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-')
    };
    memchr_iter(b'[', text).filter(begins_with_number).count()
}

/// Reasons why a limit cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidLimit {
    #[error("there is no limit {0:?}; the limits are {names}", names = NAMES.join(", "))]
    Unknown(String),
    #[error("the limit {0} must be at least 1")]
    Zero(String),
    #[error("{0:?} is not NAME=VALUE with a whole number as value, such as connections=400")]
    NotAnAssignment(String),
}

/// A limit and its new value, from `NAME=VALUE`.
#[derive(Debug, Clone)]
pub struct LimitChange {
    pub name: String,
    pub value: u64,
}

impl std::str::FromStr for LimitChange {
    type Err = InvalidLimit;

    fn from_str(text: &str) -> Result<Self, InvalidLimit> {
        let invalid = || InvalidLimit::NotAnAssignment(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(invalid)?;
        let change = LimitChange { name: name.trim().to_owned(), value: value.trim().parse().map_err(|_| invalid())? };
        Limits::default().set(&change.name, change.value)?;
        Ok(change)
    }
}

/// A limit with its name, by which an operator can change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedLimit {
    pub name: &'static str,
    /// The unit of `value`, such as `bytes`.
    pub unit: &'static str,
    pub value: u64,
}

/// Error for something that exceeds a limit of the service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitExceeded {
    /// A part of a request, such as the field `title`.
    #[error("{part} has {} {}; the limit {} is {}", Grouped(*found), limit.unit, limit.name, Grouped(limit.value))]
    Part { part: String, found: u64, limit: NamedLimit },
    /// The total of a project or a user, with what the request would add.
    #[error(
        "{owner} has {} {} and this adds {}; the limit {} is {}, which leaves {}",
        Grouped(*used), limit.unit, Grouped(*added), limit.name, Grouped(limit.value),
        Grouped(limit.value.saturating_sub(*used))
    )]
    Total { owner: &'static str, used: u64, added: u64, limit: NamedLimit },
}

impl NamedLimit {
    /// Checks a part of a request, which has `found` units.
    pub fn check(self, part: &str, found: usize) -> Result<(), LimitExceeded> {
        match found as u64 {
            found if found > self.value => Err(LimitExceeded::Part { part: part.to_owned(), found, limit: self }),
            _ => Ok(()),
        }
    }

    /// Checks the number of characters of a text.
    pub fn check_text(self, part: &str, text: &str) -> Result<(), LimitExceeded> {
        // A text has at most as many characters as bytes, so that short ones are not counted.
        if text.len() as u64 <= self.value { Ok(()) } else { self.check(part, text.chars().count()) }
    }

    /// Checks the total of a project or a user after a request that adds something. A request that adds nothing is always accepted, so
    /// that content can be removed.
    pub fn check_total(self, owner: &'static str, used: u64, added: u64) -> Result<(), LimitExceeded> {
        if added == 0 || used.saturating_add(added) <= self.value {
            return Ok(());
        }
        Err(LimitExceeded::Total { owner, used, added, limit: self })
    }
}

impl LimitExceeded {
    /// Adds the place of the part in the body, such as `tags[3]`, to the error.
    pub fn within(self, place: &str) -> Self {
        match self {
            LimitExceeded::Part { part, found, limit } => {
                LimitExceeded::Part { part: format!("{place}.{part}"), found, limit }
            }
            total => total,
        }
    }

    /// Returns the limit that was exceeded.
    pub fn limit(&self) -> NamedLimit {
        match self {
            LimitExceeded::Part { limit, .. } | LimitExceeded::Total { limit, .. } => *limit,
        }
    }
}

/// A number with commas between thousands, such as `70,000`.
struct Grouped(u64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let digits = self.0.to_string();
        for (at, digit) in digits.char_indices() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_changed_by_its_name() {
        let mut limits = Limits::default();
        limits.set("connections", 5).unwrap();
        assert_eq!(limits.connections, 5);
        assert_eq!(limits.all()[0].value, 5);
    }

    #[test]
    fn an_unknown_limit_is_refused_with_the_names_of_all() {
        let error = "conections=5".parse::<LimitChange>().unwrap_err().to_string();
        assert!(error.contains("connections"), "{error}");
    }

    #[test]
    fn zero_and_other_text_are_refused() {
        for text in ["connections=0", "connections", "connections=-1", "connections=many"] {
            assert!(text.parse::<LimitChange>().is_err(), "{text}");
        }
    }

    const TITLE: NamedLimit = NamedLimit { name: "title_characters", unit: "characters", value: 500 };

    #[test]
    fn an_error_names_the_part_the_limit_and_its_value() {
        let error = TITLE.check_text("title", &"é".repeat(70_000)).unwrap_err();
        assert_eq!(error.to_string(), "title has 70,000 characters; the limit title_characters is 500");
        assert!(error.within("systems[2]").to_string().starts_with("systems[2].title has"));
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert!(TITLE.check_text("title", &"é".repeat(500)).is_ok());
        assert!(TITLE.check_text("title", &"e".repeat(501)).is_err());
    }

    #[test]
    fn an_error_about_a_total_says_how_much_is_left() {
        let bytes = NamedLimit { name: "project_bytes", unit: "bytes", value: 10_000 };
        let error = bytes.check_total("the project", 9_000, 1_001).unwrap_err();
        let message =
            "the project has 9,000 bytes and this adds 1,001; the limit project_bytes is 10,000, which leaves 1,000";
        assert_eq!(error.to_string(), message);
        assert!(bytes.check_total("the project", 9_000, 1_000).is_ok());
        assert!(bytes.check_total("the project", 20_000, 0).is_ok());
    }
}
