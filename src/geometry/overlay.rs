//! The area of land that polygons share. Edges are geodesics, which the search for crossings takes for straight in longitude and
//! latitude: before it, long edges get points on their geodesics; after it, each crossing is moved to where the geodesics cross. So
//! the parts into which a map divides a drawing add up to its area. `_planning/geodesics.py` does the same with the overlays of GEOS.

use std::collections::HashMap;

use geographiclib_rs::{DirectGeodesic, InverseGeodesic};

use super::edge_index::EdgeIndex;
use super::geodesic::WGS84;
use super::region::{Edge, Extent, LonLat, Region, SharedPiece, meet, union};
use super::shape::{Geometry, Shape, ShapeKind};
use super::short_edges::{A, E2};
use crate::work_time;

/// Degrees: 10 µm. What is nearer to an edge is on it.
const NEAR: f64 = 1e-10;
/// Longer edges get points. The straight line of one of this length is 3 cm from the geodesic in latitude 60; further north the
/// limit is lower.
const MAX_EDGE_METRES: f64 = 1_000.0;
const METRES_PER_DEGREE: f64 = 111_320.0;
/// So that edges which end at a pole have a finite number of points.
const MIN_COSINE: f64 = 1e-4;
/// Radians. Where edges meet at a smaller angle than about this, a point is moved across them, and not along.
const MIN_ANGLE: f64 = 1e-5;
/// Each takes a point nearer to the crossing by a factor of ten thousand.
const STEPS: usize = 2;

/// For each group of geometries, how many square metres of the land under any of them lie in a drawing of valid polygons that do not
/// overlap. Lines and points have no land.
pub fn shared_square_metres(drawing: &[Geometry], groups: &[Vec<Geometry>]) -> Vec<f64> {
    let drawn = polygons_of(drawing);
    let Some(extent) = drawn.iter().map(|polygon| extent_of(&polygon[0])).reduce(union) else {
        return vec![0.0; groups.len()];
    };
    let of_group = |group: &Vec<Geometry>| {
        let mut polygons = polygons_of(group);
        polygons.retain(|polygon| meet(extent_of(&polygon[0]), extent));
        polygons
    };
    let mut layers: Vec<Vec<Polygon>> = vec![drawn];
    layers.extend(groups.iter().map(of_group));
    node(&mut layers, extent);
    let mut regions = layers.iter().map(|polygons| region_of(polygons));
    let Some(Some(drawing)) = regions.next() else { return vec![0.0; groups.len()] };
    regions.map(|land| land.map_or(0.0, |land| square_metres_in_common(&land, &drawing))).collect()
}

/// The rings of a polygon, the exterior first. Each ends with its first position.
type Polygon = Vec<Vec<LonLat>>;

fn polygons_of(geometries: &[Geometry]) -> Vec<Polygon> {
    let mut polygons = Vec::new();
    let mut add = |shape: &Shape| {
        if !matches!(shape.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon) {
            return;
        }
        let position = |position: &[f64]| [position[0], position[1]];
        let mut rings = shape.lines().map(|ring| ring.chunks_exact(shape.stride()).map(position).collect::<Vec<_>>());
        for count in shape.rings_per_polygon() {
            let mut polygon: Polygon = rings.by_ref().take(count).collect();
            polygon.iter_mut().for_each(|ring| ring.dedup());
            let is_drawn = polygon.first().is_some_and(|exterior| exterior.len() > 3);
            polygon.retain(|ring| ring.len() > 3);
            polygons.extend(is_drawn.then_some(polygon));
        }
    };
    geometries.iter().for_each(|geometry| geometry.for_each_shape(&mut add));
    polygons
}

fn extent_of(ring: &[LonLat]) -> Extent {
    let nowhere = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    ring.iter().map(|&[x, y]| [x, y, x, y]).fold(nowhere, union)
}

fn region_of(polygons: &[Polygon]) -> Option<Region> {
    let geometry = |rings: &Polygon| {
        let ends = rings.iter().scan(0, |end, ring| {
            *end += ring.len();
            Some(*end)
        });
        let line_ends = ends.collect();
        let ordinates = rings.iter().flatten().flatten().copied().collect();
        Geometry::Shape(Shape { ordinates, line_ends, ..Shape::empty(ShapeKind::Polygon) })
    };
    Region::of(&polygons.iter().map(geometry).collect::<Vec<_>>())
}

/// The ends of an edge, the western or southern one first, so that neighbours have the same.
type Ends = [LonLat; 2];

fn ends(from: LonLat, to: LonLat) -> Ends {
    if from <= to { [from, to] } else { [to, from] }
}

/// Gives the edges that reach into an extent the points that another polygon has on them, and points on the geodesics in between. The
/// former stay on the straight line between the ends, so that neighbours keep their common border.
fn node(layers: &mut [Vec<Polygon>], extent: Extent) {
    let rings = || layers.iter().flatten().flatten();
    let mut edges: Vec<Ends> = rings().flat_map(|ring| ring.windows(2).map(|pair| ends(pair[0], pair[1]))).collect();
    edges.retain(|[[x0, y0], [x1, y1]]| meet([*x0, y0.min(*y1), *x1, y0.max(*y1)], extent));
    edges.sort_unstable_by(order);
    edges.dedup();
    let index = EdgeIndex::new(edges.iter().map(|[[x0, y0], [x1, y1]]| [*x0, *y0, *x1, *y1]));
    let mut points: Vec<LonLat> = rings().flatten().copied().collect();
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let mut on_edges: HashMap<u32, Vec<LonLat>> = HashMap::new();
    for &point in &points {
        if work_time::is_over() {
            return;
        }
        index.near(point, NEAR, true, &mut |edge| on_edges.entry(edge).or_default().push(point));
    }
    let mut added: Vec<Vec<LonLat>> = vec![Vec::new(); edges.len()];
    for ((edge, row), between) in edges.iter().zip(0..).zip(&mut added) {
        if work_time::is_over() {
            return;
        }
        let mut stops = on_edges.remove(&row).unwrap_or_default();
        stops.sort_unstable_by(|a, b| share(edge, *a).total_cmp(&share(edge, *b)));
        stops.push(edge[1]);
        let mut start = edge[0];
        for stop in stops {
            add_between(start, stop, between);
            between.push(stop);
            start = stop;
        }
        between.pop();
    }
    let find = |from: LonLat, to: LonLat| {
        let row = edges.binary_search_by(|edge| order(edge, &ends(from, to))).ok()?;
        Some(added[row].as_slice()).filter(|between| !between.is_empty())
    };
    for ring in layers.iter_mut().flatten().flatten() {
        let mut noded = Vec::with_capacity(ring.len());
        for pair in ring.windows(2) {
            noded.push(pair[0]);
            match find(pair[0], pair[1]) {
                Some(between) if pair[0] <= pair[1] => noded.extend(between),
                Some(between) => noded.extend(between.iter().rev()),
                None => {}
            }
        }
        noded.extend(ring.last());
        *ring = noded;
    }
}

fn order(a: &Ends, b: &Ends) -> std::cmp::Ordering {
    let numbers = |[[x0, y0], [x1, y1]]: &Ends| [*x0, *y0, *x1, *y1];
    let pairs = numbers(a).into_iter().zip(numbers(b));
    pairs.map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
}

fn share([start, end]: &Ends, at: LonLat) -> f64 {
    let along = minus(*end, *start);
    dot(minus(at, *start), along) / dot(along, along)
}

/// Adds points on the geodesic of a long section of an edge.
fn add_between(start: LonLat, end: LonLat, points: &mut Vec<LonLat>) {
    let pieces = pieces(start, end);
    if pieces < 2 {
        return;
    }
    let (metres, azimuth, _, _): (f64, f64, f64, f64) = WGS84.inverse(start[1], start[0], end[1], end[0]);
    for piece in 1..pieces {
        let distance = metres * f64::from(piece) / f64::from(pieces);
        let (latitude, longitude): (f64, f64) = WGS84.direct(start[1], start[0], azimuth, distance);
        points.push([longitude + 360.0 * ((start[0] - longitude) / 360.0).round(), latitude]);
    }
}

/// How many pieces an edge is cut into. From one end of the map to the other nobody means a geodesic.
fn pieces(start: LonLat, end: LonLat) -> u32 {
    let [east, north] = minus(end, start);
    let cosine = start[1].abs().max(end[1].abs()).to_radians().cos().max(MIN_COSINE);
    let metres = METRES_PER_DEGREE * (east * cosine).hypot(north);
    // A line is further from its geodesic by the tangent of the latitude.
    if east.abs() < 180.0 { ((metres / (MAX_EDGE_METRES * cosine.sqrt())).ceil() as u32).max(1) } else { 1 }
}

fn square_metres_in_common(land: &Region, drawing: &Region) -> f64 {
    let [_, south, _, north] = drawing.extent();
    let reference = f64::midpoint(south, north).to_radians();
    let mut area = 0.0;
    land.for_each_shared_piece(drawing, &mut |piece: SharedPiece| {
        let [at_start, at_end] = piece.crossed;
        let end = |at: LonLat, crossed: Option<Edge>| crossed.map_or(at, |other| crossing(at, [piece.edge, &other]));
        // The interior is on the left, so that its southern outline goes east.
        area -= swept(reference, end(piece.from, at_start), end(piece.to, at_end));
    });
    area.max(0.0)
}

/// Where the geodesics of two edges cross, near to where the straight lines do.
fn crossing(mut at: LonLat, edges: [&Edge; 2]) -> LonLat {
    for _ in 0..STEPS {
        let cosine = at[1].to_radians().cos();
        let scaled = |[x, y]: LonLat| [x * cosine, y];
        // Least squares, in which what is far along nearly parallel edges counts.
        let (mut xx, mut xy, mut yy, mut x, mut y) = (MIN_ANGLE * MIN_ANGLE, 0.0, MIN_ANGLE * MIN_ANGLE, 0.0, 0.0);
        for [start, end] in edges.map(|edge| ends(edge.from, edge.to)) {
            let along = minus(end, start);
            let line = scaled(along);
            let length = dot(line, line).sqrt();
            let share = dot(scaled(minus(at, start)), line) / (length * length);
            let bend = bend(start, along, share);
            let apart = scaled([0, 1].map(|axis| start[axis] - at[axis] + along[axis] * share + bend[axis]));
            let normal = [-line[1] / length, line[0] / length];
            let distance = dot(apart, normal);
            xx += normal[0] * normal[0];
            xy += normal[0] * normal[1];
            yy += normal[1] * normal[1];
            x += normal[0] * distance;
            y += normal[1] * distance;
        }
        let determinant = xx * yy - xy * xy;
        at = [at[0] + (yy * x - xy * y) / determinant / cosine, at[1] + (xx * y - xy * x) / determinant];
    }
    at
}

/// From the straight line between two positions to their geodesic, in degrees, at a share of the way.
///
/// A geodesic solves x″ = −Γ(x′, x′). On a short one the right side is nearly linear.
fn bend(start: LonLat, along: LonLat, share: f64) -> LonLat {
    let speed = along.map(f64::to_radians);
    let turn = acceleration(start[1] + along[1] / 2.0, speed);
    let half = turn.map(|part| part / 2.0);
    let after = acceleration(start[1] + along[1], [speed[0] + half[0], speed[1] + half[1]]);
    let change = minus(after, acceleration(start[1], minus(speed, half)));
    let place = 2.0 * share - 1.0;
    [0, 1].map(|axis| ((place * place - 1.0) / 8.0 * (turn[axis] + change[axis] * place / 6.0)).to_degrees())
}

/// −Γ(x′, x′) of the ellipsoid, for longitude and latitude.
fn acceleration(latitude: f64, [east, north]: LonLat) -> LonLat {
    let (sine, cosine) = latitude.to_radians().sin_cos();
    let w = (1.0 - E2 * sine * sine) / (1.0 - E2);
    let bend = 3.0 * E2 / (1.0 - E2) * north * north / w;
    [2.0 * sine / cosine / w * east * north, -sine * cosine * (w * east * east + bend)]
}

/// The square metres between a short geodesic and a parallel, negative below it or for one that goes west: see `short_edges`.
fn swept(reference: f64, from: LonLat, to: LonLat) -> f64 {
    let east = (to[0] - from[0]).to_radians();
    let [south, north] = [from[1], to[1]].map(f64::to_radians);
    let middle = f64::midpoint(south, north);
    let (sine, cosine) = middle.sin_cos();
    let radius2 = A * A * cosine * cosine / (1.0 - E2 * sine * sine);
    let [q_from, q_to] = [south, north].map(|latitude| between_parallels(reference, latitude));
    let rise = q_to - q_from;
    let sliver = sine / 12.0 * (radius2 * east * east + 3.0 * rise * rise / radius2);
    east * (f64::midpoint(q_from, q_to) + sliver)
}

/// The square metres between two parallels near to each other, per radian of longitude.
fn between_parallels(from: f64, to: f64) -> f64 {
    // The nodes and weights of Gauss and Legendre, of degree 5.
    const NODES: [(f64, f64); 3] = [
        (0.0, 128.0 / 225.0),
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
        (0.906_179_845_938_664, 0.236_926_885_056_189_08),
    ];
    let half = (to - from) / 2.0;
    let middle = f64::midpoint(from, to);
    let density = |latitude: f64| {
        let (sine, cosine) = latitude.sin_cos();
        let w = 1.0 - E2 * sine * sine;
        A * A * (1.0 - E2) * cosine / (w * w)
    };
    let pair = |(node, weight): (f64, f64)| match node {
        0.0 => weight * density(middle),
        _ => weight * (density(middle - half * node) + density(middle + half * node)),
    };
    half * NODES.into_iter().map(pair).sum::<f64>()
}

fn minus(a: LonLat, b: LonLat) -> LonLat {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: LonLat, b: LonLat) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::Measure;

    fn polygon(ring: Vec<LonLat>) -> Geometry {
        let line_ends = vec![ring.len()];
        let ordinates = ring.into_iter().flatten().collect();
        Geometry::Shape(Shape { ordinates, line_ends, ..Shape::empty(ShapeKind::Polygon) })
    }

    fn star(center: LonLat, size: f64, radii: &[f64]) -> Geometry {
        let turn = std::f64::consts::TAU / radii.len() as f64;
        let corner = |(at, radius): (usize, &f64)| {
            let (sine, cosine) = (turn * at as f64).sin_cos();
            [center[0] + size * radius * cosine, center[1] + size * radius * sine]
        };
        let mut ring: Vec<LonLat> = radii.iter().enumerate().map(corner).collect();
        ring.push(ring[0]);
        polygon(ring)
    }

    /// A map of squares around a place; those of odd rows are shifted by half a square, so that corners lie on edges.
    fn bricks([west, south]: LonLat, size: f64) -> Vec<Vec<Geometry>> {
        let brick = |row: i32, column: i32| {
            let [x, y] = [west + size * (f64::from(column) + 0.5 * f64::from(row % 2)), south + size * f64::from(row)];
            let [east, north] = [x + size, south + size * f64::from(row + 1)];
            polygon(vec![[x, y], [east, y], [east, north], [x, north], [x, y]])
        };
        (0..8).flat_map(|row| (-1..8).map(move |column| vec![brick(row, column)])).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn the_parts_of_a_drawing_in_the_areas_of_a_map_add_up_to_it(
            center in (-170.0..170.0f64, -70.0..70.0f64),
            radii in prop::collection::vec(0.2..1.0f64, 3..30),
            size in -3.0..-0.5f64,
        ) {
            let size = 10f64.powf(size);
            let drawing = star([center.0, center.1], size, &radii);
            let parts = shared_square_metres(
                std::slice::from_ref(&drawing),
                &bricks([center.0 - size * 2.0, center.1 - size * 2.0], size / 2.0),
            );
            let [sum, whole] = [parts.iter().sum::<f64>(), Measure::of(&drawing).unwrap().square_metres];
            // Corners that lie on edges leave those straight: see `node`.
            prop_assert!((sum - whole).abs() <= 1e-5 * whole, "{sum} {whole}");
            let itself = shared_square_metres(std::slice::from_ref(&drawing), &[vec![drawing.clone(), drawing.clone()]]);
            // The rounding error of full geodesics, which small areas are measured with: a few square centimetres.
            let rounding = 3e-4 * (radii.len() as f64).sqrt();
            prop_assert!((itself[0] - whole).abs() <= 1e-9 * whole + rounding, "{itself:?} {whole}");
        }
    }
}
