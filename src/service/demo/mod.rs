//! The demo project "Staten Island 2050", the same in every new database.
//!
//! Its content is a file that `tools/make_demo.py` makes; the boundaries are public data and carry their sources.

use rusqlite::{Transaction, params};
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use super::store::{Geography, Result, Store, StoreError};
use crate::geometry::{Geometry, GeometrySeed, Measure, measure};
use crate::model::{
    BoundaryProperties, Bounds, Constraints, Date, DateTime, DesignId, Extra, Feature, FeatureCollection, Layer,
    NegotiationSession, Plugin, Project, Stakeholder, Username, VolumeInformation,
};

const CONTENT: &str = include_str!("staten_island_2050.json");
const STUDY_AREA: &str = include_str!("staten_island.geojson");
const SURROUNDINGS: &str = include_str!("new_york_boroughs.geojson");

#[derive(Deserialize)]
struct Content {
    project: Project,
    members: Vec<DemoMember>,
    stakeholders: Vec<Stakeholder>,
    plugins: Vec<Plugin>,
    layers: Vec<Layer>,
    tags: Vec<DemoTag>,
    systems: Vec<DemoSystem>,
    constraints: DemoConstraints,
    diagrams: Vec<DemoDiagram>,
    selections: std::collections::BTreeMap<String, Vec<i64>>,
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
    properties: Extra,
    #[serde(default)]
    volume_information: VolumeInformation,
    geometry: Box<RawValue>,
}

#[derive(Deserialize)]
struct DemoDiagram {
    id: i64,
    sysid: i64,
    rank: i64,
    grid_location: String,
    author: String,
    description: String,
    r#type: String,
    fundingtype: String,
    cost_override: f64,
    cost_override_type: String,
    building_data: Extra,
    notes: String,
    created_at: DateTime,
    start_date: Date,
    end_date: Date,
    additional_metadata: Extra,
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
    id: i64,
    title: String,
    members: Vec<String>,
    designs: Vec<DemoDesign>,
}

#[derive(Deserialize)]
struct DemoDesign {
    id: DesignId,
    creationdate: DateTime,
    description: String,
    diagrams: Vec<i64>,
}

/// Writes the demo project into an empty database.
pub fn create(store: &Store) -> Result<()> {
    let content: Content = parse(CONTENT)?;
    let (study_area, surroundings): (FeatureText, FeatureText) = (parse(STUDY_AREA)?, parse(SURROUNDINGS)?);
    store.write(|transaction| {
        let demo = Demo {
            transaction,
            content: &content,
            project: insert_project(transaction, &content.project, &study_area)?,
        };
        demo.insert_people()?;
        demo.insert_attachments()?;
        demo.insert_boundaries(Geography::Boundaries, &study_area)?;
        demo.insert_boundaries(Geography::SecondBoundaries, &surroundings)?;
        demo.insert_constraints()?;
        demo.insert_systems()?;
        content.diagrams.iter().try_for_each(|diagram| demo.insert_diagram(diagram))?;
        demo.insert_selections()?;
        demo.insert_teams()
    })
}

fn insert_project(transaction: &Transaction, project: &Project, study_area: &FeatureText) -> Result<i64> {
    let shapes = geometries(&study_area.features)?;
    let mut corners = Vec::new();
    let mut add = |shape: &crate::geometry::Shape| corners.extend(shape.lon_lats());
    shapes.iter().for_each(|geometry| geometry.for_each_shape(&mut |shape| add(shape)));
    let bounds = Bounds::around(corners).ok_or_else(|| broken("the study area has no positions"))?;
    transaction.execute(
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
    Ok(transaction.last_insert_rowid())
}

struct Demo<'d> {
    transaction: &'d Transaction<'d>,
    content: &'d Content,
    project: i64,
}

impl Demo<'_> {
    fn insert(&self, sql: &str, values: impl rusqlite::Params) -> Result<()> {
        self.transaction.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    fn insert_people(&self) -> Result<()> {
        for member in &self.content.members {
            self.insert("INSERT INTO users (username) VALUES (?1)", [member.username.as_str()])?;
            self.insert(
                "INSERT INTO members (project, user, administrator) SELECT ?1, key, ?2 FROM users WHERE username = ?3",
                params![self.project, member.administrator, member.username.as_str()],
            )?;
        }
        Ok(())
    }

    fn insert_attachments(&self) -> Result<()> {
        for stakeholder in &self.content.stakeholders {
            let values = params![stakeholder.id, self.project, stakeholder.name];
            self.insert("INSERT INTO stakeholders (id, project, name) VALUES (?1, ?2, ?3)", values)?;
        }
        for plugin in &self.content.plugins {
            self.insert(
                "INSERT INTO plugins (id, description) VALUES (?1, ?2)",
                params![plugin.id, plugin.description],
            )?;
            self.insert(
                "INSERT INTO project_plugins (project, plugin) VALUES (?1, ?2)",
                params![self.project, plugin.id],
            )?;
        }
        for layer in &self.content.layers {
            self.insert(
                "INSERT INTO layers (id, project, server_type, layer_type, url, layer_name, attribution, display_name, \
                 additional_metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    layer.id.0,
                    self.project,
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
        for tag in &self.content.tags {
            let values = params![tag.id, self.project, tag.tag, tag.slug, tag.code];
            self.insert("INSERT INTO tags (id, project, tag, slug, code) VALUES (?1, ?2, ?3, ?4, ?5)", values)?;
        }
        for session in &self.content.negotiations {
            let values = params![session.session_id, self.project, text(session)?];
            self.insert("INSERT INTO negotiations (session_id, project, log) VALUES (?1, ?2, ?3)", values)?;
        }
        Ok(())
    }

    fn insert_boundaries(&self, role: Geography, boundaries: &FeatureText) -> Result<()> {
        let features = boundaries.features.iter().map(|feature| {
            let bname = feature.properties.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
            Feature::new(BoundaryProperties { areatype: "boundaries", bname }, Some(feature.geometry.clone()))
        });
        let resource = serde_json::json!({ "description": boundaries.description });
        self.insert_geography(role, &text(&resource)?, &text(&features.collect::<FeatureCollection<_>>())?)
    }

    fn insert_constraints(&self) -> Result<()> {
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
        let features = features.map(|feature| Feature::new(&feature.properties, Some(feature.geometry.clone())));
        let geojson = text(&features.collect::<FeatureCollection<_>>())?;
        self.insert_geography(Geography::Constraints, &text(&resource)?, &geojson)
    }

    fn insert_geography(&self, role: Geography, resource: &str, geojson: &str) -> Result<()> {
        let values = params![self.project, role.name(), resource, geojson];
        self.insert("INSERT INTO geographies (project, role, resource, geojson) VALUES (?1, ?2, ?3, ?4)", values)
    }

    fn insert_systems(&self) -> Result<()> {
        for system in &self.content.systems {
            self.insert(
                "INSERT INTO systems (id, project, name, color, tag, verbose_description, cost, budget, current_ha, \
                 target_ha, evaluation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![
                    system.id,
                    self.project,
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
        let extent = measured(&diagram.features)?;
        // The service knows an area or a length, never both.
        let area = if diagram.features.is_empty() { diagram.area } else { extent.square_metres };
        let length = if area > 0.0 { 0.0 } else { extent.kilometres() };
        let created_at = diagram.created_at.strftime("%Y-%m-%dT%H:%M:%S%.6f").to_string();
        self.insert(
            "INSERT INTO diagrams (id, project, system, author, rank, grid_location, description, type, fundingtype, \
             area, length, cost_override, cost_override_type, building_data, notes, created_at, changed_at, start_date, \
             end_date, additional_metadata, flat_geobuf_url, external_geometries) \
             VALUES (?1, ?2, ?3, (SELECT key FROM users WHERE username = ?4), ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, \
             ?14, ?15, ?16, ?16, ?17, ?18, ?19, ?20, ?21)",
            params![
                diagram.id,
                self.project,
                diagram.sysid,
                diagram.author,
                diagram.rank,
                diagram.grid_location,
                diagram.description,
                diagram.r#type,
                diagram.fundingtype,
                area,
                length,
                diagram.cost_override,
                diagram.cost_override_type,
                text(&diagram.building_data)?,
                diagram.notes,
                created_at,
                diagram.start_date.to_string(),
                diagram.end_date.to_string(),
                text(&diagram.additional_metadata)?,
                diagram.flat_geobuf_url,
                diagram.external_geometries,
            ],
        )?;
        for feature in &diagram.features {
            let VolumeInformation { min_height, max_height } = feature.volume_information;
            self.insert(
                "INSERT INTO features (diagram, min_height, max_height, geometry) VALUES (?1, ?2, ?3, ?4)",
                params![diagram.id, min_height, max_height, feature.geometry.get()],
            )?;
        }
        for code in &diagram.tag_codes {
            self.insert(
                "INSERT INTO diagram_tags (diagram, tag) SELECT ?1, id FROM tags WHERE project = ?2 AND code = ?3",
                params![diagram.id, self.project, code],
            )?;
        }
        Ok(())
    }

    fn insert_selections(&self) -> Result<()> {
        for (username, diagrams) in &self.content.selections {
            for diagram in diagrams {
                let sql = "INSERT INTO selections (user, diagram) SELECT key, ?1 FROM users WHERE username = ?2";
                self.insert(sql, params![diagram, username])?;
            }
        }
        Ok(())
    }

    fn insert_teams(&self) -> Result<()> {
        for team in &self.content.teams {
            let values = params![team.id, self.project, team.title];
            self.insert("INSERT INTO teams (id, project, title) VALUES (?1, ?2, ?3)", values)?;
            for username in &team.members {
                let sql = "INSERT INTO team_members (team, user) SELECT ?1, key FROM users WHERE username = ?2";
                self.insert(sql, params![team.id, username])?;
            }
            for design in &team.designs {
                let values = params![design.id.as_str(), team.id, design.creationdate.to_string(), design.description];
                let sql = "INSERT INTO designs (id, team, creationdate, description) VALUES (?1, ?2, ?3, ?4)";
                self.insert(sql, values)?;
                for diagram in &design.diagrams {
                    let values = params![design.id.as_str(), diagram];
                    self.insert("INSERT INTO design_diagrams (design, diagram) VALUES (?1, ?2)", values)?;
                }
            }
        }
        Ok(())
    }
}

fn measured(features: &[DemoFeature]) -> Result<Measure> {
    let mut total = Measure::default();
    geometries(features)?.iter().for_each(|geometry| total += measure(geometry));
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
