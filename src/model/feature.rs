//! Geographies as the service writes them: GeoJSON whose geometries stay the text they were stored as.
//!
//! Only the service builds these; the client reads any GeoJSON with [`crate::features`].

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::dates::Date;
use super::{DiagramId, Extra, SystemId};
use crate::geometry::EsriGeometry;

/// A resource with its geography: a [`FeatureCollection`], or the text of one.
#[derive(Debug, Serialize)]
pub struct WithGeojson<G, R> {
    pub geojson: G,
    #[serde(flatten)]
    pub resource: R,
}

#[derive(Debug, Serialize)]
pub struct FeatureCollection<P> {
    r#type: &'static str,
    pub features: Vec<Feature<P>>,
}

impl<P> FromIterator<Feature<P>> for FeatureCollection<P> {
    fn from_iter<I: IntoIterator<Item = Feature<P>>>(features: I) -> Self {
        FeatureCollection { r#type: "FeatureCollection", features: features.into_iter().collect() }
    }
}

#[derive(Debug, Serialize)]
pub struct Feature<P> {
    r#type: &'static str,
    pub properties: P,
    pub geometry: Option<Box<RawValue>>,
}

impl<P> Feature<P> {
    pub fn new(properties: P, geometry: Option<Box<RawValue>>) -> Self {
        Feature { r#type: "Feature", properties, geometry }
    }
}

/// How far a feature rises from the ground, in metres.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct VolumeInformation {
    pub min_height: f64,
    pub max_height: f64,
}

/// What a feature says of the diagram that it is part of.
#[derive(Debug, Clone, Serialize)]
pub struct DiagramProperties {
    /// `project` or `policy`.
    pub areatype: String,
    pub author: String,
    pub color: String,
    pub diagramid: DiagramId,
    pub sysid: SystemId,
    pub sysname: String,
    pub systag: String,
    pub volume_information: VolumeInformation,
}

/// What a feature says of a diagram that a member selected.
#[derive(Debug, Clone, Serialize)]
pub struct SelectionProperties {
    #[serde(flatten)]
    pub diagram: DiagramProperties,
    pub description: String,
    /// The colour as the text of three integers.
    pub rgbcolor: String,
}

/// What a feature says of a diagram in a design; the attributes of the feature-JSON variant too.
#[derive(Debug, Clone, Serialize)]
pub struct DesignProperties {
    #[serde(flatten)]
    pub diagram: DiagramProperties,
    pub description: String,
    pub grid_location: String,
    pub diagramtype: String,
    pub fundingtype: String,
    pub cost_override: f64,
    pub cost_override_type: String,
    pub notes: String,
    pub additional_metadata: Extra,
    pub tag_codes: String,
    pub start_date: Option<Date>,
    pub end_date: Option<Date>,
}

/// A feature of a design as feature-JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EsriFeature<A = Extra> {
    pub attributes: A,
    #[serde(default)]
    pub geometry: Option<EsriGeometry>,
}

/// Land that cannot change, whatever a system proposes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Constraints {
    pub sysid: i64,
    pub rank: i64,
    pub id: i64,
    pub description: String,
    /// Kilometres.
    pub length: f64,
    /// Square metres.
    pub area: f64,
}

/// What a feature says of a boundary.
#[derive(Debug, Clone, Serialize)]
pub struct BoundaryProperties {
    pub areatype: &'static str,
    pub bname: String,
}
