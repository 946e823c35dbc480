//! The row of a diagram's feature.

use geodesign::costs::{has_size, reliable_measure};
use geodesign::model::{DrawnGeometry, VolumeInformation};
use geodesign_geometry::{Measure, extent_of};

use super::database::values::to_geometry;

/// The row of a feature.
#[derive(Debug)]
pub struct FeatureRow<'d> {
    pub heights: VolumeInformation,
    /// GeoJSON text.
    pub geometry: &'d str,
    /// Its measure if it is [reliable](reliable_measure).
    pub measure: Option<Measure>,
    /// West, south, east and north; `None` for a geometry that has no positions or cannot be read.
    pub extent: Option<[f64; 4]>,
    /// Properties that this service does not know, as a JSON object.
    pub extra: Option<&'d str>,
}

impl<'d> FeatureRow<'d> {
    /// Returns the row of a feature, and measures its geometry.
    pub fn measured(heights: VolumeInformation, geometry: &'d str) -> Self {
        // Archives also hold geometries that cannot be read.
        let read = to_geometry(geometry).ok().flatten();
        let (measure, extent) = (read.as_ref().and_then(reliable_measure), read.as_ref().and_then(extent_of));
        FeatureRow { heights, geometry, measure, extent, extra: None }
    }

    /// Returns the row of a feature that a member has drawn.
    pub fn drawn(heights: VolumeInformation, geometry: &'d DrawnGeometry) -> Self {
        // A checked geometry is in degrees, and not around the Earth; without a size it may be.
        let measure = Some(geometry.measure()).filter(|measure| has_size(*measure));
        FeatureRow { heights, geometry: geometry.text(), measure, extent: geometry.extent(), extra: None }
    }
}
