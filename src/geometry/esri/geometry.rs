//! Feature-JSON geometries as serde reads and writes them.

use serde::{Deserialize, Serialize};

/// Two or three numbers: x, y and, where given, z.
pub type EsriPosition = Vec<f64>;
pub type EsriLine = Vec<EsriPosition>;

/// A feature-JSON geometry. The fields that are present tell what it is: polygons (`rings`), lines (`paths`), several points
/// (`points`) or one (`x`, `y`, `z`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EsriGeometry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rings: Option<Vec<EsriLine>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<EsriLine>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<EsriLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    #[serde(default, rename = "spatialReference")]
    pub spatial_reference: Option<SpatialReference>,
}

/// The coordinate reference system of a geometry, by its well-known id.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpatialReference {
    pub wkid: u32,
}
