//! Edges and corners of rings, exact predicates on them, and a sweep line that finds edges that meet. It checks that the rings of polygons
//! enclose one area each: rings do not cross, holes lie in their exterior, and parts do not overlap.
//!
//! Just south and just north of an edge lies the interior of its polygon or no polygon at all, depending on the ring's orientation. Two
//! edges that are neighbours on the sweep line have one region between them. So the rings are valid if all neighbours agree on what
//! that region is, and if no two edges cross or overlap.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use robust::{Coord, orient2d};
use smallvec::SmallVec;

/// Longitude and latitude in degrees.
pub type LonLat = [f64; 2];

/// A corner of a ring, and the indices of its two edges.
pub struct Corner {
    pub at: LonLat,
    pub edges: [usize; 2],
}

/// An edge of a ring, between two different positions.
#[derive(PartialEq)]
pub struct Edge {
    /// The end that the sweep line reaches first.
    pub west: LonLat,
    pub east: LonLat,
    /// The index among the edges of the geometry.
    pub number: usize,
    pub ring: RingIndex,
    /// The side of the edge with the interior of its polygon, if the ring does not cross itself.
    pub interior: Side,
}

/// A ring of a geometry: the index of its polygon, and its index in the polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RingIndex {
    pub part: usize,
    pub ring: usize,
}

/// A side of an edge, seen along the sweep line. The north of a northward edge is its western side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    South,
    North,
}

impl Edge {
    /// An edge of a ring whose polygon has its interior on the left if `interior_is_left`, seen from `from` towards `to`.
    pub fn new(from: LonLat, to: LonLat, number: usize, ring: RingIndex, interior_is_left: bool) -> Self {
        let is_eastward = sweep_order(from, to).is_lt();
        let (west, east) = if is_eastward { (from, to) } else { (to, from) };
        let interior = if is_eastward == interior_is_left { Side::North } else { Side::South };
        Edge { west, east, number, ring, interior }
    }

    pub fn shares_end(&self, other: &Edge) -> bool {
        [self.west, self.east].iter().any(|end| *end == other.west || *end == other.east)
    }

    /// The position at which the edges cross, each passing from one side of the other to its other side; touching with an end is not a
    /// crossing. The test is exact, the position is rounded.
    pub fn crossing(&self, other: &Edge) -> Option<LonLat> {
        (self.separates_ends_of(other) && other.separates_ends_of(self)).then(|| {
            let [west, east] = [self.west, self.east].map(|end| turn(other.west, other.east, end).abs());
            let fraction = west / (west + east);
            [0, 1].map(|axis| self.west[axis] + fraction * (self.east[axis] - self.west[axis]))
        })
    }

    /// A position that both edges have in common, ends included.
    pub fn contact(&self, other: &Edge) -> Option<LonLat> {
        let touches = [(self, other.west), (self, other.east), (other, self.west), (other, self.east)];
        let touch = || touches.into_iter().find(|(edge, end)| edge.contains(*end)).map(|(_, end)| end);
        self.crossing(other).or_else(touch)
    }

    /// Start of a stretch that both edges share; a single position is not a stretch.
    pub fn overlap(&self, other: &Edge) -> Option<LonLat> {
        let last = |a: LonLat, b: LonLat| if sweep_order(a, b).is_lt() { b } else { a };
        let start = last(self.west, other.west);
        let is_long = sweep_order(start, self.east).is_lt() && sweep_order(start, other.east).is_lt();
        (is_long && self.side(other.west).is_eq() && self.side(other.east).is_eq()).then_some(start)
    }

    /// True if `position` lies on the edge and is not one of its ends.
    pub fn passes_through(&self, position: LonLat) -> bool {
        self.west != position && self.east != position && self.contains(position)
    }

    /// True if the ends of `other` lie on different sides of the line through this edge, and neither lies on it.
    fn separates_ends_of(&self, other: &Edge) -> bool {
        let west = self.side(other.west);
        west.is_ne() && self.side(other.east) == west.reverse()
    }

    fn contains(&self, position: LonLat) -> bool {
        sweep_order(self.west, position).is_le()
            && sweep_order(position, self.east).is_le()
            && self.side(position).is_eq()
    }

    /// `Greater` to the north of the line through this edge, `Less` to the south.
    fn side(&self, position: LonLat) -> Ordering {
        turn(self.west, self.east, position).partial_cmp(&0.0).unwrap_or(Ordering::Equal)
    }
}

/// Orders edges from south to north. The sweep line has to cross them at the same time, and they must not cross each other.
impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.number == other.number {
            return Ordering::Equal;
        }
        if sweep_order(self.west, other.west).is_lt() {
            return other.cmp(self).reverse();
        }
        // Edges of two rings may lie on one line: then any order will do, as long as it is always the same.
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

/// Orders positions from west to east, and on one meridian from south to north: a northward edge has a western end, too.
pub fn sweep_order(a: LonLat, b: LonLat) -> Ordering {
    a[0].total_cmp(&b[0]).then_with(|| a[1].total_cmp(&b[1]))
}

/// True if the path `from`, `at`, `to` reverses at `at`, back along the same line.
pub fn turns_back(from: LonLat, at: LonLat, to: LonLat) -> bool {
    sweep_order(from, at) == sweep_order(to, at) && turn(from, at, to) == 0.0
}

/// True if a ring that does not cross itself has its inside on the left; exact.
pub fn is_counterclockwise(vertices: &[LonLat]) -> bool {
    let first = (0..vertices.len()).min_by(|a, b| sweep_order(vertices[*a], vertices[*b])).unwrap_or(0);
    let count = vertices.len();
    turn(vertices[(first + count - 1) % count], vertices[first], vertices[(first + 1) % count]) > 0.0
}

/// Above 0 where the path `a`, `b`, `c` turns left, below 0 where it turns right; the sign is exact.
fn turn(a: LonLat, b: LonLat, c: LonLat) -> f64 {
    let [a, b, c] = [a, b, c].map(|[x, y]| Coord { x, y });
    orient2d(a, b, c)
}

/// The search that a sweep carries out. Neighbours are edges that follow each other on the sweep line from south to north, `None`
/// beyond its southernmost and northernmost edges.
pub trait Search<'e> {
    type Found;

    /// Looks at two neighbours. Another edge that ends or starts at the same position may separate them again at once.
    fn neighbours(&self, south: &'e Edge, north: &'e Edge) -> Option<Self::Found>;

    /// An edge between two others has left the line.
    fn removed(&mut self, _between: Neighbours<'e>) {}

    /// An edge has come to the line between two others.
    fn inserted(&mut self, _edge: &'e Edge, _between: Neighbours<'e>) {}

    /// The line has passed a position, with all edges that end or start there.
    fn passed(&mut self, _at: LonLat, _corners: &[Corner]) -> Option<Self::Found> {
        None
    }
}

/// Two neighbours on the sweep line, the southern one first.
pub type Neighbours<'e> = (Option<&'e Edge>, Option<&'e Edge>);

/// Moves a line from west to east over the corners, which are sorted in that order, until the search finds something. Every
/// crossing is found by looking at neighbours, because two edges are neighbours on the line just before they cross.
pub fn sweep<'e, S: Search<'e>>(edges: &'e [Edge], corners: &[Corner], search: &mut S) -> Option<S::Found> {
    // The edges that the line crosses, from south to north.
    let mut active: BTreeSet<&'e Edge> = BTreeSet::new();
    for together in corners.chunk_by(|a, b| a.at == b.at) {
        let at = together[0].at;
        let here = || together.iter().flat_map(|corner| corner.edges).map(|number| &edges[number]);
        // Edges that end here are removed first: they have no south-north order with those that start here.
        for edge in here().filter(|edge| edge.east == at) {
            active.remove(edge);
            let (south, north) = neighbours(&active, edge);
            if let Some(found) = south.zip(north).and_then(|(south, north)| search.neighbours(south, north)) {
                return Some(found);
            }
            search.removed((south, north));
        }
        for edge in here().filter(|edge| edge.west == at) {
            let (south, north) = neighbours(&active, edge);
            let found = south.and_then(|south| search.neighbours(south, edge));
            if let Some(found) = found.or_else(|| search.neighbours(edge, north?)) {
                return Some(found);
            }
            active.insert(edge);
            search.inserted(edge, (south, north));
        }
        if let Some(found) = search.passed(at, together) {
            return Some(found);
        }
    }
    None
}

fn neighbours<'e>(active: &BTreeSet<&'e Edge>, edge: &'e Edge) -> Neighbours<'e> {
    let south = active.range::<Edge, _>((Unbounded, Excluded(edge))).next_back();
    let north = active.range::<Edge, _>((Excluded(edge), Unbounded)).next();
    (south.copied(), north.copied())
}

/// Two rings that do not fit together, and where.
pub struct Conflict {
    pub kind: ConflictKind,
    pub at: LonLat,
    pub ring: RingIndex,
    /// The ring that `ring` conflicts with; `None` for a hole that lies in no exterior.
    pub other: Option<RingIndex>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictKind {
    /// The rings pass from one side of the other to the other side.
    Cross,
    /// Edges of the rings overlap, with the interiors on different sides, or one is a hole of the other.
    ShareEdge,
    /// `ring` lies inside the other where it must not, or outside where it must be inside, or equals it.
    Misplaced,
    /// The rings touch, by themselves or together with others, so that the interior is divided.
    DivideInterior,
}

/// Searches for conflicts among the rings of one polygon, or of several polygons without conflicts of their own.
pub struct ConflictSearch<'e> {
    edges: &'e [Edge],
    /// The northern neighbour of each edge that the line crosses; the first one is the southernmost edge.
    north_of: Vec<Option<&'e Edge>>,
    /// The edges with a new northern neighbour at the current position. `None` stands for the place south of all edges.
    changed: SmallVec<[Option<&'e Edge>; 8]>,
    /// Groups of rings of one polygon that touch, as a forest: for each ring another one of its group, or itself. Empty if touching
    /// rings need no check.
    groups: Vec<usize>,
}

impl<'e> ConflictSearch<'e> {
    /// Searches among the rings of one polygon.
    pub fn within_polygon(edges: &'e [Edge], rings: usize) -> Self {
        ConflictSearch { groups: (0..rings).collect(), ..ConflictSearch::between_polygons(edges) }
    }

    /// Searches among polygons, each of which has been found valid.
    pub fn between_polygons(edges: &'e [Edge]) -> Self {
        ConflictSearch { edges, north_of: vec![None; edges.len() + 1], changed: SmallVec::new(), groups: Vec::new() }
    }

    fn set_north(&mut self, south: Option<&'e Edge>, north: Option<&'e Edge>) {
        self.north_of[south.map_or(0, |edge| edge.number + 1)] = north;
        self.changed.push(south);
    }

    /// The neighbours between which an edge was removed or inserted at a position.
    fn new_neighbours(&self, at: LonLat) -> impl Iterator<Item = Neighbours<'e>> {
        let remaining = self.changed.iter().filter(move |south| south.is_none_or(|edge| edge.east != at));
        remaining.map(|south| (*south, self.north_of[south.map_or(0, |edge| edge.number + 1)]))
    }

    /// Joins the groups of all rings that touch at a position.
    fn join_touching(&mut self, at: LonLat, corners: &[Corner]) -> Option<Conflict> {
        if self.groups.is_empty() {
            return None;
        }
        let at_corners = corners.iter().map(|corner| self.edges[corner.edges[0]].ring);
        let edges = self.new_neighbours(at).flat_map(|(south, north)| [south, north]).flatten();
        let through = edges.filter(|edge| edge.passes_through(at)).map(|edge| edge.ring);
        let mut touching: SmallVec<[RingIndex; 4]> = at_corners.chain(through).collect();
        touching.sort_unstable();
        touching.dedup();
        let (first, others) = touching.split_first()?;
        others.iter().find_map(|other| {
            let groups = [first.ring, other.ring].map(|ring| self.group(ring));
            self.groups[groups[1]] = groups[0];
            let conflict = Conflict { kind: ConflictKind::DivideInterior, at, ring: *other, other: Some(*first) };
            (groups[0] == groups[1]).then_some(conflict)
        })
    }

    fn group(&mut self, mut ring: usize) -> usize {
        while self.groups[ring] != ring {
            // Halves the way for the next search.
            self.groups[ring] = self.groups[self.groups[ring]];
            ring = self.groups[ring];
        }
        ring
    }
}

impl<'e> Search<'e> for ConflictSearch<'e> {
    type Found = Conflict;

    fn neighbours(&self, south: &'e Edge, north: &'e Edge) -> Option<Conflict> {
        let (first, last) = (south.ring.min(north.ring), south.ring.max(north.ring));
        let conflict = |kind, at| Conflict { kind, at, ring: last, other: Some(first) };
        let is_misplaced = south.interior == north.interior && first.part != last.part;
        let overlap_kind = if is_misplaced { ConflictKind::Misplaced } else { ConflictKind::ShareEdge };
        let crossing = south.crossing(north).map(|at| conflict(ConflictKind::Cross, at));
        crossing.or_else(|| south.overlap(north).map(|at| conflict(overlap_kind, at)))
    }

    fn removed(&mut self, (south, north): Neighbours<'e>) {
        self.set_north(south, north);
    }

    fn inserted(&mut self, edge: &'e Edge, (south, north): Neighbours<'e>) {
        self.set_north(south, Some(edge));
        self.set_north(Some(edge), north);
    }

    fn passed(&mut self, at: LonLat, corners: &[Corner]) -> Option<Conflict> {
        let found = self.new_neighbours(at).find_map(|neighbours| misplaced(neighbours, at));
        let conflict = found.or_else(|| self.join_touching(at, corners));
        self.changed.clear();
        conflict
    }
}

/// The conflict of two neighbours that do not agree on what lies between them.
fn misplaced((south, north): Neighbours, at: LonLat) -> Option<Conflict> {
    let south = south.map(|edge| (edge.ring, edge.interior == Side::North));
    let north = north.map(|edge| (edge.ring, edge.interior == Side::South));
    let inside_of =
        |claim: Option<(RingIndex, bool)>| claim.filter(|(_, is_interior)| *is_interior).map(|(ring, _)| ring);
    let (a, b) = (inside_of(south), inside_of(north));
    if a.map(|ring| ring.part) == b.map(|ring| ring.part) {
        return None;
    }
    let conflict = |ring, other| Some(Conflict { kind: ConflictKind::Misplaced, at, ring, other });
    match (south.map(|(ring, _)| ring), north.map(|(ring, _)| ring)) {
        (Some(a), Some(b)) if a.part != b.part => conflict(a.max(b), Some(a.min(b))),
        // Between two holes, one is in the other: the one without the polygon's interior there contains it.
        (Some(south), Some(north)) if south.ring > 0 && north.ring > 0 => match a {
            Some(_) => conflict(south, Some(north)),
            None => conflict(north, Some(south)),
        },
        (south, north) => conflict(south.max(north)?, None),
    }
}
