//! Drawn polygons and the plane that they are on: the basis of all questions about land.

use std::collections::BTreeSet;

use geodesign_overlay::{Point, mean_meetings};

use super::antimeridian;
use super::drawn::{Drawn, Polygon, polygons_of};
use super::land::{Land, NOWHERE, around, meet, united};
use super::plane::{Plane, Straight};
use super::region::LonLat;
use super::shape::Geometry;
use geodesign_common::parallel::map_chunks;

/// Allowed pairs of edges whose bounds meet; an overlay takes its time for these. Drawings have about two pairs per edge.
const MAX_MEETINGS: usize = 100_000;
const MEETINGS_OF_AN_EDGE: usize = 8;
/// Number of edges sampled to estimate the pairs.
const COUNTED_EDGES: usize = 128;
/// Allowed points on the geodesics of all long edges.
const MAX_POINTS: usize = 5_000_000;
/// The same limit for comparisons with a drawing, while a user waits.
const MAX_POINTS_BESIDE_A_DRAWING: usize = 100_000;
pub(super) const MIN_LANDS_OF_A_THREAD: usize = 64;

#[derive(Debug)]
pub(super) struct Ground {
    pub plane: Plane,
    drawn: Drawn,
    /// The edges of each row that are not geodesics. All rows of a map share them.
    straight: Vec<Straight>,
}

impl Ground {
    /// Makes a row for each geometry, and returns its land. After the `first` rows, polygons are kept only if their bounds meet the
    /// bounds of these. Rows from `map` on are one map.
    pub fn of(geometries: &[Option<&Geometry>], map: usize, first: usize) -> Result<(Self, Vec<Land>), TooMuch> {
        let mut polygons: Vec<Vec<Polygon>> = geometries.iter().map(|geometry| polygons_of(*geometry)).collect();
        let plane = Plane::around(polygons.iter().flatten().flatten().flatten().copied());
        if plane.is_flat() {
            let cut = |geometry: &Option<&Geometry>| {
                geometry.map_or(Vec::new(), |own| polygons_of(Some(&antimeridian::cut(own))))
            };
            polygons = geometries.iter().map(cut).collect();
        }
        polygons.iter_mut().flatten().flatten().flatten().for_each(|position| *position = plane.nearest(*position));
        let extent = |polygon: &Polygon| plane.extent(&polygon[0]);
        let near = polygons.iter().take(first).flatten().map(extent).reduce(around).unwrap_or(NOWHERE);
        let is_near = |polygon: &Polygon| first >= geometries.len() || meet(extent(polygon), near);
        let drawn = Drawn::of(polygons, map, is_near);
        let points = drawn.edges().map(|[from, to]| plane.pieces(from, to) as usize - 1).sum();
        let most = if first < geometries.len() { MAX_POINTS_BESIDE_A_DRAWING } else { MAX_POINTS };
        if points > most {
            return Err(TooMuch::Points { points, most });
        }
        check_meetings(drawn.edges())?;
        let mut ground = Ground { plane, straight: vec![Straight::default(); geometries.len()], drawn };
        let alone = BTreeSet::new();
        let found: Vec<(Land, bool)> = map_chunks(geometries.len(), MIN_LANDS_OF_A_THREAD, |rows| {
            let of = |row| ground.row(row as u32, &alone, &Straight::default());
            rows.map(of).map(|(land, crossing)| (land, !crossing.is_empty())).collect()
        });
        let (mut lands, is_crossing): (Vec<Land>, Vec<bool>) = found.into_iter().unzip();
        let of_map = ground.drawn.map();
        let crossing = (0..).zip(is_crossing).filter(|(_, is_crossing)| *is_crossing).map(|(row, _)| row);
        let (in_map, others): (Vec<u32>, Vec<u32>) = crossing.partition(|row| of_map.contains(row));
        let single = others.into_iter().map(|row| BTreeSet::from([row]));
        for rows in single.chain((!in_map.is_empty()).then_some(of_map)) {
            let straight = ground.straight_of(&rows, |_| true);
            for row in rows {
                lands[row as usize] = ground.row(row, &alone, &straight).0;
                ground.straight[row as usize] = straight.clone();
            }
        }
        Ok((ground, lands))
    }

    /// True if rows and others change each other's edges.
    pub fn meet(&self, rows: &BTreeSet<u32>, others: &BTreeSet<u32>) -> bool {
        let has_straight = |rows: &BTreeSet<u32>| rows.iter().any(|row| !self.straight[*row as usize].is_empty());
        self.drawn.meet(rows, others) || self.drawn.meet(others, rows) || has_straight(rows) || has_straight(others)
    }

    /// Returns the land under each list of rows, with all lists compared.
    pub fn under<const N: usize>(&self, lists: [&BTreeSet<u32>; N]) -> [Land; N] {
        let all = lists.iter().copied().flatten().copied().collect();
        let straight = self.straight_among(&all);
        lists.map(|rows| {
            let lands: Vec<Land> = rows.iter().map(|row| self.row(*row, &all, &straight).0).collect();
            united(lands.iter().flat_map(|land| &land.parts)).of_rows(rows.iter().copied().collect())
        })
    }

    /// Returns the points of a row's first ring, compared with other rows.
    pub fn ring(&self, row: u32, others: &BTreeSet<u32>) -> Vec<Point> {
        let all = others | &BTreeSet::from([row]);
        let polygons = self.drawn.polygons(row, &all);
        polygons.first().map_or(Vec::new(), |own| self.plane.ring(&own[0], &self.straight_among(&all)))
    }

    /// Returns the land of each row, with all rows compared. Later comparisons do not change it.
    pub fn each_under(&self, rows: &[u32]) -> Vec<Land> {
        let all = rows.iter().copied().collect();
        let straight = self.straight_among(&all);
        let land = |place: usize| self.row(rows[place], &all, &straight).0.of_rows(Vec::new());
        map_chunks(rows.len(), MIN_LANDS_OF_A_THREAD, |places| places.map(land).collect())
    }

    /// Returns the edges that are not geodesics where these rows are compared: edges of polygons whose geodesics cross each other.
    fn straight_among(&self, rows: &BTreeSet<u32>) -> Straight {
        let rows = &self.drawn.with_map(rows);
        // Straight edges of a single row, or within its map, are known.
        self.straight_of(rows, |row| self.drawn.meet(&BTreeSet::from([row]), rows))
    }

    /// Does the same, but examines only some of the rows.
    fn straight_of(&self, rows: &BTreeSet<u32>, is_looked_at: impl Fn(u32) -> bool) -> Straight {
        let mut straight = Straight::default();
        rows.iter().for_each(|row| straight.extend(&self.straight[*row as usize]));
        let is_bent = |row: &&u32| is_looked_at(**row) && self.drawn.is_bent(**row, &self.plane);
        let bent: Vec<u32> = rows.iter().filter(is_bent).copied().collect();
        loop {
            let before = straight.len();
            for row in &bent {
                let (_, crossing) = self.row(*row, rows, &straight);
                crossing.iter().for_each(|polygon| straight.add(polygon));
            }
            if straight.len() == before {
                return straight;
            }
        }
    }

    /// Returns a row's land, with the corners of others on its edges, and its polygons whose geodesics cross each other.
    fn row(&self, row: u32, others: &BTreeSet<u32>, straight: &Straight) -> (Land, Vec<Polygon>) {
        let polygons = self.drawn.polygons(row, others);
        let (land, crossing) = Land::of(&self.plane, &polygons, straight);
        let crossing = crossing.into_iter().cloned().collect();
        (land.of_rows(vec![row]), crossing)
    }
}

/// Reasons not to overlay geometries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    #[error(
        "{} edges of polygons cross or meet in about {} places, too many for a question about land; draw these diagrams again, or \
         pass designs without them", grouped(*.edges), grouped(*.places)
    )]
    Meetings { edges: usize, places: usize },
    #[error(
        "edges of polygons are so long that their geodesics have {} points; a question about land allows {}: leave out areas as large \
         as continents",
        grouped(*.points), grouped(*.most)
    )]
    Points { points: usize, most: usize },
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().filter_map(|group| str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Returns an error if edges cross each other in too many places for an overlay to finish.
fn check_meetings(edges: impl Iterator<Item = [LonLat; 2]>) -> Result<(), TooMuch> {
    let bounds = |[[x, y], [u, v]]: [LonLat; 2]| [x.min(u), y.min(v), x.max(u), y.max(v)];
    let boxes: Vec<[f64; 4]> = edges.map(bounds).collect();
    let edges = boxes.len();
    let places = (mean_meetings(&boxes, COUNTED_EDGES) * edges as f64 / 2.0) as usize;
    if places > MAX_MEETINGS + MEETINGS_OF_AN_EDGE * edges {
        return Err(TooMuch::Meetings { edges, places });
    }
    Ok(())
}
