//! GeoJSON features as the service writes them. Their geometries stay the text that is stored.
//!
//! The client reads GeoJSON with [`crate::features`], and sends [`DrawnFeatures`](super::DrawnFeatures).

use serde::{Deserialize, Serialize, Serializer};

use super::dates::Date;
use super::fields::{JsonObject, integer_if_whole};
use super::ids::{DiagramId, SystemId};
use crate::json::objects;
use geodesign_geometry::EsriGeometry;

/// A resource with its features in the field `geojson`.
#[derive(Debug, Serialize)]
pub struct WithGeojson<G, R> {
    pub geojson: G,
    #[serde(flatten)]
    pub resource: R,
}

// With properties of type `P` and geometries of type `G`; `features::FeatureCollection` has any properties, in columns.
/// A GeoJSON FeatureCollection with known properties.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(bound(deserialize = "P: Deserialize<'de>, G: Deserialize<'de>"))]
pub struct GeojsonCollection<P, G = Option<GeometryText>> {
    r#type: CollectionLiteral,
    #[serde(deserialize_with = "objects")]
    pub features: Vec<Feature<P, G>>,
}

/// The text "FeatureCollection".
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
enum CollectionLiteral {
    #[default]
    FeatureCollection,
}

/// A GeoJSON feature with known properties.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Feature<P, G = Option<GeometryText>> {
    r#type: FeatureLiteral,
    pub properties: P,
    pub geometry: G,
}

/// The text "Feature".
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
enum FeatureLiteral {
    #[default]
    Feature,
}

/// The stored JSON text of a geometry or of a FeatureCollection. It is serialized as bytes, which the service copies into its
/// responses.
#[derive(Debug, Clone)]
pub struct GeometryText(pub String);

impl Serialize for GeometryText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0.as_bytes())
    }
}

impl<P, G> FromIterator<Feature<P, G>> for GeojsonCollection<P, G> {
    fn from_iter<I: IntoIterator<Item = Feature<P, G>>>(features: I) -> Self {
        GeojsonCollection { r#type: CollectionLiteral::default(), features: features.into_iter().collect() }
    }
}

impl<P, G> Feature<P, G> {
    pub fn new(properties: P, geometry: G) -> Self {
        Feature { r#type: FeatureLiteral::default(), properties, geometry }
    }
}

/// The lower and upper edge of a feature above the ground, in metres.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct VolumeInformation {
    #[serde(serialize_with = "integer_if_whole")]
    pub min_height: f64,
    #[serde(serialize_with = "integer_if_whole")]
    pub max_height: f64,
}

impl VolumeInformation {
    /// Checks that the lower edge is not above the upper one.
    pub fn check(self) -> Result<(), InvalidHeights> {
        let VolumeInformation { min_height, max_height } = self;
        if min_height > max_height { Err(InvalidHeights { min_height, max_height }) } else { Ok(()) }
    }
}

/// Heights that are upside down.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("min_height {min_height} is more than max_height {max_height}")]
pub struct InvalidHeights {
    min_height: f64,
    max_height: f64,
}

/// Properties of a diagram's feature.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    /// Properties of a loaded project that the service does not know.
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Properties of a feature in a member's selection.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SelectionProperties {
    #[serde(flatten)]
    pub diagram: DiagramProperties,
    pub description: String,
    /// Red, green and blue as text.
    pub rgbcolor: String,
}

// The metadata are of type `O`.
/// Properties of a feature in a design; in feature-JSON, its attributes.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DesignProperties<O = JsonObject> {
    #[serde(flatten)]
    pub diagram: DiagramProperties,
    pub description: String,
    pub grid_location: String,
    pub diagramtype: String,
    pub fundingtype: String,
    #[serde(serialize_with = "integer_if_whole")]
    pub cost_override: f64,
    pub cost_override_type: String,
    pub notes: String,
    #[cfg_attr(feature = "openapi", schema(value_type = JsonObject))]
    pub additional_metadata: O,
    pub tag_codes: String,
    pub start_date: Option<Date>,
    pub end_date: Option<Date>,
    /// Same as the diagram's `undated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undated: Option<bool>,
}

/// A feature in feature-JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EsriFeature<A = JsonObject> {
    pub attributes: A,
    pub geometry: Option<EsriGeometry>,
}

/// The fields of a project's boundaries, in addition to their features.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Boundaries {
    pub description: String,
}

/// The fields of a project's constraints, in addition to their features: land that no system may change.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Constraints {
    pub sysid: i64,
    pub rank: i64,
    pub id: i64,
    pub description: String,
    /// Kilometres.
    #[serde(serialize_with = "integer_if_whole")]
    pub length: f64,
    /// Square metres.
    #[serde(serialize_with = "integer_if_whole")]
    pub area: f64,
}

/// The properties of a boundary.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BoundaryProperties {
    pub areatype: &'static str,
    pub bname: String,
}
