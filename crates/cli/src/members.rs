//! `pygeodesign users`, the accounts of a service; `pygeodesign members` and `pygeodesign teams`, the members and teams of a project.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use serde_json::{Value, json};

use super::connect::{DATABASE_HELP, ServiceOrDatabase, Source, project_of, serve_database};
use super::context::Context;
use super::error::{CommandError, Result};
use super::found::found;
use super::output::{ListingFormat, note, text};
use geodesign::model::{ChangeTeam, InvalidId, TeamEdit, TeamId, UserAccount, Username};
use geodesign_client::{Client, Error, Project};

/// List, add and remove the users of a service, as its operator.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign users --url https://workshop.local:8443
  pygeodesign users \"Staten Island 2050\" --db workshop.sqlite --add ana --administrator ben
  pygeodesign users --db workshop.sqlite --remove guest")]
pub struct Users {
    /// Only the members of this project, given by its id, title or the start of its title.
    project: Option<String>,
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
    #[command(flatten)]
    service: ServiceOrDatabase,
}

impl Users {
    pub fn run(&self, context: &Context) -> Result<()> {
        let client = self.service.connect(context)?;
        let adds = !self.add.is_empty() || !self.administrator.is_empty();
        let project = match &self.project {
            None if !adds => None,
            None if self.administrator.is_empty() && context.wait(client.projects())?.is_empty() => {
                note(
                    "You are in no project, so the new users are not members of one. Add them with `pygeodesign members`",
                );
                None
            }
            given => Some(project_of(context, &client, given.as_deref())?),
        };
        if adds || !self.remove.is_empty() {
            context.wait(self.change(&client, project.as_ref()))?;
        }
        let only = project.filter(|_| self.project.is_some());
        let is_listed = |user: &UserAccount| {
            !user.withdrawn && only.as_ref().is_none_or(|project| user.projects.contains(project.id()))
        };
        let row = |UserAccount { username, projects, administers, .. }: UserAccount| json!({"username": username, "projects": projects, "administers": administers});
        let users = context.wait(client.users())?;
        let rows: Vec<Value> = users.into_iter().filter(is_listed).map(row).collect();
        let columns = [text("username", "User"), text("projects", "Projects"), text("administers", "Administers")];
        context.print(&self.format.listing(&rows, &columns)?)
    }

    /// Changes nothing if a user to remove does not exist.
    async fn change(&self, client: &Client, project: Option<&Project>) -> Result<()> {
        let users = client.users().await?;
        let names: Vec<&Username> = users.iter().filter(|user| !user.withdrawn).map(|user| &user.username).collect();
        if let Some(user) = self.remove.iter().find(|user| !names.contains(user) && !self.adds(user)) {
            return Err(unknown("user", user, &names));
        }
        for (user, administers) in added(&self.add, &self.administrator) {
            client.add_user(user.clone()).await?;
            if let Some(project) = project {
                project.set_member(user, administers).await?;
            }
        }
        for user in &self.remove {
            client.remove_user(user.clone()).await?;
        }
        Ok(())
    }

    fn adds(&self, user: &Username) -> bool {
        self.add.contains(user) || self.administrator.contains(user)
    }
}

/// List, add and remove the members of a project, as its administrator. A new member needs an account (`pygeodesign users`).
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign members
  pygeodesign members \"Staten Island 2050\" --add ana --administrator ben --remove guest
  pygeodesign members --db workshop.sqlite --remove guest")]
pub struct Members {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// A user to make a member of the project. May be repeated.
    #[arg(long, value_name = "NAME")]
    add: Vec<Username>,
    /// A user to make an administrator of the project. May be repeated.
    #[arg(long, value_name = "NAME")]
    administrator: Vec<Username>,
    /// A member to remove, with selection and votes. The member's diagrams and account stay. May be repeated.
    #[arg(long, value_name = "NAME")]
    remove: Vec<Username>,
    #[command(flatten)]
    format: ListingFormat,
    #[command(flatten)]
    service: ServiceOrDatabase,
}

impl Members {
    pub fn run(&self, context: &Context) -> Result<()> {
        let client = self.service.connect(context)?;
        let project = project_of(context, &client, self.project.as_deref())?;
        context.wait(self.change(&project))?;
        let rows = context.wait(project.members())?;
        context.print(&self.format.listing(&rows, &[text("username", "Member")])?)
    }

    /// Changes nothing if a user to remove is not a member.
    async fn change(&self, project: &Project) -> Result<()> {
        if !self.remove.is_empty() {
            let members = usernames(project).await?;
            let is_member =
                |user: &Username| [&members, &self.add, &self.administrator].iter().any(|names| names.contains(user));
            if let Some(user) = self.remove.iter().find(|user| !is_member(user)) {
                return Err(unknown("member", user, &members));
            }
        }
        for (user, administers) in added(&self.add, &self.administrator) {
            project.set_member(user, administers).await?;
        }
        for user in &self.remove {
            project.remove_member(user.clone()).await?;
        }
        Ok(())
    }
}

/// List the change teams of a project with their members, or change them as an administrator of the project.
#[derive(Args)]
#[command(after_help = "\
Examples:
  pygeodesign teams
  pygeodesign teams --team Youth=ana,ben
  pygeodesign teams --db workshop.sqlite --team Youth=ana,ben --team \"Old town=cleo\"
  pygeodesign teams \"Staten Island 2050\" --remove Youth")]
pub struct Teams {
    /// The project, by its id, title or the start of its title [default: the only one].
    project: Option<String>,
    /// A change team, with all its members; it is added if there is none with this title. May be repeated.
    #[arg(long, value_name = "TITLE=NAME,…")]
    team: Vec<TeamMembers>,
    /// A change team to remove with its designs, by its id, title or the start of its title. May be repeated.
    #[arg(long, value_name = "TEAM")]
    remove: Vec<String>,
    #[command(flatten)]
    format: ListingFormat,
    #[arg(long, value_name = "FILE", help = DATABASE_HELP, conflicts_with_all = ["url", "profile", "ca_bundle", "archive"])]
    db: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
}

/// `TITLE=NAME,NAME`
#[derive(Clone)]
pub struct TeamMembers {
    pub title: String,
    pub members: Vec<Username>,
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
        let project = match &self.db {
            Some(path) => project_of(context, &serve_database(path)?, self.project.as_deref())?,
            None => self.source.project(context, self.project.as_deref())?,
        };
        context.wait(self.change(&project))?;
        let rows = context.wait(read(&project))?;
        let columns = [text("id", "Id"), text("title", "Team"), text("members", "Members")];
        context.print(&self.format.listing(&rows, &columns)?)
    }

    /// Changes nothing if a member, or a team to remove, does not exist.
    async fn change(&self, project: &Project) -> Result<()> {
        if self.team.is_empty() && self.remove.is_empty() {
            return Ok(());
        }
        let members = usernames(project).await?;
        if let Some(user) = self.team.iter().flat_map(|team| &team.members).find(|user| !members.contains(user)) {
            let known = listed(&members);
            return Err(CommandError::Input(format!("{user} is not a member of the project; the members are {known}")));
        }
        for title in &self.remove {
            if !self.team.iter().any(|team| team.title == *title) {
                team_to_remove(project, title).await?;
            }
        }
        for TeamMembers { title, members } in &self.team {
            let edit = TeamEdit { members: Some(members.clone()), ..TeamEdit::default() };
            match team_titled(project, title).await? {
                Some(team) => project.edit_team(team, &edit).await?,
                None => project.add_team(&TeamEdit { title: Some(title.clone()), ..edit }).await?,
            };
        }
        for title in &self.remove {
            project.delete_team(team_to_remove(project, title).await?).await?;
        }
        Ok(())
    }
}

/// Returns the new members, each with true if made an administrator.
fn added<'u>(
    members: &'u [Username],
    administrators: &'u [Username],
) -> impl Iterator<Item = (&'u Username, bool)> + use<'u> {
    // Users in both lists become administrators at once, without being members in between.
    let members = members.iter().filter(|user| !administrators.contains(user)).map(|user| (user, false));
    members.chain(administrators.iter().map(|user| (user, true)))
}

/// Returns the names of a project's members.
pub async fn usernames(project: &Project) -> Result<Vec<Username>, Error> {
    Ok(project.members().await?.into_iter().map(|member| member.username).collect())
}

/// Lists names for an error message.
fn listed(names: &[impl ToString]) -> String {
    if names.is_empty() {
        return "none yet".into();
    }
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn unknown(role: &str, user: &Username, known: &[impl ToString]) -> CommandError {
    CommandError::Input(format!("there is no {role} {user}; the {role}s are {}", listed(known)))
}

/// Returns the oldest team with that title.
async fn team_titled(project: &Project, title: &str) -> Result<Option<TeamId>, Error> {
    let teams = project.teams().await?;
    Ok(teams.into_iter().find(|team| team.title.as_deref() == Some(title)).map(|team| team.id))
}

/// Returns the oldest team with that title or, if there is none, the team with this id or start of a title.
async fn team_to_remove(project: &Project, given: &str) -> Result<TeamId> {
    match team_titled(project, given).await? {
        Some(team) => Ok(team),
        None => Ok(found(given, &project.teams().await?)?.id),
    }
}

async fn read(project: &Project) -> Result<Vec<Value>, Error> {
    let teams = teams_with_members(project).await?.into_iter();
    let rows = teams.map(|(team, members)| {
        let mut row = json!(team);
        row["members"] = json!(members);
        row
    });
    Ok(rows.collect())
}

/// Returns a project's change teams, each with the names of its members.
pub async fn teams_with_members(project: &Project) -> Result<Vec<(ChangeTeam, Vec<Username>)>, Error> {
    let mut teams = Vec::new();
    for team in project.teams().await? {
        let members = project.team_members(team.id).await?;
        teams.push((team, members));
    }
    Ok(teams)
}
