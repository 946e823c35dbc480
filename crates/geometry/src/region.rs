//! The share of a geometry that lies in polygons, on a map of longitude and latitude. Shares and contacts follow from it. Sizes shown
//! to people are geodesic, see [`Measure`](super::Measure).

use std::cell::OnceCell;
use std::collections::BTreeMap;

use robust::{Coord, orient2d};

use super::shape::{Geometry, Shape, ShapeKind};
use geodesign_common::work_time;

pub(super) type LonLat = [f64; 2];
/// West, south, east, north.
type Extent = [f64; 4];

/// The land of polygons, which may overlap, with an index of their edges.
#[derive(Debug, Clone)]
pub struct Region {
    edges: Vec<Edge>,
    /// The edges that reach into each strip, from south to north. All strips have the same height.
    strips: Vec<Vec<usize>>,
    extent: Extent,
}

/// An edge of a ring; the interior of its polygon lies on the left.
#[derive(Debug, Clone, Copy)]
struct Edge {
    from: LonLat,
    to: LonLat,
    polygon: usize,
}

/// Comparison of two regions, or of a region and lines.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shared {
    /// The part of the geometry that lies in the region, from 0 to 1.
    pub share: f64,
    /// True if they have at least one position in common.
    pub touch: bool,
}

/// Rounded coordinates may make common edges overlap by this share.
pub const NEGLIGIBLE_SHARE: f64 = 1e-4;
/// Limit for comparing the geometries of one diagram to find the same land, in steps: a few seconds. Comparing two extents is one step.
const MAX_STEPS: usize = 50_000_000;
const STEPS_PER_POSITION: usize = 16;
const EDGES_PER_STRIP: usize = 4;
const MAX_STRIPS: usize = 4096;

impl Region {
    /// The land of all polygons; `None` if there is none.
    pub fn of<'g>(geometries: impl IntoIterator<Item = &'g Geometry>) -> Option<Self> {
        let (mut edges, mut polygon) = (Vec::new(), 0);
        for geometry in geometries {
            geometry.for_each_shape(&mut |shape| add_edges(shape, &mut polygon, &mut edges));
        }
        let extent = edges.iter().map(Edge::extent).reduce(union)?;
        let count = (edges.len() / EDGES_PER_STRIP).clamp(1, MAX_STRIPS);
        let mut region = Region { strips: vec![Vec::new(); count], extent, edges };
        for index in 0..region.edges.len() {
            let Edge { from, to, .. } = region.edges[index];
            let strips = region.strips_between(from[1].min(to[1]), from[1].max(to[1]));
            region.strips[strips].iter_mut().for_each(|strip| strip.push(index));
        }
        Some(region)
    }

    /// West, south, east and north of all polygons.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// True if a border may be within these bounds, as drawn or along geodesics.
    pub fn has_border_near(&self, [west, south, east, north]: Extent) -> bool {
        // A geodesic stays this near to the parallel through its ends: a sixteenth of the squared difference of longitude.
        let bend = |width: f64| (width.to_radians().powi(2) / 16.0).to_degrees();
        let widest = self.edges.iter().map(|edge| (edge.to[0] - edge.from[0]).abs()).fold(0.0, f64::max);
        let margin = bend(widest) + bend(east - west);
        let near = [west - margin, south - margin, east + margin, north + margin];
        self.edges.iter().any(|edge| meet(edge.extent(), near))
    }

    /// Compares a geometry of lines, of points or of valid polygons with this land.
    pub fn shared_with(&self, geometry: &Geometry) -> Shared {
        match Region::of([geometry]) {
            Some(land) => self.shared_with_land(&land),
            None => self.shared_with_lines(geometry).unwrap_or_else(|| self.shared_with_points(geometry)),
        }
    }

    /// True if a position lies on this land or on its border.
    pub fn has(&self, at: LonLat) -> bool {
        let here = Edge { from: at, to: at, polygon: usize::MAX };
        self.near(&here).any(|edge| side(edge.from, edge.to, at) == 0.0) || self.winding(at, &[]) > 0
    }

    fn shared_with_points(&self, geometry: &Geometry) -> Shared {
        let (mut inside, mut all) = (0.0, 0.0);
        geometry.for_each_shape(&mut |shape| {
            for (longitude, latitude) in shape.lon_lats() {
                all += 1.0;
                inside += f64::from(u8::from(self.has([longitude, latitude])));
            }
        });
        Shared { share: if all > 0.0 { inside / all } else { 0.0 }, touch: inside > 0.0 }
    }

    /// Does the same for the land of valid polygons.
    pub fn shared_with_land(&self, land: &Region) -> Shared {
        let origin = land.edges[0].from;
        let mut inside = 0.0;
        let touch = self.for_each_shared_piece(land, &mut |from, to| inside += swept(origin, from, to));
        let whole: f64 = land.edges.iter().map(|edge| swept(origin, edge.from, edge.to)).sum();
        Shared { share: if whole > 0.0 { (inside / whole).clamp(0.0, 1.0) } else { 0.0 }, touch }
    }

    /// Visits the pieces of the outline of the land shared with `land`, which is of valid polygons. Returns true if the two have a
    /// position in common.
    fn for_each_shared_piece(&self, land: &Region, found: &mut impl FnMut(LonLat, LonLat)) -> bool {
        let mut touch = false;
        for edge in &land.edges {
            edge.for_each_piece(&[self], &mut |from, to, place| {
                touch |= place.touches;
                if place.along == Some(true) || self.winding(middle(from, to), &place.others) > 0 {
                    found(from, to);
                    touch = true;
                }
            });
        }
        for edge in self.edges.iter().filter(|edge| meet(edge.extent(), land.extent)) {
            edge.for_each_piece(&[land, self], &mut |from, to, place| {
                // Pieces along an edge of both were counted above.
                let is_counted = place.along.is_some() || place.is_behind_other;
                let at = middle(from, to);
                if !is_counted && self.winding(at, &place.others) <= 0 && land.winding(at, &[]) > 0 {
                    found(from, to);
                    touch = true;
                }
            });
        }
        touch
    }

    /// Compares lines with this land; `None` if there are none.
    fn shared_with_lines(&self, geometry: &Geometry) -> Option<Shared> {
        let (mut inside, mut whole, mut touch) = (0.0, 0.0, false);
        geometry.for_each_shape(&mut |shape| {
            for line in shape.lines() {
                let positions = || line.chunks_exact(shape.stride()).map(|position| [position[0], position[1]]);
                for (from, to) in positions().zip(positions().skip(1)) {
                    let edge = Edge { from, to, polygon: usize::MAX };
                    whole += length(from, to);
                    edge.for_each_piece(&[self], &mut |from, to, place| {
                        touch |= place.touches;
                        if place.along.is_some() || self.winding(middle(from, to), &[]) > 0 {
                            inside += length(from, to);
                            touch = true;
                        }
                    });
                }
            }
        });
        (whole > 0.0).then(|| Shared { share: (inside / whole).clamp(0.0, 1.0), touch })
    }

    fn strips_between(&self, south: f64, north: f64) -> std::ops::RangeInclusive<usize> {
        let last = self.strips.len() - 1;
        let [_, bottom, _, top] = self.extent;
        let height = (top - bottom).max(f64::MIN_POSITIVE);
        let strip = |latitude: f64| (((latitude - bottom) / height * (last + 1) as f64) as usize).min(last);
        strip(south)..=strip(north)
    }

    /// Returns the edges whose extents have a position in common with this edge's extent, some of them more than once.
    fn near(&self, edge: &Edge) -> impl Iterator<Item = &Edge> {
        let extent = edge.extent();
        let strips = match meet(extent, self.extent) {
            true => &self.strips[self.strips_between(extent[1], extent[3])],
            false => &[],
        };
        strips.iter().flatten().map(|index| &self.edges[*index]).filter(move |other| meet(other.extent(), extent))
    }

    /// Winding number of the polygons, without those in `except`, around a position on none of their edges: 0 outside of all.
    fn winding(&self, at: LonLat, except: &[usize]) -> i32 {
        if at[1] < self.extent[1] || at[1] > self.extent[3] {
            return 0;
        }
        let strip = *self.strips_between(at[1], at[1]).start();
        let turn = |edge: &Edge| match (edge.from[1] <= at[1], edge.to[1] <= at[1]) {
            (true, false) if side(edge.from, edge.to, at) > 0.0 => 1,
            (false, true) if side(edge.from, edge.to, at) < 0.0 => -1,
            _ => 0,
        };
        let edges = self.strips[strip].iter().map(|index| &self.edges[*index]);
        edges.filter(|edge| !except.contains(&edge.polygon)).map(turn).sum()
    }
}

/// Finds geometries that cover land of an earlier one, more than rounded common edges do, or that are the same line as an earlier one.
/// Returns at most `most` pairs of an earlier and a later one, ordered by the later. Polygons are valid; pass `None` for invalid ones and
/// for points. After [`MAX_STEPS`] the search ends.
pub fn overlapping(geometries: &[Option<Geometry>], most: usize) -> Vec<(usize, usize)> {
    let indexed = geometries.iter().enumerate();
    let mut drawn: Vec<_> = indexed.filter_map(|(index, geometry)| Drawn::new(index, geometry.as_ref()?)).collect();
    drawn.sort_by(|a, b| a.extent[0].total_cmp(&b.extent[0]));
    let (mut covered, mut left) = (BTreeMap::new(), MAX_STEPS);
    for (at, one) in drawn.iter().enumerate() {
        for other in drawn[at + 1..].iter().take_while(|other| other.extent[0] <= one.extent[2]) {
            let (earlier, later) = (one.index.min(other.index), one.index.max(other.index));
            let must_compare = meet(one.extent, other.extent) && !covered.contains_key(&later);
            let positions = if must_compare { one.positions + other.positions } else { 0 };
            left = left.saturating_sub(1 + STEPS_PER_POSITION * positions);
            if left == 0 || covered.len() >= most {
                break;
            }
            if must_compare && one.covers_land_of(other) {
                covered.insert(later, earlier);
            }
        }
    }
    covered.into_iter().map(|(later, earlier)| (earlier, later)).collect()
}

/// A geometry among others that may cover the same land.
struct Drawn<'g> {
    index: usize,
    geometry: &'g Geometry,
    extent: Extent,
    positions: usize,
    /// Made at the first comparison; `None` for lines.
    land: OnceCell<Option<Region>>,
}

impl<'g> Drawn<'g> {
    fn new(index: usize, geometry: &'g Geometry) -> Option<Self> {
        let (mut extent, mut positions) = (None, 0);
        geometry.for_each_shape(&mut |shape| {
            let around = shape.lon_lats().inspect(|_| positions += 1).map(|(x, y)| [x, y, x, y]);
            extent = around.chain(extent).reduce(union);
        });
        Some(Drawn { index, geometry, extent: extent?, positions, land: OnceCell::new() })
    }

    fn covers_land_of(&self, other: &Drawn) -> bool {
        let [one, two] = [self, other].map(|drawn| drawn.land.get_or_init(|| Region::of([drawn.geometry])));
        self.geometry == other.geometry
            || one.as_ref().zip(two.as_ref()).is_some_and(|(one, two)| {
                one.shared_with_land(two).share.max(two.shared_with_land(one).share) > NEGLIGIBLE_SHARE
            })
    }
}

/// Relations of a piece of an edge to other edges.
#[derive(Default)]
struct Place {
    /// True if the complete edge has a position in common with an edge of the first region.
    touches: bool,
    /// Set if it lies along an edge of the first region; true if one of these runs in the same direction.
    along: Option<bool>,
    /// True if another polygon of its own region has the same outline here and counts instead, or lies on its other side.
    is_behind_other: bool,
    /// The polygons whose edges it lies along, of its own region if given, else of the first; and its own polygon.
    others: Vec<usize>,
}

impl Edge {
    fn extent(&self) -> Extent {
        let ([x0, y0], [x1, y1]) = (self.from, self.to);
        [x0.min(x1), y0.min(y1), x0.max(x1), y0.max(y1)]
    }

    /// Visits the pieces into which the regions' edges cut this one. The second region is the edge's own. There may be very many pieces;
    /// visiting ends at the work's time limit.
    fn for_each_piece(&self, regions: &[&Region], visit: &mut impl FnMut(LonLat, LonLat, Place)) {
        if work_time::is_over() {
            return;
        }
        let (mut cuts, mut along, mut touches) = (vec![0.0, 1.0], Vec::new(), false);
        for (number, region) in regions.iter().enumerate() {
            let is_own = number == 1;
            for other in region.near(self).filter(|other| !is_own || other.polygon != self.polygon) {
                let [from, to] = [other.from, other.to].map(|end| side(self.from, self.to, end));
                let [start, end] = [self.from, self.to].map(|end| side(other.from, other.to, end));
                if from == 0.0 && to == 0.0 {
                    let [first, last] = [other.from, other.to].map(|end| self.fraction(end));
                    touches |= !is_own;
                    cuts.extend([first, last].map(|cut| cut.clamp(0.0, 1.0)));
                    along.push((first.min(last), first.max(last), first < last, is_own, other.polygon));
                } else if from * to <= 0.0 && start * end <= 0.0 {
                    touches |= !is_own;
                    cuts.push((start / (start - end)).clamp(0.0, 1.0));
                }
            }
        }
        cuts.sort_unstable_by(f64::total_cmp);
        cuts.dedup();
        for pair in cuts.windows(2) {
            if work_time::is_over() {
                return;
            }
            let [start, end] = [pair[0], pair[1]];
            let at = f64::midpoint(start, end);
            let others = if regions.len() > 1 { vec![self.polygon] } else { Vec::new() };
            let mut place = Place { touches, others, ..Place::default() };
            let covering = along.iter().filter(|(first, last, ..)| (*first..=*last).contains(&at));
            for &(.., is_same_way, is_own, polygon) in covering {
                if is_own {
                    place.is_behind_other |= !is_same_way || polygon < self.polygon;
                } else {
                    place.along = Some(place.along.unwrap_or_default() || is_same_way);
                }
                if is_own == (regions.len() > 1) {
                    place.others.push(polygon);
                }
            }
            visit(self.position(start), self.position(end), place);
        }
    }

    fn position(&self, fraction: f64) -> LonLat {
        match fraction {
            0.0 => self.from,
            1.0 => self.to,
            _ => [0, 1].map(|axis| self.from[axis] + fraction * (self.to[axis] - self.from[axis])),
        }
    }

    /// Returns the place of a position on the line through this edge: 0 at its start, 1 at its end.
    fn fraction(&self, at: LonLat) -> f64 {
        let axis = usize::from((self.to[1] - self.from[1]).abs() > (self.to[0] - self.from[0]).abs());
        (at[axis] - self.from[axis]) / (self.to[axis] - self.from[axis])
    }
}

fn add_edges(shape: &Shape, polygon: &mut usize, edges: &mut Vec<Edge>) {
    if !matches!(shape.kind, ShapeKind::Polygon | ShapeKind::MultiPolygon) {
        return;
    }
    let mut rings = shape.lines();
    for count in shape.rings_per_polygon() {
        for (number, ring) in rings.by_ref().take(count).enumerate() {
            let mut vertices: Vec<LonLat> =
                ring.chunks_exact(shape.stride()).map(|position| [position[0], position[1]]).collect();
            vertices.dedup();
            let next = || vertices.iter().zip(vertices.iter().skip(1));
            let origin = vertices[0];
            let is_counterclockwise = next().map(|(from, to)| swept(origin, *from, *to)).sum::<f64>() > 0.0;
            edges.extend(next().map(|(from, to)| match is_counterclockwise == (number == 0) {
                true => Edge { from: *from, to: *to, polygon: *polygon },
                false => Edge { from: *to, to: *from, polygon: *polygon },
            }));
        }
        *polygon += 1;
    }
}

fn union(a: Extent, b: Extent) -> Extent {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

/// True if two extents have a position in common.
fn meet(a: Extent, b: Extent) -> bool {
    a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

fn middle(from: LonLat, to: LonLat) -> LonLat {
    [0, 1].map(|axis| f64::midpoint(from[axis], to[axis]))
}

/// Above 0 to the left of the line, below 0 to the right; exactly 0 on it.
fn side(from: LonLat, to: LonLat, at: LonLat) -> f64 {
    let [from, to, at] = [from, to, at].map(|[x, y]| Coord { x, y });
    orient2d(from, to, at)
}

/// Area between a piece of an edge and the meridian of the origin, in an equal-area projection; below 0 for southward pieces.
fn swept(origin: LonLat, from: LonLat, to: LonLat) -> f64 {
    let height = 2.0 * f64::midpoint(from[1], to[1]).to_radians().cos() * ((to[1] - from[1]).to_radians() / 2.0).sin();
    (f64::midpoint(from[0], to[0]) - origin[0]) * height
}

fn length(from: LonLat, to: LonLat) -> f64 {
    let narrowing = f64::midpoint(from[1], to[1]).to_radians().cos();
    ((to[0] - from[0]) * narrowing).hypot(to[1] - from[1])
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeSeed;

    use super::*;
    use crate::GeometrySeed;

    fn geometry(json: &str) -> Geometry {
        GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(json)).unwrap().unwrap()
    }

    fn square(west: f64, south: f64, size: f64) -> Geometry {
        let (east, north) = (west + size, south + size);
        let ordinates = vec![west, south, east, south, east, north, west, north, west, south];
        Geometry::Shape(Shape { ordinates, line_ends: vec![5], ..Shape::empty(ShapeKind::Polygon) })
    }

    fn region(polygons: &[Geometry]) -> Region {
        Region::of(polygons).unwrap()
    }

    fn assert_share(found: Shared, share: f64) {
        assert!((found.share - share).abs() < 1e-3, "{found:?} {share}");
        assert!(found.touch || share == 0.0);
    }

    #[test]
    fn the_share_of_a_square_in_a_square() {
        let land = region(&[square(0.0, 0.0, 2.0)]);
        for (west, south, share) in
            [(0.5, 0.5, 1.0), (1.5, 0.5, 0.5), (1.5, 1.5, 0.25), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0), (5.0, 5.0, 0.0)]
        {
            assert_share(land.shared_with(&square(west, south, 1.0)), share);
        }
        assert_share(land.shared_with(&square(0.0, 0.0, 2.0)), 1.0);
        assert_share(land.shared_with(&square(-1.0, -1.0, 4.0)), 0.25);
    }

    #[test]
    fn neighbours_touch_and_share_nothing() {
        let land = region(&[square(0.0, 0.0, 2.0)]);
        for (west, south) in [(2.0, 0.0), (2.0, 0.5), (-1.0, 1.0), (2.0, 2.0)] {
            assert_eq!(land.shared_with(&square(west, south, 1.0)), Shared { share: 0.0, touch: true });
        }
        assert!(!land.shared_with(&square(2.1, 0.0, 1.0)).touch);
    }

    #[test]
    fn land_in_a_hole_is_outside() {
        let ring = "[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[3,1],[3,3],[1,3],[1,1]]]";
        let land = region(&[geometry(&format!(r#"{{"type":"Polygon","coordinates":{ring}}}"#))]);
        assert_eq!(land.shared_with(&square(1.5, 1.5, 1.0)), Shared { share: 0.0, touch: false });
        assert_share(land.shared_with(&square(2.5, 1.5, 1.0)), 0.5);
        assert_eq!(land.shared_with(&square(1.0, 1.0, 2.0)), Shared { share: 0.0, touch: true });
    }

    #[test]
    fn polygons_side_by_side_or_on_top_of_each_other_are_one_land() {
        let districts = [square(0.0, 0.0, 1.0), square(1.0, 0.0, 1.0), square(0.0, 1.0, 1.0), square(1.0, 1.0, 1.0)];
        for land in [
            region(&districts),
            region(&[&districts[..], &[square(0.0, 0.0, 2.0), square(0.0, 0.0, 2.0)]].concat()),
            region(&[square(0.0, 0.0, 2.0), square(0.5, 0.5, 1.0), square(0.0, 0.0, 1.5)]),
        ] {
            assert_share(land.shared_with(&square(0.5, 0.5, 1.0)), 1.0);
            assert_share(land.shared_with(&square(1.5, 0.5, 1.0)), 0.5);
            assert_share(land.shared_with(&square(-1.0, -1.0, 4.0)), 0.25);
        }
    }

    #[test]
    fn lines_are_shared_by_length() {
        let land = region(&[square(0.0, 0.0, 2.0)]);
        let line = |positions: &str| geometry(&format!(r#"{{"type":"LineString","coordinates":{positions}}}"#));
        assert_share(land.shared_with(&line("[[1,1],[3,1]]")), 0.5);
        assert_share(land.shared_with(&line("[[0,0],[2,0]]")), 1.0);
        assert_eq!(land.shared_with(&line("[[2,1],[3,1]]")), Shared { share: 0.0, touch: true });
        assert_eq!(land.shared_with(&line("[[3,1],[4,1]]")), Shared { share: 0.0, touch: false });
    }

    #[test]
    fn each_geometry_is_found_once_that_covers_land_of_an_earlier_one() {
        let line = |json: &str| geometry(&format!(r#"{{"type":"LineString","coordinates":{json}}}"#));
        let drawn = [
            Some(square(2.0, 0.0, 1.0)),
            Some(square(0.0, 0.0, 1.0)),
            None,
            Some(square(1.0, 0.0, 1.0)),
            Some(square(0.5, 0.5, 2.0)),
            Some(square(0.0, 0.0, 1.0)),
            Some(line("[[0,0],[1,1]]")),
            Some(line("[[0,0],[1,1]]")),
            Some(line("[[1,1],[0,0]]")),
        ];
        let later: Vec<_> = overlapping(&drawn, usize::MAX).iter().map(|(_, later)| *later).collect();
        assert_eq!(later, [4, 5, 7]);
        assert_eq!(overlapping(&drawn, 1).len(), 1);
        assert!(overlapping(&drawn[..4], usize::MAX).is_empty());
    }

    #[test]
    fn a_hundred_thousand_geometries_on_the_same_land_are_compared_in_a_bounded_time() {
        let nested = |index| Some(square(0.0, 0.0, 1.0 + f64::from(index) / 1e6));
        assert_eq!(overlapping(&(0..100_000).map(nested).collect::<Vec<_>>(), usize::MAX).len(), 99_999);
        // Stripes whose extents all meet, but that have no land in common.
        let stripe = |index| {
            let (west, step) = (f64::from(index) / 1e4, 0.5e-4);
            geometry(&format!(
                r#"{{"type":"Polygon","coordinates":[[[{west},0],[{},0],[{},50],[{},50],[{west},0]]]}}"#,
                west + step,
                west + 50.0 + step,
                west + 50.0,
            ))
        };
        assert!(overlapping(&(0..100_000).map(|index| Some(stripe(index))).collect::<Vec<_>>(), usize::MAX).is_empty());
    }
}
