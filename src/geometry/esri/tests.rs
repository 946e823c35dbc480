use serde_json::{Value, json};

use super::*;

fn to_geojson(esri: Value) -> Result<Value, EsriError> {
    let esri: EsriGeometry = serde_json::from_value(esri).unwrap();
    esri.to_geometry().map(|geometry| serde_json::to_value(geometry).unwrap())
}

fn square(west: f64, south: f64, size: f64, clockwise: bool) -> Vec<[f64; 2]> {
    let (east, north) = (west + size, south + size);
    let mut ring = vec![[west, south], [east, south], [east, north], [west, north], [west, south]];
    if clockwise {
        ring.reverse();
    }
    ring
}

#[test]
fn a_hole_belongs_to_the_smallest_exterior_around_it_whatever_their_order() {
    let geojson = to_geojson(json!({
        "rings": [
            square(2.0, 2.0, 1.0, false), // hole in the inner island
            square(0.0, 0.0, 9.0, true),
            square(1.0, 1.0, 4.0, false), // hole in the large exterior, with an island in it
            square(1.5, 1.5, 3.0, true),
            square(20.0, 0.0, 1.0, true),
        ],
        "spatialReference": {"wkid": 4326}
    }));
    let expected = json!({"type": "MultiPolygon", "coordinates": [
        [square(0.0, 0.0, 9.0, false), square(1.0, 1.0, 4.0, true)],
        [square(1.5, 1.5, 3.0, false), square(2.0, 2.0, 1.0, true)],
        [square(20.0, 0.0, 1.0, false)],
    ]});
    assert_eq!(geojson, Ok(expected));
}

#[test]
fn a_hole_that_touches_its_exterior_is_a_hole_of_that_polygon() {
    let hole = vec![[0.0, 2.0], [2.0, 1.0], [2.0, 3.0], [0.0, 2.0]];
    let rings = json!([square(0.0, 0.0, 4.0, true), hole]);
    let geojson = to_geojson(json!({"rings": rings, "spatialReference": {"wkid": 4326}})).unwrap();
    assert_eq!(geojson["type"], "Polygon");
    assert_eq!(geojson["coordinates"].as_array().unwrap().len(), 2);
}

#[test]
fn web_mercator_metres_become_degrees() {
    for wkid in [3857, 102_100] {
        let geojson = to_geojson(json!({
            "paths": [[[-8_250_000.0, 4_950_000.0], [0.0, 0.0]]], "spatialReference": {"wkid": wkid}
        }))
        .unwrap();
        // PROJ converts the same metres to these degrees.
        let start = geojson["coordinates"][0].as_array().unwrap();
        assert!((start[0].as_f64().unwrap() - -74.111_010_939_860_52).abs() < 1e-11, "{start:?}");
        assert!((start[1].as_f64().unwrap() - 40.575_989_819_444_42).abs() < 1e-11, "{start:?}");
        assert_eq!(geojson["coordinates"][1], json!([0.0, 0.0]));
    }
}

#[test]
fn another_spatial_reference_is_an_error_that_names_it() {
    let error = to_geojson(json!({"paths": [], "spatialReference": {"wkid": 26918}})).unwrap_err();
    assert!(error.to_string().contains("26918"), "{error}");
}

#[test]
fn polygons_converted_to_feature_json_and_back_are_the_same() {
    let geojson = json!({"type": "MultiPolygon", "coordinates": [
        [square(0.0, 0.0, 9.0, false), square(1.0, 1.0, 4.0, true)],
        [square(20.0, 0.0, 1.0, false)],
    ]});
    let parsed = serde_json::from_value::<EsriGeometry>(json!({
        "rings": [square(0.0, 0.0, 9.0, true), square(1.0, 1.0, 4.0, false), square(20.0, 0.0, 1.0, true)],
        "spatialReference": {"wkid": 4326}
    }))
    .unwrap();
    let geometry = parsed.to_geometry().unwrap();
    assert_eq!(serde_json::to_value(&geometry).unwrap(), geojson);
    assert_eq!(EsriGeometry::from_geometry(&geometry), Some(parsed));
}
