//! Selections of diagrams: a member's selection, a design, or given ids.

use std::collections::HashSet;

use crate::{Project, Result};
use geodesign::model::{DesignId, DiagramId, DiagramKind, SystemId, TeamId, Username};

/// Part of a member's selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelectionKind {
    /// All selected diagrams, in any system.
    Everywhere,
    /// Selected diagrams in one system, of one kind or of both kinds.
    InSystem(SystemId, Option<DiagramKind>),
}

/// The diagrams to price.
#[derive(Debug, Clone, PartialEq)]
pub enum CostSelection {
    /// All diagrams of the project.
    All,
    /// A member's selected diagrams, in any system.
    Member(Username),
    /// The diagrams in a change team's design.
    Design(TeamId, DesignId),
    Diagrams(Vec<DiagramId>),
}

/// Returns the ids of the selected diagrams; `None` for all.
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
