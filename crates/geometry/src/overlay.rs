//! The land under polygons, and the land they share, each place once. Every answer about shared, covered or outside land, in Rust and in
//! Python, is built from these few operations, on a plane where geodesics are straight: see `plane`.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::antimeridian;
use super::ground::{Ground, MIN_LANDS_OF_A_THREAD, TooMuch};
use super::land::{Land, common, meet, remaining, united};
use super::plane::Extent;
use super::shape::Geometry;
use geodesign_common::parallel::map_chunks;

/// In square metres: 100 cm². Smaller land lies between borders that differ by rounding.
pub const MIN_SHARED: f64 = 0.01;
const MIN_PAIRS_OF_A_THREAD: usize = 8;

/// The land of several geometries, on one plane.
#[derive(Debug, Clone)]
pub struct Lands {
    ground: Arc<Ground>,
    lands: Vec<Land>,
}

impl Lands {
    /// Returns the land under each geometry's polygons. Lines, points and shapes that are not on the Earth have none. Geometries from
    /// row `map` on are one map: edges get the corners that other geometries of the map have on them.
    pub fn of<'g>(geometries: impl IntoIterator<Item = Option<&'g Geometry>>, map: usize) -> Result<Self, TooMuch> {
        let geometries: Vec<Option<&Geometry>> = geometries.into_iter().collect();
        let (ground, lands) = Ground::of(&geometries, map, usize::MAX)?;
        Ok(Lands { ground: Arc::new(ground), lands })
    }

    pub fn len(&self) -> usize {
        self.lands.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lands.is_empty()
    }

    /// Returns the geodesic area of each land in square metres.
    pub fn square_metres(&self) -> Vec<f64> {
        map_chunks(self.len(), MIN_LANDS_OF_A_THREAD, |rows| rows.map(|row| self.square_metres_of(row)).collect())
    }

    /// Returns each land as polygons, cut at the antimeridian.
    pub fn geometries(&self) -> Vec<Geometry> {
        let shape = |row: usize| {
            let shape = self.lands[row].shape(|point| self.ground.plane.lon_lat(point));
            antimeridian::cut(&shape).into_owned()
        };
        map_chunks(self.len(), MIN_LANDS_OF_A_THREAD, |rows| rows.map(shape).collect())
    }

    /// Returns the same rows as one map: edges get the corners of all others.
    pub fn as_map(&self) -> Self {
        self.with(
            self.ground.each_under(&self.lands.iter().flat_map(|land| land.of.iter().copied()).collect::<Vec<_>>()),
        )
    }

    /// Returns the pairs of rows whose polygons have bounds that meet, in order, the smaller row first. With `split`, only pairs of a row
    /// before that row and a row from it on.
    pub fn near(&self, split: Option<u32>) -> Vec<(u32, u32)> {
        let mut parts: Vec<(Extent, u32)> = Vec::new();
        for (land, row) in self.lands.iter().zip(0..) {
            parts.extend(land.parts.iter().map(|part| (part.extent, row)));
        }
        parts.sort_unstable();
        let mut pairs = Vec::new();
        for (at, (extent, row)) in parts.iter().enumerate() {
            let following = parts[at + 1..].iter().take_while(|(other, _)| other[0] <= extent[2]);
            let is_pair = |own: &u32| split.map_or(own != row, |split| (*own < split) != (*row < split));
            let met = following.filter(|(other, own)| is_pair(own) && meet(*extent, *other));
            pairs.extend(met.map(|(_, other)| (*row.min(other), *row.max(other))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Selects rows; a row may be selected more than once.
    pub fn rows(&self, rows: &[usize]) -> Self {
        self.with(rows.iter().map(|row| self.lands[*row].clone()).collect())
    }

    /// Appends other lands, which are on the same plane.
    pub fn and(&self, others: &Self) -> Self {
        self.with(self.lands.iter().chain(&others.lands).cloned().collect())
    }

    /// Returns the land under any of the rows, per group.
    pub fn united(&self, groups: &[Vec<usize>]) -> Self {
        let land = |group: usize| self.union(&groups[group]);
        self.with(map_chunks(groups.len(), 1, |groups| groups.map(land).collect()))
    }

    /// Returns the land that each row shares with any of the others. Neighbours whose common border is drawn as one line share none.
    pub fn common(&self, rows: &[(usize, Vec<usize>)]) -> Self {
        let land = |at: usize| self.shared(rows[at].0, &rows[at].1);
        self.with(map_chunks(rows.len(), 1, |rows| rows.map(land).collect()))
    }

    /// Returns the square metres that each pair of rows shares.
    pub fn shared_square_metres(&self, pairs: &[[usize; 2]]) -> Vec<f64> {
        let area = |pair: usize| self.shared_with(pairs[pair][0], &pairs[pair][1..]);
        map_chunks(pairs.len(), MIN_PAIRS_OF_A_THREAD, |pairs| pairs.map(area).collect())
    }

    /// Returns each row's land outside all of the others.
    pub fn without(&self, rows: &[(usize, Vec<usize>)]) -> Self {
        let land = |at: usize| self.beside(rows[at].0, &rows[at].1, remaining);
        self.with(map_chunks(rows.len(), 1, |rows| rows.map(land).collect()))
    }

    fn square_metres_of(&self, row: usize) -> f64 {
        self.lands[row].square_metres(&self.ground.plane)
    }

    /// Returns a row's geodesic area, with the corners of others on its edges.
    pub(super) fn square_metres_beside(&self, row: usize, others: &[usize]) -> f64 {
        self.beside(row, others, |land, _| land.clone()).square_metres(&self.ground.plane)
    }

    /// Returns the square metres that a row shares with the land under any of the others.
    pub(super) fn shared_with(&self, row: usize, others: &[usize]) -> f64 {
        self.shared(row, others).square_metres(&self.ground.plane)
    }

    pub(super) fn lands(&self) -> &[Land] {
        &self.lands
    }

    /// True if any of these rows has a corner on an edge of another one.
    pub(super) fn have_corners_on_edges(&self, rows: &[usize]) -> bool {
        let lands: Vec<&Land> = rows.iter().map(|row| &self.lands[*row]).collect();
        let drawn = drawn_rows(&lands);
        self.ground.meet(&drawn, &drawn)
    }

    pub(super) fn with(&self, lands: Vec<Land>) -> Self {
        Lands { ground: self.ground.clone(), lands }
    }

    fn shared(&self, row: usize, others: &[usize]) -> Land {
        self.beside(row, others, common)
    }

    /// Overlays a row's land with others. If one of them has a corner on another's edge, the edge gets it too.
    fn beside(&self, row: usize, others: &[usize], overlay: impl Fn(&Land, &[&Land]) -> Land) -> Land {
        let land = &self.lands[row];
        let others: Vec<&Land> = others.iter().map(|row| &self.lands[*row]).collect();
        let [own, other] = [drawn_rows(&[land]), drawn_rows(&others)];
        if self.ground.meet(&own, &other) {
            let [land, other] = self.ground.under([&own, &other]);
            overlay(&land, &[&other])
        } else {
            overlay(land, &others)
        }
    }

    fn union(&self, rows: &[usize]) -> Land {
        let lands: Vec<&Land> = rows.iter().map(|row| &self.lands[*row]).collect();
        let drawn = drawn_rows(&lands);
        if self.have_corners_on_edges(rows) {
            let [land] = self.ground.under([&drawn]);
            land
        } else {
            united(lands.iter().flat_map(|land| &land.parts)).of_rows(drawn.into_iter().collect())
        }
    }
}

/// Returns the drawn rows that lands are made of; none if any of the lands is the result of an overlay.
fn drawn_rows(lands: &[&Land]) -> BTreeSet<u32> {
    match lands.iter().any(|land| land.of.is_empty()) {
        true => BTreeSet::new(),
        false => lands.iter().flat_map(|land| &land.of).copied().collect(),
    }
}

/// Land that a drawing shares with others, in square metres.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedWithDrawing {
    /// Shared with each land, regardless of the others.
    pub lands: Vec<f64>,
    /// Shared with all lands together, each place once.
    pub together: f64,
    /// Shared with each class of a map.
    pub classes: Vec<f64>,
}

impl SharedWithDrawing {
    /// Compares a drawing. Each land, and each class of the map, is the land under any of its geometries.
    pub fn of(drawing: &[Geometry], lands: &[&[Geometry]], classes: &[&[Geometry]]) -> Result<Self, TooMuch> {
        let all = || std::iter::once(&drawing).chain(lands).chain(classes);
        let map = drawing.len() + lands.iter().map(|land| land.len()).sum::<usize>();
        let geometries: Vec<Option<&Geometry>> = all().copied().flatten().map(Some).collect();
        let (ground, drawn) = Ground::of(&geometries, map, drawing.len())?;
        let mut start = 0;
        let rows = all().map(|group| {
            start += group.len();
            (start - group.len()..start).collect()
        });
        let mut rows: Vec<Vec<usize>> = rows.collect();
        rows.push((drawing.len()..map).collect());
        let united = Lands { ground: Arc::new(ground), lands: drawn }.united(&rows);
        let shared = united.shared_square_metres(&(1..rows.len()).map(|group| [0, group]).collect::<Vec<_>>());
        let (each, together) = shared.split_at(lands.len() + classes.len());
        let (lands, classes) = each.split_at(lands.len());
        Ok(SharedWithDrawing { lands: lands.into(), together: together.iter().sum(), classes: classes.into() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::region::LonLat;
    use crate::{Measure, Shape, ShapeKind};

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

    /// A map of squares around a place that meet in corners.
    fn bricks([west, south]: LonLat, size: f64) -> Vec<Vec<Geometry>> {
        let brick = |row: i32, column: i32| {
            let [x, y] = [west + size * f64::from(column), south + size * f64::from(row)];
            let [east, north] = [west + size * f64::from(column + 1), south + size * f64::from(row + 1)];
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
            let map = bricks([center.0 - size * 2.0, center.1 - size * 2.0], size / 2.0);
            let map: Vec<&[Geometry]> = map.iter().map(Vec::as_slice).collect();
            let parts = SharedWithDrawing::of(std::slice::from_ref(&drawing), &[], &map).unwrap().classes;
            let [sum, whole] = [parts.iter().sum::<f64>(), Measure::of(&drawing).unwrap().square_metres];
            // Rounding error of full geodesics, which measure small areas: a few square centimetres.
            let rounding = 3e-4 * (radii.len() as f64).sqrt();
            prop_assert!((sum - whole).abs() <= 2e-9 * whole + 0.01 + rounding, "{sum} {whole}");
            let twice = [drawing.clone(), drawing.clone()];
            let itself = SharedWithDrawing::of(std::slice::from_ref(&drawing), &[&twice], &[]).unwrap().lands;
            prop_assert!((itself[0] - whole).abs() <= 1e-9 * whole + rounding, "{itself:?} {whole}");
        }
    }

    #[test]
    fn what_a_drawing_shares_with_a_diagram_depends_on_no_other_one_and_on_no_map() {
        let rectangle = |[west, south, east, north]: [f64; 4]| {
            [polygon(vec![[west, south], [east, south], [east, north], [west, north], [west, south]])]
        };
        let drawing = rectangle([5.0, 44.0, 7.0, 46.0]);
        // Corners of the others are on its northern edge.
        let diagram = rectangle([4.0, 40.0, 10.0, 45.0]);
        let (beside, area) = (rectangle([4.0, 45.0, 6.0, 47.0]), rectangle([6.5, 45.0, 10.0, 47.0]));
        let alone = SharedWithDrawing::of(&drawing, &[&diagram], &[]).unwrap();
        let among = SharedWithDrawing::of(&drawing, &[&diagram, &beside], &[&area]).unwrap();
        assert_eq!(alone.lands[0], alone.together);
        assert!((among.lands[0] / alone.lands[0] - 1.0).abs() < 1e-12, "{alone:?} {among:?}");
    }
}
