//! The costs of the diagrams that a project has now: of all of them, or of some that a member, a team or the caller selected.

use std::collections::HashSet;

use super::external::{FileReader, check_limits};
use crate::blocking;
use crate::client::{Project, Result, SelectionKind};
use crate::costs::{CostReport, OpenedFiles, ReportSubject};
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
    /// The costs of diagrams, per system. Reads systems, diagrams, the ids of the selection and the names for the title at the
    /// same time.
    pub async fn costs(&self, selection: CostSelection, options: CostOptions) -> Result<CostReport> {
        let CostOptions { check, external } = options;
        external.map_or(Ok(()), |reader| check_limits(reader.limits))?;
        let (systems, diagrams, selected, subject) =
            tokio::try_join!(self.system_details(), self.measured_diagrams(), selected_ids(self, &selection), async {
                Ok(subject(self, &selection).await)
            },)?;
        let files = match external {
            Some(reader) => self.open_files(&diagrams, selected.as_ref(), reader, check).await?,
            None => OpenedFiles::new(),
        };
        let report = move || {
            let report = CostReport::with_files(&systems, &diagrams, selected.as_ref(), &files)?;
            Ok(if check { report.check() } else { report }.with_subject(subject))
        };
        blocking::run(report).await?
    }
}

async fn selected_ids(project: &Project, selection: &CostSelection) -> Result<Option<HashSet<i64>>> {
    let ids: Vec<i64> = match selection {
        CostSelection::All => return Ok(None),
        CostSelection::Member(member) => project.selection(member, SelectionKind::Everywhere).await?.diagram_ids(),
        CostSelection::Design(team, design) => {
            project.design_diagram_ids(*team, design).await?.into_iter().map(|id| id.0).collect()
        }
        CostSelection::Diagrams(ids) => ids.iter().map(|id| id.0).collect(),
    };
    Ok(Some(ids.into_iter().collect()))
}

/// The names for the title. A name that cannot be read is no reason to refuse the report: its id stands for it.
async fn subject(project: &Project, selection: &CostSelection) -> ReportSubject {
    let title = async { known(project.info().await.ok()?.projecttitle) };
    let (project, selection) = tokio::join!(title, name_of(project, selection));
    ReportSubject { project, selection }
}

async fn name_of(project: &Project, selection: &CostSelection) -> Option<String> {
    match selection {
        CostSelection::All => None,
        CostSelection::Member(member) => Some(format!("Selection of {member}")),
        CostSelection::Design(team, design) => {
            let (teams, designs) = tokio::join!(project.teams(), project.designs(*team));
            let title = teams.ok().and_then(|teams| teams.into_iter().find(|item| item.id == *team)?.title);
            let designs = designs.unwrap_or_default();
            let description = designs.into_iter().find(|item| item.details.id == *design);
            let description = description.and_then(|design| known(design.details.description));
            let team = known(title).unwrap_or_else(|| format!("Team {team}"));
            Some(format!("{team}, {}", description.unwrap_or_else(|| format!("design {design}"))))
        }
        CostSelection::Diagrams(ids) if ids.len() == 1 => Some("1 chosen diagram".to_owned()),
        CostSelection::Diagrams(ids) => Some(format!("{} chosen diagrams", ids.len())),
    }
}

/// A name, if it is more than spaces.
fn known(name: Option<String>) -> Option<String> {
    name.filter(|name| !name.trim().is_empty())
}
