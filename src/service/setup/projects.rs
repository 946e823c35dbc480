//! Projects that exist already, in a setup file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::maps::{MapFileError, MapSetup};
use super::teams::{TeamSetup, add_members};
use crate::model::{DiagramId, NegotiationSession, ProjectId, SystemId, Username};
use crate::service::store::{DiagramSettings, Geography, InputError, Result, SystemSettings, Writer};

/// The part of a setup that is about one project.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectSetup {
    members: Vec<Username>,
    administrators: Vec<Username>,
    teams: Vec<TeamSetup>,
    /// The ids of the diagrams that a member selected, by the member's name.
    selections: BTreeMap<String, Vec<DiagramId>>,
    boundaries: Option<MapSetup>,
    second_boundaries: Option<MapSetup>,
    constraints: Option<MapSetup>,
    systems: BTreeMap<SystemId, SystemSettings>,
    diagrams: BTreeMap<DiagramId, DiagramSettings>,
    negotiations: Vec<NegotiationSession>,
}

impl ProjectSetup {
    pub fn read_map_files(&mut self, folder: &Path) -> std::result::Result<(), MapFileError> {
        let maps = [&mut self.boundaries, &mut self.second_boundaries, &mut self.constraints];
        maps.into_iter().flatten().try_for_each(|map| map.read_file(folder))
    }

    pub fn apply(&self, write: &Writer, id: &ProjectId) -> Result<()> {
        let project = write.project_key(id)?;
        add_members(write, project, &self.members, &self.administrators)?;
        self.teams.iter().try_for_each(|team| team.apply(write, project))?;
        for (member, diagrams) in &self.selections {
            write.set_selection(project, &member.parse().map_err(InputError::Id)?, diagrams)?;
        }
        let maps = [
            (Geography::Boundaries, &self.boundaries),
            (Geography::SecondBoundaries, &self.second_boundaries),
            (Geography::Constraints, &self.constraints),
        ];
        for (role, map) in maps {
            map.as_ref().map_or(Ok(()), |map| map.apply(write, project, role))?;
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
