//! New projects in a setup file.

use std::path::Path;

use serde::Deserialize;

use super::maps::{MapFileError, MapSetup};
use super::teams::{TeamSetup, add_members};
use crate::model::{Bounds, EvaluationFeatures, NewProject, NewSystem, NewTag, Username};
use crate::service::store::{Geography, InputError, ProjectKey, Result, SharedCode, SystemSettings, TagsToAdd, Writer};

/// A project to create, unless there is one of the same title. Members, teams and maps are added to either.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewProjectSetup {
    title: String,
    #[serde(default)]
    description: String,
    /// The bounds of the study area. Without them they are those of the boundaries.
    bounds: Option<Bounds>,
    #[serde(default)]
    zoom_level: i64,
    /// At most nine.
    systems: Vec<NewSystemSetup>,
    #[serde(default)]
    tags: Vec<NewTag>,
    #[serde(default)]
    members: Vec<Username>,
    #[serde(default)]
    administrators: Vec<Username>,
    #[serde(default)]
    teams: Vec<TeamSetup>,
    boundaries: Option<MapSetup>,
    second_boundaries: Option<MapSetup>,
    constraints: Option<MapSetup>,
}

/// A system of a project to create.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewSystemSetup {
    name: String,
    #[serde(default)]
    tag: String,
    /// `#RRGGBB`
    color: String,
    #[serde(default)]
    description: String,
    /// Per hectare of a project, or per kilometre of one that has only lines.
    cost: Option<f64>,
    /// For the whole system.
    budget: Option<f64>,
    /// Hectares that the system covers today.
    current_ha: Option<f64>,
    /// Hectares that the system should cover.
    target_ha: Option<f64>,
    evaluation: Option<EvaluationFeatures>,
}

impl NewProjectSetup {
    pub fn read_map_files(&mut self, folder: &Path) -> std::result::Result<(), MapFileError> {
        let maps = [&mut self.boundaries, &mut self.second_boundaries, &mut self.constraints];
        maps.into_iter().flatten().try_for_each(|map| map.read_file(folder))
    }

    pub fn apply(&self, write: &Writer) -> Result<()> {
        let project = match write.project_titled(&self.title)? {
            Some(project) => project,
            None => self.create(write)?,
        };
        add_members(write, project, &self.members, &self.administrators)?;
        self.teams.iter().try_for_each(|team| team.apply(write, project))?;
        let maps = [
            (Geography::Boundaries, &self.boundaries),
            (Geography::SecondBoundaries, &self.second_boundaries),
            (Geography::Constraints, &self.constraints),
        ];
        maps.into_iter().try_for_each(|(role, map)| map.as_ref().map_or(Ok(()), |map| map.apply(write, project, role)))
    }

    fn create(&self, write: &Writer) -> Result<ProjectKey> {
        let bounds = self.bounds.or_else(|| self.boundaries.as_ref()?.bounds());
        let bounds = bounds.ok_or_else(|| InputError::NoStudyArea(self.title.clone()))?;
        let project = NewProject {
            project_title: self.title.clone(),
            project_description: self.description.clone(),
            map_bounds: bounds,
            map_center: bounds.center(),
            zoom_level: self.zoom_level,
            systems: self.systems.iter().map(NewSystemSetup::system).collect(),
            tags: Vec::new(),
            plugins: Vec::new(),
        };
        let title = || self.title.clone();
        project.check().map_err(|source| InputError::NewProject { title: title(), source })?;
        let tags = TagsToAdd::prepare(self.tags.clone())?;
        let tags = tags.map_err(|SharedCode(code)| InputError::SharedTagCode { title: title(), code })?;
        let id = write.create_project(&project, &tags, None, "none")?;
        let key = write.project_key(&id)?;
        for (system, setup) in write.systems(key)?.iter().zip(&self.systems) {
            write.set_system(key, system.id, &setup.settings())?;
        }
        Ok(key)
    }
}

impl NewSystemSetup {
    fn system(&self) -> NewSystem {
        NewSystem {
            name: self.name.clone(),
            tag: self.tag.clone(),
            display: String::new(),
            verbose_description: self.description.clone(),
            color: self.color.clone(),
            // It need not be an integer here, so it is among the settings.
            cost: 0,
        }
    }

    fn settings(&self) -> SystemSettings {
        let &NewSystemSetup { cost, budget, current_ha, target_ha, ref evaluation, .. } = self;
        SystemSettings { cost, budget, current_ha, target_ha, evaluation: evaluation.clone(), impact: None }
    }
}
