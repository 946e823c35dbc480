//! The demo project "Staten Island 2050", the same in every new database.
//!
//! Its content is a file with one line for each thing. The boundaries are public data; `SOURCES.md` names their sources.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use crate::store::{
    Author, DesignRow, DiagramContent, DiagramRow, FeatureRow, Geography, GridLocation, InputError, ProjectKey,
    ProjectRow, Result, Store, StoreError, SystemRow, TagRow, Writer, extent_in,
};
use geodesign::model::{
    Boundaries, BoundaryProperties, Bounds, Constraints, ContextFeatures, Date, DateTime, DesignId, DiagramId,
    DiagramKind, Feature, FeatureType, GeojsonCollection, Impacts, JsonObject, LayerId, NegotiationSession, NewLayer,
    ObjectText, ProjectId, Quantities, SystemId, TeamId, Username, Uuid, VolumeInformation,
};
use geodesign_geometry::{Geometry, GeometrySeed, Measure, Shape};

/// Writes the demo project into a database without projects.
///
/// Ids that the service usually chooses are part of the content, so they are the same in every demo.
pub fn create(store: &Store) -> Result<()> {
    let content = Content::read()?;
    let (boundaries, second) = (DemoFeatures::read_boundaries()?, DemoFeatures::read_second_boundaries()?);
    store.write(|write| {
        // The demo is the same every time, so it begins without a history.
        let write = &write.by(Author::Nobody);
        let project = insert_project(write, &content, &boundaries)?;
        let demo = Demo { write, content: &content, project };
        demo.add_members()?;
        demo.insert_stakeholders()?;
        demo.add_plugins()?;
        demo.insert_layers()?;
        demo.insert_tags()?;
        demo.add_negotiations()?;
        demo.insert_boundaries(Geography::Boundaries, &boundaries)?;
        demo.insert_boundaries(Geography::SecondBoundaries, &second)?;
        demo.insert_constraints()?;
        demo.set_context()?;
        demo.insert_systems()?;
        content.diagrams.iter().try_for_each(|diagram| demo.insert_diagram(diagram))?;
        demo.set_selections()?;
        demo.add_teams()
    })
}

/// Inserts the project, with the bounds of its boundaries.
fn insert_project(write: &Writer, content: &Content, boundaries: &DemoFeatures) -> Result<ProjectKey> {
    let mut positions = Vec::new();
    let mut add = |shape: &Shape| positions.extend(shape.lon_lats());
    geometries(&boundaries.features)?.iter().for_each(|geometry| geometry.for_each_shape(&mut add));
    let bounds =
        Bounds::around(positions).ok_or_else(|| StoreError::content("the boundaries of the demo project are empty"))?;
    let project = &content.project;
    write.insert_project(&ProjectRow {
        id: &project.id,
        title: &project.projecttitle,
        description: &project.projectdesc,
        start_date: &project.startdate,
        kind: &project.projecttype,
        external_connection: &project.external_connection,
        bounds,
        center: bounds.center(),
        zoom_level: 0,
        currency: None,
        language: None,
        counted_land: None,
        drawings_on_constraints: None,
    })
}

struct Demo<'d> {
    write: &'d Writer<'d>,
    content: &'d Content,
    project: ProjectKey,
}

impl Demo<'_> {
    fn add_members(&self) -> Result<()> {
        self.content.members.iter().try_for_each(|member| {
            let user = self.write.add_user(&member.username)?;
            self.write.add_member(self.project, user, member.administrator)
        })
    }

    fn insert_stakeholders(&self) -> Result<()> {
        let mut stakeholders = self.content.stakeholders.iter();
        stakeholders
            .try_for_each(|stakeholder| self.write.insert_stakeholder(self.project, &stakeholder.id, &stakeholder.name))
    }

    fn add_plugins(&self) -> Result<()> {
        let plugins = &self.content.plugins;
        plugins.iter().try_for_each(|plugin| self.write.add_plugin(&plugin.id, &plugin.description))?;
        let ids: Vec<_> = plugins.iter().map(|plugin| plugin.id.clone()).collect();
        self.write.set_plugins(self.project, &ids).map(drop)
    }

    fn insert_layers(&self) -> Result<()> {
        let mut layers = self.content.layers.iter();
        layers.try_for_each(|layer| self.write.insert_layer(self.project, Some(layer.id), &layer.layer).map(drop))
    }

    fn insert_tags(&self) -> Result<()> {
        self.content.tags.iter().try_for_each(|tag| {
            let row = TagRow { id: &tag.id, project: self.project, tag: &tag.tag, slug: &tag.slug, code: &tag.code };
            self.write.insert_tag(&row)
        })
    }

    fn add_negotiations(&self) -> Result<()> {
        let mut sessions = self.content.negotiations.iter();
        sessions.try_for_each(|session| self.write.add_negotiation(self.project, session))
    }

    fn insert_boundaries(&self, role: Geography, boundaries: &DemoFeatures) -> Result<()> {
        let features = boundaries.features.iter().map(|feature| {
            let bname = feature.properties.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
            Feature::new(BoundaryProperties { areatype: "boundaries", bname }, &feature.geometry)
        });
        let resource = Boundaries { description: boundaries.description.clone() };
        self.write.insert_geography(self.project, role, &resource, &features.collect::<GeojsonCollection<_, _>>())
    }

    fn insert_constraints(&self) -> Result<()> {
        let constraints = &self.content.constraints;
        let resource = Constraints {
            sysid: constraints.sysid,
            rank: constraints.rank,
            id: constraints.id,
            description: constraints.description.clone(),
            length: 0.0,
            area: measure(&constraints.geojson.features)?.square_metres,
        };
        let features = constraints.geojson.features.iter();
        let features = features.map(|feature| Feature::new(&feature.properties, &feature.geometry));
        let features: GeojsonCollection<_, _> = features.collect();
        self.write.insert_geography(self.project, Geography::Constraints, &resource, &features)
    }

    fn set_context(&self) -> Result<()> {
        let places = ContextFeatures::places(self.content.places.clone()).map_err(StoreError::content)?;
        self.write.set_context(self.project, "Neighborhoods", &places)
    }

    fn insert_systems(&self) -> Result<()> {
        self.content.systems.iter().try_for_each(|system| {
            let row = SystemRow {
                id: Some(system.id),
                project: self.project,
                name: &system.name,
                color: &system.color,
                tag: &system.tag,
                verbose_description: &system.verbose_description,
                cost: system.cost,
                budget: system.budget,
                current_ha: system.current_ha,
                target_ha: system.target_ha,
                impacts: &system.impacts,
                quantities: &system.quantities,
                evaluation: system.evaluation.get(),
            };
            self.write.insert_system(&row).map(drop)
        })
    }

    fn insert_diagram(&self, diagram: &DemoDiagram) -> Result<()> {
        let features = diagram
            .features
            .iter()
            // They are measured when their costs are asked for: a sandbox starts sooner.
            .map(|feature| FeatureRow {
                heights: feature.volume_information,
                geometry: feature.geometry.get(),
                measure: None,
                extent: extent_in(feature.geometry.get()),
                extra: None,
            });
        let row = DiagramRow {
            id: Some(diagram.id),
            project: self.project,
            location: GridLocation { rank: diagram.rank, name: diagram.grid_location.clone() },
            content: DiagramContent {
                system: diagram.sysid,
                author: self.write.user(&diagram.author)?,
                kind: diagram.kind()?,
                title: &diagram.description,
                funding: &diagram.fundingtype,
                measure: diagram.measure()?,
                cost_override: diagram.cost_override,
                cost_override_type: &diagram.cost_override_type,
                additional_metadata: diagram.additional_metadata.clone(),
                flat_geobuf_url: &diagram.flat_geobuf_url,
                external_geometries: &diagram.external_geometries,
                feature_type: FeatureType::Polygon,
                features: features.collect(),
                building_data: diagram.building_data.clone(),
            },
            notes: &diagram.notes,
            created_at: *diagram.created_at,
            dates: Some((*diagram.start_date, *diagram.end_date)),
            tag_codes: &diagram.tag_codes,
        };
        self.write.insert_diagram(&row).map(drop)
    }

    fn set_selections(&self) -> Result<()> {
        self.content.selections.iter().try_for_each(|(member, diagrams)| {
            let member = member.parse().map_err(InputError::Id)?;
            self.write.set_selection(self.project, &member, diagrams)
        })
    }

    fn add_teams(&self) -> Result<()> {
        for DemoTeam { id, title, members, designs } in &self.content.teams {
            let team = self.write.add_team(self.project, Some(*id), title)?;
            self.write.set_team_members(self.project, team, members)?;
            for DemoDesign { id, creationdate, description, diagrams } in designs {
                let creationdate = creationdate.to_string();
                let row = DesignRow { id, team, creationdate: &creationdate, description, diagrams };
                self.write.insert_design(self.project, &row)?;
            }
        }
        Ok(())
    }
}

const PROJECT: &str = include_str!("staten_island_2050.json");
const BOUNDARIES: &str = include_str!("staten_island.geojson");
const SECOND_BOUNDARIES: &str = include_str!("new_york_boroughs.geojson");

/// The complete project without its boundaries.
#[derive(Deserialize)]
pub struct Content {
    pub project: DemoProject,
    pub members: Vec<DemoMember>,
    pub stakeholders: Vec<DemoStakeholder>,
    pub plugins: Vec<DemoPlugin>,
    pub layers: Vec<DemoLayer>,
    pub tags: Vec<DemoTag>,
    pub systems: Vec<DemoSystem>,
    pub constraints: DemoConstraints,
    /// Longitude and latitude by name.
    pub places: BTreeMap<String, [f64; 2]>,
    pub diagrams: Vec<DemoDiagram>,
    pub selections: BTreeMap<String, Vec<DiagramId>>,
    pub teams: Vec<DemoTeam>,
    pub negotiations: Vec<NegotiationSession>,
}

#[derive(Deserialize)]
pub struct DemoProject {
    pub id: ProjectId,
    pub projecttitle: String,
    pub projectdesc: String,
    pub startdate: String,
    pub projecttype: String,
    pub external_connection: String,
}

#[derive(Deserialize)]
pub struct DemoMember {
    pub username: Username,
    pub administrator: bool,
}

#[derive(Deserialize)]
pub struct DemoStakeholder {
    pub id: String,
    pub name: String,
}

#[derive(Deserialize)]
pub struct DemoPlugin {
    pub id: Uuid,
    pub description: String,
}

#[derive(Deserialize)]
pub struct DemoLayer {
    pub id: LayerId,
    #[serde(flatten)]
    pub layer: NewLayer,
}

#[derive(Deserialize)]
pub struct DemoTag {
    pub id: String,
    pub tag: String,
    pub slug: String,
    pub code: String,
}

#[derive(Deserialize)]
pub struct DemoSystem {
    pub id: SystemId,
    pub name: String,
    pub color: String,
    pub tag: String,
    pub cost: f64,
    pub budget: f64,
    pub current_ha: f64,
    pub target_ha: f64,
    pub verbose_description: String,
    #[serde(default)]
    pub impacts: Impacts,
    #[serde(default)]
    pub quantities: Quantities,
    pub evaluation: Box<RawValue>,
}

#[derive(Deserialize)]
pub struct DemoConstraints {
    pub geojson: DemoFeatures,
    pub description: String,
    pub sysid: i64,
    pub rank: i64,
    pub id: i64,
}

/// A GeoJSON FeatureCollection whose geometries are kept as text.
#[derive(Deserialize)]
pub struct DemoFeatures {
    #[serde(default)]
    pub description: String,
    pub features: Vec<DemoFeature>,
}

#[derive(Deserialize)]
pub struct DemoFeature {
    #[serde(default)]
    pub properties: JsonObject,
    #[serde(default)]
    pub volume_information: VolumeInformation,
    pub geometry: Box<RawValue>,
}

#[derive(Deserialize)]
pub struct DemoDiagram {
    pub id: DiagramId,
    pub sysid: SystemId,
    pub rank: i64,
    pub grid_location: String,
    pub author: Username,
    pub description: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub fundingtype: String,
    pub cost_override: f64,
    pub cost_override_type: String,
    pub building_data: JsonObject,
    pub notes: String,
    pub created_at: DateTime,
    pub start_date: Date,
    pub end_date: Date,
    pub additional_metadata: ObjectText,
    pub tag_codes: Vec<String>,
    pub flat_geobuf_url: String,
    pub external_geometries: String,
    pub features: Vec<DemoFeature>,
    /// Square metres, for a diagram whose geometry is external.
    #[serde(default)]
    pub area: f64,
}

#[derive(Deserialize)]
pub struct DemoTeam {
    pub id: TeamId,
    pub title: String,
    pub members: Vec<Username>,
    pub designs: Vec<DemoDesign>,
}

#[derive(Deserialize)]
pub struct DemoDesign {
    pub id: DesignId,
    pub creationdate: DateTime,
    pub description: String,
    pub diagrams: Vec<DiagramId>,
}

impl Content {
    pub fn read() -> Result<Self> {
        parse(PROJECT)
    }
}

impl DemoFeatures {
    pub fn read_boundaries() -> Result<Self> {
        parse(BOUNDARIES)
    }

    pub fn read_second_boundaries() -> Result<Self> {
        parse(SECOND_BOUNDARIES)
    }
}

impl DemoDiagram {
    pub fn kind(&self) -> Result<DiagramKind> {
        DiagramKind::from_name(&self.kind).ok_or_else(|| StoreError::content(format!("{:?} is not a kind", self.kind)))
    }

    pub fn measure(&self) -> Result<Measure> {
        if self.features.is_empty() { Ok(Measure::from_wire(self.area, 0.0)) } else { measure(&self.features) }
    }
}

/// Adds up the area and length of all features.
pub fn measure(features: &[DemoFeature]) -> Result<Measure> {
    let mut total = Measure::default();
    geometries(features)?.iter().filter_map(Measure::of).for_each(|measure| total += measure);
    Ok(total)
}

pub fn geometries(features: &[DemoFeature]) -> Result<Vec<Geometry>> {
    features
        .iter()
        .map(|feature| {
            let mut json = serde_json::Deserializer::from_str(feature.geometry.get());
            let geometry = GeometrySeed.deserialize(&mut json).map_err(StoreError::content)?;
            geometry.ok_or_else(|| StoreError::content("a geometry of the demo project is null"))
        })
        .collect()
}

fn parse<'t, T: Deserialize<'t>>(json: &'t str) -> Result<T> {
    serde_json::from_str(json).map_err(StoreError::content)
}
