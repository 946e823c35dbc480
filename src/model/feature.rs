//! Geographies as the service writes them: GeoJSON whose geometries stay the text they were stored as.
//!
//! The client reads any GeoJSON with [`crate::features`]; what it sends is a [`DrawnFeatures`](super::DrawnFeatures).

use serde::{Deserialize, Serialize, Serializer};

use super::dates::Date;
use super::{DiagramId, JsonObject, SystemId};
use crate::geometry::EsriGeometry;

/// A resource with its geography: a [`FeatureCollection`], or the text of one.
#[derive(Debug, Serialize)]
pub struct WithGeojson<G, R> {
    pub geojson: G,
    #[serde(flatten)]
    pub resource: R,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FeatureCollection<P, G = Option<GeometryText>> {
    r#type: CollectionType,
    pub features: Vec<Feature<P, G>>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
enum CollectionType {
    #[default]
    FeatureCollection,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Feature<P, G = Option<GeometryText>> {
    r#type: FeatureType,
    pub properties: P,
    pub geometry: G,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
enum FeatureType {
    #[default]
    Feature,
}

/// A geometry, or a geography, as the JSON text that it was stored as. It is serialized as bytes, which the service writes into
/// its answers as they are.
#[derive(Debug, Clone)]
pub struct GeometryText(pub String);

impl Serialize for GeometryText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0.as_bytes())
    }
}

impl<P, G> FromIterator<Feature<P, G>> for FeatureCollection<P, G> {
    fn from_iter<I: IntoIterator<Item = Feature<P, G>>>(features: I) -> Self {
        FeatureCollection { r#type: CollectionType::default(), features: features.into_iter().collect() }
    }
}

impl<P, G> Feature<P, G> {
    pub fn new(properties: P, geometry: G) -> Self {
        Feature { r#type: FeatureType::default(), properties, geometry }
    }
}

/// How far a feature rises from the ground, in metres.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct VolumeInformation {
    pub min_height: f64,
    pub max_height: f64,
}

/// What a feature says of the diagram that it is part of.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
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
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct SelectionProperties {
    #[serde(flatten)]
    pub diagram: DiagramProperties,
    pub description: String,
    /// The colour as the text of three integers.
    pub rgbcolor: String,
}

/// What a feature says of a diagram in a design; the attributes of the feature-JSON variant too.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
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
    pub additional_metadata: JsonObject,
    pub tag_codes: String,
    pub start_date: Option<Date>,
    pub end_date: Option<Date>,
}

/// A feature of a design as feature-JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EsriFeature<A = JsonObject> {
    pub attributes: A,
    #[serde(default)]
    pub geometry: Option<EsriGeometry>,
}

/// What a project's boundaries are called.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Boundaries {
    pub description: String,
}

/// Land that cannot change, whatever a system proposes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
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
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct BoundaryProperties {
    pub areatype: &'static str,
    pub bname: String,
}
