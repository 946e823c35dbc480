//! Conversion from and to the types of the crate `geojson`, for what clients send: drawn geometries, diagrams and maps.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::drawn_geometry::{DrawnGeometry, InvalidDrawing};
use super::feature::GeojsonCollection;
use crate::json;
use geodesign_geometry::Geometry;

impl TryFrom<&geojson::Geometry> for DrawnGeometry {
    type Error = InvalidDrawing;

    fn try_from(geometry: &geojson::Geometry) -> Result<Self, InvalidDrawing> {
        DrawnGeometry::new(&Geometry::try_from(geometry)?)
    }
}

impl From<&DrawnGeometry> for geojson::Geometry {
    fn from(drawn: &DrawnGeometry) -> Self {
        geojson::Geometry::from(&drawn.geometry())
    }
}

/// Features that can be sent as the geometries of a diagram or as a map. Bounding boxes and foreign members are left out, and so are all
/// properties of [`DrawnFeatures`](super::DrawnFeatures) except `volume_information`.
///
/// ```
/// use geodesign::model::{DrawnFeatures, FeatureType};
///
/// let path = geojson::Geometry::new_line_string([[-74.15, 40.57], [-74.14, 40.58]]);
/// let collection = geojson::FeatureCollection::new([geojson::Feature::from(path)]);
/// let features = DrawnFeatures::try_from(&collection)?;
/// assert_eq!(features.feature_type(), Ok(FeatureType::Line));
/// # Ok::<(), geodesign::model::InvalidFeatures>(())
/// ```
impl<P: DeserializeOwned> TryFrom<&geojson::FeatureCollection> for GeojsonCollection<P, DrawnGeometry> {
    type Error = InvalidFeatures;

    fn try_from(collection: &geojson::FeatureCollection) -> Result<Self, InvalidFeatures> {
        let text = serde_json::to_vec(collection).map_err(InvalidFeatures::Write)?;
        json::decode(&text).map_err(|error| InvalidFeatures::Read { path: error.path, source: error.source })
    }
}

impl<P: Serialize> TryFrom<&GeojsonCollection<P, DrawnGeometry>> for geojson::FeatureCollection {
    type Error = InvalidFeatures;

    fn try_from(features: &GeojsonCollection<P, DrawnGeometry>) -> Result<Self, InvalidFeatures> {
        let text = serde_json::to_vec(features).map_err(InvalidFeatures::Write)?;
        json::decode(&text).map_err(|error| InvalidFeatures::Read { path: error.path, source: error.source })
    }
}

/// Reasons why features cannot be converted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidFeatures {
    #[error("the features cannot be written as JSON: {0}")]
    Write(#[source] serde_json::Error),
    /// `path` is the field that the error is about, such as `features[3].geometry`.
    #[error("{}: {source}", path.as_deref().unwrap_or("the features"))]
    Read { path: Option<String>, source: serde_json::Error },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::DrawnFeatures;

    fn collection(geometry: geojson::Geometry) -> geojson::FeatureCollection {
        let mut feature = geojson::Feature::from(geometry);
        feature.set_property("volume_information", serde_json::json!({"min_height": 0, "max_height": 7.5}));
        geojson::FeatureCollection::new([feature])
    }

    #[test]
    fn drawn_features_converted_there_and_back_are_the_same() {
        let path = geojson::Geometry::new_line_string([[-74.123_456_789_012_34, 40.5, 3.25], [-74.1, 40.5, 4.0]]);
        let collection = collection(path);
        let features = DrawnFeatures::try_from(&collection).unwrap();
        assert_eq!(geojson::FeatureCollection::try_from(&features).unwrap(), collection);
    }

    #[test]
    fn a_feature_that_cannot_be_drawn_is_an_error_that_names_it() {
        let bow_tie = [[[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0], [0.0, 0.0]]];
        let error = DrawnFeatures::try_from(&collection(geojson::Geometry::new_polygon(bow_tie))).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("features[0].geometry: ") && message.contains("crosses"), "{message}");
    }

    #[test]
    fn a_drawn_geometry_converted_there_and_back_is_the_same() {
        let path = geojson::Geometry::new_line_string([[-74.15, 40.57], [-74.14, 40.58]]);
        assert_eq!(geojson::Geometry::from(&DrawnGeometry::try_from(&path).unwrap()), path);
        let point = geojson::Geometry::new_point([-74.15, 40.57]);
        assert_eq!(geojson::Geometry::from(&DrawnGeometry::try_from(&point).unwrap()), point);
    }
}
