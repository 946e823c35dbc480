//! Feature-JSON geometries: `rings`, `paths`, `points` or `x`/`y`, and the spatial reference of their coordinates.
//!
//! In feature-JSON, a polygon is a flat list of rings. Clockwise rings should be exteriors and counter-clockwise ones holes, but programs
//! write both directions, so a hole is a ring inside another.

use std::{iter, slice};

use serde::{Deserialize, Serialize};

use super::projection::Crs;
use super::shape::{Geometry, Shape, ShapeKind};

/// Two or three numbers: x, y and optionally z.
pub type EsriPosition = Vec<f64>;
pub type EsriLine = Vec<EsriPosition>;

/// A feature-JSON geometry. Its fields show its type: polygons (`rings`), lines (`paths`), several points (`points`) or one (`x`, `y`,
/// `z`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EsriGeometry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rings: Option<Vec<EsriLine>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<EsriLine>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<EsriLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    #[serde(default, rename = "spatialReference")]
    pub spatial_reference: Option<SpatialReference>,
}

/// A geometry's coordinate reference system, by its well-known id.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpatialReference {
    pub wkid: u32,
}

/// WGS 84, longitude and latitude in degrees.
const WGS84: u32 = 4326;
/// Web Mercator in metres, which has two numbers.
const WEB_MERCATOR: [u32; 2] = [3857, 102_100];

/// Reasons why a feature-JSON geometry cannot be converted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EsriError {
    #[error("wkid {0} is not supported; reproject the feature to 4326 (WGS 84), or to 3857 or 102100 (Web Mercator)")]
    UnknownWkid(u32),
    #[error("the geometry has no spatialReference with a wkid, so its coordinates cannot be placed")]
    NoSpatialReference,
    #[error("the geometry has none of rings, paths, points or x and y")]
    NoCoordinates,
    #[error("a position needs two or three numbers and has {0}")]
    BadPosition(usize),
}

impl EsriGeometry {
    /// Converts to WGS 84. Each hole is in the polygon whose exterior surrounds it; exteriors are counter-clockwise.
    pub fn to_geometry(&self) -> Result<Geometry, EsriError> {
        let reference = self.spatial_reference.ok_or(EsriError::NoSpatialReference)?;
        let to_wgs84 = conversion_from(reference.wkid)?;
        let lines = |kind, lines| Shape::from_positions(kind, iter::once(lines), split);
        let shape = if let Some(rings) = &self.rings {
            // Checked first, since the rings are compared below.
            rings.iter().flatten().try_for_each(|position| split(position).map(drop))?;
            let (polygons, _) = into_polygons(rings.iter().filter(|ring| !ring.is_empty()));
            let kind = if polygons.len() == 1 { ShapeKind::Polygon } else { ShapeKind::MultiPolygon };
            Shape::from_positions(kind, polygons.iter().map(Vec::as_slice), split)
        } else if let Some(paths) = &self.paths {
            let kind = if paths.len() == 1 { ShapeKind::LineString } else { ShapeKind::MultiLineString };
            lines(kind, paths)
        } else if let Some(points) = &self.points {
            lines(ShapeKind::MultiPoint, slice::from_ref(points))
        } else if let (Some(x), Some(y)) = (self.x, self.y) {
            lines(ShapeKind::Point, &[vec![[x, y].into_iter().chain(self.z).collect()]])
        } else {
            return Err(EsriError::NoCoordinates);
        };
        let mut shape = shape?;
        let stride = shape.stride();
        for position in shape.ordinates.chunks_exact_mut(stride) {
            [position[0], position[1]] = to_wgs84([position[0], position[1]]);
        }
        Ok(Geometry::Shape(shape))
    }

    /// Returns the index of a ring that lies inside another with the same direction and is read as a hole. Empty rings are not counted.
    pub fn ambiguous_ring(&self) -> Option<usize> {
        let rings = self.rings.as_ref().filter(|rings| rings.len() > 1)?;
        rings.iter().flatten().all(|position| split(position).is_ok()).then_some(())?;
        into_polygons(rings.iter().filter(|ring| !ring.is_empty())).1
    }

    /// The empty geometry of a polygon feature.
    pub fn no_rings() -> Self {
        EsriGeometry { rings: Some(Vec::new()), ..EsriGeometry::in_wgs84() }
    }

    /// The empty geometry of a line feature.
    pub fn no_paths() -> Self {
        EsriGeometry { paths: Some(Vec::new()), ..EsriGeometry::in_wgs84() }
    }

    /// The empty geometry of a feature of points.
    pub fn no_points() -> Self {
        EsriGeometry { points: Some(Vec::new()), ..EsriGeometry::in_wgs84() }
    }

    fn in_wgs84() -> Self {
        EsriGeometry { spatial_reference: Some(SpatialReference { wkid: WGS84 }), ..EsriGeometry::default() }
    }

    /// Converts a WGS 84 geometry to feature-JSON, exteriors clockwise; `None` for a collection, which feature-JSON cannot express.
    pub fn from_geometry(geometry: &Geometry) -> Option<Self> {
        let Geometry::Shape(shape) = geometry else {
            return None;
        };
        let to_line = |line: &[f64]| line.chunks_exact(shape.stride()).map(<[f64]>::to_vec).collect::<EsriLine>();
        let mut esri = EsriGeometry::in_wgs84();
        match shape.kind {
            ShapeKind::Point => {
                esri.x = shape.ordinates.first().copied();
                esri.y = shape.ordinates.get(1).copied();
                esri.z = shape.ordinates.get(2).copied();
            }
            ShapeKind::MultiPoint => esri.points = Some(to_line(&shape.ordinates)),
            ShapeKind::LineString | ShapeKind::MultiLineString => {
                esri.paths = Some(shape.lines().map(to_line).collect())
            }
            ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                let is_exterior =
                    shape.rings_per_polygon().into_iter().flat_map(|count| (0..count).map(|ring| ring == 0));
                let oriented_rings =
                    shape.lines().map(to_line).zip(is_exterior).map(|(ring, exterior)| oriented(ring, exterior));
                esri.rings = Some(oriented_rings.collect());
            }
        }
        Some(esri)
    }
}

type ToWgs84 = fn([f64; 2]) -> [f64; 2];

fn conversion_from(wkid: u32) -> Result<ToWgs84, EsriError> {
    match wkid {
        WGS84 => Ok(|lon_lat| lon_lat),
        _ if WEB_MERCATOR.contains(&wkid) => Ok(|metres| Crs::WebMercator.unproject(metres)),
        _ => Err(EsriError::UnknownWkid(wkid)),
    }
}

/// Splits a position into its first two numbers and the rest.
fn split(position: &EsriPosition) -> Result<(&[f64; 2], &[f64]), EsriError> {
    position.split_first_chunk().ok_or(EsriError::BadPosition(position.len()))
}

/// Sorts a flat list of rings into polygons: the exterior, counter-clockwise, then its holes, clockwise. Also returns the first ring
/// whose direction contradicts this.
///
/// A ring inside an odd number of others is a hole, whatever its direction: programs write both. GDAL does the same.
pub fn into_polygons<'r>(rings: impl Iterator<Item = &'r EsriLine>) -> (Vec<Vec<EsriLine>>, Option<usize>) {
    let rings: Vec<&EsriLine> = rings.collect();
    let extents: Vec<[f64; 4]> = rings.iter().map(|ring| extent(ring)).collect();
    let around = |index: usize| {
        let rings = &rings;
        let within = |outer: &[f64; 4], inner: &[f64; 4]| {
            outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]
        };
        let candidates = (0..rings.len()).filter(|other| *other != index && within(&extents[*other], &extents[index]));
        candidates.filter(|other| surrounds(rings[*other], rings[index])).collect::<Vec<_>>()
    };
    let surrounding: Vec<Vec<usize>> = (0..rings.len()).map(around).collect();
    let is_exterior = |index: &usize| surrounding[*index].len().is_multiple_of(2);
    let exteriors: Vec<usize> = (0..rings.len()).filter(is_exterior).collect();
    let mut polygons: Vec<Vec<EsriLine>> =
        exteriors.iter().map(|index| vec![oriented(rings[*index].clone(), false)]).collect();
    let mut contradicting = None;
    for hole in (0..rings.len()).filter(|index| !is_exterior(index)) {
        let area = |index: &usize| signed_area(rings[*index]).abs();
        let outer = surrounding[hole].iter().copied().filter(is_exterior).min_by(|a, b| area(a).total_cmp(&area(b)));
        match outer.and_then(|outer| Some((outer, exteriors.binary_search(&outer).ok()?))) {
            Some((outer, polygon)) => {
                if (signed_area(rings[outer]) < 0.0) == (signed_area(rings[hole]) < 0.0) {
                    contradicting.get_or_insert(hole);
                }
                polygons[polygon].push(oriented(rings[hole].clone(), true));
            }
            None => polygons.push(vec![rings[hole].clone()]),
        }
    }
    (polygons, contradicting)
}

/// West, south, east and north.
fn extent(ring: &[EsriPosition]) -> [f64; 4] {
    ring.iter().fold([f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY], |around, position| {
        [around[0].min(position[0]), around[1].min(position[1]), around[2].max(position[0]), around[3].max(position[1])]
    })
}

/// Twice the planar area, positive if the ring is counter-clockwise.
fn signed_area(ring: &[EsriPosition]) -> f64 {
    edges(ring)
        .map(|(a, b)| (a[0] - ring[0][0]) * (b[1] - ring[0][1]) - (b[0] - ring[0][0]) * (a[1] - ring[0][1]))
        .sum()
}

/// Returns the ring, reversed if it has the other orientation.
pub fn oriented(mut ring: EsriLine, clockwise: bool) -> EsriLine {
    if (signed_area(&ring) < 0.0) != clockwise {
        ring.reverse();
    }
    ring
}

fn edges(ring: &[EsriPosition]) -> impl Iterator<Item = (&EsriPosition, &EsriPosition)> {
    ring.iter().zip(ring.iter().cycle().skip(1))
}

/// True if `inner` lies inside `outer`. The first vertex or edge middle of `inner` that is not on `outer` decides.
fn surrounds(outer: &[EsriPosition], inner: &[EsriPosition]) -> bool {
    let vertices = inner.iter().map(|position| [position[0], position[1]]);
    let middles = edges(inner).map(|(a, b)| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]);
    vertices.chain(middles).find_map(|point| side(outer, point)).unwrap_or(false)
}

/// `Some(true)` inside, `Some(false)` outside, `None` on the ring.
fn side(ring: &[EsriPosition], [x, y]: [f64; 2]) -> Option<bool> {
    let mut inside = false;
    for (a, b) in edges(ring) {
        let cross = (b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1]);
        let within = |low: f64, high: f64, value: f64| low.min(high) <= value && value <= low.max(high);
        if cross == 0.0 && within(a[0], b[0], x) && within(a[1], b[1], y) {
            return None;
        }
        if (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) {
            inside = !inside;
        }
    }
    Some(inside)
}

#[cfg(test)]
mod tests {
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
    fn a_ring_inside_another_is_a_hole_whatever_the_directions() {
        for (outer, inner) in [(true, false), (false, true), (true, true), (false, false)] {
            let rings = json!([square(1.0, 1.0, 2.0, inner), square(0.0, 0.0, 4.0, outer)]);
            let esri: EsriGeometry =
                serde_json::from_value(json!({"rings": rings, "spatialReference": {"wkid": 4326}})).unwrap();
            let expected = json!([square(0.0, 0.0, 4.0, false), square(1.0, 1.0, 2.0, true)]);
            assert_eq!(serde_json::to_value(esri.to_geometry().unwrap()).unwrap()["coordinates"], expected);
            assert_eq!(esri.ambiguous_ring(), (outer == inner).then_some(0));
        }
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
}
