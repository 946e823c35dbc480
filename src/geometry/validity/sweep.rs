//! The sweep line, which finds edges that meet.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use super::edge::{Corner, Edge, LonLat};

/// What a sweep searches for. Neighbours are edges that follow each other on the sweep line from south to north, `None` beyond its
/// southernmost and northernmost edges.
pub trait Search<'e> {
    type Found;

    /// Looks at two neighbours. Another edge that ends or starts at the same position may part them again at once.
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
    // The edges that the line crosses now, from south to north.
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
