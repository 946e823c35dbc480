//! Features in parts: each has a Polygon, a LineString or a Point, and the properties of the complete feature.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::database::error::{Result, StoreError};
use geodesign::model::{DesignProperties, Feature, GeojsonCollection, GeometryText, ObjectText};

/// Number of features that a response may have in addition to those drawn, as each repeats its diagram's properties. Later features are not
/// divided.
const MAX_FURTHER_FEATURES: usize = 100_000;
/// The same for the bytes of notes and metadata, which may be long.
const MAX_FURTHER_BYTES: usize = 16 * 1024 * 1024;

type DesignFeature = Feature<DesignProperties<ObjectText>>;

/// Returns one feature per part.
pub fn in_parts(features: Vec<DesignFeature>) -> Result<GeojsonCollection<DesignProperties<ObjectText>>> {
    in_parts_up_to(features, MAX_FURTHER_FEATURES, MAX_FURTHER_BYTES)
}

fn in_parts_up_to(
    features: Vec<DesignFeature>,
    mut further_features: usize,
    mut further_bytes: usize,
) -> Result<GeojsonCollection<DesignProperties<ObjectText>>> {
    let mut divided = Vec::with_capacity(features.len());
    for feature in features {
        let mut parts = Vec::new();
        if let Some(GeometryText(text)) = feature.geometry.as_ref().filter(|geometry| may_have_parts(&geometry.0)) {
            add_parts(text, &mut parts).map_err(StoreError::content)?;
        }
        let further = parts.len().saturating_sub(1);
        let properties = &feature.properties;
        let bytes = further.saturating_mul(properties.notes.len() + properties.additional_metadata.text().len());
        if parts.is_empty() || further > further_features || bytes > further_bytes {
            divided.push(feature);
            continue;
        }
        (further_features, further_bytes) = (further_features - further, further_bytes - bytes);
        let part = |text| Feature::new(feature.properties.clone(), Some(GeometryText(text)));
        divided.extend(parts.into_iter().map(part));
    }
    Ok(divided.into_iter().collect())
}

/// True if a geometry may be of a type with parts. The type may be written with escapes.
fn may_have_parts(geometry: &str) -> bool {
    geometry.contains("Multi") || geometry.contains("Collection") || geometry.contains('\\')
}

/// Adds the parts of a geometry as GeoJSON, with the digits of its coordinates.
fn add_parts(geometry: &str, parts: &mut Vec<String>) -> serde_json::Result<()> {
    #[derive(Deserialize)]
    struct Whole<'t> {
        #[serde(borrow)]
        r#type: Cow<'t, str>,
        #[serde(borrow)]
        coordinates: Option<&'t RawValue>,
        #[serde(borrow)]
        geometries: Option<Vec<&'t RawValue>>,
    }

    let Whole { r#type: kind, coordinates, geometries } = serde_json::from_str(geometry)?;
    if let Some(geometries) = geometries {
        return geometries.into_iter().try_for_each(|member| add_parts(member.get(), parts));
    }
    match (kind.strip_prefix("Multi"), coordinates) {
        (Some(kind), Some(coordinates)) => {
            let coordinates: Vec<&RawValue> = serde_json::from_str(coordinates.get())?;
            let part = |coordinates: &&RawValue| format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#);
            parts.extend(coordinates.iter().map(part));
        }
        _ => parts.push(geometry.to_owned()),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(geometry: &str) -> Vec<String> {
        let mut parts = Vec::new();
        add_parts(geometry, &mut parts).unwrap();
        parts
    }

    #[test]
    fn a_part_has_the_digits_of_the_whole() {
        let whole = r#"{"coordinates": [[[0.10,1e1],[2,3]], [[4,5,6],[7,8,9]]], "type": "\u004dultiLineString"}"#;
        assert!(may_have_parts(whole));
        assert_eq!(
            parts(whole),
            [
                r#"{"type":"LineString","coordinates":[[0.10,1e1],[2,3]]}"#,
                r#"{"type":"LineString","coordinates":[[4,5,6],[7,8,9]]}"#
            ]
        );
    }

    #[test]
    fn the_members_of_a_collection_are_parts() {
        let point = r#"{"type":"Point","coordinates":[0,1]}"#;
        let points = r#"{"type":"MultiPoint","coordinates":[[2,3]]}"#;
        let inner = format!(r#"{{"type":"GeometryCollection","geometries":[{points}]}}"#);
        let outer = format!(r#"{{"type":"GeometryCollection","geometries":[{point},{inner}]}}"#);
        assert_eq!(parts(&outer), [point, r#"{"type":"Point","coordinates":[2,3]}"#]);
    }

    #[test]
    fn nothing_that_is_too_much_is_repeated() {
        let diagram = |geometry: &str| {
            let properties = DesignProperties { notes: "12345678".into(), ..DesignProperties::default() };
            Feature::new(properties, Some(GeometryText(geometry.to_owned())))
        };
        let three = r#"{"type":"MultiPoint","coordinates":[[0,0],[1,1],[2,2]]}"#;
        let count = |features, bytes| {
            in_parts_up_to(vec![diagram(three), diagram(three)], features, bytes).unwrap().features.len()
        };
        assert_eq!((count(4, 40), count(3, 40), count(4, 39), count(1, 40)), (6, 4, 4, 2));
    }
}
