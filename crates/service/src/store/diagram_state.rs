//! The state of a diagram, as the history and merging keep it.

use serde::{Deserialize, Serialize};

use super::database::values::extent_in;
use super::feature_row::FeatureRow;
use geodesign::model::{DrawnFeatures, FeatureType, VolumeInformation};
use geodesign_geometry::Measure;

macro_rules! diagram_state {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)*) => {
        /// Values of a diagram, as the database holds them; `None` for one that is left out.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        pub struct DiagramState {$(
            $(#[$doc])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,
        )*}

        impl DiagramState {
            /// The values that are others in `other`.
            pub fn differing_from(&self, other: &DiagramState) -> DiagramState {
                DiagramState {$($field: self.$field.clone().filter(|_| self.$field != other.$field),)*}
            }
        }
    };
}

diagram_state! {
    removed: bool,
    title: String,
    notes: String,
    start_date: String,
    end_date: String,
    /// Whether nobody gave the dates.
    undated: bool,
    additional_metadata: String,
    cost_override: f64,
    cost_override_type: String,
    building_data: String,
    system: i64,
    rank: i64,
    grid_location: String,
    /// `project` or `policy`
    kind: String,
    fundingtype: String,
    /// Their ids, sorted.
    tags: Vec<String>,
    /// The features, where they were changed.
    drawing: Drawing,
}

/// The features of a diagram, with what is told of them all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// m²
    pub area: f64,
    /// km
    pub length: f64,
    pub featuretype: String,
    pub features: Vec<DrawnFeature>,
}

impl Drawing {
    pub fn of(geometry: &DrawnFeatures) -> Self {
        let measure = geometry.measure();
        let area = measure.square_metres;
        let feature_type = geometry.feature_type().unwrap_or(FeatureType::Polygon);
        let features = geometry.features.iter().map(|feature| {
            let volume = feature.properties.as_ref().and_then(|properties| properties.volume_information);
            let volume = volume.unwrap_or_default();
            let FeatureRow { heights, geometry, measure, extent, .. } = FeatureRow::drawn(volume, &feature.geometry);
            DrawnFeature {
                min_height: heights.min_height,
                max_height: heights.max_height,
                geometry: geometry.to_owned(),
                square_metres: measure.map(|own| own.square_metres),
                metres: measure.map(|own| own.metres),
                extent,
                extra: None,
            }
        });
        Drawing {
            area,
            // A diagram has an area or a length, never both.
            length: if area > 0.0 { 0.0 } else { measure.kilometres() },
            featuretype: feature_type.name().to_owned(),
            features: features.collect(),
        }
    }
}

/// A feature as the database holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawnFeature {
    pub min_height: f64,
    pub max_height: f64,
    /// GeoJSON
    pub geometry: String,
    /// Its measure where that can be relied on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub square_metres: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metres: Option<f64>,
    /// West, south, east and north, where the geometry was read to draw it. The history does not keep it.
    #[serde(skip)]
    pub extent: Option<[f64; 4]>,
    /// Properties that this service does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<String>,
}

impl DrawnFeature {
    pub fn row(&self) -> FeatureRow<'_> {
        let DrawnFeature { min_height, max_height, geometry, square_metres, metres, extent, extra } = self;
        FeatureRow {
            heights: VolumeInformation { min_height: *min_height, max_height: *max_height },
            geometry,
            measure: square_metres.zip(*metres).map(|(square_metres, metres)| Measure { square_metres, metres }),
            extent: extent.or_else(|| extent_in(geometry)),
            extra: extra.as_deref(),
        }
    }
}
