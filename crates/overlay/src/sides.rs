//! Finds both sides of each piece of a map with a line that sweeps over it from west to east.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Piece, Point};

/// A piece under the line, in the order from south to north. Pieces do not cross, so the order stays.
struct UnderLine(Piece);

impl Ord for UnderLine {
    fn cmp(&self, UnderLine(other): &Self) -> Ordering {
        let UnderLine(own) = self;
        if own.from > other.from {
            return UnderLine(*other).cmp(self).reverse();
        }
        // Both begin at one point if the first side is 0.
        0.cmp(&own.side(other.from)).then_with(|| 0.cmp(&own.side(other.to)))
    }
}

impl PartialOrd for UnderLine {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for UnderLine {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for UnderLine {}

/// Calls `found` with the pieces that lie along each other and with their sides below and above; for vertical pieces, right and left.
/// Pieces come from [`super::cut`], in the same order. `nowhere` is the side outside of all rings. `across` derives the side above pieces that lie along
/// each other from the side below them.
pub fn sides<S: Clone>(
    pieces: &[Piece],
    nowhere: &S,
    across: impl Fn(&S, &[Piece]) -> S,
    mut found: impl FnMut(&[Piece], &S, &S),
) {
    let mut ending: Vec<&Piece> = pieces.iter().filter(|piece| !piece.is_vertical()).collect();
    ending.sort_unstable_by_key(|piece| piece.to);
    let mut ending = ending.into_iter().peekable();
    let mut line: BTreeMap<UnderLine, S> = BTreeMap::new();
    for beginning in pieces.chunk_by(|one, other| one.from == other.from) {
        let at = beginning[0].from;
        while let Some(piece) = ending.next_if(|piece| piece.to <= at) {
            line.remove(&UnderLine(*piece));
        }
        let mut edges: Vec<&[Piece]> = beginning.chunk_by(Piece::is_along).collect();
        edges.sort_unstable_by(|one, other| 0.cmp(&one[0].side(other[0].to)));
        let mut below = below(&line, at).unwrap_or(nowhere).clone();
        for edge in edges {
            let above = across(&below, edge);
            found(edge, &below, &above);
            if !edge[0].is_vertical() {
                line.insert(UnderLine(edge[0]), above.clone());
            }
            below = above;
        }
    }
}

/// Returns the side above the highest piece of a line below a point.
fn below<S>(line: &BTreeMap<UnderLine, S>, at: Point) -> Option<&S> {
    let point = UnderLine(Piece { from: at, to: at, owner: 0 });
    line.range(..point).next_back().map(|(_, above)| above)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Ring, cut};

    /// True if the place just above a piece's middle is inside the owner's rings: an odd number of the owner's pieces is below or along
    /// it.
    fn is_above(pieces: &[Piece], owner: u32, piece: &Piece) -> bool {
        let is_under = |other: &&Piece| {
            // Ends are doubled, so that the middle is a whole number.
            let [from, to] = [other.from, other.to].map(|end| [2 * end.x, 2 * end.y].map(i128::from));
            let middle = [piece.from.x + piece.to.x, piece.from.y + piece.to.y].map(i128::from);
            let side = (to[0] - from[0]) * (middle[1] - from[1]) - (to[1] - from[1]) * (middle[0] - from[0]);
            other.owner == owner && from[0] <= middle[0] && middle[0] < to[0] && (side > 0 || other.is_along(piece))
        };
        pieces.iter().filter(is_under).count() % 2 == 1
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn owners_on_both_sides_are_those_that_a_line_to_the_south_crosses(
            rings in prop::collection::vec(prop::collection::vec((0..20_i64, 0..20_i64), 3..8), 1..8),
        ) {
            let point = |(x, y): &(i64, i64)| Point::new(*x, *y);
            let rings: Vec<Ring> = rings.iter().map(|ring| ring.iter().map(point).collect()).collect();
            let pieces = cut((0..).zip(&rings));
            let across = |below: &u32, pieces: &[Piece]| pieces.iter().fold(*below, |owners, piece| owners ^ 1 << piece.owner);
            let mut found = Vec::new();
            sides(&pieces, &0, across, |along, below, above| found.push((along[0], *below, *above)));
            prop_assert_eq!(found.len(), pieces.chunk_by(Piece::is_along).count());
            for (piece, below, above) in found {
                prop_assert_ne!(below, above);
                for owner in (0..rings.len() as u32).filter(|_| !piece.is_vertical()) {
                    let has_edge = pieces.iter().any(|other| other.owner == owner && other.is_along(&piece));
                    prop_assert_eq!(above >> owner & 1 == 1, is_above(&pieces, owner, &piece));
                    prop_assert_eq!(below >> owner & 1 == 1, is_above(&pieces, owner, &piece) != has_edge);
                }
            }
        }
    }
}
