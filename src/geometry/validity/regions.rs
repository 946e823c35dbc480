//! Whether the rings of polygons enclose one area each: rings apart from each other, holes in their exterior, parts beside each
//! other.
//!
//! Just south and just north of an edge lies the interior of its polygon or no polygon at all, depending on the orientation of the
//! ring. Two edges that are neighbours on the sweep line have one region between them. So the rings are in order if all neighbours
//! agree on what that region is, and if no two edges cross or overlap.

use smallvec::SmallVec;

use super::sweep::{Corner, Edge, LonLat, Neighbours, RingIndex, Search, Side};

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
    /// `ring` lies inside the other where it must not, or outside where it must be inside, or is its equal.
    Misplaced,
    /// The rings touch, by themselves or together with others, so that the interior falls apart.
    DivideInterior,
}

/// The search for conflicts among the rings of one polygon, or of several polygons that have none in themselves.
pub struct ConflictSearch<'e> {
    edges: &'e [Edge],
    /// The northern neighbour of each edge that the line crosses; the first one is the southernmost edge.
    north_of: Vec<Option<&'e Edge>>,
    /// The edges that got another northern neighbour at the present position. `None` stands for the place south of all edges.
    changed: SmallVec<[Option<&'e Edge>; 8]>,
    /// Groups of rings of one polygon that touch, as a forest: for each ring another one of its group, or itself. Empty if
    /// touching rings need no look.
    groups: Vec<usize>,
}

impl<'e> ConflictSearch<'e> {
    /// Searches among the rings of one polygon.
    pub fn within_polygon(edges: &'e [Edge], rings: usize) -> Self {
        ConflictSearch { groups: (0..rings).collect(), ..ConflictSearch::between_polygons(edges) }
    }

    /// Searches among polygons, each of which has been found in order.
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
        let misplaced = self.new_neighbours(at).find_map(|neighbours| misplaced(neighbours, at));
        let conflict = misplaced.or_else(|| self.join_touching(at, corners));
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
        // Between two holes, one is in the other: in the one that does not have the interior of the polygon there.
        (Some(south), Some(north)) if south.ring > 0 && north.ring > 0 => match a {
            Some(_) => conflict(south, Some(north)),
            None => conflict(north, Some(south)),
        },
        (south, north) => conflict(south.max(north)?, None),
    }
}
