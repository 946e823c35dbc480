//! `pygeodesign users`: the accounts of a service, and the members of its projects.

use clap::Args;
use serde_json::json;

use super::connect::{Database, project_in};
use super::context::Context;
use super::error::Result;
use super::output::{ListingFormat, text};
use crate::model::{ProjectId, Username};
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
        let rows = rows(&store, only.as_ref())?;
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
fn rows(store: &Store, only: Option<&ProjectId>) -> Result<Vec<serde_json::Value>> {
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
