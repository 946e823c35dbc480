//! Positions on the Earth as places in a picture, and the shapes of geometries in pixels, without points too close to distinguish.

use tiny_skia::{Path, PathBuilder, Point};

use geodesign::model::Bounds;
use geodesign_geometry::{Geometry, Shape, ShapeKind};

/// The width and height of a thumbnail in pixels.
pub const SIZE: u32 = 256;
/// The side of a thumbnail, for drawing. All lengths in this module are pixels, unless they say otherwise.
pub const SIDE: f32 = SIZE as f32;
/// Free space on every side, wide enough for the halo of a diagram at the edge.
pub const MARGIN: f32 = 14.0;

/// The least width and height that a viewport shows, in degrees: about a metre.
const MIN_DEGREES: f64 = 1e-5;

/// The part of the Earth that a picture shows, in an equirectangular projection: degrees of longitude are shortened as they
/// are at the centre.
#[derive(Debug, Clone, Copy)]
pub struct Viewport {
    /// The centre, in degrees.
    longitude: f64,
    latitude: f64,
    /// Pixels per degree of longitude and of latitude.
    scale: (f64, f64),
}

impl Viewport {
    /// Returns a viewport in which the extent fits between the margins.
    pub fn around(extent: Option<Bounds>) -> Self {
        let extent = extent.unwrap_or(Bounds { west: 0.0, south: 0.0, east: 0.0, north: 0.0 });
        let center = extent.center();
        // At the poles, where the cosine is 0, a division by it would fail.
        let shortening = center.latitude.to_radians().cos().max(0.01);
        let width = (extent.east - extent.west) * shortening;
        let height = extent.north - extent.south;
        let scale = f64::from(SIDE - 2.0 * MARGIN) / width.max(height).max(MIN_DEGREES);
        Viewport { longitude: center.longitude, latitude: center.latitude, scale: (scale * shortening, scale) }
    }

    pub fn to_pixels(self, (longitude, latitude): (f64, f64)) -> Point {
        let x = (longitude - self.longitude) * self.scale.0;
        let y = (self.latitude - latitude) * self.scale.1;
        Point::from_xy(x as f32 + SIDE / 2.0, y as f32 + SIDE / 2.0)
    }

    /// Returns the upper left and the lower right corner of an extent.
    pub fn corners(self, extent: Bounds) -> [Point; 2] {
        [self.to_pixels((extent.west, extent.north)), self.to_pixels((extent.east, extent.south))]
    }

    /// True if the extent lies between the margins, with a tolerance of half a pixel for rounding.
    pub fn contains(self, extent: Bounds) -> bool {
        let inside = MARGIN - 0.5..=SIDE - MARGIN + 0.5;
        self.corners(extent).iter().all(|corner| inside.contains(&corner.x) && inside.contains(&corner.y))
    }
}

/// Returns the smallest bounds around all positions of the geometries that are on the Earth.
pub fn extent(geometries: &[Geometry]) -> Option<Bounds> {
    let mut extent: Option<Bounds> = None;
    let mut widen = |shape: &Shape| {
        let bounds = Bounds::around(shape.lon_lats().filter(is_on_earth));
        extent = extent.into_iter().chain(bounds).reduce(Bounds::union);
    };
    geometries.iter().for_each(|geometry| geometry.for_each_shape(&mut widen));
    extent
}

/// True if a position is on the Earth; false for NaN. Longitudes may continue beyond the antimeridian.
pub fn is_on_earth(&(longitude, latitude): &(f64, f64)) -> bool {
    longitude.abs() <= 360.0 && latitude.abs() <= 90.0
}

/// Returns bounds as a polygon; `None` if they enclose no area.
pub fn rectangle(Bounds { west, south, east, north }: Bounds) -> Option<Geometry> {
    let has_area = is_on_earth(&(west, south)) && is_on_earth(&(east, north)) && west < east && south < north;
    let ordinates = vec![west, south, east, south, east, north, west, north, west, south];
    let shape = Shape { ordinates, line_ends: vec![5], ..Shape::empty(ShapeKind::Polygon) };
    has_area.then_some(Geometry::Shape(shape))
}

/// Points of a line that are closer together than this, in pixels, are drawn as one.
const MIN_DISTANCE: f32 = 0.5;
/// Width in pixels of squares with at most one dot each. Dots are wider than that: more would hide one another.
const PIXELS_PER_DOT: u32 = 2;
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
        let mut places = Places::default();
        let mut add = |shape: &Shape| match shape.kind {
            ShapeKind::Point | ShapeKind::MultiPoint => {
                for point in shape.lon_lats().filter(is_on_earth).map(|position| viewport.to_pixels(position)) {
                    if places.take(point) {
                        add_points(&mut dots, [point].iter());
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

/// The squares of the picture that have a dot.
struct Places(Vec<bool>);

impl Default for Places {
    fn default() -> Self {
        Places(vec![false; DOTS_PER_ROW * DOTS_PER_ROW])
    }
}

impl Places {
    /// Takes the square at this point. True if it had no dot yet.
    fn take(&mut self, point: Point) -> bool {
        let [column, row] = [point.x, point.y].map(|pixels| (pixels / PIXELS_PER_DOT as f32) as usize);
        !std::mem::replace(&mut self.0[row.min(DOTS_PER_ROW - 1) * DOTS_PER_ROW + column.min(DOTS_PER_ROW - 1)], true)
    }
}

/// Lines, or the rings of polygons.
#[derive(Default)]
pub struct Outlines {
    points: Vec<Point>,
    /// The end of each line or ring, counted in points.
    line_ends: Vec<usize>,
    /// The end of each polygon, counted in rings. Empty for lines.
    polygon_ends: Vec<usize>,
}

/// Cost of drawing a point, in pixels of a line.
const POINT_COST: f32 = 8.0;
/// Maximum cost of a path: tiny-skia's time grows with the number of edges that cross each row of pixels.
const MAX_PATH_COST: f32 = 50_000.0;
/// Maximum cost of a picture, some tenths of a second. If there is more, only every second, third … line or polygon is drawn.
const MAX_COST: f32 = 500_000.0;
/// Number of points of a line that are drawn together or not at all.
const PIECE: usize = 64;

impl Outlines {
    /// Returns the points of each line or ring.
    fn lines(&self) -> impl Iterator<Item = &[Point]> {
        let mut start = 0;
        self.line_ends.iter().map(move |&end| &self.points[std::mem::replace(&mut start, end)..end])
    }

    /// Returns the lines, in paths that tiny-skia draws fast.
    pub fn line_paths(&self) -> Vec<Path> {
        let pieces = self.lines().flat_map(|line| {
            let starts = (0..line.len().saturating_sub(1).max(1)).step_by(PIECE);
            starts.map(|start| &line[start..(start + PIECE + 1).min(line.len())])
        });
        let pieces: Vec<&[Point]> = pieces.collect();
        let every = parts(pieces.iter().map(|piece| cost(piece)).sum(), MAX_COST);
        let (mut paths, mut path, mut path_cost) = (Vec::new(), PathBuilder::new(), 0.0);
        for piece in pieces.into_iter().step_by(every) {
            add_points(&mut path, piece.iter());
            path_cost += cost(piece);
            if path_cost > MAX_PATH_COST {
                paths.extend(std::mem::take(&mut path).finish());
                path_cost = 0.0;
            }
        }
        paths.extend(path.finish());
        paths
    }

    /// Returns a path for each polygon. One whose width and height are both less than `min_size` becomes a dot of that diameter.
    pub fn polygon_paths(&self, min_size: f32) -> Vec<Path> {
        let rings: Vec<&[Point]> = self.lines().collect();
        let mut start = 0;
        let polygons = self.polygon_ends.iter().map(|&end| &rings[std::mem::replace(&mut start, end)..end]);
        let costs = |rings: &[&[Point]]| rings.iter().map(|ring| cost(ring)).sum::<f32>();
        let polygons: Vec<(&[&[Point]], f32)> = polygons.map(|rings| (rings, costs(rings))).collect();
        let every = parts(polygons.iter().map(|(_, cost)| cost.min(MAX_PATH_COST)).sum(), MAX_COST);
        let mut places = Places::default();
        let as_path = |&(rings, cost): &(&[&[Point]], f32)| {
            // An odd number: every second point of a comb is on one side.
            let every_point = parts(cost, MAX_PATH_COST) | 1;
            let mut path = PathBuilder::new();
            for ring in rings {
                add_points(&mut path, ring.iter().step_by(every_point));
                path.close();
            }
            let path = path.finish()?;
            let bounds = path.bounds();
            if bounds.width().max(bounds.height()) >= min_size {
                return Some(path);
            }
            let (x, y) = ((bounds.left() + bounds.right()) / 2.0, (bounds.top() + bounds.bottom()) / 2.0);
            places.take(Point::from_xy(x, y)).then(|| PathBuilder::from_circle(x, y, min_size / 2.0))?
        };
        polygons.iter().step_by(every).filter_map(as_path).collect()
    }

    fn add_line(&mut self, line: &[f64], stride: usize, viewport: Viewport) {
        let positions = line.chunks_exact(stride).map(|position| (position[0], position[1])).filter(is_on_earth);
        let mut last: Option<Point> = None;
        for point in positions.map(|position| viewport.to_pixels(position)) {
            let distance = last.map(|last| point.distance(last));
            if distance.is_none_or(|distance| distance >= MIN_DISTANCE) {
                self.points.push(point);
                last = Some(point);
            }
        }
        self.line_ends.push(self.points.len());
    }
}

fn cost(points: &[Point]) -> f32 {
    points.len() as f32 * POINT_COST + points.windows(2).map(|ends| ends[0].distance(ends[1])).sum::<f32>()
}

/// Returns the number of parts of at most `max` that a cost is divided into.
fn parts(cost: f32, max: f32) -> usize {
    (cost / max).ceil().max(1.0) as usize
}

fn add_points<'p>(path: &mut PathBuilder, mut points: impl Iterator<Item = &'p Point>) {
    let Some(first) = points.next() else { return };
    path.move_to(first.x, first.y);
    let mut is_point = true;
    for point in points {
        path.line_to(point.x, point.y);
        is_point = false;
    }
    if is_point {
        // A line without any length would not be drawn.
        path.line_to(first.x + 0.01, first.y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn shape(kind: ShapeKind, lines: impl Iterator<Item = Vec<f64>>) -> Paths {
        let mut shape = Shape::empty(kind);
        for line in lines {
            shape.ordinates.extend(line);
            shape.line_ends.push(shape.positions());
            if kind == ShapeKind::MultiPolygon {
                shape.polygon_ends.push(shape.line_ends.len());
            }
        }
        let unit_square = Bounds { west: 0.0, south: 0.0, east: 1.0, north: 1.0 };
        Paths::new(&[Geometry::Shape(shape)], Viewport::around(Some(unit_square)))
    }

    fn costs(paths: &[Path]) -> Vec<f32> {
        paths.iter().map(|path| cost(path.points())).collect()
    }

    #[test]
    fn any_number_of_lines_is_drawn_at_a_bounded_cost_and_in_all_places() {
        let mut random = fastrand::Rng::with_seed(7);
        let lines = (0..120_000).map(|_| (0..4).map(|_| random.f64()).collect());
        let paths = shape(ShapeKind::MultiLineString, lines).lines.line_paths();
        let costs = costs(&paths);
        // With the ways between lines.
        assert!(costs.iter().all(|cost| *cost < 2.5 * MAX_PATH_COST), "{costs:?}");
        assert!((MAX_COST / 2.0..MAX_COST * 2.5).contains(&costs.iter().sum()), "{costs:?}");
        let bounds: Vec<_> = paths.iter().map(Path::bounds).collect();
        assert!(bounds.iter().all(|bounds| bounds.width() > 200.0 && bounds.height() > 200.0));
    }

    #[test]
    fn a_polygon_with_any_number_of_spikes_is_drawn_at_a_bounded_cost() {
        let spikes = (0..400_000_u32).flat_map(|i| [f64::from(i) / 4e5, f64::from(i % 2)]);
        let ring: Vec<f64> = spikes.chain([1.0, -0.1, 0.0, -0.1, 0.0, 0.0]).collect();
        let paths = shape(ShapeKind::MultiPolygon, [ring].into_iter()).polygons.polygon_paths(4.0);
        assert!(costs(&paths)[0] < 2.0 * MAX_PATH_COST);
        assert!(paths[0].bounds().width() > 220.0 && paths[0].bounds().height() > 220.0);
    }

    #[test]
    fn tiny_polygons_are_dots_that_do_not_hide_one_another() {
        let triangle = |x: f64| vec![x, 0.5, x + 1e-4, 0.5, x, 0.5001, x, 0.5];
        let triangles = [0.2, 0.2001, 0.2002, 0.8].map(triangle).into_iter();
        let dots = shape(ShapeKind::MultiPolygon, triangles).polygons.polygon_paths(4.0);
        assert_eq!(dots.iter().map(|dot| dot.bounds().width().round()).collect::<Vec<_>>(), [4.0, 4.0]);
    }
}
