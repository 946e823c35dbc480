//! The options that select diagrams: those of a design, or those of a member.

use clap::Args;

use super::error::{CommandError, Result};
use crate::client::{CostSelection, Error, Project, shown};
use crate::model::{ChangeTeam, Design, Username};

/// Which diagrams of a project a command is about: all, unless an option selects some.
#[derive(Args, Clone)]
pub struct Selection {
    /// The diagrams of a change team's design, by the team's id or title. Without --design: of its latest design.
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
    /// The diagrams of this design, by its id or description.
    #[arg(long, value_name = "DESIGN")]
    design: Option<String>,
    /// The diagrams that this member selected.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["team", "design"])]
    member: Option<Username>,
}

impl Selection {
    pub async fn find(&self, project: &Project) -> Result<CostSelection> {
        match (&self.member, &self.team, &self.design) {
            (Some(member), ..) => Ok(CostSelection::Member(member.clone())),
            (None, None, None) => Ok(CostSelection::All),
            (None, team, design) => {
                let designs = designs_of(project, team.as_deref()).await?;
                let (team, design) = choose_design(&designs, design.as_deref())?;
                Ok(CostSelection::Design(team.id, design.details.id.clone()))
            }
        }
    }
}

/// The designs of a team, or of all teams, each with its team.
pub async fn designs_of(project: &Project, team: Option<&str>) -> Result<Vec<(ChangeTeam, Design)>> {
    let mut designs = Vec::new();
    for team in teams_named(project.teams().await?, team)? {
        match project.designs(team.id).await {
            Ok(of_team) => designs.extend(of_team.into_iter().map(|design| (team.clone(), design))),
            // Some services respond with it for a team without designs.
            Err(Error::Api { status: 404, .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(designs)
}

fn teams_named(teams: Vec<ChangeTeam>, name: Option<&str>) -> Result<Vec<ChangeTeam>> {
    let Some(name) = name else { return Ok(teams) };
    let is_named = |team: &&ChangeTeam| name.parse() == Ok(team.id.0) || is_same(team.title.as_deref(), name);
    match &teams.iter().filter(is_named).cloned().collect::<Vec<_>>()[..] {
        [only] => Ok(vec![only.clone()]),
        [] => {
            Err(CommandError::NotFound(format!("there is no change team {name:?}; the teams are {}", listed(&teams))))
        }
        several => Err(CommandError::Input(format!(
            "several change teams are called {name:?}; give the id of one: {}",
            listed(several)
        ))),
    }
}

/// The design of that name, or without one the latest.
pub fn choose_design<'d>(designs: &'d [(ChangeTeam, Design)], name: Option<&str>) -> Result<&'d (ChangeTeam, Design)> {
    let Some(name) = name else {
        let date = |(_, design): &&(ChangeTeam, Design)| design.details.creationdate.as_ref().map(ToString::to_string);
        return designs
            .iter()
            .max_by_key(date)
            .ok_or_else(|| CommandError::NotFound("the change team has no design".into()));
    };
    let is_named = |(_, design): &&(ChangeTeam, Design)| {
        design.details.id.as_str() == name || is_same(design.details.description.as_deref(), name)
    };
    let found: Vec<_> = designs.iter().filter(is_named).collect();
    let listed = |designs: &[&(ChangeTeam, Design)]| {
        let design = |(team, design): &&(ChangeTeam, Design)| {
            let [title, description] = [&team.title, &design.details.description];
            let [title, description] = [title, description].map(|text| shown(text.as_deref().unwrap_or_default()));
            format!("{} ({title}: {description})", design.details.id)
        };
        designs.iter().map(design).collect::<Vec<_>>().join(", ")
    };
    match &found[..] {
        [only] => Ok(only),
        [] => Err(CommandError::NotFound(format!(
            "there is no design {name:?}; the designs are {}",
            listed(&designs.iter().collect::<Vec<_>>())
        ))),
        several => Err(CommandError::Input(format!(
            "several designs are called {name:?}; give --team or the id of one: {}",
            listed(several)
        ))),
    }
}

fn is_same(name: Option<&str>, given: &str) -> bool {
    name.is_some_and(|name| name.trim().to_lowercase() == given.trim().to_lowercase())
}

fn listed(teams: &[ChangeTeam]) -> String {
    let team = |team: &ChangeTeam| format!("{} ({})", team.id, shown(team.title.as_deref().unwrap_or_default()));
    teams.iter().map(team).collect::<Vec<_>>().join(", ")
}
