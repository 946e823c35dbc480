//! Polygons as drawn, straight in longitude and latitude, and the corners of some that lie on edges of others.
//!
//! Where neighbours share a border and only one of them has a corner on it, their geodesics differ. So wherever the two are compared,
//! or belong to one map, the other edge gets that corner too; elsewhere it stays one geodesic. Geodesics of a polygon (of a sliver,
//! say) may cross each other although its edges as drawn do not. Then its edges stay straight, for it and for everything it is compared
//! with.

use std::collections::BTreeSet;

use geodesign_overlay::EdgeIndex;

use super::plane::Plane;
use super::region::LonLat;
use super::shape::{Geometry, Shape, ShapeKind};
use geodesign_common::parallel::map_chunks;

/// The rings of a polygon, the exterior first. Each ends with its first position.
pub(super) type Polygon = Vec<Vec<LonLat>>;

/// In degrees: 10 µm. A corner nearer to an edge lies on it.
const NEAR: f64 = 1e-10;
/// In degrees. A longer edge crosses the antimeridian.
const HALF_TURN: f64 = 180.0;
const MIN_CORNERS_OF_A_THREAD: usize = 10_000;
/// Programs draw across the antimeridian with longitudes such as 181. Larger ones are not on the Earth.
const MAX_LONGITUDE: f64 = 540.0;
const MAX_LATITUDE: f64 = 90.0 + 1e-9;

/// The polygons of each row.
#[derive(Debug)]
pub(super) struct Drawn {
    rows: Vec<Vec<Polygon>>,
    /// The corners on each row's edges, ordered by the rows that they come from.
    corners: Vec<Vec<Corner>>,
    /// The first row of the map: it and all later rows are one map.
    map: usize,
}

#[derive(Debug, Clone, Copy)]
struct Corner {
    of: u32,
    place: Place,
    /// Position along the edge, from 0 to 1.
    share: f64,
    at: LonLat,
}

/// An edge of a row: the polygon, the ring in the polygon, and the edge in the ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    polygon: u32,
    ring: u32,
    edge: u32,
}

impl Drawn {
    /// Keeps only some polygons of each row. Corners of the others still count.
    pub fn of(rows: Vec<Vec<Polygon>>, map: usize, is_kept: impl Fn(&Polygon) -> bool) -> Self {
        let numbers = 0_u32..;
        let of_row = |(polygons, row): (&Vec<Polygon>, u32)| {
            let positions = polygons.iter().flatten().flat_map(|ring| &ring[..ring.len() - 1]);
            positions.map(|at| (row, *at)).collect::<Vec<_>>()
        };
        let positions: Vec<(u32, LonLat)> = rows.iter().zip(numbers).flat_map(of_row).collect();
        let kept = |polygons: Vec<Polygon>| polygons.into_iter().filter(&is_kept).collect();
        let rows: Vec<Vec<Polygon>> = rows.into_iter().map(kept).collect();
        let edges: Vec<(u32, Place, [LonLat; 2])> =
            rows.iter().zip(0..).flat_map(|(polygons, row)| edges_of(row, polygons)).collect();
        let index = EdgeIndex::new(edges.iter().map(|(_, _, [from, to])| [from[0], from[1], to[0], to[1]]));
        let found = map_chunks(positions.len(), MIN_CORNERS_OF_A_THREAD, |chunk| {
            let mut found = Vec::new();
            for (of, at) in &positions[chunk] {
                index.near(*at, NEAR, true, &mut |edge| {
                    let (row, place, ends) = edges[edge as usize];
                    found.push((row, Corner { of: *of, place, share: share(ends, *at), at: *at }));
                });
            }
            found
        });
        let mut corners = vec![Vec::new(); rows.len()];
        found.into_iter().for_each(|(row, corner)| corners[row as usize].push(corner));
        corners.iter_mut().for_each(|corners| corners.sort_by_key(|corner| corner.of));
        Drawn { rows, corners, map }
    }

    pub fn edges(&self) -> impl Iterator<Item = [LonLat; 2]> {
        self.rows.iter().flatten().flatten().flat_map(|ring| ring.windows(2)).map(|ends| [ends[0], ends[1]])
    }

    /// True if geodesics of the row's edges need points.
    pub fn is_bent(&self, row: u32, plane: &Plane) -> bool {
        let edges = self.rows[row as usize].iter().flatten().flat_map(|ring| ring.windows(2));
        edges.into_iter().any(|ends| plane.pieces(ends[0], ends[1]) > 1)
    }

    /// Returns these rows, with the complete map if one of them is in it.
    pub fn with_map(&self, rows: &BTreeSet<u32>) -> BTreeSet<u32> {
        let is_in_map = rows.last().is_some_and(|row| *row as usize >= self.map);
        if is_in_map { rows | &self.map() } else { rows.clone() }
    }

    /// The rows that form the map.
    pub fn map(&self) -> BTreeSet<u32> {
        (self.map as u32..self.rows.len() as u32).collect()
    }

    /// True if a corner of a different row in `others` lies on an edge of one of the rows.
    pub fn meet(&self, rows: &BTreeSet<u32>, others: &BTreeSet<u32>) -> bool {
        let is_other = |row: u32, corner: &Corner| self.is_among(corner.of, others) && !self.is_own(row, corner.of);
        rows.iter().any(|row| self.corners[*row as usize].iter().any(|corner| is_other(*row, corner)))
    }

    /// Returns a row's polygons. Corners of the other rows, and of the map that the row belongs to, are added to their edges.
    pub fn polygons(&self, row: u32, others: &BTreeSet<u32>) -> Vec<Polygon> {
        let mut polygons = self.rows[row as usize].clone();
        let is_there = |corner: &&Corner| self.is_among(corner.of, others) || self.is_own(row, corner.of);
        let mut corners: Vec<Corner> = self.corners[row as usize].iter().filter(is_there).copied().collect();
        corners.sort_by(|a, b| a.place.cmp(&b.place).then(a.share.total_cmp(&b.share)));
        for of_ring in corners.chunk_by(|a, b| (a.place.polygon, a.place.ring) == (b.place.polygon, b.place.ring)) {
            let Place { polygon, ring, .. } = of_ring[0].place;
            let ring = &mut polygons[polygon as usize][ring as usize];
            let mut whole = Vec::with_capacity(ring.len() + of_ring.len());
            let mut rest = of_ring.iter().peekable();
            for (position, edge) in ring.iter().zip(0..) {
                whole.push(*position);
                while let Some(corner) = rest.next_if(|corner| corner.place.edge == edge) {
                    whole.push(corner.at);
                }
            }
            whole.dedup();
            *ring = whole;
        }
        polygons
    }

    /// True if the row is one of these. All rows of the map count as one.
    fn is_among(&self, row: u32, rows: &BTreeSet<u32>) -> bool {
        let is_map = |row: u32| row as usize >= self.map;
        rows.contains(&row) || (is_map(row) && rows.last().is_some_and(|last| is_map(*last)))
    }

    fn is_own(&self, row: u32, other: u32) -> bool {
        row == other || row.min(other) as usize >= self.map
    }
}

fn edges_of(row: u32, polygons: &[Polygon]) -> impl Iterator<Item = (u32, Place, [LonLat; 2])> {
    let of_ring = move |polygon: u32, ring: u32, positions: &[LonLat]| {
        let edges = positions.windows(2).zip(0..);
        let drawn = edges.filter(|(ends, _)| (ends[1][0] - ends[0][0]).abs() < HALF_TURN);
        drawn.map(move |(ends, edge)| (row, Place { polygon, ring, edge }, [ends[0], ends[1]])).collect::<Vec<_>>()
    };
    polygons.iter().zip(0..).flat_map(move |(rings, polygon)| {
        rings.iter().zip(0..).flat_map(move |(positions, ring)| of_ring(polygon, ring, positions))
    })
}

fn share([from, to]: [LonLat; 2], at: LonLat) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    ((at[0] - from[0]) * along[0] + (at[1] - from[1]) * along[1]) / (along[0] * along[0] + along[1] * along[1])
}

/// Returns the polygons of a geometry that enclose land on the Earth.
pub(super) fn polygons_of(geometry: Option<&Geometry>) -> Vec<Polygon> {
    let mut polygons = Vec::new();
    let is_on_earth = |ring: &[LonLat]| {
        ring.iter().all(|[longitude, latitude]| longitude.abs() <= MAX_LONGITUDE && latitude.abs() <= MAX_LATITUDE)
    };
    let mut add = |shape: &Shape| {
        if !matches!(shape.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon) {
            return;
        }
        for rings in shape.polygons() {
            let ring = |ring: &[f64]| {
                let mut ring: Vec<LonLat> = ring.chunks_exact(shape.stride()).map(|at| [at[0], at[1]]).collect();
                ring.extend(ring.first().copied());
                ring.dedup();
                ring
            };
            let mut polygon: Polygon = rings.into_iter().map(ring).collect();
            let is_land = polygon.first().is_some_and(|exterior| exterior.len() > 3)
                && polygon.iter().all(|ring| is_on_earth(ring));
            polygon.retain(|ring| ring.len() > 3);
            polygons.extend(is_land.then_some(polygon));
        }
    };
    if let Some(geometry) = geometry {
        geometry.for_each_shape(&mut add);
    }
    polygons
}
