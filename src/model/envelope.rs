//! Objects on the wire that hold a single thing under a name.

use serde::{Deserialize, Serialize};

use super::design::Timeline;
use super::{DiagramId, Member, NegotiationSession, Stakeholder, Username};

macro_rules! envelopes {
    ($($(#[$doc:meta])* $name:ident { $field:ident: $content:ty })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    DesignTimeline { timeline: Timeline }
    NegotiationLogs { all_negotiations: Vec<NegotiationSession> }
}
