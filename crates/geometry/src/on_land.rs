//! The part of a drawing on some land, such as land where nothing can change.

use super::geodesic::{Measure, total};
use super::ground::TooMuch;
use super::lines;
use super::overlay::{MIN_SHARED, SharedWithDrawing};
use super::region::Region;
use super::shape::{Geometry, ShapeKind};

/// A drawing's part on some land, each place once.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OnLand {
    pub measure: Measure,
    /// The share of the drawing's land, or else of its length, or else of its points, from 0 to 1.
    pub share: f64,
}

impl OnLand {
    /// Compares a drawing with the land under any of these polygons.
    ///
    /// ```
    /// use geodesign_geometry::{Geometry, GeometrySeed, OnLand};
    /// use serde::de::DeserializeSeed;
    ///
    /// fn read(geojson: &str) -> Option<Geometry> {
    ///     GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(geojson)).ok()?
    /// }
    ///
    /// let lake = read(r#"{"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]]]}"#);
    /// let road = read(r#"{"type": "LineString", "coordinates": [[0, 0], [4, 0]]}"#);
    /// let found = OnLand::of(&[road.expect("it is a line")], &[lake.expect("it is a polygon")])?;
    /// assert!((found.share - 0.5).abs() < 1e-12);
    /// # Ok::<(), geodesign_geometry::TooMuch>(())
    /// ```
    pub fn of(drawing: &[Geometry], land: &[Geometry]) -> Result<Self, TooMuch> {
        let shared = SharedWithDrawing::of(drawing, &[], &[land, drawing])?.classes;
        let [on_land, whole] = [shared[0], shared[1]].map(|area| if area < MIN_SHARED { 0.0 } else { area });
        let of_lines = lines::inside(&drawing.iter().collect::<Vec<_>>(), land)?.concat();
        let length = total(of_lines.iter().map(|line| line.metres));
        let metres = total(of_lines.iter().map(|line| line.metres * line.share));
        let [pieces, points] = points_on(drawing, land);
        let [part, whole] = match (whole > 0.0, length > 0.0) {
            (true, _) => [on_land, whole],
            (false, true) => [metres, length],
            (false, false) => [pieces as f64, points as f64],
        };
        let share = if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 };
        Ok(OnLand { measure: Measure { square_metres: on_land, metres, pieces }, share })
    }
}

/// The number of points on some land, and the number of all.
fn points_on(drawing: &[Geometry], land: &[Geometry]) -> [u64; 2] {
    let land = Region::of(land);
    let [mut on_land, mut all] = [0, 0];
    for geometry in drawing {
        geometry.for_each_shape(&mut |shape| {
            if matches!(shape.kind, ShapeKind::Point | ShapeKind::MultiPoint) {
                for (longitude, latitude) in shape.lon_lats() {
                    all += 1;
                    on_land += u64::from(land.as_ref().is_some_and(|land| land.has([longitude, latitude])));
                }
            }
        });
    }
    [on_land, all]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;

    fn square(west: f64, south: f64, size: f64) -> Geometry {
        let (east, north) = (west + size, south + size);
        let ordinates = vec![west, south, east, south, east, north, west, north, west, south];
        Geometry::Shape(Shape { ordinates, line_ends: vec![5], ..Shape::empty(ShapeKind::Polygon) })
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * other.abs()
    }

    #[test]
    fn each_place_counts_once_however_often_it_is_drawn_or_closed() {
        let closed = [square(10.0, 40.0, 0.1), square(10.02, 40.0, 0.1)];
        let once = OnLand::of(&[square(10.05, 40.05, 0.1)], &closed).unwrap();
        let twice = OnLand::of(&[square(10.05, 40.05, 0.1), square(10.05, 40.05, 0.1)], &closed).unwrap();
        assert!(near(twice.measure.square_metres, once.measure.square_metres), "{twice:?} {once:?}");
        assert!(near(twice.share, once.share) && (0.3..0.4).contains(&once.share), "{once:?}");
    }

    #[test]
    fn points_on_such_land_are_counted() {
        let ordinates = vec![10.05, 40.05, 10.2, 40.0, 10.1, 40.1];
        let trees = Geometry::Shape(Shape { ordinates, ..Shape::empty(ShapeKind::MultiPoint) });
        let OnLand { measure, share } = OnLand::of(&[trees], &[square(10.0, 40.0, 0.1)]).unwrap();
        assert_eq!((measure.pieces, share), (2, 2.0 / 3.0));
    }

    #[test]
    fn all_of_a_drawing_on_such_land_is_a_share_of_1_and_none_is_0() {
        let closed = [square(10.0, 40.0, 0.1)];
        assert!(near(OnLand::of(&[square(10.02, 40.02, 0.01)], &closed).unwrap().share, 1.0));
        assert_eq!(OnLand::of(&[square(10.1, 40.0, 0.1)], &closed).unwrap(), OnLand::default());
        assert_eq!(OnLand::of(&[square(10.0, 40.0, 0.1)], &[]).unwrap(), OnLand::default());
    }
}
