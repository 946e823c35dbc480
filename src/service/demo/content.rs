//! The files that the demo project is made from.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::value::RawValue;

use crate::geometry::{Geometry, GeometrySeed, Measure};
use crate::model::{
    Date, DateTime, DesignId, DiagramId, DiagramKind, JsonObject, LayerId, NegotiationSession, NewLayer, ObjectText,
    ProjectId, SystemId, TeamId, Username, Uuid, VolumeInformation,
};
use crate::service::store::{Result, StoreError};

const PROJECT: &str = include_str!("staten_island_2050.json");
const BOUNDARIES: &str = include_str!("staten_island.geojson");
const SECOND_BOUNDARIES: &str = include_str!("new_york_boroughs.geojson");

/// The project with all that belongs to it but its boundaries.
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
        DiagramKind::from_name(&self.kind).ok_or_else(|| StoreError::content(format!("{:?} is no kind", self.kind)))
    }

    pub fn measure(&self) -> Result<Measure> {
        match self.features.is_empty() {
            true => Ok(Measure::from_wire(self.area, 0.0)),
            false => measure(&self.features),
        }
    }
}

/// The area and length of all features together.
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
