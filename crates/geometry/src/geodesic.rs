//! Area and length on the WGS 84 ellipsoid, after C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87 (2013). Areas of
//! polygons with short edges are computed by a series that agrees with it to 1e-9 (see `short_edges`).

use std::ops::AddAssign;

use geographiclib_rs::{InverseGeodesic, PolygonArea, Winding};

use super::ellipsoid::WGS84;
use super::shape::{Geometry, Shape, ShapeKind};
use super::short_edges::{MAX_DIFFERENCE, polygon_area, ring_area};
use super::validity::around_the_earth;

pub const SQUARE_METRES_PER_HECTARE: f64 = 10_000.0;
const METRES_PER_KILOMETRE: f64 = 1_000.0;

/// The area that a geometry covers, the length of its lines, and the number of its points.
///
/// Edges are geodesics: they take the shorter way around the Earth, also across longitude 180. So a polygon from longitude -180 to 180
/// with no positions in between has no area, and neither does one around the whole Earth; [`around_the_earth`] finds them.
///
/// [`around_the_earth`]: super::around_the_earth
///
/// ```
/// use geodesign_geometry::{Geometry, Measure, Shape, ShapeKind};
///
/// let ordinates = vec![-74.15, 40.57, -74.14, 40.57, -74.14, 40.58, -74.15, 40.57];
/// let park = Geometry::Shape(Shape { ordinates, line_ends: vec![4], ..Shape::empty(ShapeKind::Polygon) });
/// let measure = Measure::of(&park).expect("the polygon has positions");
/// assert_eq!(measure.hectares().round(), 47.0);
/// assert_eq!(measure.kilometres(), 0.0);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measure {
    /// Square metres of all polygons without their holes, whatever the orientation of the rings. Never below 0, even if holes are larger
    /// than their exterior.
    pub square_metres: f64,
    /// Metres of all lines; the outlines of polygons do not count.
    pub metres: f64,
    /// The number of points; the corners of lines and polygons do not count.
    pub pieces: u64,
}

impl Measure {
    /// Measures a geometry whose positions are longitude, latitude in degrees; `None` if it has no positions.
    pub fn of(geometry: &Geometry) -> Option<Self> {
        let mut sum: Option<Measure> = None;
        geometry.for_each_shape(&mut |shape| {
            if !shape.ordinates.is_empty() {
                *sum.get_or_insert_default() += measure_shape(shape);
            }
        });
        sum
    }

    pub fn hectares(self) -> f64 {
        self.square_metres / SQUARE_METRES_PER_HECTARE
    }

    pub fn kilometres(self) -> f64 {
        self.metres / METRES_PER_KILOMETRE
    }

    /// Converts from the service's units: area in square metres, length in kilometres.
    pub fn from_wire(square_metres: f64, kilometres: f64) -> Self {
        Measure { square_metres, metres: kilometres * METRES_PER_KILOMETRE, pieces: 0 }
    }
}

impl AddAssign for Measure {
    fn add_assign(&mut self, other: Self) {
        self.square_metres += other.square_metres;
        self.metres += other.metres;
        self.pieces += other.pieces;
    }
}

fn measure_shape(shape: &Shape) -> Measure {
    let stride = shape.stride();
    match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => {
            Measure { pieces: shape.lon_lats().count() as u64, ..Measure::default() }
        }
        ShapeKind::LineString | ShapeKind::MultiLineString => {
            Measure { metres: total(shape.lines().map(|line| line_metres(line, stride))), ..Measure::default() }
        }
        ShapeKind::Polygon | ShapeKind::MultiPolygon => {
            let rings: Vec<&[f64]> = shape.lines().collect();
            let mut rings = rings.as_slice();
            let polygons = shape.rings_per_polygon().into_iter().map(|count| {
                let (own, rest) = rings.split_at(count);
                rings = rest;
                polygon_square_metres(own, stride, MAX_DIFFERENCE)
            });
            Measure { square_metres: total(polygons), ..Measure::default() }
        }
    }
}

/// Adds up numbers. The sum of no numbers is 0, where `Iterator::sum` returns -0.
pub fn total(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |sum, number| sum + number)
}

fn line_metres(line: &[f64], stride: usize) -> f64 {
    let positions = line.chunks_exact(stride);
    let next = line.chunks_exact(stride).skip(1);
    positions.zip(next).map(|(from, to)| -> f64 { WGS84.inverse(from[1], from[0], to[1], to[0]) }).sum()
}

/// The series is used only if it agrees with full geodesics to `max_difference` of the area.
pub(super) fn polygon_square_metres(rings: &[&[f64]], stride: usize, max_difference: f64) -> f64 {
    polygon_area(rings.iter().map(|ring| ring_area(ring, stride)), max_difference).unwrap_or_else(|| {
        let mut rings = rings.iter().map(|ring| ring_square_metres(ring, stride));
        let exterior = rings.next().unwrap_or(0.0);
        (exterior - rings.sum::<f64>()).max(0.0)
    })
}

fn ring_square_metres(ring: &[f64], stride: usize) -> f64 {
    let mut area = PolygonArea::new(&WGS84, Winding::CounterClockwise);
    ring.chunks_exact(stride).for_each(|position| area.add_point(position[1], position[0]));
    let (_, signed, _) = area.compute(true);
    signed.abs()
}

/// The measure of a geometry, or the sum of several, if it is reliable.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Measured {
    /// There are no positions to measure.
    #[default]
    Nothing,
    Known(Measure),
    /// A polygon [goes around the whole Earth](around_the_earth), so its geodesic area is not what its author saw on a flat map.
    AroundTheEarth,
}

impl Measured {
    pub fn of(geometry: &Geometry) -> Self {
        match around_the_earth(geometry) {
            Some(_) => Measured::AroundTheEarth,
            None => Measured::of_regional(geometry),
        }
    }

    /// Does the same for a geometry known not to span 360 degrees of longitude.
    pub fn of_regional(geometry: &Geometry) -> Self {
        Measure::of(geometry).map_or(Measured::Nothing, Measured::Known)
    }
}

impl AddAssign for Measured {
    fn add_assign(&mut self, other: Self) {
        match (&mut *self, other) {
            (Measured::AroundTheEarth, _) | (_, Measured::Nothing) => {}
            (Measured::Known(sum), Measured::Known(measure)) => *sum += measure,
            (Measured::Nothing, _) | (_, Measured::AroundTheEarth) => *self = other,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::GeometrySeed;

    fn measured(json: &str) -> Measure {
        let mut json = serde_json::Deserializer::from_str(json);
        Measure::of(&GeometrySeed.deserialize(&mut json).unwrap().unwrap()).unwrap()
    }

    /// Figures from PROJ's `geod` on the same coordinates.
    #[test]
    fn a_square_degree_at_the_equator_has_the_area_that_proj_gives() {
        let square = measured(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}"#);
        assert!((square.square_metres / 12_308_778_361.469_452 - 1.0).abs() < 1e-12);
        assert_eq!(square.metres, 0.0);
    }

    proptest! {
        #[test]
        fn short_edges_give_the_same_area_as_full_geodesics(
            center in (-179.0..179.0f64, -89.0..89.0f64),
            radii in prop::collection::vec(0.2..1.0f64, 3..40),
            size in -5.0..1.0f64,
        ) {
            let turn = std::f64::consts::TAU / radii.len() as f64;
            let size = 10f64.powf(size);
            let position = |(at, radius): (usize, &f64)| {
                let (sine, cosine) = (turn * at as f64).sin_cos();
                [center.0 + size * radius * cosine, (center.1 + size * radius * sine).clamp(-90.0, 90.0)]
            };
            let ring: Vec<f64> = radii.iter().enumerate().flat_map(position).collect();
            let full = ring_square_metres(&ring, 2);
            let area = polygon_square_metres(&[&ring], 2, MAX_DIFFERENCE);
            prop_assert!((area / full - 1.0).abs() < 1e-9, "{area} {full}");
        }
    }

    #[test]
    fn full_geodesics_are_used_where_edges_are_long_or_rounding_would_show() {
        let ring = |size: f64| [-74.1, 40.5, -74.1 + size, 40.5, -74.1 + size, 40.5 + size, -74.1, 40.5 + size];
        let by_series = |size: f64| polygon_area([ring_area(&ring(size), 2)], MAX_DIFFERENCE);
        assert!(by_series(0.02).is_some(), "edges of two kilometres");
        assert!(by_series(0.2).is_none(), "edges of twenty kilometres");
        assert!(by_series(1e-5).is_none(), "an area of a square metre, of which rounding is a noticeable part");
        let hole = ring_area(&ring(0.02 - 1e-9), 2);
        assert!(
            polygon_area([ring_area(&ring(0.02), 2), hole], MAX_DIFFERENCE).is_none(),
            "a hole nearly as large as the exterior"
        );
        assert!(ring_area(&[179.999, 1.0, -179.999, 1.0, 179.999, 1.01], 2).is_none(), "edges across the antimeridian");
    }

    #[test]
    fn the_orientation_of_rings_does_not_matter_and_holes_are_left_out() {
        let outer = "[[0,0],[4,0],[4,4],[0,4],[0,0]]";
        let hole = "[[1,1],[2,1],[2,2],[1,2],[1,1]]";
        let reversed_hole = "[[1,1],[1,2],[2,2],[2,1],[1,1]]";
        let polygon =
            |rings: &[&str]| measured(&format!(r#"{{"type":"Polygon","coordinates":[{}]}}"#, rings.join(",")));
        let expected = polygon(&[outer]).square_metres - polygon(&[hole]).square_metres;
        for rings in [[outer, hole], [outer, reversed_hole]] {
            assert!((polygon(&rings).square_metres / expected - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_polygon_without_rings_has_no_area() {
        let with_empty = measured(r#"{"type":"MultiPolygon","coordinates":[[],[[[0,0],[1,0],[1,1],[0,0]]]]}"#);
        let without = measured(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#);
        assert_eq!(with_empty, without);
    }

    #[test]
    fn around_the_earth_edges_without_positions_in_between_enclose_no_area() {
        let hectares = |ring: &str| measured(&format!(r#"{{"type":"Polygon","coordinates":[{ring}]}}"#)).hectares();
        assert_eq!(hectares("[[-180,10],[180,10],[180,20],[-180,20],[-180,10]]"), 0.0);
        assert!(hectares("[[-180,-90],[0,-90],[180,-90],[180,90],[0,90],[-180,90],[-180,-90]]") < 1e-3);
        let band = hectares("[[-180,10],[-60,10],[60,10],[180,10],[180,20],[60,20],[-60,20],[-180,20],[-180,10]]");
        let third = hectares("[[-60,10],[60,10],[60,20],[-60,20],[-60,10]]");
        assert!((band / third / 3.0 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_degree_along_the_equator_has_the_length_that_the_ellipsoid_gives_it() {
        let line = measured(r#"{"type":"LineString","coordinates":[[0,0],[1,0]]}"#);
        assert!((line.kilometres() - 111.319_490_793_273_57).abs() < 1e-9);
    }
}
