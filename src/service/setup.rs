//! What whoever runs a service decides, in one document: users, members, teams, designs, and whatever the wire only reads.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::store::{DiagramFigures, Geography, Result, Store, StoreError, SystemFigures, Writer};
use crate::geometry::Measure;
use crate::model::{
    AreaFeatures, Boundaries, Constraints, DesignId, DiagramId, EvaluationFeatures, Feature, GeojsonCollection,
    JsonObject, NegotiationSession, ProjectId, SystemId, TeamId, Username, Uuid,
};

/// A set-up. Every part may be absent; what is there already stays, what is named is set.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Setup {
    pub users: Vec<Username>,
    pub creation_codes: Vec<String>,
    /// Projects of the companion platform.
    pub linked_projects: Vec<String>,
    /// Descriptions by UUID.
    pub plugins: BTreeMap<String, String>,
    pub projects: BTreeMap<String, ProjectSetup>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectSetup {
    pub members: Vec<Username>,
    pub administrators: Vec<Username>,
    pub teams: Vec<TeamSetup>,
    /// Diagrams by the name of who selected them.
    pub selections: BTreeMap<String, Vec<DiagramId>>,
    pub boundaries: Option<MapSetup>,
    pub second_boundaries: Option<MapSetup>,
    pub constraints: Option<MapSetup>,
    /// By the system's id.
    pub systems: BTreeMap<SystemId, SystemSetup>,
    /// By the diagram's id.
    pub diagrams: BTreeMap<DiagramId, DiagramFigures>,
    pub negotiations: Vec<NegotiationSession>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamSetup {
    pub title: String,
    #[serde(default)]
    pub members: Vec<Username>,
    #[serde(default)]
    pub designs: Vec<DesignSetup>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignSetup {
    pub description: String,
    pub diagrams: Vec<DiagramId>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapSetup {
    #[serde(default)]
    pub description: String,
    pub geojson: AreaFeatures,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemSetup {
    pub cost: Option<f64>,
    pub budget: Option<f64>,
    pub current_ha: Option<f64>,
    pub target_ha: Option<f64>,
    pub evaluation: Option<EvaluationFeatures>,
    pub impact: Option<AreaFeatures>,
}

impl Setup {
    /// Applies all of it, or nothing.
    pub fn apply(&self, store: &Store) -> Result<()> {
        store.write(|write| {
            self.users.iter().try_for_each(|user| write.add_user(user).map(drop))?;
            self.creation_codes.iter().try_for_each(|code| write.add_creation_code(code))?;
            self.linked_projects.iter().try_for_each(|id| write.add_linked_project(id))?;
            for (id, description) in &self.plugins {
                write.add_plugin(&id.parse::<Uuid>().map_err(unfit)?, description)?;
            }
            self.projects.iter().try_for_each(|(id, project)| project.apply(write, &id.parse().map_err(unfit)?))
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
            let team: TeamId = write.add_team(project, None, title)?;
            write.set_team_members(project, team, members)?;
            for DesignSetup { description, diagrams } in designs {
                let _: DesignId = write.add_design(project, team, description, diagrams)?;
            }
        }
        for (member, diagrams) in &self.selections {
            write.set_selection(project, &member.parse().map_err(unfit)?, diagrams)?;
        }
        let maps = [
            (Geography::Boundaries, &self.boundaries),
            (Geography::SecondBoundaries, &self.second_boundaries),
            (Geography::Constraints, &self.constraints),
        ];
        for (role, map) in maps {
            if let Some(MapSetup { description, geojson }) = map {
                write.set_map(project, role, description, geojson)?;
            }
        }
        for (&id, system) in &self.systems {
            write.set_system(project, id, system)?;
        }
        for (&id, figures) in &self.diagrams {
            write.set_diagram_figures(project, id, figures)?;
        }
        self.negotiations.iter().try_for_each(|session| write.add_negotiation(project, session))
    }
}

impl Writer<'_> {
    /// Sets boundaries or constraints. Each feature says what it is part of.
    pub fn set_map(
        &self,
        project: super::store::ProjectKey,
        role: Geography,
        description: &str,
        map: &AreaFeatures,
    ) -> Result<()> {
        let areatype = if role == Geography::Constraints { "constraints" } else { "boundaries" };
        let features = map.features.iter().map(|feature| {
            let mut properties = JsonObject::new();
            properties.insert("areatype".into(), areatype.into());
            let given = feature.properties.clone().unwrap_or_default();
            let name = given.get("name").cloned().filter(|_| areatype == "boundaries");
            properties.extend(name.map(|name| ("bname".to_owned(), name)));
            properties.extend(given.0);
            Feature::new(properties, &feature.geometry)
        });
        let features: GeojsonCollection<_, _> = features.collect();
        let description = description.to_owned();
        match role {
            Geography::Boundaries | Geography::SecondBoundaries => {
                map.check_areas().map_err(unfit)?;
                self.set_geography(project, role, &Boundaries { description }, &features)
            }
            Geography::Constraints => {
                let Measure { square_metres: area, .. } = map.measure();
                let length = if area > 0.0 { 0.0 } else { map.measure().kilometres() };
                let resource = Constraints { description, area, length, ..Constraints::default() };
                self.set_geography(project, role, &resource, &features)
            }
        }
    }

    /// Sets the figures and maps of a system.
    pub fn set_system(&self, project: super::store::ProjectKey, id: SystemId, system: &SystemSetup) -> Result<()> {
        let SystemSetup { cost, budget, current_ha, target_ha, evaluation, impact } = system;
        let figures = SystemFigures { cost: *cost, budget: *budget, current_ha: *current_ha, target_ha: *target_ha };
        self.set_system_figures(project, id, figures)?;
        if let Some(map) = evaluation {
            map.check().map_err(unfit)?;
            self.set_evaluation(project, id, &map.colored())?;
        }
        if let Some(map) = impact {
            map.check_areas().map_err(unfit)?;
            self.set_impact(project, id, map)?;
        }
        Ok(())
    }
}

fn unfit(problem: impl std::fmt::Display) -> StoreError {
    StoreError::Input(problem.to_string())
}
