//! Objects on the wire that hold a single thing under a name.

use serde::{Deserialize, Serialize};

use super::{DiagramGroup, DiagramId, Member, NegotiationSession, NewTag, Stakeholder, Username};

macro_rules! envelopes {
    ($($(#[$doc:meta])* $name:ident { $field:ident: $content:ty })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
        pub struct $name {
            pub $field: $content,
        }
    )*};
}

envelopes! {
    Members { members: Vec<Member> }
    Stakeholders { stakeholders: Vec<Stakeholder> }
    ProjectBounds { bounds: super::Bounds }
    ProjectCenter { center: super::Center }
    DiagramIds { diagrams: Vec<DiagramId> }
    TeamMembers { members: Vec<Username> }
    NewTags { tags: Vec<NewTag> }
    DiagramGroups { diagram_groups: Vec<DiagramGroup> }
    NoteText { notes: String }
    /// What a write says of itself.
    Message { message: String }
    /// What a write of diagrams and tags says of itself.
    Status { status: String }
    NegotiationLogs { all_negotiations: Vec<NegotiationSession> }
}
