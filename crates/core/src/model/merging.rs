//! Work that was done in a copy of a project and is merged back: the state that the copy began with, and the result of merging it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Kind of thing that people work on in a project. Things refer only to things of earlier kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum WorkKind {
    Project,
    System,
    Team,
    Tag,
    Diagram,
    /// The diagrams that a member selected; its id is the username.
    Selection,
    /// A group of diagrams; its id is its name.
    Group,
    Design,
    /// The first comment of a thread.
    Comment,
    Reply,
    /// Boundaries, constraints, the context, or the evaluation map of a system.
    Map,
}

impl WorkKind {
    pub const ALL: [WorkKind; 11] = [
        WorkKind::Project,
        WorkKind::System,
        WorkKind::Team,
        WorkKind::Tag,
        WorkKind::Diagram,
        WorkKind::Selection,
        WorkKind::Group,
        WorkKind::Design,
        WorkKind::Comment,
        WorkKind::Reply,
        WorkKind::Map,
    ];

    pub fn name(self) -> &'static str {
        match self {
            WorkKind::Project => "project",
            WorkKind::System => "system",
            WorkKind::Team => "team",
            WorkKind::Tag => "tag",
            WorkKind::Diagram => "diagram",
            WorkKind::Selection => "selection",
            WorkKind::Group => "group",
            WorkKind::Design => "design",
            WorkKind::Comment => "comment",
            WorkKind::Reply => "reply",
            WorkKind::Map => "map",
        }
    }

    /// True if its ids are numbers.
    pub fn is_numbered(self) -> bool {
        matches!(self, WorkKind::System | WorkKind::Team | WorkKind::Diagram)
    }
}

/// The values that people gave a thing, by field name. Long texts and maps are digests.
pub type WorkFields = BTreeMap<String, Value>;
/// The field of a diagram that holds the vote of a member: the vote and its comment.
pub fn vote_field(username: &str) -> String {
    format!("{VOTE_OF}{username}")
}

/// Returns the member whose vote a diagram's field holds; `None` for another field.
pub fn voter(field: &str) -> Option<&str> {
    field.strip_prefix(VOTE_OF)
}

const VOTE_OF: &str = "vote of ";

/// The things of a project by kind and id.
pub type Work = BTreeMap<WorkKind, BTreeMap<String, WorkFields>>;

/// A project as it was in a service when it was archived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WorkState {
    /// The id of the service; null if it has none.
    pub service: Option<String>,
    /// The change id of the project there.
    pub changeid: Option<String>,
    /// Time at which the archive was finished: ISO 8601, UTC.
    pub created_at: String,
    /// The fields of each thing, by kind and id.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub work: Work,
}

/// The states that a project began with: one for each archive that it was loaded from, oldest first. Empty for a project that was created
/// here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProjectOrigins {
    pub origins: Vec<WorkState>,
}

/// An archive of a copy that was merged completely: nothing in it, or in an older one of that copy, is missing here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MergedArchive {
    /// The id of the service that the archive was read from.
    pub service: String,
    /// Time at which the archive was finished: ISO 8601, UTC.
    pub created_at: String,
}

/// The side that counts if both changed the same thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preference {
    Here,
    Archive,
}

impl Preference {
    pub const ALL: [Preference; 2] = [Preference::Here, Preference::Archive];

    pub fn name(self) -> &'static str {
        match self {
            Preference::Here => "here",
            Preference::Archive => "archive",
        }
    }
}

/// Options for merging an archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams))]
pub struct MergeOptions {
    /// True to report what would be done, and change nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// `here` or `archive`: the side that counts if both changed the same thing. Without it, such things stay as they are and are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", param(value_type = Option<String>, pattern = "^(here|archive)$"))]
    pub prefer: Option<Preference>,
}

/// Result of merging an archive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MergeReport {
    pub added: Vec<MergedThing>,
    pub changed: Vec<MergedThing>,
    pub removed: Vec<MergedThing>,
    /// Things that both sides changed in different ways.
    pub conflicts: Vec<MergeConflict>,
    /// Things in the archive that merging does not bring.
    pub left: Vec<LeftThing>,
    /// True if everything in the archive is here, or was decided by `prefer`. Then the archive can be brought up to date.
    pub complete: bool,
    /// True if this was a dry run: nothing was changed.
    pub dry_run: bool,
    /// Time at which a later archive of the same copy was finished, if one has been merged: nothing in this one is new.
    pub superseded_by: Option<String>,
}

/// Something that merging added, changed or removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MergedThing {
    pub kind: WorkKind,
    /// Its id in the archive: a number or text.
    pub id: Value,
    /// Its id here, which differs if both sides had given the same id; null before it is added.
    pub here: Option<Value>,
    pub title: String,
    /// The names of the fields that were changed.
    pub fields: Vec<String>,
}

/// Something that both sides changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MergeConflict {
    pub kind: WorkKind,
    pub id: Value,
    pub here: Option<Value>,
    pub title: String,
    /// Conflicting values by field name. The name `removed` stands for the whole thing if one side removed it.
    pub fields: BTreeMap<String, ConflictingValues>,
    /// The side that counted; null if it was left as it is.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub preferred: Option<Preference>,
}

/// A field's value before both sides changed it, and the values that they gave it. Long texts and maps are digests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ConflictingValues {
    pub before: Value,
    pub here: Value,
    pub archive: Value,
}

/// Something in an archive that merging does not bring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeftThing {
    pub kind: WorkKind,
    pub id: Value,
    pub title: String,
    pub reason: String,
}
