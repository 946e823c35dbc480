//! In GeoJSON an `id` identifies one feature. Services give that of a diagram to each of its features, and GDAL takes the
//! property `id` for it.

use std::collections::HashSet;

use serde::de::DeserializeSeed;
use serde::ser::{Error, SerializeMap, SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

use crate::features::read::properties::{Properties, PropertiesSeed};
use crate::json::{JsonText, Scanner, ScannerError};

/// The text of a GeoJSON FeatureCollection whose features have their number, from 1, as `id`; `None` if no id repeats.
pub fn with_unique_ids(geojson: &str) -> serde_json::Result<Option<String>> {
    let Ids { features } = Ids::deserialize(&mut Scanner::over_valid(geojson)).map_err(Error::custom)?;
    let mut seen = HashSet::new();
    let mut ids = features
        .iter()
        .filter_map(|FeatureIds { id, properties }| id.or(properties.as_ref().and_then(|known| known.id)));
    if ids.all(|id| seen.insert(id.0)) {
        return Ok(None);
    }
    serde_json::to_string(&Numbered(&members(geojson).map_err(Error::custom)?)).map(Some)
}

#[derive(Deserialize)]
struct Ids<'t> {
    #[serde(borrow, default)]
    features: Vec<FeatureIds<'t>>,
}

#[derive(Deserialize)]
struct FeatureIds<'t> {
    #[serde(borrow, default)]
    id: Option<JsonText<'t>>,
    #[serde(borrow, default)]
    properties: Option<PropertyId<'t>>,
}

#[derive(Deserialize)]
struct PropertyId<'t> {
    #[serde(borrow, default)]
    id: Option<JsonText<'t>>,
}

fn members(object: &str) -> Result<Properties<'_>, ScannerError> {
    PropertiesSeed.deserialize(&mut Scanner::over_valid(object))
}

/// The members of a collection.
struct Numbered<'t>(&'t Properties<'t>);

impl Serialize for Numbered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0 {
            match name.as_ref() {
                "features" => map.serialize_entry(name, &NumberedFeatures(value.0))?,
                _ => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// The text of an array of features.
struct NumberedFeatures<'t>(&'t str);

impl Serialize for NumberedFeatures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let features = Vec::<JsonText>::deserialize(&mut Scanner::over_valid(self.0)).map_err(Error::custom)?;
        let mut array = serializer.serialize_seq(Some(features.len()))?;
        for (index, feature) in features.iter().enumerate() {
            array.serialize_element(&NumberedFeature { text: feature.0, number: index + 1 })?;
        }
        array.end()
    }
}

struct NumberedFeature<'t> {
    text: &'t str,
    number: usize,
}

impl Serialize for NumberedFeature<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let members = members(self.text).map_err(Error::custom)?;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.number)?;
        for (name, value) in members.iter().filter(|(name, _)| name != "id") {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_an_id_repeats_every_feature_gets_its_number() {
        let geojson =
            r#"{"type":"FeatureCollection","features":[{"id":7,"type":"Feature"},{"id":7,"type":"Feature"}]}"#;
        let expected =
            r#"{"type":"FeatureCollection","features":[{"id":1,"type":"Feature"},{"id":2,"type":"Feature"}]}"#;
        assert_eq!(with_unique_ids(geojson).unwrap().as_deref(), Some(expected));
    }

    #[test]
    fn a_property_counts_as_the_id_of_a_feature_without_one() {
        let geojson = r#"{"features":[{"properties":{"id":7}},{"properties":{"id":7}},{"properties":null}]}"#;
        let expected = r#"{"features":[{"id":1,"properties":{"id":7}},{"id":2,"properties":{"id":7}},{"id":3,"properties":null}]}"#;
        assert_eq!(with_unique_ids(geojson).unwrap().as_deref(), Some(expected));
    }

    #[test]
    fn ids_that_differ_and_features_without_id_stay_as_they_are() {
        let geojson = r#"{"features":[{"id":"7"},{"id":7},{"id":null},{"id":null},{"id":8,"properties":{"id":7}},{}]}"#;
        assert_eq!(with_unique_ids(geojson).unwrap(), None);
    }
}
