//! The setup file: what an administrator of a service decides, in one JSON document. It holds users, members, teams, designs,
//! and values that the HTTP operations can only read.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::store::{DiagramSettings, Geography, InputError, Result, Store, SystemSettings, Writer};
use crate::model::{AreaFeatures, DiagramId, NegotiationSession, ProjectId, SystemId, Username, Uuid};

/// The content of a setup file. Everything in it is optional. Applying it adds and replaces what it names, and leaves all
/// else as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    /// Limits of the service, by name. They hold from its start on: a running service does not read them.
    pub limits: BTreeMap<String, u64>,
    pub users: Vec<Username>,
    pub creation_codes: Vec<String>,
    /// Ids of projects of the companion platform.
    pub linked_projects: Vec<String>,
    /// Descriptions by UUID.
    pub plugins: BTreeMap<String, String>,
    /// By project id. The projects must exist.
    pub projects: BTreeMap<String, ProjectSetup>,
}

/// The part of a setup that is about one project.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectSetup {
    pub members: Vec<Username>,
    pub administrators: Vec<Username>,
    pub teams: Vec<TeamSetup>,
    /// The ids of the diagrams that a member selected, by the member's name.
    pub selections: BTreeMap<String, Vec<DiagramId>>,
    pub boundaries: Option<MapSetup>,
    pub second_boundaries: Option<MapSetup>,
    pub constraints: Option<MapSetup>,
    pub systems: BTreeMap<SystemId, SystemSettings>,
    pub diagrams: BTreeMap<DiagramId, DiagramSettings>,
    pub negotiations: Vec<NegotiationSession>,
}

/// A change team to add.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamSetup {
    pub title: String,
    #[serde(default)]
    pub members: Vec<Username>,
    #[serde(default)]
    pub designs: Vec<DesignSetup>,
}

/// A design to add to a change team.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignSetup {
    pub description: String,
    pub diagrams: Vec<DiagramId>,
}

/// Boundaries or constraints.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapSetup {
    #[serde(default)]
    pub description: String,
    pub geojson: AreaFeatures,
}

impl Setup {
    /// Applies the whole setup. If a part of it is impossible, the database stays as it was.
    pub fn apply(&self, store: &Store) -> Result<()> {
        store.write(|write| {
            self.users.iter().try_for_each(|user| write.add_user(user).map(drop))?;
            self.creation_codes.iter().try_for_each(|code| write.add_creation_code(code))?;
            self.linked_projects.iter().try_for_each(|id| write.add_linked_project(id))?;
            for (id, description) in &self.plugins {
                write.add_plugin(&id.parse::<Uuid>().map_err(InputError::Id)?, description)?;
            }
            for (id, project) in &self.projects {
                project.apply(write, &id.parse().map_err(InputError::Id)?)?;
            }
            Ok(())
        })
    }
}

impl ProjectSetup {
    fn apply(&self, write: &Writer, id: &ProjectId) -> Result<()> {
        let project = write.project_key(id)?;
        for member in &self.members {
            write.add_member(project, write.add_user(member)?, false)?;
        }
        for administrator in &self.administrators {
            write.add_member(project, write.add_user(administrator)?, true)?;
        }
        for TeamSetup { title, members, designs } in &self.teams {
            let team = write.add_team(project, None, title)?;
            write.set_team_members(project, team, members)?;
            for DesignSetup { description, diagrams } in designs {
                write.add_design(project, team, description, diagrams)?;
            }
        }
        for (member, diagrams) in &self.selections {
            write.set_selection(project, &member.parse().map_err(InputError::Id)?, diagrams)?;
        }
        let maps = [
            (Geography::Boundaries, &self.boundaries),
            (Geography::SecondBoundaries, &self.second_boundaries),
            (Geography::Constraints, &self.constraints),
        ];
        for (role, map) in maps {
            if let Some(MapSetup { description, geojson }) = map {
                write.set_geography(project, role, description, geojson)?;
            }
        }
        for (&id, settings) in &self.systems {
            write.set_system(project, id, settings)?;
        }
        for (&id, settings) in &self.diagrams {
            write.set_diagram(project, id, settings)?;
        }
        self.negotiations.iter().try_for_each(|session| write.add_negotiation(project, session))
    }
}
