//! Projects in a setup file, new and existing ones, with their teams and maps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::bounds::Counts;
use super::context::{ContextSetup, places, set_context};
use super::impacts::{ImpactsSetup, set_impacts};
use super::maps::{EvaluationSetup, MapFileError, MapReader, MapSetup};
use super::withdrawn::Withdrawn;
use crate::store::{
    DiagramSettings, Geography, InputError, ProjectKey, Result, SharedCode, SystemSettings, TagsToAdd, Writer,
};
use geodesign::model::{
    Bounds, DiagramId, NegotiationSession, NewProject, NewSystem, NewTag, ProjectEdit, ProjectId, Quantity, SystemId,
    Username,
};

/// The part of a setup about one project.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectSetup {
    /// The currency of its rates, budgets and costs, such as `USD`.
    currency: Option<String>,
    /// The language of its reports, cards and wall, such as `pt-BR`.
    language: Option<String>,
    /// The land that counts in the room: `all`, or `inside` for land inside the study area only.
    counted_land: Option<String>,
    /// Drawings on the constraints: `warn` their authors, or `refuse` them.
    drawings_on_constraints: Option<String>,
    members: Vec<Username>,
    administrators: Vec<Username>,
    teams: Vec<TeamSetup>,
    /// The ids of the diagrams that a member selected, by the member's name.
    selections: BTreeMap<String, Vec<DiagramId>>,
    boundaries: Option<MapSetup>,
    second_boundaries: Option<MapSetup>,
    constraints: Option<MapSetup>,
    context: Option<ContextSetup>,
    #[serde(deserialize_with = "places")]
    places: Option<ContextSetup>,
    systems: BTreeMap<SystemId, SystemSettings>,
    impacts: ImpactsSetup,
    diagrams: BTreeMap<DiagramId, DiagramSettings>,
    negotiations: Vec<NegotiationSession>,
}

impl ProjectSetup {
    pub fn count(&self, counts: &mut Counts) {
        counts.people += self.members.len() + self.administrators.len() + self.selections.len();
        self.teams.iter().for_each(|team| team.count(counts));
        counts.rows += self.selections.values().map(Vec::len).sum::<usize>();
        counts.rows += self.systems.len() + self.diagrams.len() + self.negotiations.len();
        counts.rows += self.impacts.values().map(BTreeMap::len).sum::<usize>();
    }

    /// Returns the files of its maps.
    pub fn map_files(&self) -> impl Iterator<Item = &Path> {
        let maps = [&self.boundaries, &self.second_boundaries, &self.constraints];
        let contexts = [&self.context, &self.places].into_iter().flatten().flat_map(ContextSetup::files);
        maps.into_iter().flatten().filter_map(MapSetup::file).chain(contexts)
    }

    pub fn read_map_files(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        read_files([&mut self.boundaries, &mut self.second_boundaries, &mut self.constraints], folder, reader)?;
        read_contexts([&mut self.context, &mut self.places], folder, reader)
    }

    pub fn apply(&self, write: &Writer, id: &ProjectId, withdrawn: &mut Withdrawn) -> Result<()> {
        let project = write.project_key(id)?;
        let settings = [&self.currency, &self.language, &self.counted_land, &self.drawings_on_constraints];
        edit_project(write, project, settings)?;
        withdrawn.add_members(write, project, &self.members, &self.administrators)?;
        self.teams.iter().try_for_each(|team| team.apply(write, project, withdrawn))?;
        for (member, diagrams) in &self.selections {
            let member = member.parse().map_err(InputError::Id)?;
            if withdrawn.stays(write, project, &member)? {
                write.set_selection(project, &member, diagrams)?;
            }
        }
        set_maps(write, project, [&self.boundaries, &self.second_boundaries, &self.constraints])?;
        set_context(write, project, [&self.context, &self.places])?;
        for (&id, settings) in &self.systems {
            write.set_system(project, id, settings)?;
        }
        set_impacts(write, project, &self.impacts)?;
        for (&id, settings) in &self.diagrams {
            write.set_diagram(project, id, settings)?;
        }
        self.negotiations.iter().try_for_each(|session| write.add_negotiation(project, session))
    }
}

/// The most systems of a project: the ten of the International Geodesign Collaboration, and two more. The operations that create
/// projects follow the public platform, which takes nine.
pub const MAX_SYSTEMS: usize = 12;

/// A project to create, unless there is one of the same title. Members, teams and maps are added to either.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewProjectSetup {
    title: String,
    #[serde(default)]
    description: String,
    /// The currency of its rates, budgets and costs, such as `USD`.
    currency: Option<String>,
    /// The language of its reports, cards and wall, such as `pt-BR`.
    language: Option<String>,
    /// The land that counts in the room: `all`, or `inside` for land inside the study area only.
    counted_land: Option<String>,
    /// Drawings on the constraints: `warn` their authors, or `refuse` them.
    drawings_on_constraints: Option<String>,
    /// The bounds of the study area; by default, those of the boundaries.
    bounds: Option<Bounds>,
    #[serde(default)]
    zoom_level: i64,
    /// The systems, at most ten.
    systems: Vec<NewSystemSetup>,
    /// Effects of its systems on each other, by their names.
    #[serde(default)]
    impacts: ImpactsSetup,
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
    context: Option<ContextSetup>,
    #[serde(default, deserialize_with = "places")]
    places: Option<ContextSetup>,
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
    /// Cost per hectare of a project, or per kilometre of one with only lines.
    cost: Option<f64>,
    /// The budget of the whole system.
    budget: Option<f64>,
    /// Hectares that the system covers today.
    current_ha: Option<f64>,
    /// Hectares that the system should cover.
    target_ha: Option<f64>,
    /// Quantities that its projects bring, such as homes, by name.
    quantities: Option<BTreeMap<String, Option<Quantity>>>,
    evaluation: Option<EvaluationSetup>,
}

impl NewProjectSetup {
    pub fn count(&self, counts: &mut Counts) {
        counts.people += self.members.len() + self.administrators.len();
        self.teams.iter().for_each(|team| team.count(counts));
        counts.rows += self.tags.len() + self.impacts.values().map(BTreeMap::len).sum::<usize>();
    }

    /// Returns the files of its maps.
    pub fn map_files(&self) -> impl Iterator<Item = &Path> {
        let maps = [&self.boundaries, &self.second_boundaries, &self.constraints];
        let evaluations = self.systems.iter().filter_map(|system| system.evaluation.as_ref()?.file());
        let contexts = [&self.context, &self.places].into_iter().flatten().flat_map(ContextSetup::files);
        maps.into_iter().flatten().filter_map(MapSetup::file).chain(evaluations).chain(contexts)
    }

    pub fn read_map_files(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        read_files([&mut self.boundaries, &mut self.second_boundaries, &mut self.constraints], folder, reader)?;
        read_contexts([&mut self.context, &mut self.places], folder, reader)?;
        let evaluations = self.systems.iter_mut().filter_map(|system| system.evaluation.as_mut());
        evaluations.into_iter().try_for_each(|evaluation| evaluation.read_file(folder, reader))
    }

    pub fn apply(&self, write: &Writer, withdrawn: &mut Withdrawn) -> Result<()> {
        let project = match write.project_titled(&self.title)? {
            Some(project) => project,
            None => self.create(write)?,
        };
        let settings = [&self.currency, &self.language, &self.counted_land, &self.drawings_on_constraints];
        edit_project(write, project, settings)?;
        withdrawn.add_members(write, project, &self.members, &self.administrators)?;
        self.teams.iter().try_for_each(|team| team.apply(write, project, withdrawn))?;
        set_maps(write, project, [&self.boundaries, &self.second_boundaries, &self.constraints])?;
        set_context(write, project, [&self.context, &self.places])
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
        let checked = project.check_with_at_most(MAX_SYSTEMS);
        checked.map_err(|source| InputError::NewProject { title: title(), source })?;
        let tags = TagsToAdd::prepare(self.tags.clone())?;
        let tags = tags.map_err(|SharedCode(code)| InputError::SharedTagCode { title: title(), code })?;
        let id = write.create_project(&project, &tags, None, "none")?;
        let key = write.project_key(&id)?;
        for (system, setup) in write.systems(key)?.iter().zip(&self.systems) {
            write.set_system(key, system.item.id, &setup.settings()?)?;
        }
        set_impacts(write, key, &self.impacts)?;
        Ok(key)
    }
}

fn edit_project(write: &Writer, project: ProjectKey, settings: [&Option<String>; 4]) -> Result<()> {
    let [currency, language, counted_land, drawings_on_constraints] = settings.map(Option::clone);
    let edit = ProjectEdit { currency, language, counted_land, drawings_on_constraints, ..ProjectEdit::default() };
    edit.check().map_err(InputError::Edit)?;
    write.edit_project(project, &edit).map(drop)
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

    fn settings(&self) -> Result<SystemSettings> {
        let &NewSystemSetup { cost, budget, current_ha, target_ha, ref quantities, ref evaluation, .. } = self;
        let evaluation = evaluation.as_ref().map(EvaluationSetup::features).transpose()?.cloned();
        let quantities = quantities.clone();
        Ok(SystemSettings { cost, budget, current_ha, target_ha, quantities, evaluation, impact: None })
    }
}

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

impl TeamSetup {
    fn count(&self, counts: &mut Counts) {
        counts.teams += 1;
        counts.people += self.members.len();
        counts.designs += self.designs.len();
        counts.rows += self.designs.iter().map(|design| design.diagrams.len()).sum::<usize>();
    }

    fn apply(&self, write: &Writer, project: ProjectKey, withdrawn: &mut Withdrawn) -> Result<()> {
        let team = write.team_titled(project, &self.title)?;
        // People who joined the team since the file was written stay in it.
        let mut members = write.team_members(team)?;
        let mut known: BTreeSet<Username> = members.iter().cloned().collect();
        for member in &self.members {
            if known.insert(member.clone()) && withdrawn.stays(write, project, member)? {
                members.push(member.clone());
            }
        }
        write.set_team_members(project, team, &members)?;
        self.designs.iter().try_for_each(|DesignSetup { description, diagrams }| {
            write.save_design(project, team, description, diagrams)
        })
    }
}

/// Reads the maps that are in their own files.
fn read_files(
    maps: [&mut Option<MapSetup>; 3],
    folder: &Path,
    reader: MapReader,
) -> std::result::Result<(), MapFileError> {
    maps.into_iter().flatten().try_for_each(|map| map.read_file(folder, reader))
}

fn read_contexts(
    contexts: [&mut Option<ContextSetup>; 2],
    folder: &Path,
    reader: MapReader,
) -> std::result::Result<(), MapFileError> {
    contexts.into_iter().flatten().try_for_each(|context| context.read_files(folder, reader))
}

fn set_maps(write: &Writer, project: ProjectKey, maps: [&Option<MapSetup>; 3]) -> Result<()> {
    let roles = [Geography::Boundaries, Geography::SecondBoundaries, Geography::Constraints];
    let given = roles.into_iter().zip(maps).filter_map(|(role, map)| Some((role, map.as_ref()?)));
    given.into_iter().try_for_each(|(role, map)| map.apply(write, project, role))
}
