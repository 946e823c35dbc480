//! The shapes of geometries in pixels, without the points that could not be told apart.

use tiny_skia::{Path, PathBuilder, Point};

use super::viewport::{SIZE, Viewport, is_on_earth};
use crate::geometry::{Geometry, Shape, ShapeKind};

/// Points of a line that are closer together than this, in pixels, are drawn as one.
const MIN_DISTANCE: f32 = 0.3;
/// Dots are wider than the squares of so many pixels of which each has one dot: more would hide one another.
const PIXELS_PER_DOT: u32 = 3;
const DOTS_PER_ROW: usize = SIZE.div_ceil(PIXELS_PER_DOT) as usize;

/// Geometries, divided by how they are drawn.
pub struct Paths {
    pub polygons: Outlines,
    pub lines: Outlines,
    /// Points, as lines of almost no length.
    pub dots: Option<Path>,
}

impl Paths {
    pub fn new(geometries: &[Geometry], viewport: Viewport) -> Self {
        let (mut polygons, mut lines) = (Outlines::default(), Outlines::default());
        let mut dots = PathBuilder::new();
        let mut has_dot = vec![false; DOTS_PER_ROW * DOTS_PER_ROW];
        let mut add = |shape: &Shape| match shape.kind {
            ShapeKind::Point | ShapeKind::MultiPoint => {
                for point in shape.lon_lats().filter(is_on_earth).map(|position| viewport.to_pixels(position)) {
                    let [column, row] = [point.x, point.y].map(|pixels| (pixels / PIXELS_PER_DOT as f32) as usize);
                    let square = row.min(DOTS_PER_ROW - 1) * DOTS_PER_ROW + column.min(DOTS_PER_ROW - 1);
                    if !std::mem::replace(&mut has_dot[square], true) {
                        add_points(&mut dots, &[point]);
                    }
                }
            }
            ShapeKind::LineString | ShapeKind::MultiLineString => {
                shape.lines().for_each(|line| lines.add_line(line, shape.stride(), viewport));
            }
            ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                let mut rings = shape.lines();
                for count in shape.rings_per_polygon() {
                    rings.by_ref().take(count).for_each(|ring| polygons.add_line(ring, shape.stride(), viewport));
                    polygons.polygon_ends.push(polygons.line_ends.len());
                }
            }
        };
        geometries.iter().for_each(|geometry| geometry.for_each_shape(&mut add));
        Paths { polygons, lines, dots: dots.finish() }
    }
}

/// Lines, or the rings of polygons.
#[derive(Default)]
pub struct Outlines {
    points: Vec<Point>,
    /// Where each line or ring ends, counted in points.
    line_ends: Vec<usize>,
    /// Where each polygon ends, counted in rings. Empty for lines.
    polygon_ends: Vec<usize>,
    /// The length of all lines or rings, in pixels.
    length: f64,
}

impl Outlines {
    /// Whether there is more than tiny-skia draws in some milliseconds: its time grows with the number of edges that cross each
    /// row of pixels.
    pub fn are_crowded(&self) -> bool {
        self.points.len() > MAX_POINTS || self.polygon_ends.len() > MAX_POLYGONS || self.length > MAX_LENGTH
    }

    /// The points of each line or ring.
    pub fn lines(&self) -> impl Iterator<Item = &[Point]> {
        let mut start = 0;
        self.line_ends.iter().map(move |&end| &self.points[std::mem::replace(&mut start, end)..end])
    }

    /// Calls `visit` with the rings of each polygon.
    pub fn for_each_polygon<'o>(&'o self, mut visit: impl FnMut(&[&'o [Point]])) {
        let mut lines = self.lines();
        let mut start = 0;
        let mut rings = Vec::new();
        for &end in &self.polygon_ends {
            rings.clear();
            rings.extend(lines.by_ref().take(end - std::mem::replace(&mut start, end)));
            visit(&rings);
        }
    }

    /// All lines as one path.
    pub fn line_path(&self) -> Option<Path> {
        let mut path = PathBuilder::new();
        self.lines().for_each(|line| add_points(&mut path, line));
        path.finish()
    }

    /// A path for each polygon.
    pub fn polygon_paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.for_each_polygon(|rings| {
            let mut path = PathBuilder::new();
            for ring in rings {
                add_points(&mut path, ring);
                path.close();
            }
            paths.extend(path.finish());
        });
        paths
    }

    fn add_line(&mut self, line: &[f64], stride: usize, viewport: Viewport) {
        let positions = line.chunks_exact(stride).map(|position| (position[0], position[1])).filter(is_on_earth);
        let mut last: Option<Point> = None;
        for point in positions.map(|position| viewport.to_pixels(position)) {
            let distance = last.map(|last| point.distance(last));
            if distance.is_none_or(|distance| distance >= MIN_DISTANCE) {
                self.length += f64::from(distance.unwrap_or_default());
                self.points.push(point);
                last = Some(point);
            }
        }
        self.line_ends.push(self.points.len());
    }
}

/// The most points, polygons and pixels of length that tiny-skia draws.
const MAX_POINTS: usize = 4_096;
const MAX_POLYGONS: usize = 1_024;
const MAX_LENGTH: f64 = 65_536.0;

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
        let line: Vec<f64> = (0..100_000).flat_map(|i| [f64::from(i) / 1e5, f64::from(i % 2) / 1e6]).collect();
        let points = |line: &[f64]| {
            let mut lines = Outlines::default();
            lines.add_line(line, 2, viewport);
            lines.points.len()
        };
        assert!(points(&line) <= 1 + (SIZE as f32 / MIN_DISTANCE) as usize);
        assert_eq!(points(&[0.1, 0.1, 0.9, 0.1, 0.900_001, 0.1, 0.9, 0.9]), 3);
    }
}
