//! Writes collections: as GeoJSON, as HTML, and as the ragged arrays that shapely reads.
//!
//! In GeoJSON an `id` identifies one feature. Services give a diagram's id to each of its features, and GDAL reads the property `id` as the
//! feature's id. [`with_unique_ids`] makes the ids unique.

mod diagram_texts;
pub mod geojson;
pub mod html_preview;
pub mod ragged;

use std::collections::HashSet;

use serde::Deserialize;
use serde::de::Error;

use diagram_texts::Members;
use geodesign_geometry::json::{JsonText, Scanner, ScannerError};

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
    numbered(geojson).map(Some).map_err(Error::custom)
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

/// The text of a collection in which features have their numbers as ids.
fn numbered(geojson: &str) -> Result<String, ScannerError> {
    let mut text = String::with_capacity(geojson.len());
    for (name, value) in Members::of(geojson)?.0 {
        push_name(&name, &mut text);
        if name != "features" {
            text.push_str(value.0);
            continue;
        }
        let features = Vec::<JsonText>::deserialize(&mut Scanner::over_valid(value.0))?;
        for (index, feature) in features.iter().enumerate() {
            text.push_str(if index == 0 { "[" } else { "," });
            text.push_str(&format!("{{\"id\":{}", index + 1));
            for (name, value) in Members::of(feature.0)?.0.iter().filter(|(name, _)| name != "id") {
                push_name(name, &mut text);
                text.push_str(value.0);
            }
            text.push('}');
        }
        text.push_str(if features.is_empty() { "[]" } else { "]" });
    }
    text.push_str(if text.is_empty() { "{}" } else { "}" });
    Ok(text)
}

/// Begins a member of an object, with the bracket or comma before it.
fn push_name(name: &str, text: &mut String) {
    text.push(if text.is_empty() { '{' } else { ',' });
    text.push_str(&serde_json::Value::from(name).to_string());
    text.push(':');
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
