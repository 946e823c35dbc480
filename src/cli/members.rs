//! `pygeodesign users`, the accounts of a service and the members of its projects, and `pygeodesign teams`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use serde_json::{Value, json};

use super::connect::{Database, Source, open_database, project_in};
use super::context::Context;
use super::error::{CommandError, Result};
use super::output::{ListingFormat, text};
use crate::client::{Error, Project};
use crate::model::{InvalidId, ProjectId, TeamEdit, TeamId, Username};
use crate::service::{Account, Store};

/// List, add and remove the users of a service.
///
/// The database is changed directly, also while a service uses it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign users --db workshop.sqlite
  pygeodesign users \"Staten Island 2050\" --db workshop.sqlite --add ana --administrator ben
  pygeodesign users --db workshop.sqlite --remove guest")]
pub struct Users {
    /// Only the members of this project, by id or title.
    project: Option<String>,
    #[command(flatten)]
    database: Database,
    /// A user to add, and to make a member of the project. May be repeated.
    #[arg(long, value_name = "NAME")]
    add: Vec<Username>,
    /// A user to add, and to make an administrator of the project. May be repeated.
    #[arg(long, value_name = "NAME")]
    administrator: Vec<Username>,
    /// A user to remove, with all tokens and memberships. The user's diagrams stay. May be repeated.
    #[arg(long, value_name = "NAME")]
    remove: Vec<Username>,
    #[command(flatten)]
    format: ListingFormat,
}

impl Users {
    pub fn run(&self, context: &Context) -> Result<()> {
        let store = self.database.open()?;
        let adds = !self.add.is_empty() || !self.administrator.is_empty();
        let project = match &self.project {
            None if !adds => None,
            given => Some(project_in(&store, given.as_deref())?),
        };
        self.change(&store, project.as_ref())?;
        let only = project.filter(|_| self.project.is_some());
        let rows = user_rows(&store, only.as_ref())?;
        let columns = [text("username", "User"), text("projects", "Projects"), text("administers", "Administers")];
        context.print(&self.format.listing(&rows, &columns)?)
    }

    fn change(&self, store: &Store, project: Option<&ProjectId>) -> Result<()> {
        if self.add.is_empty() && self.administrator.is_empty() && self.remove.is_empty() {
            return Ok(());
        }
        let members = self.add.iter().map(|user| (user, false));
        let users: Vec<_> = members.chain(self.administrator.iter().map(|user| (user, true))).collect();
        Ok(store.write(|write| {
            if let Some(project) = project {
                let project = write.project_key(project)?;
                users.iter().try_for_each(|(user, administers)| {
                    write.add_member(project, write.add_user(user)?, *administers)
                })?;
            }
            self.remove.iter().try_for_each(|user| write.remove_user(user))
        })?)
    }
}

/// All users with their projects; or the members of one project.
fn user_rows(store: &Store, only: Option<&ProjectId>) -> Result<Vec<serde_json::Value>> {
    let rows = store.read(|read| {
        let mut members: Vec<(ProjectId, Vec<Username>)> = Vec::new();
        for id in read.project_ids()? {
            let names = read.members(read.project_key(&id)?)?.into_iter().map(|member| member.username).collect();
            members.push((id, names));
        }
        let row = |Account { username, administers }: Account| {
            let is_member = |(_, names): &&(ProjectId, Vec<Username>)| names.contains(&username);
            let projects: Vec<&ProjectId> = members.iter().filter(is_member).map(|(id, _)| id).collect();
            let is_listed = only.is_none_or(|only| projects.contains(&only));
            is_listed.then(|| json!({"username": username, "projects": projects, "administers": administers}))
        };
        Ok(read.accounts()?.into_iter().filter_map(row).collect())
    })?;
    Ok(rows)
}

/// List the change teams of a project with their members, or change them: as an administrator of the project, or in a database.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign teams
  pygeodesign teams --team Youth=ana,ben
  pygeodesign teams --db workshop.sqlite --team Youth=ana,ben --team \"Old town=cleo\"
  pygeodesign teams \"Staten Island 2050\" --db workshop.sqlite --remove Youth")]
pub struct Teams {
    /// The project, by id or title [default: the only one].
    project: Option<String>,
    /// A change team to add or to find by its title, and all its members. May be repeated.
    #[arg(long, value_name = "TITLE=NAME,…")]
    team: Vec<TeamMembers>,
    /// The title of a change team to remove, with its designs. May be repeated.
    #[arg(long, value_name = "TITLE")]
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
            None => {
                let project = self.source.project(context, self.project.as_deref())?;
                context.wait(self.change_there(&project))?;
                context.wait(read(&project))?
            }
        };
        let columns = [text("id", "Id"), text("title", "Team"), text("members", "Members")];
        context.print(&self.format.listing(&rows, &columns)?)
    }

    /// The same changes on a service.
    async fn change_there(&self, project: &Project) -> Result<()> {
        for TeamMembers { title, members } in &self.team {
            let edit = TeamEdit { members: Some(members.clone()), ..TeamEdit::default() };
            match team_titled(project, title).await? {
                Some(team) => project.edit_team(team, &edit).await?,
                None => project.add_team(&TeamEdit { title: Some(title.clone()), ..edit }).await?,
            };
        }
        for title in &self.remove {
            let team = team_titled(project, title).await?.ok_or_else(|| no_team(title))?;
            project.delete_team(team).await?;
        }
        Ok(())
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
                let team = team.ok_or_else(|| no_team(title))?;
                write.remove_team(project, team.id)?;
            }
            Ok(())
        })
    }
}

/// The oldest team of that title.
async fn team_titled(project: &Project, title: &str) -> Result<Option<TeamId>, Error> {
    let teams = project.teams().await?;
    Ok(teams.into_iter().find(|team| team.title.as_deref() == Some(title)).map(|team| team.id))
}

fn no_team(title: &str) -> CommandError {
    CommandError::NotFound(format!("there is no change team {title:?}"))
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
