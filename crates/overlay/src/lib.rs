//! Overlays of polygons in whole numbers, maps of many of them, and edges near points. It is a separate crate so that it is compiled for
//! speed in development, too: `i_overlay` is generic, so its code is compiled where it is used.

mod edge_index;
mod pieces;
mod sides;

use std::collections::HashMap;

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::core::solver::Solver;
use i_overlay::i_float::int::point::IntPoint;

pub use edge_index::EdgeIndex;
pub use pieces::{Piece, cut, cut_edges};
pub use sides::sides;

pub type Point = IntPoint<i64>;
/// A closed ring without its first point repeated at the end.
pub type Ring = Vec<Point>;

/// The part of two lands that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    First,
    Both,
    FirstWithoutSecond,
}

/// Overlays two lands and returns the kept polygons: the exterior of each, counterclockwise, then its holes. A place is land if its
/// winding number is not 0.
pub fn overlaid<'r>(
    first: impl IntoIterator<Item = &'r Ring>,
    second: impl IntoIterator<Item = &'r Ring>,
    kept: Kept,
) -> Vec<Vec<Ring>> {
    overlay(&first.into_iter().collect::<Vec<_>>(), &second.into_iter().collect::<Vec<_>>(), kept)
}

fn overlay(first: &[&Ring], second: &[&Ring], kept: Kept) -> Vec<Vec<Ring>> {
    let rule = match kept {
        Kept::First => OverlayRule::Subject,
        Kept::Both => OverlayRule::Intersect,
        Kept::FirstWithoutSecond => OverlayRule::Difference,
    };
    let count = first.iter().chain(second).map(|ring| ring.len()).sum();
    let options = IntOverlayOptions { ogc: true, ..IntOverlayOptions::keep_all_points() };
    let mut overlay = Overlay::<i64>::new_custom(count, options, Solver::default());
    first.iter().for_each(|ring| overlay.add_contour(ring, ShapeType::Subject));
    second.iter().for_each(|ring| overlay.add_contour(ring, ShapeType::Clip));
    overlay.overlay(rule, FillRule::NonZero)
}

/// Returns the polygons with their land on the left of the edges. In each point, as many edges begin as end.
pub fn enclosed(edges: &[[Point; 2]]) -> Vec<Vec<Ring>> {
    let mut onward: HashMap<Point, Vec<Point>> = HashMap::with_capacity(edges.len());
    edges.iter().for_each(|[from, to]| onward.entry(*from).or_default().push(*to));
    let mut rings = Vec::new();
    for [start, _] in edges {
        let (mut ring, mut at) = (Vec::new(), *start);
        while let Some(next) = onward.get_mut(&at).and_then(Vec::pop) {
            ring.push(at);
            at = next;
        }
        rings.extend((!ring.is_empty()).then_some(ring));
    }
    overlaid(&rings, [], Kept::First)
}

/// Mean number of boxes (west, south, east, north) that meet a box, from a sample of `some` boxes.
pub fn mean_meetings(boxes: &[[f64; 4]], some: usize) -> f64 {
    let some = some.min(boxes.len());
    let mut met = 0_usize;
    for at in 0..some {
        let [west, south, east, north] = boxes[at * (boxes.len() - 1) / (some - 1).max(1)];
        for other in boxes {
            met += usize::from((other[0] <= east) & (west <= other[2]) & (other[1] <= north) & (south <= other[3]));
        }
    }
    met as f64 / some.max(1) as f64
}
