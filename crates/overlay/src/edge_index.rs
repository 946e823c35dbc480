//! Finds edges near points with a tree of boxes, made once for any number of points.

/// Number of boxes in one box of the next level.
const FAN: usize = 16;
/// An empty box: west, south, east, north.
const NOWHERE: [f64; 4] = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];

/// Edges from (x, y) to (x, y), straight in the plane.
pub struct EdgeIndex {
    /// Each edge and its number; nearby edges are stored together.
    edges: Vec<([f64; 4], u32)>,
    /// The boxes around each `FAN` edges, then around each `FAN` of those boxes, up to a single box.
    levels: Vec<Vec<[f64; 4]>>,
}

impl EdgeIndex {
    pub fn new(ends: impl Iterator<Item = [f64; 4]>) -> Self {
        let mut edges: Vec<_> = ends.zip(0..).collect();
        edges.sort_unstable_by(|(a, _), (b, _)| (a[0] + a[2]).total_cmp(&(b[0] + b[2])));
        let column = ((edges.len() * FAN) as f64).sqrt().ceil().max(1.0) as usize;
        for column in edges.chunks_mut(column) {
            column.sort_unstable_by(|(a, _), (b, _)| (a[1] + a[3]).total_cmp(&(b[1] + b[3])));
        }
        let boxes = |edges: &[([f64; 4], u32)]| around(edges.iter().map(|(ends, _)| box_of(ends)));
        let mut levels = vec![edges.chunks(FAN).map(boxes).collect::<Vec<_>>()];
        while let Some(lower) = levels.last().filter(|lower| lower.len() > 1) {
            levels.push(lower.chunks(FAN).map(|boxes| around(boxes.iter().copied())).collect());
        }
        EdgeIndex { edges, levels }
    }

    /// Calls `found` with the number of each edge within `distance` of a point. If `inside`, edges with an end within `distance` are
    /// left out.
    pub fn near(&self, point: [f64; 2], distance: f64, inside: bool, found: &mut impl FnMut(u32)) {
        let is_near_box = |bounds: &[f64; 4]| is_in_box(bounds, point, distance);
        self.search(self.levels.len(), 0, &is_near_box, &mut |ends, edge| {
            let is_beyond = inside && (is_end(&ends[..2], point, distance) || is_end(&ends[2..], point, distance));
            if !is_beyond && is_near(ends, point, distance) {
                found(edge);
            }
        });
    }

    /// Calls `found` with the number of each edge whose box meets the box of an edge with these ends.
    pub fn meeting(&self, ends: [f64; 4], found: &mut impl FnMut(u32)) {
        let own = box_of(&ends);
        self.search(self.levels.len(), 0, &|other| meet(&own, other), &mut |_, edge| found(edge));
    }

    /// Calls `found` with the edges in a box, if `is_wanted` accepts the boxes around them. Levels count from 1, from the edges
    /// upwards.
    fn search(
        &self,
        level: usize,
        row: usize,
        is_wanted: &impl Fn(&[f64; 4]) -> bool,
        found: &mut impl FnMut(&[f64; 4], u32),
    ) {
        let rows = |length: usize| row * FAN..((row + 1) * FAN).min(length);
        match level.checked_sub(1) {
            None => {
                let edges = &self.edges[rows(self.edges.len())];
                let wanted = edges.iter().filter(|(ends, _)| is_wanted(&box_of(ends)));
                wanted.for_each(|(ends, edge)| found(ends, *edge));
            }
            Some(level) => {
                let boxes = &self.levels[level];
                for row in rows(boxes.len()).filter(|row| is_wanted(&boxes[*row])) {
                    self.search(level, row, is_wanted, found);
                }
            }
        }
    }
}

fn meet(one: &[f64; 4], other: &[f64; 4]) -> bool {
    (other[0] <= one[2]) & (one[0] <= other[2]) & (other[1] <= one[3]) & (one[1] <= other[3])
}

fn is_in_box([west, south, east, north]: &[f64; 4], [x, y]: [f64; 2], distance: f64) -> bool {
    x >= west - distance && x <= east + distance && y >= south - distance && y <= north + distance
}

fn box_of(ends: &[f64; 4]) -> [f64; 4] {
    [ends[0].min(ends[2]), ends[1].min(ends[3]), ends[0].max(ends[2]), ends[1].max(ends[3])]
}

fn around(boxes: impl Iterator<Item = [f64; 4]>) -> [f64; 4] {
    boxes.fold(NOWHERE, |all, one| [all[0].min(one[0]), all[1].min(one[1]), all[2].max(one[2]), all[3].max(one[3])])
}

fn is_end(end: &[f64], [x, y]: [f64; 2], distance: f64) -> bool {
    (end[0] - x).hypot(end[1] - y) <= distance
}

fn is_near(ends: &[f64; 4], [x, y]: [f64; 2], distance: f64) -> bool {
    let (along_x, along_y) = (ends[2] - ends[0], ends[3] - ends[1]);
    let length2 = along_x * along_x + along_y * along_y;
    let share = ((x - ends[0]) * along_x + (y - ends[1]) * along_y) / length2;
    let share = if length2 > 0.0 { share.clamp(0.0, 1.0) } else { 0.0 };
    let (apart_x, apart_y) = (x - ends[0] - share * along_x, y - ends[1] - share * along_y);
    apart_x * apart_x + apart_y * apart_y <= distance * distance
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_edges_near_to_a_point_are_those_that_a_search_of_all_finds(
            edges in prop::collection::vec(prop::array::uniform4(0.0..1.0f64), 0..400),
            point in prop::array::uniform2(0.0..1.0f64),
            distance in 0.0..0.2f64,
        ) {
            let mut found = Vec::new();
            EdgeIndex::new(edges.iter().copied()).near(point, distance, false, &mut |edge| found.push(edge as usize));
            found.sort_unstable();
            let expected: Vec<_> = (0..edges.len()).filter(|edge| is_near(&edges[*edge], point, distance)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
