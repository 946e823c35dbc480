//! Members and change teams in a setup file.

use serde::Deserialize;

use crate::model::{DiagramId, Username};
use crate::service::store::{ProjectKey, Result, Writer};

/// A change team to add, or to find by its title.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamSetup {
    title: String,
    #[serde(default)]
    members: Vec<Username>,
    #[serde(default)]
    designs: Vec<DesignSetup>,
}

/// A design to add to a change team, unless the team has the same already.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DesignSetup {
    description: String,
    diagrams: Vec<DiagramId>,
}

/// Adds members and administrators, and the users among them that do not exist yet.
pub fn add_members(
    write: &Writer,
    project: ProjectKey,
    members: &[Username],
    administrators: &[Username],
) -> Result<()> {
    // Who is in both lists is an administrator, without having been a member in between.
    let members = members.iter().filter(|member| !administrators.contains(member)).map(|member| (member, false));
    members.chain(administrators.iter().map(|administrator| (administrator, true))).try_for_each(
        |(user, administrates)| {
            let user = write.add_user(user)?;
            // Who became an administrator since the file was written stays one.
            write.add_member(project, user, administrates || write.is_administrator(project, user)?)
        },
    )
}

impl TeamSetup {
    pub fn apply(&self, write: &Writer, project: ProjectKey) -> Result<()> {
        let team = write.team_titled(project, &self.title)?;
        write.set_team_members(project, team, &self.members)?;
        self.designs.iter().try_for_each(|DesignSetup { description, diagrams }| {
            write.save_design(project, team, description, diagrams)
        })
    }
}
