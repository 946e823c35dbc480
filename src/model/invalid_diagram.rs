//! What the service does not accept in a diagram.

use super::dates::UtcMillis;
use super::diagram_types::FeatureType;
use super::feature::InvalidHeights;

/// Why a diagram cannot be added or updated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidDiagram {
    #[error("the description is empty; it is the title of the diagram")]
    NoTitle,
    #[error("it has no features; a diagram needs at least one")]
    NoFeatures,
    /// `other` is the index of the first feature whose type differs from that of feature 0.
    #[error(
        "feature 0 is a {} and feature {other} is not: a diagram is drawn with lines or with polygons. Send two \
         diagrams, one with the lines and one with the polygons",
        first.name()
    )]
    MixedFeatureTypes { first: FeatureType, other: usize },
    #[error("featuretype is {} and the geometry is drawn with a {}", featuretype.name(), drawn.name())]
    OtherFeatureType { featuretype: FeatureType, drawn: FeatureType },
    #[error("feature {feature}: {source}")]
    Heights { feature: usize, source: InvalidHeights },
    #[error("url {0:?} is no address of a file; it begins with https:// and a host")]
    Url(String),
    #[error("layer_type is empty; fgb-layer is a FlatGeobuf file, cogs a Cloud Optimized GeoTIFF")]
    NoLayerType,
    #[error("cost {0} is less than 0")]
    NegativeCost(i64),
    #[error("cost needs cost_type: t for the total, u for a cost per hectare")]
    NoCostType,
    #[error("start_date {start} is after end_date {end}")]
    EndBeforeStart { start: UtcMillis, end: UtcMillis },
}

/// Checks that the title of a diagram, its field `description`, is not empty.
pub fn check_title(title: &str) -> Result<(), InvalidDiagram> {
    if title.trim().is_empty() { Err(InvalidDiagram::NoTitle) } else { Ok(()) }
}
