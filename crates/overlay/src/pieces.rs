//! Cuts the edges of many owners' rings into pieces wherever they meet, so that two pieces have at most ends in common.
//!
//! This is snap rounding (Hobby 1999, doi 10.1016/S0925-7721(99)00021-8). Around each end and each crossing is a hot square of one
//! step, and an edge through a hot square is moved through its middle. It moves by at most half a step and across no end, so nothing
//! has to be cut again.

use geodesign_common::parallel::map_chunks;

use super::{EdgeIndex, Point, Ring};

const MIN_EDGES_OF_A_THREAD: usize = 1_000;
/// In steps. No point of a square is further from its middle, even if edges are so long that floats are off by steps.
const NEAR: f64 = 4.0;
/// A product with a coordinate, which has 54 bits, then has at most 128.
const SHARE_BITS: u32 = 72;

/// A piece of an edge of an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The western end, or the lower one of a vertical piece.
    pub from: Point,
    pub to: Point,
    pub owner: u32,
}

impl Piece {
    fn new(from: Point, to: Point, owner: u32) -> Self {
        Piece { from: from.min(to), to: from.max(to), owner }
    }

    pub fn is_vertical(&self) -> bool {
        self.from.x == self.to.x
    }

    pub fn is_along(&self, other: &Self) -> bool {
        self.from == other.from && self.to == other.to
    }

    /// Above 0 for a point above the line of the piece: twice the area of the triangle between them.
    pub fn side(&self, point: Point) -> i128 {
        let [along, across] = [self.to, point].map(|at| [at.x - self.from.x, at.y - self.from.y].map(i128::from));
        along[0] * across[1] - along[1] * across[0]
    }

    /// True if it passes through a point's square between its ends. The square includes its western and southern border.
    fn passes(&self, Point { x, y }: Point) -> bool {
        let [south, north] = [self.from.y.min(self.to.y), self.from.y.max(self.to.y)];
        if x < self.from.x || x > self.to.x || y < south || y > north {
            return false;
        }
        let reach = i128::from(self.to.x - self.from.x) + i128::from(north - south);
        let twice = 2 * self.side(Point::new(x, y));
        // A falling line may touch the south-western corner.
        twice.abs() < reach || (twice == reach && self.to.y < self.from.y)
    }

    /// Returns the middle of the square in which it crosses another piece.
    fn crossing(&self, other: &Self) -> Option<Point> {
        let are_apart = |one: i128, two: i128| one.signum() * two.signum() >= 0;
        if are_apart(other.side(self.from), other.side(self.to)) {
            return None;
        }
        let [from, to] = [self.side(other.from), self.side(other.to)];
        if are_apart(from, to) {
            return None;
        }
        // As many digits as fit into the products: far more than a step needs.
        let whole = (from - to).abs();
        let shift = (i128::BITS - whole.leading_zeros()).saturating_sub(SHARE_BITS);
        let [part, whole] = [from.abs() >> shift, whole >> shift];
        let between = |from: i64, to: i64| from + (i128::from(to - from) * part + whole / 2).div_euclid(whole) as i64;
        let [x, y] = [between(other.from.x, other.to.x), between(other.from.y, other.to.y)];
        // Rounding may have led to a neighbouring square.
        let squares = [0, -1, 1].into_iter().flat_map(|east| [0, -1, 1].map(|north| Point::new(x + east, y + north)));
        squares.into_iter().find(|square| self.passes(*square) && other.passes(*square))
    }

    fn in_floats(&self) -> [f64; 4] {
        [self.from.x, self.from.y, self.to.x, self.to.y].map(|ordinate| ordinate as f64)
    }
}

/// Returns the pieces of rings and their owners, in order. Coordinates are below 2^53.
pub fn cut<'r>(rings: impl IntoIterator<Item = (u32, &'r Ring)>) -> Vec<Piece> {
    cut_edges(rings.into_iter().flat_map(|(owner, ring)| {
        let ends = ring.iter().zip(ring.iter().cycle().skip(1));
        ends.map(move |(from, to)| (owner, [*from, *to]))
    }))
}

/// Does the same for single edges.
pub fn cut_edges(edges: impl IntoIterator<Item = (u32, [Point; 2])>) -> Vec<Piece> {
    let edges = merged(edges.into_iter().map(|(owner, [from, to])| Piece::new(from, to, owner)).collect());
    let edges: Vec<&[Piece]> = edges.chunk_by(Piece::is_along).collect();
    let mut stops = stops(&edges);
    let along = |edge: &Piece, at: Point| (at.x, if edge.from.y < edge.to.y { at.y } else { -at.y });
    stops.sort_unstable_by_key(|(edge, at)| (*edge, along(&edges[*edge as usize][0], *at)));
    let mut pieces = Vec::with_capacity(edges.len() + stops.len());
    let mut stops = stops.into_iter().peekable();
    for (edge, number) in edges.iter().zip(0..) {
        let mut from = edge[0].from;
        let mut add = |to: Point| {
            pieces.extend(edge.iter().map(|whole| Piece::new(from, to, whole.owner)));
            from = to;
        };
        while let Some((_, at)) = stops.next_if(|(edge, _)| *edge == number) {
            add(at);
        }
        add(edge[0].to);
    }
    merged(pieces)
}

/// Sorts pieces and drops pairs of equal ones: an owner has land on both sides of these, or on neither.
fn merged(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_unstable();
    let odd = pieces.chunk_by(Piece::eq).filter(|same| same.len() % 2 == 1 && same[0].from != same[0].to);
    odd.map(|same| same[0]).collect()
}

/// Returns the middles of hot squares that edges, by number, pass through between their ends.
fn stops(edges: &[&[Piece]]) -> Vec<(u32, Point)> {
    let index = EdgeIndex::new(edges.iter().map(|edge| edge[0].in_floats()));
    let mut hot = map_chunks(edges.len(), MIN_EDGES_OF_A_THREAD, |chunk| {
        let mut found = Vec::new();
        for number in chunk {
            let edge = &edges[number][0];
            found.extend([edge.from, edge.to]);
            index.meeting(edge.in_floats(), &mut |other| {
                let other = other as usize;
                found.extend((other > number).then(|| edge.crossing(&edges[other][0])).flatten());
            });
        }
        found
    });
    hot.sort_unstable();
    hot.dedup();
    map_chunks(hot.len(), MIN_EDGES_OF_A_THREAD, |chunk| {
        let mut found = Vec::new();
        for at in &hot[chunk] {
            index.near([at.x, at.y].map(|ordinate| ordinate as f64), NEAR, false, &mut |number| {
                let edge = &edges[number as usize][0];
                if *at != edge.from && *at != edge.to && edge.passes(*at) {
                    found.push((number, *at));
                }
            });
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Rings whose ends are so close that most of them are in squares of others, or that are long and nearly along each other.
    fn rings() -> impl Strategy<Value = Vec<Ring>> {
        let near = (0..12_i64, 0..12_i64);
        let far = ((-1..2_i64), (0..9_i64)).prop_map(|(x, y)| (x * (1 << 52), y - 4));
        let end = prop_oneof![4 => near, 1 => far].prop_map(|(x, y)| Point::new(x, y));
        prop::collection::vec(prop::collection::vec(end, 3..8), 1..8)
    }

    fn pieces_of(rings: &[Ring]) -> Vec<Piece> {
        cut((0..).zip(rings))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn pieces_have_no_more_than_ends_in_common(rings in rings()) {
            let pieces = pieces_of(&rings);
            for (at, one) in pieces.iter().enumerate() {
                for other in pieces[at + 1..].iter().filter(|other| !one.is_along(other)) {
                    prop_assert!(one.crossing(other).is_none(), "{one:?} {other:?}");
                    for (piece, end) in [(one, other.from), (one, other.to), (other, one.from), (other, one.to)] {
                        let is_inside = piece.side(end) == 0 && piece.from < end && end < piece.to;
                        prop_assert!(!is_inside, "{end:?} {piece:?}");
                    }
                }
            }
        }

        #[test]
        fn pieces_of_an_owner_are_closed_and_near_to_its_edges(rings in rings()) {
            let pieces = pieces_of(&rings);
            for (ring, owner) in rings.iter().zip(0..) {
                let edges: Vec<Piece> =
                    ring.iter().zip(ring.iter().cycle().skip(1)).map(|(a, b)| Piece::new(*a, *b, owner)).collect();
                let mut ends: Vec<Point> =
                    pieces.iter().filter(|piece| piece.owner == owner).flat_map(|piece| [piece.from, piece.to]).collect();
                ends.sort_unstable();
                for same in ends.chunk_by(Point::eq) {
                    prop_assert!(same.len() % 2 == 0, "{:?}", same[0]);
                    let is_end = |edge: &Piece| [edge.from, edge.to].contains(&same[0]);
                    prop_assert!(edges.iter().any(|edge| is_end(edge) || edge.passes(same[0])), "{:?}", same[0]);
                }
            }
        }
    }

    #[test]
    fn an_edge_within_half_a_step_of_an_end_goes_through_it() {
        let ring = |points: [[i64; 2]; 3]| points.map(|[x, y]| Point::new(x, y)).to_vec();
        let rings = [ring([[0, 0], [30, 1], [15, 60]]), ring([[20, 1], [25, -20], [15, -20]])];
        let found: Vec<[i64; 2]> =
            pieces_of(&rings).iter().filter(|piece| piece.owner == 0).map(|piece| [piece.to.x, piece.to.y]).collect();
        assert!(found.contains(&[20, 1]), "{found:?}");
        assert_eq!(found.len(), 4);
    }
}
