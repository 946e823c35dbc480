//! Projects in a setup file, new ones and those that exist already, with their teams and maps.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::withdrawn::Withdrawn;
use crate::geometry::{Shape, is_wgs84};
use crate::json::{TooManyValues, check_weight};
use crate::model::{
    AreaFeatures, Bounds, DiagramId, EvaluationFeatures, NegotiationSession, NewProject, NewSystem, NewTag, ProjectId,
    SystemId, Username,
};
use crate::regular_file::{open_regular, read_text};
use crate::service::store::{
    DiagramSettings, Geography, InputError, ProjectKey, Result, SharedCode, SystemSettings, TagsToAdd, Writer,
};

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
    pub fn read_map_files(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        read_files([&mut self.boundaries, &mut self.second_boundaries, &mut self.constraints], folder, reader)
    }

    pub fn apply(&self, write: &Writer, id: &ProjectId, withdrawn: &mut Withdrawn) -> Result<()> {
        let project = write.project_key(id)?;
        withdrawn.add_members(write, project, &self.members, &self.administrators)?;
        self.teams.iter().try_for_each(|team| team.apply(write, project, withdrawn))?;
        for (member, diagrams) in &self.selections {
            let member = member.parse().map_err(InputError::Id)?;
            if withdrawn.stays(write, project, &member)? {
                write.set_selection(project, &member, diagrams)?;
            }
        }
        set_maps(write, project, [&self.boundaries, &self.second_boundaries, &self.constraints])?;
        for (&id, settings) in &self.systems {
            write.set_system(project, id, settings)?;
        }
        for (&id, settings) in &self.diagrams {
            write.set_diagram(project, id, settings)?;
        }
        self.negotiations.iter().try_for_each(|session| write.add_negotiation(project, session))
    }
}

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
    pub fn read_map_files(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        read_files([&mut self.boundaries, &mut self.second_boundaries, &mut self.constraints], folder, reader)
    }

    pub fn apply(&self, write: &Writer, withdrawn: &mut Withdrawn) -> Result<()> {
        let project = match write.project_titled(&self.title)? {
            Some(project) => project,
            None => self.create(write)?,
        };
        withdrawn.add_members(write, project, &self.members, &self.administrators)?;
        self.teams.iter().try_for_each(|team| team.apply(write, project, withdrawn))?;
        set_maps(write, project, [&self.boundaries, &self.second_boundaries, &self.constraints])
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
            write.set_system(key, system.item.id, &setup.settings())?;
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
    fn apply(&self, write: &Writer, project: ProjectKey, withdrawn: &mut Withdrawn) -> Result<()> {
        let team = write.team_titled(project, &self.title)?;
        // Who came to the team since the file was written stays in it.
        let mut members = write.team_members(team)?;
        for member in &self.members {
            if !members.contains(member) && withdrawn.stays(write, project, member)? {
                members.push(member.clone());
            }
        }
        write.set_team_members(project, team, &members)?;
        self.designs.iter().try_for_each(|DesignSetup { description, diagrams }| {
            write.save_design(project, team, description, diagrams)
        })
    }
}

/// Boundaries or constraints: a GeoJSON FeatureCollection, here or in a file of its own.
#[derive(Debug, Deserialize)]
#[serde(try_from = "MapFields")]
pub struct MapSetup {
    description: String,
    features: MapFeatures,
}

#[derive(Debug)]
enum MapFeatures {
    Here(AreaFeatures),
    /// Relative to the folder of the setup file, until it is read.
    InFile(PathBuf),
}

/// A map as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MapFields {
    #[serde(default)]
    description: String,
    geojson: Option<AreaFeatures>,
    file: Option<PathBuf>,
}

/// Reads a file of another format than GeoJSON in WGS 84, and returns it as that; or tells why it cannot be read.
pub type MapReader<'r> = &'r dyn Fn(&Path) -> std::result::Result<String, String>;

/// The largest file of GeoJSON that is read, in bytes.
const MAX_MAP_BYTES: u64 = 256 * 1024 * 1024;

/// The text of a file that is GeoJSON in WGS 84; `None` if it is something else.
fn geojson_in(path: &Path) -> io::Result<Option<String>> {
    #[derive(Deserialize)]
    struct Map<'t> {
        #[serde(borrow)]
        crs: Option<&'t RawValue>,
    }

    let mut start = [0; 64];
    let length = open_regular(path)?.read(&mut start)?;
    let start = start[..length].trim_ascii_start();
    if !start.starts_with(b"{") {
        return Ok(None);
    }
    let text = read_text(path, MAX_MAP_BYTES)?;
    // What is no object is named by the error that follows.
    let crs = serde_json::from_str::<Map>(&text).ok().and_then(|map| map.crs.map(RawValue::get));
    Ok(is_wgs84(crs).then_some(text))
}

/// Why the file of a map cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapFileError {
    #[error("the map {path} cannot be read: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("the map {path} is too large: {source}")]
    Heavy { path: PathBuf, source: TooManyValues },
    /// From a [`MapReader`].
    #[error("{0}")]
    Format(String),
    #[error(
        "the map {path} is not a GeoJSON FeatureCollection with longitudes and latitudes in degrees: {}: {}",
        source.path(), source.inner()
    )]
    Parse { path: PathBuf, source: serde_path_to_error::Error<serde_json::Error> },
}

impl TryFrom<MapFields> for MapSetup {
    type Error = &'static str;

    fn try_from(MapFields { description, geojson, file }: MapFields) -> std::result::Result<Self, &'static str> {
        let features = match (geojson, file) {
            (Some(features), None) => MapFeatures::Here(features),
            (None, Some(file)) => MapFeatures::InFile(file),
            _ => {
                return Err(
                    "a map has either geojson, which is a FeatureCollection, or file, which is the path of one",
                );
            }
        };
        Ok(MapSetup { description, features })
    }
}

fn read_files(
    maps: [&mut Option<MapSetup>; 3],
    folder: &Path,
    reader: MapReader,
) -> std::result::Result<(), MapFileError> {
    maps.into_iter().flatten().try_for_each(|map| map.read_file(folder, reader))
}

fn set_maps(write: &Writer, project: ProjectKey, maps: [&Option<MapSetup>; 3]) -> Result<()> {
    let roles = [Geography::Boundaries, Geography::SecondBoundaries, Geography::Constraints];
    let given = roles.into_iter().zip(maps).filter_map(|(role, map)| Some((role, map.as_ref()?)));
    given.into_iter().try_for_each(|(role, map)| map.apply(write, project, role))
}

impl MapSetup {
    /// Reads the features, if they are in a file of their own.
    pub fn read_file(&mut self, folder: &Path, reader: MapReader) -> std::result::Result<(), MapFileError> {
        let MapFeatures::InFile(file) = &self.features else { return Ok(()) };
        let path = folder.join(file);
        let text = match geojson_in(&path).map_err(|source| MapFileError::Read { path: path.clone(), source })? {
            Some(text) => text,
            None => reader(&path).map_err(MapFileError::Format)?,
        };
        check_weight(text.as_bytes()).map_err(|source| MapFileError::Heavy { path: path.clone(), source })?;
        let mut json = serde_json::Deserializer::from_str(&text);
        let features = serde_path_to_error::deserialize(&mut json);
        self.features = MapFeatures::Here(features.map_err(|source| MapFileError::Parse { path, source })?);
        Ok(())
    }

    /// The bounds of all features; `None` without features.
    pub fn bounds(&self) -> Option<Bounds> {
        let mut positions = Vec::new();
        let mut add = |shape: &Shape| positions.extend(shape.lon_lats());
        self.features().iter().flat_map(|map| &map.features).for_each(|feature| {
            feature.geometry.geometry().for_each_shape(&mut add);
        });
        Bounds::around(positions)
    }

    pub fn apply(&self, write: &Writer, project: ProjectKey, role: Geography) -> Result<()> {
        match &self.features {
            MapFeatures::Here(features) => write.set_geography(project, role, &self.description, features),
            MapFeatures::InFile(file) => Err(InputError::map(format!(
                "the map {} is a file, which only a setup file of the command line may name; send its geojson",
                file.display()
            ))
            .into()),
        }
    }

    /// `None` before the file is read.
    fn features(&self) -> Option<&AreaFeatures> {
        match &self.features {
            MapFeatures::Here(features) => Some(features),
            MapFeatures::InFile(_) => None,
        }
    }
}
