//! Evaluation and impact maps of a system.

use serde::{Deserialize, Serialize};

use super::diagram_types::FeatureType;
use super::drawn_geometry::DrawnGeometry;
use super::feature::{Feature, GeojsonCollection};
use super::ids::SystemId;
use super::json_object::JsonObject;

/// Polygons with any properties.
pub type AreaFeatures = GeojsonCollection<Option<JsonObject>, DrawnGeometry>;
/// An evaluation map to be stored.
pub type EvaluationFeatures = GeojsonCollection<EvaluationProperties, DrawnGeometry>;
/// An impact map to be stored.
pub type ImpactFeatures = AreaFeatures;

/// The fields beside the features of an evaluation map.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Evaluated {
    pub sysid: SystemId,
}

/// The properties of an area of an evaluation map: how well it suits the system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct EvaluationProperties {
    /// `green3` (feasible), `green2`, `green`, `yellow`, `red2` or `red` (not suitable); other texts are allowed.
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub areatype: String,
    /// `#RRGGBB`. Where it is absent, the service chooses a colour for the `areatype`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl<P> GeojsonCollection<P, DrawnGeometry> {
    /// Checks that all features are polygons.
    pub fn check_areas(&self) -> Result<(), InvalidMap> {
        match self.features.iter().position(|feature| feature.geometry.feature_type() != FeatureType::Polygon) {
            Some(index) => Err(InvalidMap::Line { index }),
            None => Ok(()),
        }
    }
}

impl EvaluationFeatures {
    /// Checks what the types of the fields leave open.
    pub fn check(&self) -> Result<(), InvalidMap> {
        self.check_areas()?;
        match self.features.iter().position(|feature| feature.properties.areatype.trim().is_empty()) {
            Some(index) => Err(InvalidMap::NoAreatype { index }),
            None => Ok(()),
        }
    }

    /// The same map with a colour for every area.
    pub fn colored(&self) -> GeojsonCollection<EvaluationProperties, &DrawnGeometry> {
        let colored = |properties: &EvaluationProperties| {
            let color = properties.color.clone().filter(|color| !color.is_empty());
            let color = color.or_else(|| Some(color_of(&properties.areatype).to_owned()));
            EvaluationProperties { color, ..properties.clone() }
        };
        self.features.iter().map(|feature| Feature::new(colored(&feature.properties), &feature.geometry)).collect()
    }
}

/// Why a map cannot be stored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMap {
    #[error("feature {index} is a line; a map is made of polygons")]
    Line { index: usize },
    #[error("feature {index} has an empty areatype; write a suitability such as green or red")]
    NoAreatype { index: usize },
}

fn color_of(areatype: &str) -> &'static str {
    match areatype.trim().to_ascii_lowercase().as_str() {
        "green3" => "#006837",
        "green2" => "#31A354",
        "green" => "#86BF8C",
        "yellow" => "#FEE08B",
        "red2" => "#F46D43",
        "red" => "#D73027",
        _ => "#9E9E9E",
    }
}
