//! The sweep line, which finds edges that meet.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Unbounded};

use super::edge::{Corner, Edge, LonLat};

/// A position where two edges meet that must not, and the rings of the two.
pub struct Intersection {
    pub at: LonLat,
    pub rings: [usize; 2],
}

/// Moves a line from west to east over the corners, which are sorted in that order. Whenever two edges become neighbours on the
/// line, asks `intersect` whether they meet. That finds every crossing, because two edges are neighbours on the line just
/// before they cross.
pub fn sweep(
    edges: &[Edge],
    corners: &[Corner],
    intersect: impl Fn(&Edge, &Edge) -> Option<LonLat>,
) -> Option<Intersection> {
    let neighbours_meet = |a: Option<&Edge>, b: Option<&Edge>| {
        let (a, b) = a.zip(b)?;
        intersect(a, b).map(|at| Intersection { at, rings: [a.ring, b.ring] })
    };
    // The edges that the line crosses now, from south to north.
    let mut active: BTreeSet<&Edge> = BTreeSet::new();
    for together in corners.chunk_by(|a, b| a.at == b.at) {
        let at = together[0].at;
        let here = || together.iter().flat_map(|corner| corner.edges).map(|number| &edges[number]);
        // Edges that end here are removed first: they have no south-north order with those that start here.
        for edge in here().filter(|edge| edge.east == at) {
            active.remove(edge);
            let (south, north) = neighbours(&active, edge);
            if let Some(intersection) = neighbours_meet(south, north) {
                return Some(intersection);
            }
        }
        for edge in here().filter(|edge| edge.west == at) {
            let (south, north) = neighbours(&active, edge);
            if let Some(intersection) =
                neighbours_meet(south, Some(edge)).or_else(|| neighbours_meet(Some(edge), north))
            {
                return Some(intersection);
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
