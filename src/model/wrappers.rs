//! JSON objects with a single field, around lists and other values.

use serde::{Deserialize, Serialize};

use super::bounds::{Bounds, Center};
use super::diagram::DiagramGroup;
use super::ids::{DiagramId, Username};
use super::negotiation::NegotiationSession;
use super::project::{Member, Stakeholder};
use super::tag::NewTag;
use crate::json::objects;

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
    Members { members: Vec<Member> }
    Stakeholders { stakeholders: Vec<Stakeholder> }
    ProjectBounds { bounds: Bounds }
    ProjectCenter { center: Center }
    DiagramIds { diagrams: Vec<DiagramId> }
    TeamMembers { members: Vec<Username> }
    NewTags { #[serde(deserialize_with = "objects")] tags: Vec<NewTag> }
    DiagramGroups { #[serde(deserialize_with = "objects")] diagram_groups: Vec<DiagramGroup> }
    NoteText { notes: String }
    /// The answer to most requests that write.
    Message { message: String }
    /// The answer to requests that write diagrams and tags.
    Status { status: String }
    NegotiationLogs { all_negotiations: Vec<NegotiationSession> }
}
