//! The costs of the diagrams that a project has now: of all of them, or of some that a member, a team or the caller selected.

use std::collections::HashSet;

use crate::blocking;
use crate::client::{Project, Result, SelectionKind};
use crate::costs::CostReport;
use crate::model::{DesignId, DiagramId, TeamId, Username};

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

impl Project {
    /// The costs of diagrams, per system. Reads systems, diagrams and the ids of the selection at the same time.
    /// [`CostReport::check`] looks for geometries that are not valid.
    pub async fn costs(&self, selection: CostSelection) -> Result<CostReport> {
        let (systems, diagrams, selected) =
            tokio::try_join!(self.system_details(), self.measured_diagrams(), selected_ids(self, selection))?;
        let report = move || CostReport::new(&systems, &diagrams, selected.as_ref());
        Ok(blocking::run(report).await??)
    }
}

async fn selected_ids(project: &Project, selection: CostSelection) -> Result<Option<HashSet<i64>>> {
    let ids: Vec<i64> = match selection {
        CostSelection::All => return Ok(None),
        CostSelection::Member(member) => project.selection(&member, SelectionKind::Everywhere).await?.diagram_ids(),
        CostSelection::Design(team, design) => {
            project.design_diagram_ids(team, &design).await?.into_iter().map(|id| id.0).collect()
        }
        CostSelection::Diagrams(ids) => ids.into_iter().map(|id| id.0).collect(),
    };
    Ok(Some(ids.into_iter().collect()))
}
