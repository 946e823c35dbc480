//! The diagrams that members selected.

use crate::client::{Project, Result};
use crate::features::FeatureCollection;
use crate::model::operations::{OfMember, SELECTED_POLICIES, SELECTED_PROJECTS, SELECTION, SELECTION_IN_SYSTEM};
use crate::model::{DiagramKind, SystemId, Username};

/// Which of the diagrams that a member selected are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionKind {
    /// All of them, in any system.
    Everywhere,
    /// Those in one system, of one kind or of both kinds.
    InSystem(SystemId, Option<DiagramKind>),
}

impl Project {
    /// The features of the diagrams that a member selected, in all systems or in one of them.
    pub async fn selection(&self, member: &Username, kind: SelectionKind) -> Result<FeatureCollection> {
        let in_system = |system| self.of_member_in_system(member, system);
        let endpoint = match kind {
            SelectionKind::Everywhere => {
                SELECTION.at(OfMember { projectid: self.id().clone(), username: member.as_str().to_owned() })
            }
            SelectionKind::InSystem(system, None) => SELECTION_IN_SYSTEM.at(in_system(system)),
            SelectionKind::InSystem(system, Some(DiagramKind::Project)) => SELECTED_PROJECTS.at(in_system(system)),
            SelectionKind::InSystem(system, Some(DiagramKind::Policy)) => SELECTED_POLICIES.at(in_system(system)),
        };
        self.features(endpoint).await
    }
}
