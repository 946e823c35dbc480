//! The costs of the diagrams that a project has now: of all of them, or of some that a member, a team or the caller selected.

use std::collections::HashSet;

use super::external::{FileReader, check_limits};
use crate::blocking;
use crate::client::{Project, Result, SelectionKind};
use crate::costs::{CostReport, OpenedFiles};
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

/// What takes longer than pricing the geometries that the service holds. By default, nothing of it is done.
#[derive(Debug, Clone, Copy, Default)]
pub struct CostOptions {
    /// Whether to look for geometries that are not valid, see [`CostReport::check`].
    pub check: bool,
    /// Downloads the files of external diagrams, and prices these by what the files hold.
    pub external: Option<FileReader>,
}

impl Project {
    /// The costs of diagrams, per system. Reads systems, diagrams and the ids of the selection at the same time.
    pub async fn costs(&self, selection: CostSelection, options: CostOptions) -> Result<CostReport> {
        let CostOptions { check, external } = options;
        external.map_or(Ok(()), |reader| check_limits(reader.limits))?;
        let (systems, diagrams, selected) =
            tokio::try_join!(self.system_details(), self.measured_diagrams(), selected_ids(self, selection))?;
        let files = match external {
            Some(reader) => self.open_files(&diagrams, selected.as_ref(), reader, check).await?,
            None => OpenedFiles::new(),
        };
        let report = move || {
            let report = CostReport::with_files(&systems, &diagrams, selected.as_ref(), &files)?;
            Ok(if check { report.check() } else { report })
        };
        blocking::run(report).await?
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
