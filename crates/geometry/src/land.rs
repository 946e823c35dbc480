//! Land on a plane: polygons in whole numbers that do not overlap, and the results of overlays.

use std::borrow::Cow;
use std::sync::OnceLock;

use geodesign_overlay::{Kept, Point, Ring, overlaid};

use super::drawn::Polygon;
use super::geodesic::polygon_square_metres;
use super::plane::{Extent, Plane, Straight};
use super::region::LonLat;
use super::shape::{Geometry, Shape, ShapeKind};

pub(super) const NOWHERE: Extent = [i64::MAX, i64::MAX, i64::MIN, i64::MIN];
/// In steps: 0.1 mm. Narrower land lies between borders that differ by rounding.
const MIN_WIDTH: f64 = 20_000.0;
/// Share of a polygon's area that overlays may change where no edges cross.
const MAX_ROUNDING: f64 = 1e-10;

/// Polygons that do not overlap: the exterior of each is counterclockwise, holes are clockwise.
#[derive(Debug, Clone, Default)]
pub struct Land {
    pub parts: Vec<Part>,
    /// The drawn rows whose land this is, in order; empty for the results of overlays.
    pub of: Vec<u32>,
    square_metres: OnceLock<f64>,
}

#[derive(Debug, Clone)]
pub struct Part {
    rings: Vec<Ring>,
    pub extent: Extent,
}

impl Land {
    /// Returns the land of drawn polygons, and those with points on geodesics that cross each other.
    pub fn of<'p>(plane: &Plane, polygons: &'p [Polygon], straight: &Straight) -> (Self, Vec<&'p Polygon>) {
        let (mut parts, mut crossing) = (Vec::new(), Vec::new());
        for polygon in polygons {
            let mut rings = polygon.iter().zip(0..).map(|(ring, at)| turned(plane.ring(ring, straight), at == 0));
            let exterior: Vec<_> = rings.by_ref().take(1).collect();
            let holes: Vec<_> = rings.collect();
            // One by one, so that an exterior that crosses itself, or a hole beyond it, leaves the intended land.
            let land = Land::from_shapes(overlaid(&exterior, &holes, Kept::FirstWithoutSecond));
            let is_bent = exterior.iter().chain(&holes).map(Vec::len).sum::<usize>() + polygon.len()
                > polygon.iter().map(Vec::len).sum();
            let [drawn, left] = [area(exterior.iter().chain(&holes)), area(rings_of(&land.parts))];
            if is_bent && (drawn - left).abs() > MAX_ROUNDING * left {
                crossing.push(polygon);
            }
            parts.extend(land.parts);
        }
        if polygons.len() > 1 { (united(&parts), crossing) } else { (Land { parts, ..Land::default() }, crossing) }
    }

    /// Marks this as the land of these rows.
    pub fn of_rows(self, of: Vec<u32>) -> Self {
        Land { of, ..self }
    }

    pub fn from_shapes(shapes: Vec<Vec<Ring>>) -> Self {
        let part = |rings: Vec<Ring>| Part { extent: extent_of(&rings), rings };
        Land { parts: shapes.into_iter().map(part).collect(), ..Land::default() }
    }

    /// Leaves out polygons and holes so narrow that rounding may have made them.
    pub fn without_slivers(mut self) -> Self {
        let is_wide = |ring: &Ring| signed_area(ring).abs() > length(ring) / 2.0 * MIN_WIDTH;
        self.parts.retain(|part| part.rings.first().is_some_and(is_wide));
        self.parts.iter_mut().for_each(|part| part.rings.retain(is_wide));
        self
    }

    pub fn rings(&self) -> impl Iterator<Item = &Ring> {
        rings_of(&self.parts)
    }

    /// The area on the plane.
    pub fn square_steps(&self) -> f64 {
        area(self.rings())
    }

    /// Returns the polygons whose bounds meet the bounds of any of the others.
    pub fn parts_near(&self, others: &[Part]) -> Vec<&Part> {
        self.parts.iter().filter(|part| others.iter().any(|other| meet(part.extent, other.extent))).collect()
    }

    pub fn extent(&self) -> Extent {
        self.parts.iter().map(|part| part.extent).fold(NOWHERE, around)
    }

    /// Returns the geodesic area. It is computed once.
    pub fn square_metres(&self, plane: &Plane) -> f64 {
        let area = |part: &Part| {
            let rings: Vec<Vec<f64>> = part.rings.iter().map(|ring| ordinates(plane, ring)).collect();
            let rings: Vec<&[f64]> = rings.iter().map(Vec::as_slice).collect();
            polygon_square_metres(&rings, 2, f64::INFINITY)
        };
        *self.square_metres.get_or_init(|| self.parts.iter().map(area).sum::<f64>() + 0.0)
    }

    pub fn shape(&self, position: impl Fn(Point) -> LonLat) -> Geometry {
        let mut shape = Shape::empty(ShapeKind::MultiPolygon);
        for part in &self.parts {
            for ring in &part.rings {
                let ring: Vec<f64> = ring.iter().flat_map(|point| position(*point)).collect();
                shape.ordinates.extend(&ring);
                shape.ordinates.extend(&ring[..2]);
                shape.line_ends.push(shape.ordinates.len() / 2);
            }
            shape.polygon_ends.push(shape.line_ends.len());
        }
        Geometry::Shape(shape)
    }
}

fn ordinates(plane: &Plane, ring: &[Point]) -> Vec<f64> {
    ring.iter().flat_map(|point| plane.lon_lat(*point)).collect()
}

fn rings_of<'p>(parts: impl IntoIterator<Item = &'p Part>) -> impl Iterator<Item = &'p Ring> {
    parts.into_iter().flat_map(|part| &part.rings)
}

/// Returns the rings of polygons; parts outside an extent do not matter and may be cut off.
pub(super) fn clipped<'p>(parts: impl IntoIterator<Item = &'p Part>, [west, south, east, north]: Extent) -> Vec<Ring> {
    let mut rings = Vec::new();
    for part in parts {
        let is_beyond = |axis: usize, limit: i64, sign: i64| sign * part.extent[axis] > sign * limit;
        for ring in &part.rings {
            let mut ring = Cow::Borrowed(ring);
            for (axis, limit, sign) in [(0, west, -1), (1, south, -1), (2, east, 1), (3, north, 1)] {
                if is_beyond(axis, limit, sign) {
                    ring = Cow::Owned(beside(&ring, axis % 2, limit + sign, sign));
                }
            }
            rings.push(ring.into_owned());
        }
    }
    rings.retain(|ring| ring.len() > 2);
    rings
}

/// Cuts off the part of a ring beyond a line (Sutherland and Hodgman 1974).
fn beside(ring: &[Point], axis: usize, limit: i64, sign: i64) -> Ring {
    let along = |point: &Point| if axis == 0 { point.x } else { point.y };
    let across = |point: &Point| if axis == 0 { point.y } else { point.x };
    let is_inside = |point: &Point| sign * along(point) <= sign * limit;
    let mut cut = Vec::with_capacity(ring.len());
    for (at, to) in ring.iter().enumerate() {
        let from = &ring[at.checked_sub(1).unwrap_or(ring.len() - 1)];
        if is_inside(from) != is_inside(to) {
            // The same for both directions.
            let [low, high] = if along(from) < along(to) { [from, to] } else { [to, from] };
            let share = (limit - along(low)) as f64 / (along(high) - along(low)) as f64;
            let other = across(low) + ((across(high) - across(low)) as f64 * share).round() as i64;
            cut.push(if axis == 0 { Point::new(limit, other) } else { Point::new(other, limit) });
        }
        if is_inside(to) {
            cut.push(*to);
        }
    }
    cut
}

/// Orients a ring counterclockwise if it is an exterior, else clockwise.
fn turned(mut ring: Ring, is_exterior: bool) -> Ring {
    if (signed_area(&ring) < 0.0) == is_exterior {
        ring.reverse();
    }
    ring
}

/// Area in square steps of the plane; above 0 for a counterclockwise ring. Exact, since rounding would spoil slivers.
fn signed_area(ring: &[Point]) -> f64 {
    let Some(first) = ring.first() else { return 0.0 };
    let from_first = |point: &Point| [i128::from(point.x - first.x), i128::from(point.y - first.y)];
    let (mut twice, mut before) = (0, [0, 0]);
    for [x, y] in ring.iter().map(from_first) {
        twice += before[0] * y - x * before[1];
        before = [x, y];
    }
    twice as f64 / 2.0
}

/// Perimeter in steps.
fn length(ring: &[Point]) -> f64 {
    let ends = ring.iter().zip(ring.iter().cycle().skip(1));
    ends.map(|(from, to)| ((to.x - from.x) as f64).hypot((to.y - from.y) as f64)).sum()
}

/// Area in square steps of polygons whose holes have the opposite orientation.
fn area<'r>(rings: impl IntoIterator<Item = &'r Ring>) -> f64 {
    rings.into_iter().map(|ring| signed_area(ring)).sum()
}

fn extent_of(rings: &[Ring]) -> Extent {
    rings.first().into_iter().flatten().map(|at| [at.x, at.y, at.x, at.y]).fold(NOWHERE, around)
}

pub(super) fn around(a: Extent, b: Extent) -> Extent {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

pub(super) fn meet(a: Extent, b: Extent) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

pub fn united<'p>(parts: impl IntoIterator<Item = &'p Part>) -> Land {
    Land::from_shapes(overlaid(rings_of(parts), [], Kept::First))
}

/// Returns the land shared with any of the others.
pub fn common(land: &Land, others: &[&Land]) -> Land {
    let parts: Vec<&Part> = others.iter().flat_map(|other| other.parts_near(&land.parts)).collect();
    let extent = |parts: &[&Part]| parts.iter().map(|part| part.extent).fold(NOWHERE, around);
    let own: Vec<&Part> = land.parts.iter().filter(|part| meet(part.extent, extent(&parts))).collect();
    let [[west, south, east, north], other] = [extent(&own), extent(&parts)];
    let both = [west.max(other[0]), south.max(other[1]), east.min(other[2]), north.min(other[3])];
    if both[0] > both[2] || both[1] > both[3] {
        return Land::default();
    }
    Land::from_shapes(overlaid(&clipped(own, both), &clipped(parts, both), Kept::Both))
}

/// Returns the land outside all of the others.
pub fn remaining(land: &Land, others: &[&Land]) -> Land {
    let near: Vec<&Part> = others.iter().flat_map(|other| other.parts_near(&land.parts)).collect();
    if near.is_empty() {
        return land.clone();
    }
    let shapes = overlaid(rings_of(&land.parts), &clipped(near, land.extent()), Kept::FirstWithoutSecond);
    Land::from_shapes(shapes)
}
