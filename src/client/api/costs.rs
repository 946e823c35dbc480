//! Costs of what a project has now: all of it, or what a member, a team or the caller selected.

use std::collections::HashSet;

use crate::blocking;
use crate::client::{Project, Result, SelectionKind};
use crate::costs::CostReport;
use crate::model::{DesignId, DiagramId, TeamId, Username};

/// Which diagrams to price.
#[derive(Debug, Clone, PartialEq)]
pub enum CostSelection {
    All,
    /// What a member selected, in any system.
    Member(Username),
    Design(TeamId, DesignId),
    Diagrams(Vec<DiagramId>),
}

impl Project {
    /// Prices diagrams: reads systems, diagrams and the ids of the selection at the same time.
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
