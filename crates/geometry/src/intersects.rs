//! Tests for points in common. Edges are straight lines in longitude and latitude, as in GeoJSON.

use super::shape::{Geometry, ShapeKind};

type Position = [f64; 2];
type Edge = [Position; 2];

/// West, south, east, north; `None` for a geometry without positions.
pub fn extent_of(geometry: &Geometry) -> Option<[f64; 4]> {
    let mut extent: Option<[f64; 4]> = None;
    geometry.for_each_shape(&mut |shape| {
        for (x, y) in shape.lon_lats() {
            let [west, south, east, north] = extent.unwrap_or([x, y, x, y]);
            extent = Some([west.min(x), south.min(y), east.max(x), north.max(y)]);
        }
    });
    extent
}

/// A geometry to compare others with.
#[derive(Debug)]
pub struct Outline {
    extent: [f64; 4],
    parts: Parts,
}

/// The parts of a geometry.
#[derive(Debug, Default)]
struct Parts {
    points: Vec<Position>,
    /// Edges of lines and rings.
    edges: Vec<Edge>,
    /// Rings of polygons only.
    rings: Vec<Vec<Position>>,
    /// One position of each connected part.
    starts: Vec<Position>,
}

impl Outline {
    /// Takes a geometry to compare others with; `None` if it has no positions.
    pub fn of(geometry: &Geometry) -> Option<Self> {
        Some(Outline { extent: extent_of(geometry)?, parts: Parts::of(geometry) })
    }

    /// True if the geometry is a rectangle that fills its extent.
    pub fn is_rectangle(&self) -> bool {
        let [west, south, east, north] = self.extent;
        let [ring] = self.parts.rings.as_slice() else { return false };
        let is_corner = |[x, y]: &Position| (*x == west || *x == east) && (*y == south || *y == north);
        let is_side = |[from, to]: &Edge| (from[0] == to[0]) != (from[1] == to[1]);
        ring.len() == 5 && ring.iter().all(is_corner) && self.parts.edges.iter().all(is_side)
    }

    /// West, south, east, north.
    pub fn extent(&self) -> [f64; 4] {
        self.extent
    }

    /// True if it has a point in common with a geometry. Points on a border belong to it. Edges are compared with edges, which takes
    /// seconds if both geometries have very many. Returns an error if `is_over` becomes true meanwhile.
    pub fn meets(&self, geometry: &Geometry, is_over: &dyn Fn() -> bool) -> Result<bool, TimeIsOver> {
        let Some(extent) = extent_of(geometry) else { return Ok(false) };
        if !overlap(extent, self.extent) {
            return Ok(false);
        }
        let other = Parts::of(geometry);
        let (near, others) = (within(&self.parts.edges, extent), within(&other.edges, self.extent));
        let touches = |parts: &Parts, point: &Position| {
            parts.points.contains(point) || parts.edges.iter().any(|edge| on(edge, *point))
        };
        let meets = any_in_time(&other.starts, is_over, |start| self.parts.covers(*start))?
            || any_in_time(&self.parts.starts, is_over, |start| other.covers(*start))?
            || any_in_time(&self.parts.points, is_over, |point| touches(&other, point))?
            || any_in_time(&other.points, is_over, |point| touches(&self.parts, point))?
            || any_in_time(&near, is_over, |a| others.iter().any(|b| edges_meet(a, b)))?;
        Ok(meets)
    }
}

/// The comparison exceeded its time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeIsOver;

/// True if one of the items meets a condition, which examines a complete geometry.
fn any_in_time<T>(all: &[T], is_over: &dyn Fn() -> bool, condition: impl Fn(&T) -> bool) -> Result<bool, TimeIsOver> {
    for one in all {
        if is_over() {
            return Err(TimeIsOver);
        }
        if condition(one) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Parts {
    fn of(geometry: &Geometry) -> Self {
        let mut parts = Parts::default();
        geometry.for_each_shape(&mut |shape| {
            let stride = shape.stride();
            let position = |ordinates: &[f64]| [ordinates[0], ordinates[1]];
            match shape.kind {
                ShapeKind::Point | ShapeKind::MultiPoint => {
                    parts.points.extend(shape.lon_lats().map(|(x, y)| [x, y]));
                    parts.starts.extend(shape.lon_lats().map(|(x, y)| [x, y]));
                }
                kind => {
                    let is_area = matches!(kind, ShapeKind::Polygon | ShapeKind::MultiPolygon);
                    for line in shape.lines() {
                        let line: Vec<Position> = line.chunks_exact(stride).map(position).collect();
                        parts.starts.extend(line.first());
                        parts.edges.extend(line.windows(2).map(|ends| [ends[0], ends[1]]));
                        if is_area {
                            parts.rings.push(line);
                        }
                    }
                }
            }
        });
        parts
    }

    /// True if a position lies in the polygons: a ray from it crosses their rings an odd number of times.
    fn covers(&self, [x, y]: Position) -> bool {
        let crosses = |ends: &[Position]| {
            let ([x0, y0], [x1, y1]) = (ends[0], ends[1]);
            (y0 > y) != (y1 > y) && x < (x1 - x0) * (y - y0) / (y1 - y0) + x0
        };
        self.rings.iter().flat_map(|ring| ring.windows(2)).filter(|ends| crosses(ends)).count() % 2 == 1
    }
}

fn overlap([west, south, east, north]: [f64; 4], other: [f64; 4]) -> bool {
    west <= other[2] && other[0] <= east && south <= other[3] && other[1] <= north
}

fn extent_of_edge([[x0, y0], [x1, y1]]: &Edge) -> [f64; 4] {
    [x0.min(*x1), y0.min(*y1), x0.max(*x1), y0.max(*y1)]
}

fn within(edges: &[Edge], extent: [f64; 4]) -> Vec<Edge> {
    edges.iter().filter(|edge| overlap(extent_of_edge(edge), extent)).copied().collect()
}

/// Positive if `c` lies to the left of the way from `a` to `b`.
fn turn(a: Position, b: Position, c: Position) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

fn on(edge: &Edge, point: Position) -> bool {
    turn(edge[0], edge[1], point) == 0.0 && overlap(extent_of_edge(edge), [point[0], point[1], point[0], point[1]])
}

fn edges_meet(a: &Edge, b: &Edge) -> bool {
    if !overlap(extent_of_edge(a), extent_of_edge(b)) {
        return false;
    }
    let opposite = |edge: &Edge, other: &Edge| {
        let (first, second) = (turn(edge[0], edge[1], other[0]), turn(edge[0], edge[1], other[1]));
        (first > 0.0) != (second > 0.0) || first == 0.0 || second == 0.0
    };
    opposite(a, b) && opposite(b, a)
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::GeometrySeed;

    fn geometry(text: &str) -> Geometry {
        GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap().unwrap()
    }

    const LAKE: &str =
        r#"{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[4,4],[6,4],[6,6],[4,6],[4,4]]]}"#;

    #[test]
    fn what_has_a_point_in_common_meets() {
        let lake = Outline::of(&geometry(LAKE)).unwrap();
        for (other, meets) in [
            (r#"{"type":"Point","coordinates":[2,2]}"#, true),
            (r#"{"type":"Point","coordinates":[5,5]}"#, false),
            (r#"{"type":"Point","coordinates":[10,3]}"#, true),
            (r#"{"type":"Point","coordinates":[11,3]}"#, false),
            (r#"{"type":"LineString","coordinates":[[-5,5],[-1,5]]}"#, false),
            (r#"{"type":"LineString","coordinates":[[-5,5],[15,5]]}"#, true),
            (r#"{"type":"LineString","coordinates":[[4.5,5],[5.5,5]]}"#, false),
            (r#"{"type":"Polygon","coordinates":[[[-9,-9],[19,-9],[19,19],[-9,19],[-9,-9]]]}"#, true),
            (r#"{"type":"Polygon","coordinates":[[[4.5,4.5],[5.5,4.5],[5.5,5.5],[4.5,4.5]]]}"#, false),
            (r#"{"type":"Polygon","coordinates":[[[10,0],[20,0],[20,10],[10,10],[10,0]]]}"#, true),
            (r#"{"type":"Polygon","coordinates":[]}"#, false),
            (
                r#"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[50,50]},{"type":"Point","coordinates":[1,1]}]}"#,
                true,
            ),
        ] {
            assert_eq!(lake.meets(&geometry(other), &|| false), Ok(meets), "{other}");
            let other = geometry(other);
            let reverse = Outline::of(&other).map_or(Ok(false), |other| other.meets(&geometry(LAKE), &|| false));
            assert_eq!(reverse, Ok(meets), "{other:?}");
        }
    }

    /// A staircase, lifted by some steps. If lifted by more than one step, it does not meet one that is not lifted.
    fn staircase(steps: usize, lift: f64) -> Geometry {
        let corners = (0..steps).flat_map(|step| [[step, step], [step + 1, step]]);
        let corners: Vec<String> = corners.map(|[x, y]| format!("[{x},{}]", y as f64 + lift)).collect();
        geometry(&format!(r#"{{"type":"LineString","coordinates":[{}]}}"#, corners.join(",")))
    }

    #[test]
    fn a_comparison_ends_when_its_time_is_over() {
        use std::cell::Cell;

        let (lower, higher) = (Outline::of(&staircase(200, 0.0)).unwrap(), staircase(200, 1.5));
        let asked = Cell::new(0);
        let ask = |allowed: usize| {
            asked.set(0);
            lower.meets(&higher, &|| asked.replace(asked.get() + 1) >= allowed)
        };
        assert_eq!(ask(usize::MAX), Ok(false));
        let needed = asked.get();
        assert_eq!(ask(needed / 2), Err(TimeIsOver));
        assert!(asked.get() <= needed / 2 + 1);
    }

    #[test]
    fn the_extent_is_that_of_all_positions() {
        assert_eq!(extent_of(&geometry(LAKE)), Some([0.0, 0.0, 10.0, 10.0]));
        assert_eq!(extent_of(&geometry(r#"{"type":"Polygon","coordinates":[]}"#)), None);
    }
}
