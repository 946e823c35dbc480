//! Information about a service, and short responses.

use serde::{Deserialize, Serialize};

use super::bounds::{Bounds, Center, bounds_or_none, center_or_none};
use super::design::NegotiationSession;
use super::diagram::DiagramGroup;
use super::fields::JsonObject;
use super::ids::{DiagramId, Username};
use super::project::{Member, NewTag, Stakeholder};
use crate::json::{null_is_empty, objects};

/// A limit on something that the service accepts or does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Limit {
    /// The name by which an operator changes the limit.
    pub name: String,
    pub value: u64,
    /// Unit of `value`, such as `bytes`, `characters` or `seconds`.
    pub unit: String,
    /// The thing that is limited.
    pub description: String,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A workshop as the operator of a service sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedWorkshop {
    pub name: String,
    /// The API root, below the address of the service.
    pub root: String,
    /// The bytes of the database and its log.
    pub bytes: u64,
    /// Time of the last write, in UTC.
    pub changed: Option<String>,
    /// True if its database is open.
    pub is_open: bool,
    /// The reason why its database could not be opened at the last attempt.
    pub problem: Option<String>,
}

/// Location of an archived workshop's database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivedWorkshop {
    /// Path below the folder of the service.
    pub file: String,
}

macro_rules! wrappers {
    ($($(#[$doc:meta])* $name:ident { $(#[$attribute:meta])* $field:ident: $content:ty })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        pub struct $name {
            $(#[$attribute])*
            pub $field: $content,
        }
    )*};
}

wrappers! {
    Members { #[serde(deserialize_with = "null_is_empty")] members: Vec<Member> }
    Stakeholders { #[serde(deserialize_with = "null_is_empty")] stakeholders: Vec<Stakeholder> }
    // `None` if a service knows none; ours always does.
    ProjectBounds {
        #[serde(deserialize_with = "bounds_or_none")]
        #[cfg_attr(feature = "openapi", schema(value_type = Bounds))]
        bounds: Option<Bounds>
    }
    // The same for the centre.
    ProjectCenter {
        #[serde(deserialize_with = "center_or_none")]
        #[cfg_attr(feature = "openapi", schema(value_type = Center))]
        center: Option<Center>
    }
    DiagramIds { #[serde(deserialize_with = "null_is_empty")] diagrams: Vec<DiagramId> }
    TeamMembers { #[serde(deserialize_with = "null_is_empty")] members: Vec<Username> }
    NewTags { #[serde(deserialize_with = "objects")] tags: Vec<NewTag> }
    DiagramGroups { #[serde(deserialize_with = "objects")] diagram_groups: Vec<DiagramGroup> }
    NoteText { notes: String }
    /// The response to most requests that write.
    Message { message: String }
    /// The response to requests that write diagrams and tags.
    Status { status: String }
    NegotiationLogs { #[serde(deserialize_with = "null_is_empty")] all_negotiations: Vec<NegotiationSession> }
}
