//! The demo project "Staten Island 2050", the same in every new database.
//!
//! Its content is a file that `tools/make_demo.py` makes; the boundaries are public data and carry their sources.

use rusqlite::params;
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use super::store::{Geography, NewDiagram, NewDiagramRow, Place, ProjectKey, Result, Store, StoreError, Writer};
use crate::geometry::{Geometry, GeometrySeed, Measure};
use crate::model::{
    Boundaries, BoundaryProperties, Bounds, Constraints, Date, DateTime, DesignId, DiagramId, DiagramKind, Feature,
    GeojsonCollection, JsonObject, Layer, NegotiationSession, Plugin, ProjectInfo, Stakeholder, SystemId, TeamId,
    Username, VolumeInformation,
};

const CONTENT: &str = include_str!("staten_island_2050.json");
const STUDY_AREA: &str = include_str!("staten_island.geojson");
const SURROUNDINGS: &str = include_str!("new_york_boroughs.geojson");

#[derive(Deserialize)]
struct Content {
    project: ProjectInfo,
    members: Vec<DemoMember>,
    stakeholders: Vec<Stakeholder>,
    plugins: Vec<Plugin>,
    layers: Vec<Layer>,
    tags: Vec<DemoTag>,
    systems: Vec<DemoSystem>,
    constraints: DemoConstraints,
    diagrams: Vec<DemoDiagram>,
    selections: std::collections::BTreeMap<String, Vec<DiagramId>>,
    teams: Vec<DemoTeam>,
    negotiations: Vec<NegotiationSession>,
}

#[derive(Deserialize)]
struct DemoMember {
    username: Username,
    administrator: bool,
}

#[derive(Deserialize)]
struct DemoTag {
    id: String,
    tag: String,
    slug: String,
    code: String,
}

#[derive(Deserialize)]
struct DemoSystem {
    id: i64,
    name: String,
    color: String,
    tag: String,
    cost: f64,
    budget: f64,
    current_ha: f64,
    target_ha: f64,
    verbose_description: String,
    evaluation: Box<RawValue>,
}

#[derive(Deserialize)]
struct DemoConstraints {
    geojson: FeatureText,
    description: String,
    sysid: i64,
    rank: i64,
    id: i64,
}

/// A FeatureCollection with its geometries as text.
#[derive(Deserialize)]
struct FeatureText {
    #[serde(default)]
    description: String,
    features: Vec<DemoFeature>,
}

#[derive(Deserialize)]
struct DemoFeature {
    #[serde(default)]
    properties: JsonObject,
    #[serde(default)]
    volume_information: VolumeInformation,
    geometry: Box<RawValue>,
}

#[derive(Deserialize)]
struct DemoDiagram {
    id: DiagramId,
    sysid: SystemId,
    rank: i64,
    grid_location: String,
    author: Username,
    description: String,
    r#type: String,
    fundingtype: String,
    cost_override: f64,
    cost_override_type: String,
    building_data: JsonObject,
    notes: String,
    created_at: DateTime,
    start_date: Date,
    end_date: Date,
    additional_metadata: JsonObject,
    tag_codes: Vec<String>,
    flat_geobuf_url: String,
    external_geometries: String,
    features: Vec<DemoFeature>,
    /// Square metres, of a diagram whose geometry lies elsewhere.
    #[serde(default)]
    area: f64,
}

#[derive(Deserialize)]
struct DemoTeam {
    id: TeamId,
    title: String,
    members: Vec<Username>,
    designs: Vec<DemoDesign>,
}

#[derive(Deserialize)]
struct DemoDesign {
    id: DesignId,
    creationdate: DateTime,
    description: String,
    diagrams: Vec<DiagramId>,
}

/// Writes the demo project into an empty database.
pub fn create(store: &Store) -> Result<()> {
    let content: Content = parse(CONTENT)?;
    let (study_area, surroundings): (FeatureText, FeatureText) = (parse(STUDY_AREA)?, parse(SURROUNDINGS)?);
    store.write(|write| {
        let project = insert_project(write, &content.project, &study_area)?;
        let demo = Demo { write, content: &content, project };
        demo.add_people()?;
        demo.insert_attachments()?;
        demo.set_boundaries(Geography::Boundaries, &study_area)?;
        demo.set_boundaries(Geography::SecondBoundaries, &surroundings)?;
        demo.set_constraints()?;
        demo.insert_systems()?;
        content.diagrams.iter().try_for_each(|diagram| demo.insert_diagram(diagram))?;
        demo.set_selections()?;
        demo.add_teams()
    })
}

fn insert_project(write: &Writer, project: &ProjectInfo, study_area: &FeatureText) -> Result<ProjectKey> {
    let shapes = geometries(&study_area.features)?;
    let mut corners = Vec::new();
    let mut add = |shape: &crate::geometry::Shape| corners.extend(shape.lon_lats());
    shapes.iter().for_each(|geometry| geometry.for_each_shape(&mut |shape| add(shape)));
    let bounds = Bounds::around(corners).ok_or_else(|| broken("the study area has no positions"))?;
    write.run(
        "INSERT INTO projects (id, title, description, start_date, type, external_connection, bounds, center) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            project.id.as_str(),
            project.projecttitle,
            project.projectdesc,
            project.startdate.as_ref().map(ToString::to_string),
            project.projecttype,
            project.external_connection,
            bounds.to_string(),
            bounds.center().to_string(),
        ],
    )?;
    write.project_key(&project.id)
}

struct Demo<'d> {
    write: &'d Writer<'d>,
    content: &'d Content,
    project: ProjectKey,
}

impl Demo<'_> {
    fn add_people(&self) -> Result<()> {
        for member in &self.content.members {
            let user = self.write.add_user(&member.username)?;
            self.write.add_member(self.project, user, member.administrator)?;
        }
        Ok(())
    }

    /// What the wire would add under ids of its own choice has the same ids in every demo.
    fn insert_attachments(&self) -> Result<()> {
        let (write, project) = (self.write, self.project.0);
        for Stakeholder { id, name, .. } in &self.content.stakeholders {
            let sql = "INSERT INTO stakeholders (id, project, name) VALUES (?1, ?2, ?3)";
            write.run(sql, params![id, project, name])?;
        }
        for Plugin { id, description, .. } in &self.content.plugins {
            let id = id.parse().map_err(broken)?;
            write.add_plugin(&id, description.as_deref().unwrap_or_default())?;
        }
        let plugins = self.content.plugins.iter().map(|plugin| plugin.id.parse().map_err(broken));
        write.set_plugins(self.project, &plugins.collect::<Result<Vec<_>>>()?)?;
        for layer in &self.content.layers {
            write.run(
                "INSERT INTO layers (id, project, server_type, layer_type, url, layer_name, attribution, display_name, \
                 additional_metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    layer.id.0,
                    project,
                    layer.server_type,
                    layer.layer_type,
                    layer.url,
                    layer.layer_name,
                    layer.attribution,
                    layer.display_name,
                    text(&layer.additional_metadata)?,
                ],
            )?;
        }
        for DemoTag { id, tag, slug, code } in &self.content.tags {
            let sql = "INSERT INTO tags (id, project, tag, slug, code) VALUES (?1, ?2, ?3, ?4, ?5)";
            write.run(sql, params![id, project, tag, slug, code])?;
        }
        self.content.negotiations.iter().try_for_each(|session| write.add_negotiation(self.project, session))
    }

    fn set_boundaries(&self, role: Geography, boundaries: &FeatureText) -> Result<()> {
        let features = boundaries.features.iter().map(|feature| {
            let bname = feature.properties.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
            Feature::new(BoundaryProperties { areatype: "boundaries", bname }, &feature.geometry)
        });
        let resource = Boundaries { description: boundaries.description.clone() };
        self.write.set_geography(self.project, role, &resource, &features.collect::<GeojsonCollection<_, _>>())
    }

    fn set_constraints(&self) -> Result<()> {
        let constraints = &self.content.constraints;
        let resource = Constraints {
            sysid: constraints.sysid,
            rank: constraints.rank,
            id: constraints.id,
            description: constraints.description.clone(),
            length: 0.0,
            area: measured(&constraints.geojson.features)?.square_metres,
        };
        let features = constraints.geojson.features.iter();
        let features = features.map(|feature| Feature::new(&feature.properties, &feature.geometry));
        let features: GeojsonCollection<_, _> = features.collect();
        self.write.set_geography(self.project, Geography::Constraints, &resource, &features)
    }

    fn insert_systems(&self) -> Result<()> {
        for system in &self.content.systems {
            self.write.run(
                "INSERT INTO systems (id, project, name, color, tag, verbose_description, cost, budget, current_ha, \
                 target_ha, evaluation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![
                    system.id,
                    self.project.0,
                    system.name,
                    system.color,
                    system.tag,
                    system.verbose_description,
                    system.cost,
                    system.budget,
                    system.current_ha,
                    system.target_ha,
                    system.evaluation.get(),
                ],
            )?;
        }
        Ok(())
    }

    fn insert_diagram(&self, diagram: &DemoDiagram) -> Result<()> {
        let measure = match diagram.features.is_empty() {
            true => Measure::from_wire(diagram.area, 0.0),
            false => measured(&diagram.features)?,
        };
        let features = diagram.features.iter().map(|feature| (feature.volume_information, feature.geometry.get()));
        let row = NewDiagramRow {
            id: Some(diagram.id),
            project: self.project,
            place: Place { rank: diagram.rank, grid_location: diagram.grid_location.clone() },
            building_data: diagram.building_data.clone(),
            notes: &diagram.notes,
            created_at: *diagram.created_at,
            start_date: *diagram.start_date,
            end_date: *diagram.end_date,
            diagram: NewDiagram {
                system: diagram.sysid,
                author: self.write.user(&diagram.author)?,
                kind: DiagramKind::from_name(&diagram.r#type).ok_or_else(|| broken(&diagram.r#type))?,
                title: &diagram.description,
                funding: &diagram.fundingtype,
                measure,
                cost_override: diagram.cost_override,
                cost_override_type: &diagram.cost_override_type,
                additional_metadata: diagram.additional_metadata.clone(),
                flat_geobuf_url: &diagram.flat_geobuf_url,
                external_geometries: &diagram.external_geometries,
                features: features.collect(),
            },
        };
        let id = self.write.insert_diagram(&row)?;
        for code in &diagram.tag_codes {
            self.write.run(
                "INSERT INTO diagram_tags (diagram, tag) SELECT ?1, id FROM tags WHERE project = ?2 AND code = ?3",
                params![id.0, self.project.0, code],
            )?;
        }
        Ok(())
    }

    fn set_selections(&self) -> Result<()> {
        for (username, diagrams) in &self.content.selections {
            self.write.set_selection(self.project, &username.parse().map_err(broken)?, diagrams)?;
        }
        Ok(())
    }

    fn add_teams(&self) -> Result<()> {
        for DemoTeam { id, title, members, designs } in &self.content.teams {
            let team = self.write.add_team(self.project, Some(*id), title)?;
            self.write.set_team_members(self.project, team, members)?;
            for DemoDesign { id, creationdate, description, diagrams } in designs {
                let at = creationdate.to_string();
                self.write.insert_design(self.project, team, id, &at, description, diagrams)?;
            }
        }
        Ok(())
    }
}

fn measured(features: &[DemoFeature]) -> Result<Measure> {
    let mut total = Measure::default();
    geometries(features)?.iter().filter_map(Measure::of).for_each(|measure| total += measure);
    Ok(total)
}

fn geometries(features: &[DemoFeature]) -> Result<Vec<Geometry>> {
    features
        .iter()
        .map(|feature| {
            let mut json = serde_json::Deserializer::from_str(feature.geometry.get());
            GeometrySeed.deserialize(&mut json).map_err(broken)?.ok_or_else(|| broken("a geometry is null"))
        })
        .collect()
}

fn parse<'t, T: Deserialize<'t>>(json: &'t str) -> Result<T> {
    serde_json::from_str(json).map_err(broken)
}

fn text(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(broken)
}

fn broken(problem: impl std::fmt::Display) -> StoreError {
    StoreError::Content(format!("the demo project: {problem}"))
}
