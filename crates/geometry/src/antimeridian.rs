//! Cuts shapes that cross longitude ±180 into parts, as GeoJSON requires (RFC 7946, section 3.1.9).
//!
//! An edge takes the shorter way around the Earth, as in measures of area and length. So an edge of more than 180 degrees of longitude,
//! or a position beyond ±180, means that a line or a ring continues on the other side of the antimeridian.

use std::borrow::Cow;

use geographiclib_rs::{DirectGeodesic, InverseGeodesic};

use super::ellipsoid::WGS84;
use super::shape::{Geometry, Shape, ShapeKind};

const HALF_TURN: f64 = 180.0;
const TURN: f64 = 360.0;
/// Longitudes beyond this are not in degrees.
const MAX_LONGITUDE: f64 = HALF_TURN + TURN;
/// Halvings of an edge, after which its position at the antimeridian is known to the last bit.
const HALVINGS: usize = 60;

/// Longitude, latitude and height; NaN if there is no height.
type Vertex = [f64; 3];
/// Positions of a ring, the first one not repeated at the end.
type Ring = Vec<Vertex>;
/// The exterior, then the holes.
type Polygon = Vec<Ring>;

/// True if the way from one longitude and latitude to the next is shorter across the antimeridian. A pole has any longitude.
pub fn edge_across(from: [f64; 2], to: [f64; 2]) -> bool {
    (from[0] - to[0]).abs() > HALF_TURN && from[1].abs() < 90.0 && to[1].abs() < 90.0
}

/// Cuts each line and polygon at longitude ±180, so that all positions are within it. The cut is where the geodesic edge crosses, so
/// area and length do not change. Shapes that cannot be cut, such as a ring around a pole, are returned unchanged.
pub fn cut(geometry: &Geometry) -> Cow<'_, Geometry> {
    match geometry {
        Geometry::Shape(shape) if goes_across(shape) => {
            cut_shape(shape).map_or(Cow::Borrowed(geometry), |shape| Cow::Owned(Geometry::Shape(shape)))
        }
        Geometry::Shape(_) => Cow::Borrowed(geometry),
        Geometry::Collection(members) => {
            let members: Vec<Cow<Geometry>> = members.iter().map(cut).collect();
            if members.iter().all(|member| matches!(member, Cow::Borrowed(_))) {
                return Cow::Borrowed(geometry);
            }
            Cow::Owned(Geometry::Collection(members.into_iter().map(Cow::into_owned).collect()))
        }
    }
}

fn goes_across(shape: &Shape) -> bool {
    let stride = shape.stride();
    let mut widest = 0.0_f64;
    for line in shape.lines() {
        for (a, b) in line.chunks_exact(stride).zip(line.chunks_exact(stride).skip(1)) {
            widest = widest.max((a[0] - b[0]).abs());
        }
    }
    // A shape around the whole Earth has no sides.
    if widest >= TURN {
        return false;
    }
    if shape.lon_lats().any(|(longitude, _)| longitude.abs() > HALF_TURN) {
        // Degrees from 0 to 360, or a map that was moved around the Earth: no jump shows which side is meant.
        let in_degrees = |(longitude, latitude): (f64, f64)| longitude.abs() <= MAX_LONGITUDE && latitude.abs() <= 90.0;
        return widest <= HALF_TURN && shape.lon_lats().all(in_degrees);
    }
    shape.lines().any(|line| {
        line.chunks_exact(stride)
            .zip(line.chunks_exact(stride).skip(1))
            .any(|(a, b)| edge_across([a[0], a[1]], [b[0], b[1]]))
    })
}

fn cut_shape(shape: &Shape) -> Option<Shape> {
    match shape.kind {
        ShapeKind::Point | ShapeKind::MultiPoint => {
            let mut moved = shape.clone();
            moved
                .ordinates
                .chunks_exact_mut(shape.stride())
                .for_each(|position| position[0] -= TURN * band(position[0]));
            Some(moved)
        }
        ShapeKind::LineString | ShapeKind::MultiLineString => {
            let lines = shape.lines().flat_map(|line| cut_line(&unrolled(line, shape.stride()))).collect::<Vec<_>>();
            Some(build(ShapeKind::MultiLineString, shape.has_height, vec![lines]))
        }
        ShapeKind::Polygon | ShapeKind::MultiPolygon => {
            let mut polygons = Vec::new();
            for rings in shape.polygons() {
                polygons.extend(cut_polygon(&rings, shape.stride())?);
            }
            polygons.iter_mut().flatten().for_each(|ring| ring.push(ring[0]));
            Some(build(ShapeKind::MultiPolygon, shape.has_height, polygons))
        }
    }
}

/// The number of turns between a longitude and those within ±180. The antimeridian itself belongs to the side west of it.
fn band(longitude: f64) -> f64 {
    ((longitude - HALF_TURN) / TURN).ceil()
}

/// Continues longitudes beyond ±180, so that no edge spans more than 180 degrees.
fn unrolled(line: &[f64], stride: usize) -> Vec<Vertex> {
    let mut turns = 0.0;
    let mut before: Option<f64> = None;
    let vertex = |position: &[f64]| {
        let step = before.map_or(0.0, |before| position[0] - before);
        before = Some(position[0]);
        turns -= (step / TURN).round();
        [position[0] + TURN * turns, position[1], position.get(2).copied().unwrap_or(f64::NAN)]
    };
    line.chunks_exact(stride).map(vertex).collect()
}

fn cut_line(line: &[Vertex]) -> Vec<Vec<Vertex>> {
    let mut parts = Vec::new();
    let mut part: Vec<Vertex> = Vec::new();
    for (index, &vertex) in line.iter().enumerate() {
        if let Some(&before) = index.checked_sub(1).and_then(|index| line.get(index)) {
            let (from, to) = (band(before[0]), band(vertex[0]));
            if from != to {
                let at = HALF_TURN + TURN * from.min(to);
                let crossing = crossing(before, vertex, at);
                part.push(crossing);
                parts.push((from, std::mem::take(&mut part)));
                part.push(crossing);
            }
        }
        part.push(vertex);
    }
    parts.extend(line.last().map(|last| (band(last[0]), part)));
    let placed = parts.into_iter().map(|(band, part)| part.into_iter().map(|vertex| turned(vertex, band)).collect());
    // A line that only touches the antimeridian leaves a single position on its other side.
    placed.filter(|part: &Vec<Vertex>| part.iter().any(|vertex| vertex[..2] != part[0][..2])).collect()
}

/// The vertex with its longitude within ±180.
fn turned([longitude, latitude, height]: Vertex, band: f64) -> Vertex {
    [longitude - TURN * band, latitude, height]
}

fn cut_polygon(rings: &[&[f64]], stride: usize) -> Option<Vec<Polygon>> {
    let mut unrolled_rings = Vec::new();
    for ring in rings {
        let mut ring = unrolled(ring, stride);
        // A ring around a pole ends one turn away from its beginning; an open one ends elsewhere.
        let (last, first) = (ring.pop()?, *ring.first()?);
        if last[..stride] != first[..stride] {
            return None;
        }
        unrolled_rings.push(ring);
    }
    let (west, east) = range(unrolled_rings.first()?);
    for hole in unrolled_rings.iter_mut().skip(1) {
        let turns = ((hole[0][0] - west) / TURN).floor();
        hole.iter_mut().for_each(|vertex| vertex[0] -= TURN * turns);
        let (hole_west, hole_east) = range(hole);
        if hole_west < west || hole_east > east {
            return None;
        }
    }
    let (first, last) = (band(west), band(east));
    if last - first > 2.0 {
        return None;
    }
    let (mut cut, mut rest, mut band) = (Vec::new(), vec![unrolled_rings], first);
    while !rest.is_empty() {
        let mut further = Vec::new();
        for polygon in rest {
            let [here, there] = divided(&polygon, HALF_TURN + TURN * band)?;
            let placed = |ring: Ring| ring.into_iter().map(|vertex| turned(vertex, band)).collect();
            cut.extend(here.into_iter().map(|polygon| polygon.into_iter().map(placed).collect::<Polygon>()));
            further.extend(there);
        }
        (rest, band) = (further, band + 1.0);
    }
    Some(cut)
}

fn range(ring: &[Vertex]) -> (f64, f64) {
    ring.iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(west, east), vertex| (west.min(vertex[0]), east.max(vertex[0])))
}

/// The parts of a polygon west and east of a meridian.
///
/// Rings are broken into chains where they cross it. Along the meridian, sorted by latitude, the polygon begins at every second
/// crossing; there the end of a chain is joined with the beginning of another.
fn divided(polygon: &[Ring], at: f64) -> Option<[Vec<Polygon>; 2]> {
    let is_east = |vertex: &Vertex| vertex[0] > at;
    let (mut chains, mut whole) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for ring in polygon {
        let crosses = |index: &usize| is_east(&ring[*index]) != is_east(&ring[(*index + 1) % ring.len()]);
        let Some(start) = (0..ring.len()).find(crosses) else {
            whole[usize::from(is_east(&ring[0]))].push(ring.clone());
            continue;
        };
        let mut chain = vec![crossing(ring[start], ring[(start + 1) % ring.len()], at)];
        for step in 1..=ring.len() {
            let (vertex, next) = (ring[(start + step) % ring.len()], ring[(start + step + 1) % ring.len()]);
            chain.push(vertex);
            if is_east(&vertex) != is_east(&next) {
                let crossing = crossing(vertex, next, at);
                chain.push(crossing);
                chains[usize::from(is_east(&vertex))].push(std::mem::replace(&mut chain, vec![crossing]));
            }
        }
    }
    let [west_chains, east_chains] = chains;
    let [west_whole, east_whole] = whole;
    Some([polygons(west_chains, west_whole, at)?, polygons(east_chains, east_whole, at)?])
}

/// The polygons of one side, from its chains and from the rings that do not cross.
fn polygons(chains: Vec<Vec<Vertex>>, whole: Vec<Ring>, at: f64) -> Option<Vec<Polygon>> {
    let mut ends: Vec<(f64, usize, bool)> = chains
        .iter()
        .enumerate()
        .flat_map(|(index, chain)| [(chain[0][1], index, true), (chain[chain.len() - 1][1], index, false)])
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut next = vec![None; chains.len()];
    for index in (0..ends.len()).step_by(2) {
        // Where chains meet at one position, any two that fit are joined.
        let fits = |other: &usize| {
            ends[*other].2 != ends[index].2 && (*other == index + 1 || ends[*other].0 == ends[index + 1].0)
        };
        let partner = (index + 1..ends.len()).find(fits)?;
        ends.swap(index + 1, partner);
        let (a, b) = (ends[index], ends[index + 1]);
        let (from, to) = if a.2 { (b.1, a.1) } else { (a.1, b.1) };
        next[from] = Some(to);
    }
    let mut joined: Vec<Polygon> = Vec::new();
    let mut is_used = vec![false; chains.len()];
    for start in 0..chains.len() {
        let (mut ring, mut index) = (Ring::new(), start);
        while !std::mem::replace(&mut is_used[index], true) {
            ring.extend_from_slice(&chains[index]);
            index = next[index]?;
        }
        ring.dedup_by(|a, b| a[..2] == b[..2]);
        if ring.len() > 1 && ring[0][..2] == ring[ring.len() - 1][..2] {
            ring.pop();
        }
        // A polygon that only touches the meridian has no land on its other side.
        if ring.iter().any(|vertex| vertex[0] != at) {
            joined.push(vec![ring]);
        }
    }
    let mut whole = whole.into_iter();
    if joined.is_empty() {
        joined.extend(whole.next().map(|exterior| vec![exterior]));
    }
    for hole in whole {
        let surrounding = joined.iter().position(|polygon| hole.iter().all(|vertex| is_within(&polygon[0], vertex)))?;
        joined[surrounding].push(hole);
    }
    Some(joined)
}

/// True if a position lies inside a ring or on it, on a flat map.
fn is_within(ring: &[Vertex], [x, y, _]: &Vertex) -> bool {
    let mut inside = false;
    for (a, b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
        let cross = (b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1]);
        let between = |low: f64, high: f64, value: f64| low.min(high) <= value && value <= low.max(high);
        if cross == 0.0 && between(a[0], b[0], *x) && between(a[1], b[1], *y) {
            return true;
        }
        inside ^= (a[1] > *y) != (b[1] > *y) && *x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
    }
    inside
}

/// The position at which the geodesic between two vertices crosses a meridian that is between their longitudes.
fn crossing(from: Vertex, to: Vertex, at: f64) -> Vertex {
    if let Some(end) = [from, to].into_iter().find(|vertex| vertex[0] == at) {
        return end;
    }
    let (metres, azimuth, _, _): (f64, f64, f64, f64) = WGS84.inverse(from[1], from[0], to[1], to[0]);
    let beyond = |longitude: f64| (longitude - at) - TURN * ((longitude - at) / TURN).round();
    let is_east = from[0] > at;
    let (mut near, mut far, mut latitude) = (0.0, 1.0, from[1]);
    for _ in 0..HALVINGS {
        let middle = (near + far) / 2.0;
        let (middle_latitude, longitude, _): (f64, f64, f64) = WGS84.direct(from[1], from[0], azimuth, metres * middle);
        latitude = middle_latitude;
        if (beyond(longitude) > 0.0) == is_east { near = middle } else { far = middle }
    }
    [at, latitude, from[2] + near * (to[2] - from[2])]
}

/// Builds a multi-part shape, or a single one if there is only one part.
fn build(several: ShapeKind, has_height: bool, polygons: Vec<Vec<Vec<Vertex>>>) -> Shape {
    let kind = match several {
        ShapeKind::MultiLineString if polygons[0].len() == 1 => ShapeKind::LineString,
        ShapeKind::MultiPolygon if polygons.len() == 1 => ShapeKind::Polygon,
        several => several,
    };
    let mut shape = Shape { has_height, ..Shape::empty(kind) };
    for polygon in polygons {
        for line in polygon {
            let stride = shape.stride();
            shape.ordinates.extend(line.iter().flat_map(|vertex| &vertex[..stride]));
            shape.line_ends.extend((kind.nesting() > 1).then(|| shape.ordinates.len() / stride));
        }
        shape.polygon_ends.extend((kind.nesting() > 2).then_some(shape.line_ends.len()));
    }
    shape
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Measure, check};

    fn polygon(rings: &[&[[f64; 2]]]) -> Geometry {
        let mut shape = Shape::empty(ShapeKind::Polygon);
        for ring in rings {
            shape.ordinates.extend(ring.iter().chain(ring.first()).flatten());
            shape.line_ends.push(shape.ordinates.len() / 2);
        }
        Geometry::Shape(shape)
    }

    fn longitudes(geometry: &Geometry) -> Vec<f64> {
        let mut longitudes = Vec::new();
        geometry.for_each_shape(&mut |shape| longitudes.extend(shape.lon_lats().map(|(longitude, _)| longitude)));
        longitudes
    }

    fn parts(geometry: &Geometry) -> usize {
        let mut parts = 0;
        geometry.for_each_shape(&mut |shape| parts += shape.rings_per_polygon().len());
        parts
    }

    proptest! {
        #[test]
        fn a_star_around_the_antimeridian_is_cut_into_valid_parts_of_the_same_area(
            radii in prop::collection::vec(2.0..4.0f64, 5..40),
            longitude in 171.5..188.5f64,
            latitude in -70.0..70.0f64,
            hole in 0.05..0.3f64,
            is_wrapped in any::<bool>(),
        ) {
            let star = |scale: f64| {
                let steps = radii.len() as f64;
                radii.iter().enumerate().map(|(step, radius)| {
                    let angle = step as f64 / steps * std::f64::consts::TAU;
                    let beyond = longitude + radius * scale * angle.cos();
                    let turned = if is_wrapped && beyond > 180.0 { beyond - 360.0 } else { beyond };
                    [turned, latitude + radius * scale * angle.sin()]
                }).collect::<Vec<_>>()
            };
            let mut inner = star(hole);
            inner.reverse();
            let whole = polygon(&[&star(1.0), &inner]);
            let cut = cut(&whole);
            prop_assert_eq!(check(&cut), Ok(()));
            prop_assert!(longitudes(&cut).iter().all(|longitude| longitude.abs() <= 180.0));
            let (before, after) = (Measure::of(&whole).unwrap(), Measure::of(&cut).unwrap());
            prop_assert!((after.square_metres / before.square_metres - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_shape_that_touches_the_antimeridian_stays_on_its_side() {
        let whole = polygon(&[&[[-179.0, 0.0], [-178.0, 1.0], [-179.0, 2.0], [-180.0, 1.0]]]);
        assert!(matches!(cut(&whole), Cow::Borrowed(_)));
        let beyond = polygon(&[&[[181.0, 0.0], [182.0, 1.0], [181.0, 2.0], [180.0, 1.0]]]);
        assert_eq!(parts(&cut(&beyond)), 1);
        let with_an_edge = polygon(&[&[[180.0, 0.0], [182.0, 0.0], [182.0, 2.0], [180.0, 2.0]]]);
        let expected = polygon(&[&[[-180.0, 2.0], [-180.0, 0.0], [-178.0, 0.0], [-178.0, 2.0]]]);
        assert_eq!(parts(&cut(&with_an_edge)), 1);
        assert_eq!(Measure::of(&cut(&with_an_edge)), Measure::of(&expected));
    }

    #[test]
    fn a_comb_is_cut_into_each_of_its_teeth_and_a_hole_across_opens() {
        let comb: Vec<[f64; 2]> = [
            [178.0, 0.0],
            [-178.0, 0.0],
            [-178.0, 1.0],
            [179.0, 1.0],
            [179.0, 2.0],
            [-178.0, 2.0],
            [-178.0, 3.0],
            [178.0, 3.0],
        ]
        .into();
        assert_eq!(parts(&cut(&polygon(&[&comb]))), 3);
        let square = [[178.0, 0.0], [-178.0, 0.0], [-178.0, 4.0], [178.0, 4.0]];
        let hole = [[179.0, 1.0], [179.0, 3.0], [-179.0, 3.0], [-179.0, 1.0]];
        let open = cut(&polygon(&[&square, &hole])).into_owned();
        assert_eq!((parts(&open), check(&open)), (2, Ok(())));
        let mut rings = 0;
        open.for_each_shape(&mut |shape| rings += shape.lines().count());
        assert_eq!(rings, 2);
    }

    #[test]
    fn a_line_is_cut_where_its_geodesic_crosses() {
        let ordinates = vec![179.0, 10.0, 5.0, -179.0, 12.0, 7.0];
        let line = Geometry::Shape(Shape { ordinates, has_height: true, ..Shape::empty(ShapeKind::LineString) });
        let cut = cut(&line).into_owned();
        assert_eq!(check(&cut), Ok(()));
        let (before, after) = (Measure::of(&line).unwrap().metres, Measure::of(&cut).unwrap().metres);
        assert!((after / before - 1.0).abs() < 1e-12);
        let Geometry::Shape(shape) = cut else { panic!("a line is a shape") };
        assert_eq!((shape.ordinates[3], shape.ordinates[6]), (180.0, -180.0));
        assert!((shape.ordinates[5] - 6.0).abs() < 0.01 && (shape.ordinates[4] - 11.0).abs() < 0.01);
    }

    #[test]
    fn what_goes_around_the_earth_is_left_alone() {
        let band = polygon(&[&[[-180.0, 10.0], [180.0, 10.0], [180.0, 20.0], [-180.0, 20.0]]]);
        let polar = polygon(&[&[[0.0, 80.0], [120.0, 80.0], [-120.0, 80.0]]]);
        for whole in [band, polar] {
            assert!(matches!(cut(&whole), Cow::Borrowed(_)));
        }
    }
}
