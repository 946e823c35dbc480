//! Evaluation and impact maps of a system.

use serde::{Deserialize, Serialize};

use super::{DrawnGeometry, Feature, FeatureCollection, FeatureType, JsonObject, SystemId};

/// Features with whatever properties they have.
pub type AreaFeatures = FeatureCollection<Option<JsonObject>, DrawnGeometry>;
/// An evaluation map as it is sent.
pub type EvaluationFeatures = FeatureCollection<EvaluationProperties, DrawnGeometry>;
/// An impact map as it is sent.
pub type ImpactFeatures = AreaFeatures;

/// Whose evaluation map it is.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Evaluated {
    pub sysid: SystemId,
}

/// How well an area suits a system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct EvaluationProperties {
    /// From `green3` (feasible) over `green2`, `green`, `yellow` and `red2` to `red` (not at all).
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub areatype: String,
    /// `#RRGGBB`; where it is absent, the service chooses it by the `areatype`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl<P> FeatureCollection<P, DrawnGeometry> {
    /// Maps are of areas.
    pub fn check_areas(&self) -> Result<(), String> {
        match self.features.iter().position(|feature| feature.geometry.feature_type() != FeatureType::Polygon) {
            Some(at) => Err(format!("feature {at} is a line; a map is made of polygons")),
            None => Ok(()),
        }
    }
}

impl EvaluationFeatures {
    /// What is wrong with it that its types do not say.
    pub fn check(&self) -> Result<(), String> {
        self.check_areas()?;
        match self.features.iter().position(|feature| feature.properties.areatype.trim().is_empty()) {
            Some(at) => Err(format!("feature {at} has an empty areatype; green and red are two")),
            None => Ok(()),
        }
    }

    /// The same map, every area with a colour.
    pub fn colored(&self) -> FeatureCollection<EvaluationProperties, &DrawnGeometry> {
        let colored = |properties: &EvaluationProperties| {
            let color = properties.color.clone().filter(|color| !color.is_empty());
            let color = color.or_else(|| Some(color_of(&properties.areatype).to_owned()));
            EvaluationProperties { color, ..properties.clone() }
        };
        self.features.iter().map(|feature| Feature::new(colored(&feature.properties), &feature.geometry)).collect()
    }
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
