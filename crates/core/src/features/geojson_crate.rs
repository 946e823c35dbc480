//! Conversion from and to the feature collections of the crate `geojson`.

use super::{BodyError, FeatureCollection, Layout};

/// The features as a tree of values. The rows of diagrams become features with the properties of the columns.
///
/// ```
/// use geodesign::features::FeatureCollection;
///
/// let mut park = geojson::Feature::from(geojson::Geometry::new_point([-74.15, 40.57]));
/// park.set_property("description", "Park");
/// let parks = geojson::FeatureCollection::new([park]);
/// let features = FeatureCollection::try_from(&parks)?;
/// assert_eq!(features.len(), 1);
/// assert_eq!(geojson::FeatureCollection::try_from(&features)?, parks);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl TryFrom<&FeatureCollection> for geojson::FeatureCollection {
    type Error = geojson::Error;

    fn try_from(collection: &FeatureCollection) -> Result<Self, geojson::Error> {
        let text = serde_json::to_vec(collection)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

/// The features in columns. Nothing is lost: foreign members and bounding boxes stay in the GeoJSON.
impl TryFrom<&geojson::FeatureCollection> for FeatureCollection {
    type Error = BodyError;

    fn try_from(collection: &geojson::FeatureCollection) -> Result<Self, BodyError> {
        // The value does not come from a service, so any problem with it is an error.
        FeatureCollection::from_json(collection.to_string(), Layout::Collection)?.without_problems()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_collection_converted_there_and_back_is_the_same() {
        let text = r#"{"type":"FeatureCollection","bbox":[-74.15,40.5,-74.1,40.57],"name":"Parks","features":[
            {"type":"Feature","id":7,"properties":{"n":1.5,"tags":["a",null]},
             "geometry":{"type":"LineString","coordinates":[[-74.123456789012345,40.5,3.25],[-74.1,40.5]]}},
            {"type":"Feature","properties":null,"geometry":null}]}"#;
        let collection: geojson::FeatureCollection = serde_json::from_str(text).unwrap();
        let features = FeatureCollection::try_from(&collection).unwrap();
        assert_eq!(features.len(), 2);
        assert_eq!(geojson::FeatureCollection::try_from(&features).unwrap(), collection);
    }

    #[test]
    fn rows_of_diagrams_become_features_with_the_fields_of_their_diagrams() {
        let body = r#"[{"id":1001,"sysid":2,"description":"Park","geojson":{"type":"FeatureCollection","features":[
            {"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[-74.1,40.5]}}]}}]"#;
        let diagrams = FeatureCollection::from_json(body, Layout::Diagrams).unwrap();
        let collection = geojson::FeatureCollection::try_from(&diagrams).unwrap();
        assert_eq!(collection.features[0].property("diagramid"), Some(&1001.into()));
        assert_eq!(collection.features[0].property("description"), Some(&"Park".into()));
    }

    #[test]
    fn a_position_of_one_number_is_an_error() {
        let point = geojson::Feature::from(geojson::Geometry::new_point(vec![1.0]));
        let error = FeatureCollection::try_from(&geojson::FeatureCollection::new([point])).unwrap_err();
        assert!(error.to_string().contains("a position has one number"), "{error}");
    }
}
