//! The shapes of geometries as paths in pixels.

use std::collections::HashSet;

use tiny_skia::{Path, PathBuilder, Point};

use super::viewport::{Viewport, is_on_earth};
use crate::geometry::{Geometry, Shape, ShapeKind};

/// Points of a line that are closer together than this, in pixels, are drawn as one.
const MIN_DISTANCE: f32 = 0.3;
/// The most points that are drawn of one line or ring. [`MIN_DISTANCE`] is doubled until there are no more.
const MAX_POINTS: usize = 4096;

/// Geometries, divided by how they are drawn.
pub struct Paths {
    pub polygons: Vec<Path>,
    pub lines: Option<Path>,
    /// Points, as lines of almost no length.
    pub dots: Option<Path>,
}

impl Paths {
    pub fn new(geometries: &[Geometry], viewport: Viewport) -> Self {
        let mut polygons = Vec::new();
        let mut lines = PathBuilder::new();
        let mut points = Vec::new();
        let mut add = |shape: &Shape| match shape.kind {
            ShapeKind::Point | ShapeKind::MultiPoint => {
                let positions = shape.lon_lats().filter(is_on_earth);
                points.extend(positions.map(|position| viewport.to_pixels(position)));
            }
            ShapeKind::LineString | ShapeKind::MultiLineString => {
                shape.lines().for_each(|line| add_line(&mut lines, line, shape.stride(), viewport));
            }
            ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                let mut rings = shape.lines();
                for count in shape.rings_per_polygon() {
                    let mut path = PathBuilder::new();
                    for ring in rings.by_ref().take(count) {
                        add_line(&mut path, ring, shape.stride(), viewport);
                        path.close();
                    }
                    polygons.extend(path.finish());
                }
            }
        };
        geometries.iter().for_each(|geometry| geometry.for_each_shape(&mut add));
        // One dot for each square of 3 pixels: dots are wider than that, and more would hide one another.
        let mut squares = HashSet::new();
        points.retain(|point| squares.insert(((point.x / 3.0) as i32, (point.y / 3.0) as i32)));
        let mut dots = PathBuilder::new();
        points.iter().for_each(|point| add_points(&mut dots, &[*point]));
        Paths { polygons, lines: lines.finish(), dots: dots.finish() }
    }
}

/// Adds a line or ring, simplified.
fn add_line(path: &mut PathBuilder, line: &[f64], stride: usize, viewport: Viewport) {
    let positions = line.chunks_exact(stride).map(|position| (position[0], position[1]));
    let mut points: Vec<Point> = positions.filter(is_on_earth).map(|position| viewport.to_pixels(position)).collect();
    let mut min_distance = MIN_DISTANCE;
    points.dedup_by(|next, previous| next.distance(*previous) < min_distance);
    while points.len() > MAX_POINTS {
        min_distance *= 2.0;
        points.dedup_by(|next, previous| next.distance(*previous) < min_distance);
    }
    add_points(path, &points);
}

fn add_points(path: &mut PathBuilder, points: &[Point]) {
    let Some((first, rest)) = points.split_first() else { return };
    path.move_to(first.x, first.y);
    rest.iter().for_each(|point| path.line_to(point.x, point.y));
    if rest.is_empty() {
        // A line of no length at all would not be drawn.
        path.line_to(first.x + 0.01, first.y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Bounds;

    #[test]
    fn a_line_is_drawn_without_the_points_that_could_not_be_told_apart() {
        let viewport = Viewport::around(Some(Bounds { west: 0.0, south: 0.0, east: 1.0, north: 1.0 }));
        let line: Vec<f64> = (0..100_000).flat_map(|i| [f64::from(i) / 1e5, f64::from(i % 2) / 10.0]).collect();
        let points = |line: &[f64]| {
            let mut path = PathBuilder::new();
            add_line(&mut path, line, 2, viewport);
            path.finish().unwrap().len()
        };
        assert!(points(&line) <= MAX_POINTS);
        assert_eq!(points(&line[..40]), 20);
        assert_eq!(points(&[0.1, 0.1, 0.9, 0.1, 0.900_001, 0.1, 0.9, 0.9]), 3);
    }
}
