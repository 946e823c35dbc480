//! Places of a map by the rows with land there, and the choices of designs for them: one overlay of all rows.

use std::collections::BTreeMap;
use std::rc::Rc;

use geodesign_overlay::{Piece, Point, cut, enclosed, sides};

use super::land::Land;
use geodesign_common::parallel::map_chunks;

/// Places where the same rows have land.
#[derive(Debug)]
pub(super) struct Place<K> {
    /// The rows, in order.
    pub rows: Vec<usize>,
    /// The kinds of this place, in order.
    pub kinds: Vec<K>,
}

/// Returns the land of each kind of place. `kinds` maps a place's rows to its kinds. `found` is called with each border of places, and the
/// places below and above it.
pub(super) fn by_kind<K: Ord + Copy + Send + Sync>(
    lands: &[Land],
    kinds: impl Fn(&[usize]) -> Vec<K>,
    mut found: impl FnMut(&Piece, [&Place<K>; 2]),
) -> Vec<(K, Land)> {
    let across = |below: &Rc<Place<K>>, pieces: &[Piece]| {
        let mut rows = below.rows.clone();
        for piece in pieces {
            let row = piece.owner as usize;
            match rows.binary_search(&row) {
                Ok(at) => drop(rows.remove(at)),
                Err(at) => rows.insert(at, row),
            }
        }
        Rc::new(Place { kinds: kinds(&rows), rows })
    };
    // The land of a kind is on the left of its edges.
    let mut edges: BTreeMap<K, Vec<[Point; 2]>> = BTreeMap::new();
    let rings = (0..).zip(lands).flat_map(|(row, land)| land.rings().map(move |ring| (row, ring)));
    let nowhere = Rc::new(Place { rows: Vec::new(), kinds: Vec::new() });
    sides(&cut(rings), &nowhere, across, |along, below, above| {
        let piece = &along[0];
        found(piece, [below, above]);
        let [from, to] = [piece.from, piece.to];
        for (one, other, edge) in [(below, above, [to, from]), (above, below, [from, to])] {
            let ending = one.kinds.iter().filter(|kind| !other.kinds.contains(kind));
            ending.for_each(|kind| edges.entry(*kind).or_default().push(edge));
        }
    });
    let edges: Vec<(K, Vec<[Point; 2]>)> = edges.into_iter().collect();
    let land = |at: usize| (edges[at].0, Land::from_shapes(enclosed(&edges[at].1)));
    map_chunks(edges.len(), 1, |kinds| kinds.map(land).collect())
}

/// Diagrams, one per row: the number of each one's system, and of the designs that have it.
#[derive(Debug, Clone, Copy)]
pub struct Choices<'c> {
    pub systems: &'c [usize],
    pub designs: &'c [Vec<usize>],
}

impl Choices<'_> {
    /// Returns the systems of rows, each with a design that has it, sorted and without duplicates.
    pub(super) fn of(&self, rows: &[usize]) -> Vec<(usize, usize)> {
        let of_row = |&row: &usize| self.designs[row].iter().map(move |design| (self.systems[row], *design));
        let mut chosen: Vec<(usize, usize)> = rows.iter().flat_map(of_row).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }
}
