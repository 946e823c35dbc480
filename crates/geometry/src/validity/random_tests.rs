//! Random polygons, on which the sweep must agree with plain code that compares all pairs of edges in integers.

use proptest::prelude::*;

use super::InvalidGeometry::*;
use super::*;
use crate::{Geometry, Shape, ShapeKind};

type Corners = Vec<(i64, i64)>;
type Side = [(i64, i64); 2];

/// Integers so small that most rings touch, overlap or repeat positions. They are even, so that the middle of an edge is an integer.
fn corners(grid: i64, count: std::ops::Range<usize>) -> impl Strategy<Value = Corners> {
    prop::collection::vec((0..=grid, 0..=grid).prop_map(|(x, y)| (2 * x, 2 * y)), count)
}

/// A rectangle or a diamond: such rings do not cross themselves, and often share edges or touch.
fn simple_corners(grid: i64) -> impl Strategy<Value = Corners> {
    (0..grid, 0..grid, 1..=3i64, 1..=3i64, any::<bool>(), any::<bool>()).prop_map(
        |(x, y, width, height, is_diamond, flip)| {
            let (west, south, east, north) = (4 * x, 4 * y, 4 * (x + width), 4 * (y + height));
            let (middle, center) = ((west + east) / 2, (south + north) / 2);
            let diamond = vec![(west, center), (middle, south), (east, center), (middle, north)];
            let rectangle = vec![(west, south), (east, south), (east, north), (west, north)];
            let mut ring = if is_diamond { diamond } else { rectangle };
            if flip {
                ring.reverse();
            }
            ring
        },
    )
}

fn multi_polygon(polygons: &[Vec<Corners>]) -> Geometry {
    let mut shape = Shape::empty(ShapeKind::MultiPolygon);
    for rings in polygons {
        for ring in rings {
            let closed = ring.iter().chain(&ring[..1]);
            shape.ordinates.extend(closed.flat_map(|(x, y)| [*x as f64, *y as f64]));
            shape.line_ends.push(shape.positions());
        }
        shape.polygon_ends.push(shape.line_ends.len());
    }
    Geometry::Shape(shape)
}

/// The kinds of faults that plain code distinguishes, and the part or ring that has the fault.
#[derive(Debug, PartialEq)]
enum Fault {
    TooShort(usize),
    CrossesItself(usize),
    Rings,
    Parts,
}

fn fault_by_sweep(polygons: &[Vec<Corners>]) -> Option<Fault> {
    match check(&multi_polygon(polygons)) {
        Ok(()) => None,
        Err(TooShort { component, .. }) => Some(Fault::TooShort(component.ring?)),
        Err(CrossesItself { component, .. }) => Some(Fault::CrossesItself(component.ring?)),
        Err(PartsOverlap { .. } | PartsShareEdge { .. }) => Some(Fault::Parts),
        Err(_) => Some(Fault::Rings),
    }
}

fn fault_by_pairs(polygons: &[Vec<Corners>]) -> Option<Fault> {
    let polygons: Vec<Vec<_>> = polygons.iter().map(|rings| rings.iter().map(ring_edges).collect()).collect();
    let own_fault = |rings: &Vec<Vec<Side>>| {
        let found = rings.iter().enumerate().find_map(|(index, ring)| ring_fault(index, ring));
        found.or_else(|| (!rings_fit(rings)).then_some(Fault::Rings))
    };
    polygons.iter().find_map(own_fault).or_else(|| (!parts_fit(&polygons)).then_some(Fault::Parts))
}

fn ring_fault(index: usize, edges: &[Side]) -> Option<Fault> {
    if edges.len() < 3 {
        return Some(Fault::TooShort(index));
    }
    for (first, a) in edges.iter().enumerate() {
        for (second, b) in edges.iter().enumerate().skip(first + 1) {
            let follows = |from: usize, to: usize| (from + 1) % edges.len() == to;
            let simple = match (follows(first, second), follows(second, first)) {
                (true, _) => !turns_back(a, b),
                (_, true) => !turns_back(b, a),
                _ => !meets(a, b),
            };
            if !simple {
                return Some(Fault::CrossesItself(index));
            }
        }
    }
    None
}

/// True if holes lie in the exterior, do not overlap, and leave the interior connected.
fn rings_fit(rings: &[Vec<Side>]) -> bool {
    let holes = &rings[1..];
    let in_exterior =
        holes.iter().all(|hole| lies(hole, &rings[0]) == Some(true) && lies(&rings[0], hole) == Some(false));
    let beside =
        |a: usize, b: usize| lies(&holes[a], &holes[b]) == Some(false) && lies(&holes[b], &holes[a]) == Some(false);
    in_exterior && (0..holes.len()).all(|a| (0..a).all(|b| beside(a, b))) && !touches_close_a_circle(rings)
}

/// True if rings touch in a circle: the graph of their contacts is not a forest.
fn touches_close_a_circle(rings: &[Vec<Side>]) -> bool {
    let mut positions: Vec<_> = rings.iter().flatten().map(|side| side[0]).collect();
    positions.sort_unstable();
    positions.dedup();
    let touching =
        |at: (i64, i64)| (0..rings.len()).filter(move |ring| rings[*ring].iter().any(|side| meets(side, &[at, at])));
    let contacts: Vec<Vec<usize>> =
        positions.iter().map(|at| touching(*at).collect::<Vec<_>>()).filter(|rings| rings.len() > 1).collect();
    // The vertices of a graph are rings and contacts. A forest has as many edges as vertices less its number of trees.
    let mut tree: Vec<usize> = (0..rings.len()).collect();
    for contact in &contacts {
        for ring in contact {
            let (from, to) = (tree[*ring], tree[contact[0]]);
            tree.iter_mut().filter(|tree| **tree == from).for_each(|tree| *tree = to);
        }
    }
    let edges: usize = contacts.iter().map(Vec::len).sum();
    tree.sort_unstable();
    tree.dedup();
    edges + tree.len() != rings.len() + contacts.len()
}

/// True if no boundary of a part lies in the interior of another, and no two parts share an edge.
fn parts_fit(polygons: &[Vec<Vec<Side>>]) -> bool {
    polygons.iter().enumerate().all(|(index, part)| {
        let others = polygons.iter().enumerate().filter(|(other, _)| *other != index);
        others.map(|(_, other)| other).all(|other| part.iter().all(|ring| runs_outside(ring, other)))
    })
}

/// True if a ring lies outside a polygon's interior: beyond its exterior or in its holes.
fn runs_outside(ring: &[Side], polygon: &[Vec<Side>]) -> bool {
    let all = polygon.concat();
    !ring.iter().any(|a| all.iter().any(|b| crosses(a, b) || overlaps(a, b)))
        && middles(ring, &all)
            .into_iter()
            .all(|middle| polygon.iter().filter(|ring| contains(ring, middle)).count() % 2 == 0)
}

/// `Some(true)` if a ring lies inside another one, `Some(false)` outside; `None` if both or along it.
fn lies(ring: &[Side], other: &[Side]) -> Option<bool> {
    if ring.iter().any(|a| other.iter().any(|b| crosses(a, b) || overlaps(a, b))) {
        return None;
    }
    let inside: Vec<bool> = middles(ring, other).into_iter().map(|middle| contains(other, middle)).collect();
    inside.iter().all(|is_inside| *is_inside == inside[0]).then_some(inside[0])
}

/// The middles between the positions at which a ring touches another one.
fn middles(ring: &[Side], other: &[Side]) -> Vec<(i64, i64)> {
    ring.iter()
        .flat_map(|side| {
            let touches = other.iter().map(|other| other[0]).filter(|at| meets(side, &[*at, *at]));
            let mut positions: Vec<_> = side.iter().copied().chain(touches).collect();
            positions.sort_unstable();
            positions.dedup();
            positions
                .windows(2)
                .map(|pair| ((pair[0].0 + pair[1].0) / 2, (pair[0].1 + pair[1].1) / 2))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// True if a position, which is not on the ring, is inside: a ray to the east crosses an odd number of edges.
fn contains(ring: &[Side], at: (i64, i64)) -> bool {
    let passes = |[a, b]: &&Side| {
        let (south, north) = if a.1 < b.1 { (*a, *b) } else { (*b, *a) };
        south.1 <= at.1 && at.1 < north.1 && orientation(&[south, north], at) > 0
    };
    ring.iter().filter(passes).count() % 2 == 1
}

fn ring_edges(ring: &Corners) -> Vec<Side> {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(from, to)| [*from, *to]).filter(|[from, to]| from != to).collect()
}

fn orientation([a, b]: &Side, c: (i64, i64)) -> i64 {
    ((b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)).signum()
}

fn turns_back(a: &Side, b: &Side) -> bool {
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
    let separates = |a: &Side, b: &Side| orientation(a, b[0]) * orientation(a, b[1]) < 0;
    separates(a, b) && separates(b, a)
}

/// True if edges have more than one position in common.
fn overlaps(a: &Side, b: &Side) -> bool {
    let in_line = orientation(a, b[0]) == 0 && orientation(a, b[1]) == 0;
    let start = a.iter().min().max(b.iter().min());
    let end = a.iter().max().min(b.iter().max());
    in_line && start < end
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_sweep_finds_the_faults_of_a_ring_that_comparing_all_pairs_of_edges_finds(ring in corners(6, 1..10)) {
        let polygons = [vec![ring]];
        prop_assert_eq!(fault_by_sweep(&polygons), fault_by_pairs(&polygons));
    }

    #[test]
    fn the_sweep_finds_the_faults_between_rings_that_comparing_all_pairs_of_edges_finds(
        rings in prop::collection::vec(corners(8, 3..6), 1..4),
    ) {
        let exterior = vec![(-2, -2), (18, -2), (18, 18), (-2, 18)];
        let polygons = [std::iter::once(exterior).chain(rings.clone()).collect(), rings];
        prop_assert_eq!(fault_by_sweep(&polygons[..1]), fault_by_pairs(&polygons[..1]));
        prop_assert_eq!(fault_by_sweep(&polygons[1..]), fault_by_pairs(&polygons[1..]));
    }

    #[test]
    fn the_sweep_finds_the_faults_of_holes_that_comparing_all_pairs_of_edges_finds(
        holes in prop::collection::vec(simple_corners(5), 1..5),
    ) {
        let exterior = vec![(0, 0), (28, 0), (28, 28), (0, 28)];
        let polygons = [std::iter::once(exterior).chain(holes).collect()];
        prop_assert_eq!(fault_by_sweep(&polygons), fault_by_pairs(&polygons));
    }

    #[test]
    fn the_sweep_finds_the_faults_between_parts_that_comparing_all_pairs_of_edges_finds(
        parts in prop::collection::vec(prop::collection::vec(simple_corners(7), 1..3), 2..5),
    ) {
        prop_assert_eq!(fault_by_sweep(&parts), fault_by_pairs(&parts));
    }
}
