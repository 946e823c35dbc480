//! Which diagrams are meant: selected by a member, in a design, or given by their ids.

use std::collections::HashSet;

use crate::{Project, Result};
use geodesign::model::{DesignId, DiagramId, DiagramKind, SystemId, TeamId, Username};

/// Which of the diagrams that a member selected are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionKind {
    /// All of them, in any system.
    Everywhere,
    /// Those in one system, of one kind or of both kinds.
    InSystem(SystemId, Option<DiagramKind>),
}

/// Which diagrams to price.
#[derive(Debug, Clone, PartialEq)]
pub enum CostSelection {
    /// All diagrams of the project.
    All,
    /// The diagrams that a member selected, in any system.
    Member(Username),
    /// The diagrams in a design of a change team.
    Design(TeamId, DesignId),
    Diagrams(Vec<DiagramId>),
}

/// The ids of the diagrams that are selected; `None` for all.
pub(super) async fn selected_ids(project: &Project, selection: &CostSelection) -> Result<Option<HashSet<i64>>> {
    let ids: Vec<i64> = match selection {
        CostSelection::All => return Ok(None),
        CostSelection::Member(member) => project.selection(member, SelectionKind::Everywhere).await?.diagram_ids(),
        CostSelection::Design(team, design) => {
            project.design_diagram_ids(*team, design.clone()).await?.into_iter().map(|id| id.0).collect()
        }
        CostSelection::Diagrams(ids) => ids.iter().map(|id| id.0).collect(),
    };
    Ok(Some(ids.into_iter().collect()))
}
