//! Whether a geometry can be drawn as a diagram: what GIS insist on of OGC simple features (06-103r4, section 6.1).
//!
//! Decisions are exact for the doubles given: rounding neither invents nor hides a crossing. Rings are swept after
//! Shamos and Hoey, "Geometric intersection problems" (1976), in n log n steps however the edges lie.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Bound::{Excluded, Unbounded};

use robust::{Coord, orient2d};

use super::{Geometry, Shape, ShapeKind};

/// Why a geometry cannot be drawn as a diagram. Positions are longitude, latitude in degrees.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum InvalidGeometry {
    #[error("{place} has no positions; leave it out or draw it")]
    Empty { place: Place },

    /// `index` counts the positions of the line or ring from 0.
    #[error(
        "{place} has a number that is NaN or infinite in position {index}, {position:?}; \
         correct it, and give every position a height or none"
    )]
    NotFinite { place: Place, index: usize, position: [f64; 2] },

    /// `index` counts the positions of the line or ring from 0.
    #[error(
        "{place} has position {index} at {position:?}, beyond longitude -180..=180, latitude -90..=90; \
         write degrees, longitude first, and reproject other coordinates to WGS 84 (EPSG:4326)"
    )]
    OutOfRange { place: Place, index: usize, position: [f64; 2] },

    #[error(
        "{place} has too few positions, near {position:?}: a line needs two that differ; a ring needs four, \
         three that differ and the first again; add positions or remove it"
    )]
    TooShort { place: Place, position: [f64; 2] },

    #[error(
        "{place} is not closed, it starts at {position:?} and ends at {last:?}; \
         end it with its first position again, height included"
    )]
    Unclosed { place: Place, position: [f64; 2], last: [f64; 2] },

    #[error(
        "{place} crosses or touches itself at {position:?}; \
         move its edges apart there, or repair it with a tool such as shapely.make_valid, ST_MakeValid or \"Fix geometries\""
    )]
    CrossesItself { place: Place, position: [f64; 2] },

    /// `other` is the ring, of the same polygon, that `place` crosses.
    #[error(
        "{place} crosses ring {other} at {position:?}; \
         keep holes apart and within the exterior, or repair it with a tool such as shapely.make_valid, ST_MakeValid or \"Fix geometries\""
    )]
    RingsCross { place: Place, other: usize, position: [f64; 2] },

    #[error(
        "{place} has holes that are larger than its exterior, which comes first; \
         put the rings in order, or make polygons of those that are no holes"
    )]
    HolesTooLarge { place: Place },
}

/// A place in a geometry, counted from 0; without members, part and ring it is the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The member of the collection, then the member of that member and so on.
    pub members: Vec<usize>,
    /// The point, line or polygon in the shape.
    pub part: Option<usize>,
    /// The ring in the polygon; 0 is the exterior.
    pub ring: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let members = self.members.iter().map(|index| ("member", *index));
        let within = self.part.map(|index| ("part", index)).into_iter().chain(self.ring.map(|index| ("ring", index)));
        let steps: Vec<_> = members.chain(within).map(|(name, index)| format!("{name} {index}")).collect();
        f.write_str(if steps.is_empty() { "the geometry" } else { "" })?;
        f.write_str(&steps.join(", "))
    }
}

/// Checks that a geometry is one that any GIS can read and fill with colour: positions on the globe, lines with a
/// length, closed rings that neither touch nor cross themselves, and rings of a polygon that do not cross each other.
///
/// Lines may cross themselves, rings of a polygon may touch, and polygons may overlap. Heights need only be finite and,
/// at both ends of a ring, the same.
pub fn check(geometry: &Geometry) -> Result<(), InvalidGeometry> {
    Checker::default().geometry(geometry)
}

type Position = [f64; 2];

/// Where the check is, and the buffers that every polygon uses again.
#[derive(Default)]
struct Checker {
    place: Place,
    /// Of one ring, without repeated positions.
    vertices: Vec<Position>,
    /// Twice the planar area of each ring of one polygon.
    areas: Vec<f64>,
    /// Of all rings of one polygon.
    edges: Vec<Edge>,
    corners: Vec<Corner>,
}

impl Checker {
    fn geometry(&mut self, geometry: &Geometry) -> Result<(), InvalidGeometry> {
        self.place.part = None;
        match geometry {
            Geometry::Shape(shape) => self.shape(shape),
            Geometry::Collection(members) if members.is_empty() => self.empty(),
            Geometry::Collection(members) => members.iter().enumerate().try_for_each(|(index, member)| {
                self.place.members.push(index);
                self.geometry(member)?;
                self.place.members.pop();
                Ok(())
            }),
        }
    }

    fn shape(&mut self, shape: &Shape) -> Result<(), InvalidGeometry> {
        if shape.ordinates.is_empty() {
            return self.empty();
        }
        let stride = shape.stride();
        match shape.kind {
            ShapeKind::Point | ShapeKind::MultiPoint => {
                shape.ordinates.chunks_exact(stride).enumerate().try_for_each(|(part, position)| {
                    self.place.part = Some(part);
                    self.positions(position, stride)
                })
            }
            ShapeKind::LineString | ShapeKind::MultiLineString => {
                shape.lines().enumerate().try_for_each(|(part, line)| {
                    self.place.part = Some(part);
                    self.line(line, stride)
                })
            }
            ShapeKind::Polygon | ShapeKind::MultiPolygon => {
                let mut rings = shape.lines();
                shape.rings_per_polygon().into_iter().enumerate().try_for_each(|(part, count)| {
                    self.place.part = Some(part);
                    self.polygon(rings.by_ref().take(count), stride)
                })
            }
        }
    }

    fn positions(&self, ordinates: &[f64], stride: usize) -> Result<(), InvalidGeometry> {
        if ordinates.is_empty() {
            return self.empty();
        }
        for (index, ordinates) in ordinates.chunks_exact(stride).enumerate() {
            let position = lon_lat(ordinates);
            if !ordinates.iter().all(|ordinate| ordinate.is_finite()) {
                return Err(InvalidGeometry::NotFinite { place: self.place.clone(), index, position });
            }
            if position[0].abs() > 180.0 || position[1].abs() > 90.0 {
                return Err(InvalidGeometry::OutOfRange { place: self.place.clone(), index, position });
            }
        }
        Ok(())
    }

    fn line(&self, line: &[f64], stride: usize) -> Result<(), InvalidGeometry> {
        self.positions(line, stride)?;
        let position = lon_lat(line);
        match line.chunks_exact(stride).any(|other| lon_lat(other) != position) {
            true => Ok(()),
            false => Err(InvalidGeometry::TooShort { place: self.place.clone(), position }),
        }
    }

    fn polygon<'r>(&mut self, rings: impl Iterator<Item = &'r [f64]>, stride: usize) -> Result<(), InvalidGeometry> {
        self.areas.clear();
        self.edges.clear();
        self.corners.clear();
        for (index, ring) in rings.enumerate() {
            self.place.ring = Some(index);
            self.ring(ring, index, stride)?;
        }
        self.place.ring = None;
        match self.edges.last().map(|edge| edge.ring) {
            None => self.empty(),
            Some(0) => Ok(()),
            Some(_) => self.rings_apart().and_then(|()| self.holes_fit()),
        }
    }

    fn ring(&mut self, ring: &[f64], index: usize, stride: usize) -> Result<(), InvalidGeometry> {
        self.positions(ring, stride)?;
        let (first, last) = (&ring[..stride], &ring[ring.len() - stride..]);
        let position = lon_lat(first);
        if first != last {
            return Err(InvalidGeometry::Unclosed { place: self.place.clone(), position, last: lon_lat(last) });
        }
        self.vertices.clear();
        self.vertices.extend(ring.chunks_exact(stride).map(lon_lat));
        self.vertices.dedup();
        self.vertices.pop();
        if self.vertices.len() < 3 {
            return Err(InvalidGeometry::TooShort { place: self.place.clone(), position });
        }
        self.areas.push(doubled_area(&self.vertices));
        match self.self_contact(index) {
            None => Ok(()),
            Some(position) => Err(InvalidGeometry::CrossesItself { place: self.place.clone(), position }),
        }
    }

    /// Adds the edges and corners of the ring in `vertices`, and finds a position where it meets itself.
    fn self_contact(&mut self, ring: usize) -> Option<Position> {
        let (first_edge, first_corner) = (self.edges.len(), self.corners.len());
        let count = self.vertices.len();
        for (index, &at) in self.vertices.iter().enumerate() {
            let (before, after) = ((index + count - 1) % count, (index + 1) % count);
            let (from, to) = (self.vertices[before], self.vertices[after]);
            if turns_back(from, at, to) {
                return Some(at);
            }
            self.corners.push(Corner { at, edges: [first_edge + before, first_edge + index] });
            self.edges.push(Edge::new(at, to, first_edge + index, ring));
        }
        let corners = &mut self.corners[first_corner..];
        corners.sort_unstable_by(|a, b| sweep_order(a.at, b.at));
        if let Some(twice) = corners.windows(2).find(|pair| pair[0].at == pair[1].at) {
            return Some(twice[0].at);
        }
        // No corner is there twice, so edges that share an end follow each other; none turns back: they share no more.
        let contact = |a: &Edge, b: &Edge| if a.shares_end(b) { None } else { a.contact(b) };
        sweep(&self.edges, corners, contact).map(|meeting| meeting.at)
    }

    /// Checks that no two rings cross, given the edges and corners of all, each of which is simple.
    fn rings_apart(&mut self) -> Result<(), InvalidGeometry> {
        // Stable: that sort makes use of the rings being sorted.
        self.corners.sort_by(|a, b| sweep_order(a.at, b.at));
        match sweep(&self.edges, &self.corners, Edge::crossing) {
            None => Ok(()),
            Some(Meeting { at, rings: [a, b] }) => {
                let place = Place { ring: Some(a.max(b)), ..self.place.clone() };
                Err(InvalidGeometry::RingsCross { place, other: a.min(b), position: at })
            }
        }
    }

    /// Checks that something is left of the exterior. Where its holes are is not looked at.
    fn holes_fit(&self) -> Result<(), InvalidGeometry> {
        match self.areas.split_first() {
            Some((exterior, holes)) if holes.iter().sum::<f64>() > *exterior => {
                Err(InvalidGeometry::HolesTooLarge { place: self.place.clone() })
            }
            _ => Ok(()),
        }
    }

    fn empty(&self) -> Result<(), InvalidGeometry> {
        Err(InvalidGeometry::Empty { place: self.place.clone() })
    }
}

/// A corner of a ring, with the numbers of the two edges there.
struct Corner {
    at: Position,
    edges: [usize; 2],
}

/// Where two edges meet that should not, and their rings.
struct Meeting {
    at: Position,
    rings: [usize; 2],
}

/// Moves a line from west to east over the corners, in that order, and asks `met` of edges that become neighbours on
/// it. No other pairs need asking: before two edges cross, nothing is left between them. `met` must notice crossings.
fn sweep(edges: &[Edge], corners: &[Corner], met: impl Fn(&Edge, &Edge) -> Option<Position>) -> Option<Meeting> {
    let met = |a: Option<&Edge>, b: Option<&Edge>| {
        let (a, b) = a.zip(b)?;
        met(a, b).map(|at| Meeting { at, rings: [a.ring, b.ring] })
    };
    // From south to north, what the line is on.
    let mut active: BTreeSet<&Edge> = BTreeSet::new();
    for together in corners.chunk_by(|a, b| a.at == b.at) {
        let at = together[0].at;
        let here = || together.iter().flat_map(|corner| corner.edges).map(|number| &edges[number]);
        // All that end here go first: to them, those that start here have no order.
        for edge in here().filter(|edge| edge.east == at) {
            active.remove(edge);
            let (south, north) = neighbours(&active, edge);
            if let Some(meeting) = met(south, north) {
                return Some(meeting);
            }
        }
        for edge in here().filter(|edge| edge.west == at) {
            let (south, north) = neighbours(&active, edge);
            if let Some(meeting) = met(south, Some(edge)).or_else(|| met(Some(edge), north)) {
                return Some(meeting);
            }
            active.insert(edge);
        }
    }
    None
}

fn neighbours<'e>(active: &BTreeSet<&'e Edge>, edge: &'e Edge) -> (Option<&'e Edge>, Option<&'e Edge>) {
    let south = active.range::<Edge, _>((Unbounded, Excluded(edge))).next_back();
    let north = active.range::<Edge, _>((Excluded(edge), Unbounded)).next();
    (south.copied(), north.copied())
}

/// A side of a ring, of a length above nil.
#[derive(PartialEq)]
struct Edge {
    /// The end that the sweep comes to first.
    west: Position,
    east: Position,
    number: usize,
    ring: usize,
}

impl Edge {
    fn new(from: Position, to: Position, number: usize, ring: usize) -> Self {
        let (west, east) = if sweep_order(from, to).is_lt() { (from, to) } else { (to, from) };
        Edge { west, east, number, ring }
    }

    fn shares_end(&self, other: &Edge) -> bool {
        [self.west, self.east].iter().any(|end| *end == other.west || *end == other.east)
    }

    /// The position where each edge changes to the other side of the other, ends not included. That it exists is exact,
    /// the position is rounded.
    fn crossing(&self, other: &Edge) -> Option<Position> {
        (self.parts(other) && other.parts(self)).then(|| {
            let [west, east] = [self.west, self.east].map(|end| turn(other.west, other.east, end).abs());
            let share = west / (west + east);
            [0, 1].map(|axis| self.west[axis] + share * (self.east[axis] - self.west[axis]))
        })
    }

    /// Any position that both edges have, ends included.
    fn contact(&self, other: &Edge) -> Option<Position> {
        let touches = [(self, other.west), (self, other.east), (other, self.west), (other, self.east)];
        let touch = || touches.into_iter().find(|(edge, end)| edge.holds(*end)).map(|(_, end)| end);
        self.crossing(other).or_else(touch)
    }

    /// Whether the ends of `other` lie on different sides, none of them in line.
    fn parts(&self, other: &Edge) -> bool {
        let west = self.side(other.west);
        west.is_ne() && self.side(other.east) == west.reverse()
    }

    fn holds(&self, position: Position) -> bool {
        sweep_order(self.west, position).is_le()
            && sweep_order(position, self.east).is_le()
            && self.side(position).is_eq()
    }

    /// `Greater` to the north of the edge and of its extension, `Less` to the south.
    fn side(&self, position: Position) -> Ordering {
        turn(self.west, self.east, position).partial_cmp(&0.0).unwrap_or(Ordering::Equal)
    }
}

/// From south to north, for edges that the sweep is on at the same time and that do not cross.
impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.number == other.number {
            return Ordering::Equal;
        }
        if sweep_order(self.west, other.west).is_lt() {
            return other.cmp(self).reverse();
        }
        // Rings may run along each other: any order does, if it is always the same.
        let in_line = || self.number.cmp(&other.number);
        other.side(self.west).then_with(|| other.side(self.east)).then_with(in_line)
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Edge {}

/// West before east and, so that no edge stands upright, south before north.
fn sweep_order(a: Position, b: Position) -> Ordering {
    a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1]))
}

/// Whether the way through `at` goes on along the edge it came by.
fn turns_back(from: Position, at: Position, to: Position) -> bool {
    sweep_order(from, at) == sweep_order(to, at) && turn(from, at, to) == 0.0
}

/// Above 0 where the way from `a` by `b` to `c` turns left, below where it turns right; the sign is exact.
fn turn(a: Position, b: Position, c: Position) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

/// Twice the area of a simple ring in the plane, whichever way it turns.
fn doubled_area(vertices: &[Position]) -> f64 {
    let [x, y] = vertices[0];
    let triangle = |pair: &[Position]| (pair[0][0] - x) * (pair[1][1] - y) - (pair[1][0] - x) * (pair[0][1] - y);
    vertices.windows(2).map(triangle).sum::<f64>().abs()
}

/// The first two ordinates, with one kind of zero.
fn lon_lat(ordinates: &[f64]) -> Position {
    [ordinates[0] + 0.0, ordinates[1] + 0.0]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::DeserializeSeed;

    use super::InvalidGeometry::*;
    use super::*;
    use crate::geometry::GeometrySeed;

    fn checked(kind: &str, coordinates: &str) -> Result<(), InvalidGeometry> {
        checked_json(&format!(r#"{{"type":"{kind}","coordinates":{coordinates}}}"#))
    }

    fn checked_json(json: &str) -> Result<(), InvalidGeometry> {
        let mut json = serde_json::Deserializer::from_str(json);
        check(&GeometrySeed.deserialize(&mut json).unwrap().unwrap())
    }

    fn place(part: usize, ring: Option<usize>) -> Place {
        Place { members: vec![], part: Some(part), ring }
    }

    fn crosses_itself(position: Position) -> Result<(), InvalidGeometry> {
        Err(CrossesItself { place: place(0, Some(0)), position })
    }

    #[test]
    fn shapes_of_every_kind_pass() {
        let shapes = [
            ("Point", "[5.1,52.1]"),
            ("MultiPoint", "[[5,52],[5,52]]"),
            ("LineString", "[[0,0],[0,0],[1,1]]"),
            ("LineString", "[[0,0],[2,2],[2,0],[0,2]]"),
            ("MultiLineString", "[[[0,0],[1,1]],[[0,1],[1,0],[0,1]]]"),
            ("Polygon", "[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]"),
            ("MultiPolygon", "[[[[0,0],[2,0],[0,2],[0,0]]],[[[1,0],[3,0],[1,2],[1,0]]]]"),
        ];
        shapes.iter().for_each(|(kind, coordinates)| assert_eq!(checked(kind, coordinates), Ok(()), "{coordinates}"));
    }

    #[test]
    fn what_has_no_positions_is_empty() {
        let whole = Err(Empty { place: Place::default() });
        for kind in ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"] {
            assert_eq!(checked(kind, "[]"), whole);
        }
        assert_eq!(checked("MultiPolygon", "[[],[[]]]"), whole);
        assert_eq!(checked_json(r#"{"type":"GeometryCollection","geometries":[]}"#), whole);
    }

    #[test]
    fn a_part_without_positions_is_empty_though_others_have_some() {
        let line = checked("MultiLineString", "[[[0,0],[1,1]],[]]");
        assert_eq!(line, Err(Empty { place: place(1, None) }));
        let polygon = checked("MultiPolygon", "[[[[0,0],[1,0],[1,1],[0,0]]],[]]");
        assert_eq!(polygon, Err(Empty { place: place(1, None) }));
        let ring = checked("Polygon", "[[[0,0],[1,0],[1,1],[0,0]],[]]");
        assert_eq!(ring, Err(Empty { place: place(0, Some(1)) }));
    }

    #[test]
    fn a_height_that_is_missing_among_others_or_infinite_is_not_finite() {
        let missing = checked("LineString", "[[1,2,3],[4,5]]");
        assert_eq!(missing, Err(NotFinite { place: place(0, None), index: 1, position: [4.0, 5.0] }));
        let infinite =
            Shape { has_height: true, ordinates: vec![1.0, 2.0, f64::INFINITY], ..Shape::empty(ShapeKind::Point) };
        let infinite = check(&Geometry::Shape(infinite));
        assert_eq!(infinite, Err(NotFinite { place: place(0, None), index: 0, position: [1.0, 2.0] }));
    }

    #[test]
    fn a_longitude_or_latitude_that_is_nan_is_not_finite() {
        for ordinates in [[f64::NAN, 2.0], [1.0, f64::NAN]] {
            let point = Shape { ordinates: ordinates.to_vec(), ..Shape::empty(ShapeKind::Point) };
            assert!(matches!(check(&Geometry::Shape(point)), Err(NotFinite { index: 0, .. })));
        }
    }

    #[test]
    fn metres_and_swapped_positions_are_out_of_range() {
        let metres = checked("MultiPoint", "[[5,52],[155000,463000]]");
        assert_eq!(metres, Err(OutOfRange { place: place(1, None), index: 0, position: [155_000.0, 463_000.0] }));
        let swapped = checked("LineString", "[[5,52],[52,151]]");
        assert_eq!(swapped, Err(OutOfRange { place: place(0, None), index: 1, position: [52.0, 151.0] }));
        assert!(matches!(checked("Point", "[-180.000001,0]"), Err(OutOfRange { .. })));
    }

    #[test]
    fn lines_that_stay_where_they_are_are_too_short() {
        let short = Err(TooShort { place: place(0, None), position: [1.0, 2.0] });
        for line in ["[[1,2]]", "[[1,2],[1,2],[1,2]]", "[[1,2,0],[1,2,9]]"] {
            assert_eq!(checked("LineString", line), short);
        }
    }

    #[test]
    fn rings_of_less_than_three_different_positions_are_too_short() {
        let short = Err(TooShort { place: place(0, Some(0)), position: [0.0, 0.0] });
        for ring in ["[[0,0]]", "[[0,0],[1,0],[0,0]]", "[[0,0],[1,0],[1,0],[0,0]]", "[[0,0],[0,0],[0,0],[0,0]]"] {
            assert_eq!(checked("Polygon", &format!("[{ring}]")), short);
        }
    }

    #[test]
    fn a_ring_ends_where_it_starts_height_included() {
        let open = checked("Polygon", "[[[0,0],[1,0],[1,1]]]");
        assert_eq!(open, Err(Unclosed { place: place(0, Some(0)), position: [0.0, 0.0], last: [1.0, 1.0] }));
        let closed = "[[0,0,7],[1,0,8],[1,1,9],[0,0,7]]";
        assert_eq!(checked("Polygon", &format!("[{closed}]")), Ok(()));
        let step = "[[0,0,7],[1,0,8],[1,1,9],[0,0,6]]";
        let step = checked("MultiPolygon", &format!("[[{closed}],[{closed},{step}]]"));
        assert_eq!(step, Err(Unclosed { place: place(1, Some(1)), position: [0.0, 0.0], last: [0.0, 0.0] }));
    }

    #[test]
    fn repeated_positions_do_no_harm_anywhere_in_a_ring() {
        for ring in [
            "[[0,0],[0,0],[2,0],[2,2],[2,2],[2,2],[0,0]]",
            "[[0,0],[2,0],[2,2],[0,0],[0,0],[0,0]]",
            "[[0,0,1],[2,0,1],[2,0,5],[2,2,1],[0,0,1]]",
            "[[0,0],[2,0],[2,2],[-0.0,-0.0],[0,0]]",
        ] {
            assert_eq!(checked("Polygon", &format!("[{ring}]")), Ok(()), "{ring}");
        }
    }

    #[test]
    fn a_bow_tie_crosses_itself_in_the_middle() {
        assert_eq!(checked("Polygon", "[[[0,0],[2,2],[2,0],[0,2],[0,0]]]"), crosses_itself([1.0, 1.0]));
    }

    #[test]
    fn a_figure_eight_with_a_corner_at_the_crossing_touches_itself() {
        let twice = "[[[0,0],[1,1],[2,0],[2,2],[1,1],[0,2],[0,0]]]";
        assert_eq!(checked("Polygon", twice), crosses_itself([1.0, 1.0]));
        let once = "[[[0,0],[1,1],[2,0],[2,2],[0,2],[0.5,1],[1,1],[0,0]]]";
        assert!(matches!(checked("Polygon", once), Err(CrossesItself { .. })));
    }

    #[test]
    fn a_corner_on_another_edge_touches_it() {
        for ring in ["[[0,0],[4,0],[4,4],[2,0],[0,4],[0,0]]", "[[0,0],[2,2],[4,0],[4,2],[0,2],[0,0]]"] {
            assert!(matches!(checked("Polygon", &format!("[{ring}]")), Err(CrossesItself { .. })), "{ring}");
        }
    }

    #[test]
    fn spikes_and_rings_without_area_are_refused() {
        assert_eq!(checked("Polygon", "[[[0,0],[2,0],[2,2],[2,0],[0,2],[0,0]]]"), crosses_itself([2.0, 2.0]));
        assert_eq!(checked("Polygon", "[[[0,0],[9,0],[2,0],[2,2],[0,0]]]"), crosses_itself([9.0, 0.0]));
        assert!(matches!(checked("Polygon", "[[[0,0],[1,1],[2,2],[0,0]]]"), Err(CrossesItself { .. })));
    }

    /// In doubles, 0.1 + 0.2 is not 0.3: it is the next number above.
    #[test]
    fn the_thinnest_triangle_is_still_a_ring() {
        let ring = |top: f64| checked("Polygon", &format!("[[[0,0],[0.1,0.1],[0.3,{top}],[0,0]]]"));
        assert_eq!(ring(0.1 + 0.2), Ok(()));
        assert!(matches!(ring(0.3), Err(CrossesItself { .. })));
    }

    #[test]
    fn rings_of_a_polygon_may_touch_but_not_cross() {
        let with_hole = |hole: &str| checked("Polygon", &format!("[[[0,0],[4,0],[4,4],[0,4],[0,0]],{hole}]"));
        assert_eq!(with_hole("[[1,1],[2,1],[1,2],[1,1]]"), Ok(()));
        assert_eq!(with_hole("[[0,0],[2,1],[1,2],[0,0]]"), Ok(()));
        assert_eq!(with_hole("[[0,2],[2,1],[1,2],[0,2]]"), Ok(()));
        assert_eq!(with_hole("[[1,1],[2,1],[1,2],[1,1]],[[2,1],[3,1],[3,0.5],[2,1]]"), Ok(()));
        let crossing = with_hole("[[1,1],[2,1],[1,2],[1,1]],[[2,2],[3,1],[3,5],[2,2]]");
        let Err(RingsCross { place, other: 0, position: [lon, 4.0] }) = crossing else { panic!("{crossing:?}") };
        assert!(place == super::tests::place(0, Some(2)) && [3.0, 2.0 + 2.0 / 3.0].contains(&lon));
    }

    #[test]
    fn a_ring_along_another_does_not_hide_a_crossing_further_on() {
        let along = "[[0,0],[9,0],[9,9],[0,9],[0,0]],[[2,0],[4,0],[3,2],[2,0]]";
        assert_eq!(checked("Polygon", &format!("[{along}]")), Ok(()));
        let crossing = checked("Polygon", &format!("[{along},[[6,1],[7,-1],[8,1],[6,1]]]"));
        assert_eq!(crossing, Err(RingsCross { place: place(0, Some(2)), other: 0, position: [6.5, 0.0] }));
    }

    #[test]
    fn holes_leave_something_of_the_exterior() {
        let with_hole = |hole: &str| checked("Polygon", &format!("[[[0,0],[4,0],[4,4],[0,4],[0,0]],{hole}]"));
        assert_eq!(with_hole("[[0,0],[4,0],[4,4],[0,4],[0,0]]"), Ok(()));
        let too_large = Err(HolesTooLarge { place: place(0, None) });
        assert_eq!(with_hole("[[-1,-1],[5,-1],[5,5],[-1,5],[-1,-1]]"), too_large);
        assert_eq!(
            with_hole("[[10,10],[10,15],[15,15],[10,10]],[[1,1],[2,1],[1,3],[1,1]],[[20,0],[24,0],[24,4],[20,0]]"),
            too_large
        );
    }

    #[test]
    fn the_message_says_what_is_wrong_where_and_how_to_repair_it() {
        let ring = r#"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#;
        let point = r#"{"type":"Point","coordinates":[5,52]}"#;
        let inner = format!(r#"{{"type":"GeometryCollection","geometries":[{ring}]}}"#);
        let outer = format!(r#"{{"type":"GeometryCollection","geometries":[{point},{inner}]}}"#);
        let message = checked_json(&outer).unwrap_err().to_string();
        let where_and_what = "member 1, member 0, part 0, ring 0 crosses or touches itself at [1.0, 1.0]; ";
        assert!(message.starts_with(where_and_what) && message.contains("ST_MakeValid"), "{message}");
        let message = checked("Point", "[]").unwrap_err().to_string();
        assert!(message.starts_with("the geometry has no positions"), "{message}");
    }

    /// Each edge of one tooth and the next overlaps with all others in west-east and in south-north direction.
    #[test]
    fn a_slanting_comb_of_long_teeth_passes() {
        let teeth = 20_000;
        let tooth = |index: i32| [f64::from(index % 2), f64::from(index % 2) + f64::from(index) * 1e-5];
        let mut shape = Shape::empty(ShapeKind::Polygon);
        shape.ordinates.extend((0..teeth).flat_map(tooth));
        shape.ordinates.extend([2.0, 3.0, 2.0, -1.0, -1.0, -1.0, 0.0, 0.0]);
        shape.line_ends.push(shape.positions());
        assert_eq!(check(&Geometry::Shape(shape)), Ok(()));
    }

    type Corners = Vec<(i64, i64)>;

    /// Whole numbers so small that rings touch, run along each other and repeat positions more often than not.
    fn corners(grid: i64, count: std::ops::Range<usize>) -> impl Strategy<Value = Corners> {
        prop::collection::vec((0..=grid, 0..=grid), count)
    }

    fn polygon(rings: &[Corners]) -> Geometry {
        let mut shape = Shape::empty(ShapeKind::Polygon);
        for ring in rings {
            let closed = ring.iter().chain(&ring[..1]);
            shape.ordinates.extend(closed.flat_map(|(x, y)| [*x as f64, *y as f64]));
            shape.line_ends.push(shape.positions());
        }
        Geometry::Shape(shape)
    }

    /// The rules as they are worded, for every pair of edges: the name of the fault and its ring.
    fn fault(rings: &[Corners]) -> Option<(&'static str, usize)> {
        let edges: Vec<_> = rings.iter().map(ring_edges).collect();
        for (ring, edges) in edges.iter().enumerate() {
            if edges.len() < 3 {
                return Some(("short", ring));
            }
            for (first, a) in edges.iter().enumerate() {
                for (second, b) in edges.iter().enumerate().skip(first + 1) {
                    let follows = |from: usize, to: usize| (from + 1) % edges.len() == to;
                    let simple = match (follows(first, second), follows(second, first)) {
                        (true, _) => !runs_back(a, b),
                        (_, true) => !runs_back(b, a),
                        _ => !meets(a, b),
                    };
                    if !simple {
                        return Some(("itself", ring));
                    }
                }
            }
        }
        // Of one simple ring, no two edges cross.
        let all = edges.concat();
        let crossed = all.iter().any(|a| all.iter().any(|b| crosses(a, b)));
        let area = |edges: &Vec<Side>| edges.iter().map(|[a, b]| a.0 * b.1 - b.0 * a.1).sum::<i64>().abs();
        let holes = edges[1..].iter().map(area).sum::<i64>();
        match crossed {
            true => Some(("rings", 0)),
            false => (holes > area(&edges[0])).then_some(("holes", 0)),
        }
    }

    type Side = [(i64, i64); 2];

    fn ring_edges(ring: &Corners) -> Vec<Side> {
        let next = ring.iter().cycle().skip(1);
        ring.iter().zip(next).map(|(from, to)| [*from, *to]).filter(|[from, to]| from != to).collect()
    }

    fn orientation([a, b]: &Side, c: (i64, i64)) -> i64 {
        ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum()
    }

    fn runs_back(a: &Side, b: &Side) -> bool {
        let [(ax, ay), (bx, by)] = [a, b].map(|[from, to]| (to.0 - from.0, to.1 - from.1));
        ax * by == ay * bx && ax * bx + ay * by < 0
    }

    fn meets(a: &Side, b: &Side) -> bool {
        let apart = |axis: fn(&(i64, i64)) -> i64| {
            let [a, b] = [a, b].map(|side| side.each_ref().map(axis));
            a[0].max(a[1]) < b[0].min(b[1]) || b[0].max(b[1]) < a[0].min(a[1])
        };
        let on_one_side = |a: &Side, b: &Side| orientation(a, b[0]) * orientation(a, b[1]) > 0;
        !(apart(|end| end.0) || apart(|end| end.1) || on_one_side(a, b) || on_one_side(b, a))
    }

    fn crosses(a: &Side, b: &Side) -> bool {
        let parts = |a: &Side, b: &Side| orientation(a, b[0]) * orientation(a, b[1]) < 0;
        parts(a, b) && parts(b, a)
    }

    fn verdict(rings: &[Corners]) -> Option<(&'static str, usize)> {
        match check(&polygon(rings)) {
            Ok(()) => None,
            Err(TooShort { place, .. }) => Some(("short", place.ring?)),
            Err(CrossesItself { place, .. }) => Some(("itself", place.ring?)),
            Err(RingsCross { .. }) => Some(("rings", 0)),
            Err(HolesTooLarge { .. }) => Some(("holes", 0)),
            Err(other) => panic!("{other}"),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_ring_is_judged_as_by_comparing_all_pairs_of_edges(ring in corners(6, 1..10)) {
            prop_assert_eq!(verdict(std::slice::from_ref(&ring)), fault(&[ring]));
        }

        #[test]
        fn rings_are_judged_as_by_comparing_all_pairs_of_edges(
            rings in prop::collection::vec(corners(8, 3..6), 2..5),
        ) {
            prop_assert_eq!(verdict(&rings), fault(&rings));
        }
    }
}
