//! `pygeodesign teams`: the change teams of a project and their members.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use serde_json::{Value, json};

use super::connect::{Source, open_database, project_in};
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{ListingFormat, text};
use crate::client::{Error, Project};
use crate::model::{InvalidId, ProjectId, Username};
use crate::service::Store;

/// List the change teams of a project with their members, or change them in a database.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign teams
  pygeodesign teams --db workshop.sqlite --team Youth=ana,ben --team \"Old town=cleo\"
  pygeodesign teams \"Staten Island 2050\" --db workshop.sqlite --remove Youth")]
pub struct Teams {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// A change team to add or to find by its title, and all its members. May be repeated.
    #[arg(long, value_name = "TITLE=NAME,…", requires = "db")]
    team: Vec<TeamMembers>,
    /// The title of a change team to remove, with its designs. May be repeated.
    #[arg(long, value_name = "TITLE", requires = "db")]
    remove: Vec<String>,
    #[command(flatten)]
    format: ListingFormat,
    /// Read them from this database file instead of a service. A service may be using it; it then knows of changes at once.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "ca_bundle", "archive"])]
    db: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
}

/// `TITLE=NAME,NAME`
#[derive(Clone)]
struct TeamMembers {
    title: String,
    members: Vec<Username>,
}

impl FromStr for TeamMembers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (title, members) =
            text.rsplit_once('=').ok_or("write TITLE=NAME,NAME, or TITLE= for a team without members")?;
        let names = members.split(',').map(str::trim).filter(|name| !name.is_empty());
        let members = names.map(str::parse).collect::<Result<_, InvalidId>>().map_err(|error| error.to_string())?;
        Ok(TeamMembers { title: title.trim().to_owned(), members })
    }
}

impl Teams {
    pub fn run(&self, context: &Context) -> Result<()> {
        let rows = match &self.db {
            Some(path) => {
                let store = open_database(path)?;
                let project = project_in(&store, self.project.as_deref())?;
                self.change(&store, &project)?;
                stored(&store, &project)?
            }
            None => context.wait(read(&self.source.project(context, self.project.as_deref())?))?,
        };
        let columns = [text("id", "Id"), text("title", "Team"), text("members", "Members")];
        context.print(&self.format.listing(&rows, &columns)?)
    }

    fn change(&self, store: &Store, project: &ProjectId) -> Result<()> {
        if self.team.is_empty() && self.remove.is_empty() {
            return Ok(());
        }
        store.write(|write| {
            let project = write.project_key(project)?;
            for TeamMembers { title, members } in &self.team {
                write.set_team_members(project, write.team_titled(project, title)?, members)?;
            }
            for title in &self.remove {
                let teams = write.teams(project)?;
                let team = teams.iter().find(|team| team.title.as_deref() == Some(title));
                let team = team.ok_or_else(|| CommandError::NotFound(format!("there is no change team {title:?}")))?;
                write.remove_team(project, team.id)?;
            }
            Ok(())
        })
    }
}

fn stored(store: &Store, project: &ProjectId) -> Result<Vec<Value>> {
    let rows = store.read(|read| {
        let teams = read.teams(read.project_key(project)?)?;
        teams
            .into_iter()
            .map(|team| Ok(json!({"id": team.id, "title": team.title, "members": read.team_members(team.id)?})))
            .collect()
    })?;
    Ok(rows)
}

async fn read(project: &Project) -> Result<Vec<Value>, Error> {
    let mut rows = Vec::new();
    for team in project.teams().await? {
        let members = project.team_members(team.id).await?;
        let mut row = json!(team);
        row["members"] = json!(members);
        rows.push(row);
    }
    Ok(rows)
}
