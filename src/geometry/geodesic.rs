//! Area and length on the WGS 84 ellipsoid, after C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87 (2013).

use std::ops::AddAssign;

use geographiclib_rs::{Geodesic, InverseGeodesic, PolygonArea, Winding};

use super::{Geometry, Shape, ShapeKind};

const SQUARE_METRES_PER_HECTARE: f64 = 10_000.0;
const METRES_PER_KILOMETRE: f64 = 1_000.0;

/// How much land a geometry covers and how long its lines are. Points have neither.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measure {
    /// Square metres of all polygons, holes left out, whichever way the rings turn. Never below 0: holes that are larger than
    /// their exterior leave nothing of it.
    pub square_metres: f64,
    /// Metres of all lines; the outline of a polygon does not count.
    pub metres: f64,
}

impl Measure {
    pub fn hectares(self) -> f64 {
        self.square_metres / SQUARE_METRES_PER_HECTARE
    }

    pub fn kilometres(self) -> f64 {
        self.metres / METRES_PER_KILOMETRE
    }

    /// From the units of the wire: area in square metres, length in kilometres.
    pub fn from_wire(square_metres: f64, kilometres: f64) -> Self {
        Measure { square_metres, metres: kilometres * METRES_PER_KILOMETRE }
    }
}

impl AddAssign for Measure {
    fn add_assign(&mut self, other: Self) {
        self.square_metres += other.square_metres;
        self.metres += other.metres;
    }
}

/// Measures a geometry whose positions are longitude, latitude in degrees.
pub fn measure(geometry: &Geometry) -> Measure {
    let wgs84 = Geodesic::wgs84();
    let mut whole = Measure::default();
    geometry.for_each_shape(&mut |shape| whole += measure_shape(shape, &wgs84));
    whole
}

fn measure_shape(shape: &Shape, wgs84: &Geodesic) -> Measure {
    let stride = shape.stride();
    match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => Measure::default(),
        ShapeKind::LineString | ShapeKind::MultiLineString => {
            Measure { metres: total(shape.lines().map(|line| line_metres(line, stride, wgs84))), square_metres: 0.0 }
        }
        ShapeKind::Polygon | ShapeKind::MultiPolygon => {
            let mut rings = shape.lines().map(|ring| ring_square_metres(ring, stride, wgs84));
            let polygon = |count: usize| {
                let mut own = rings.by_ref().take(count);
                let exterior = own.next().unwrap_or(0.0);
                (exterior - own.sum::<f64>()).max(0.0)
            };
            let polygons = shape.rings_per_polygon().into_iter().map(polygon);
            Measure { square_metres: total(polygons), metres: 0.0 }
        }
    }
}

/// The sum, which is 0 where there is nothing to add (`Iterator::sum` says -0).
pub fn total(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |sum, number| sum + number)
}

fn line_metres(line: &[f64], stride: usize, wgs84: &Geodesic) -> f64 {
    let positions = line.chunks_exact(stride);
    let next = line.chunks_exact(stride).skip(1);
    positions.zip(next).map(|(from, to)| -> f64 { wgs84.inverse(from[1], from[0], to[1], to[0]) }).sum()
}

fn ring_square_metres(ring: &[f64], stride: usize, wgs84: &Geodesic) -> f64 {
    let mut area = PolygonArea::new(wgs84, Winding::CounterClockwise);
    ring.chunks_exact(stride).for_each(|position| area.add_point(position[1], position[0]));
    let (_, signed, _) = area.compute(true);
    signed.abs()
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::geometry::GeometrySeed;

    fn measured(json: &str) -> Measure {
        let mut json = serde_json::Deserializer::from_str(json);
        measure(&GeometrySeed.deserialize(&mut json).unwrap().unwrap())
    }

    /// Figures from PROJ's `geod` on the same coordinates.
    #[test]
    fn a_square_degree_at_the_equator_has_the_area_that_proj_gives() {
        let square = measured(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}"#);
        assert!((square.square_metres / 12_308_778_361.469_452 - 1.0).abs() < 1e-12);
        assert_eq!(square.metres, 0.0);
    }

    #[test]
    fn the_turn_of_a_ring_does_not_matter_and_holes_are_left_out() {
        let outer = "[[0,0],[4,0],[4,4],[0,4],[0,0]]";
        let hole = "[[1,1],[2,1],[2,2],[1,2],[1,1]]";
        let turned_hole = "[[1,1],[1,2],[2,2],[2,1],[1,1]]";
        let polygon =
            |rings: &[&str]| measured(&format!(r#"{{"type":"Polygon","coordinates":[{}]}}"#, rings.join(",")));
        let expected = polygon(&[outer]).square_metres - polygon(&[hole]).square_metres;
        for rings in [[outer, hole], [outer, turned_hole]] {
            assert!((polygon(&rings).square_metres / expected - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_polygon_without_rings_covers_nothing() {
        let with_gap = measured(r#"{"type":"MultiPolygon","coordinates":[[],[[[0,0],[1,0],[1,1],[0,0]]]]}"#);
        let without = measured(r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#);
        assert_eq!(with_gap, without);
    }

    #[test]
    fn one_degree_along_the_equator_is_an_ellipsoid_degree_long() {
        let line = measured(r#"{"type":"LineString","coordinates":[[0,0],[1,0]]}"#);
        assert!((line.kilometres() - 111.319_490_793_273_57).abs() < 1e-9);
    }
}
