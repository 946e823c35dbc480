//! Places that designs change: the number of designs that change each, and the system that most of them have there.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::land::Land;
use super::overlay::Lands;
use super::places::{Choices, by_kind};

/// Share of a layer's land: smaller overlaps come from rounded borders.
const MAX_OVERLAP: f64 = 1e-9;

/// Choices of designs for a place. Ordered by the number of designs with any system there, most first, then by system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Votes {
    /// Number of designs with any system there.
    pub designs: Reverse<usize>,
    /// The system that most designs have, the first one if several are equal.
    pub system: usize,
    /// Number of designs with that system.
    pub votes: Reverse<usize>,
    /// True if another system has as many designs.
    pub is_tied: bool,
}

/// All places with the same votes.
#[derive(Debug)]
pub struct Voted {
    pub votes: Votes,
    pub square_metres: f64,
}

/// Diagrams that the same designs have for the same system.
struct Layers {
    /// The layer of each row.
    of_row: Vec<usize>,
    /// Square metres to add per square step: the diagrams' own areas, less their area as one map, where corners of others bend edges.
    missing: Vec<f64>,
}

impl Lands {
    /// Returns the votes and the land of all places. Rows are diagrams of one map, which measure `all` square metres.
    pub fn consensus(&self, all: &[f64], choices: Choices<'_>) -> (Vec<Voted>, Self) {
        let map = self.as_map();
        let layers = Layers::of(&map, all, choices);
        let mut missing: BTreeMap<Votes, f64> = BTreeMap::new();
        let kinds = |rows: &[usize]| votes(&choices.of(rows)).into_iter().collect();
        let found = by_kind(map.lands(), kinds, |piece, sides| {
            // Between the piece and a line through the middle of the plane, in square steps.
            let area = (piece.from.y + piece.to.y) as f64 / 2.0 * (piece.to.x - piece.from.x) as f64;
            for (place, area) in sides.into_iter().zip([area, -area]) {
                if let Some(votes) = place.kinds.first() {
                    *missing.entry(*votes).or_default() += area * layers.missing_in(&place.rows);
                }
            }
        });
        let (votes, lands): (Vec<Votes>, Vec<Land>) = found.into_iter().unzip();
        let lands = self.with(lands.into_iter().map(Land::without_slivers).collect());
        let areas = lands.square_metres();
        let voted = |(votes, area)| Voted { votes, square_metres: area + missing[&votes] };
        (votes.into_iter().zip(areas).map(voted).collect(), lands)
    }
}

impl Layers {
    fn of(map: &Lands, all: &[f64], choices: Choices<'_>) -> Self {
        let mut layers: BTreeMap<(usize, &[usize]), Vec<usize>> = BTreeMap::new();
        for (row, designs) in choices.designs.iter().enumerate() {
            layers.entry((choices.systems[row], designs)).or_default().push(row);
        }
        let layers: Vec<Vec<usize>> = layers.into_values().collect();
        let mut of_row = vec![0; map.len()];
        layers.iter().enumerate().for_each(|(layer, rows)| rows.iter().for_each(|row| of_row[*row] = layer));
        let (areas, united) = (map.square_metres(), map.united(&layers).square_metres());
        let missing = layers.iter().zip(united).map(|(rows, united)| {
            let sum = |of: &dyn Fn(usize) -> f64| rows.iter().map(|row| of(*row)).sum::<f64>();
            let bent = sum(&|row| areas[row]);
            // Overlapping diagrams have the area of their union.
            let are_apart = (bent - united).abs() <= MAX_OVERLAP * bent;
            let steps = sum(&|row| map.lands()[row].square_steps());
            if are_apart && steps > 0.0 { (sum(&|row| all[row]) - bent) / steps } else { 0.0 }
        });
        Layers { missing: missing.collect(), of_row }
    }

    /// Returns the square metres to add per square step of a place of these rows: the mean of its layers.
    fn missing_in(&self, rows: &[usize]) -> f64 {
        let mut layers: Vec<usize> = rows.iter().map(|row| self.of_row[*row]).collect();
        layers.sort_unstable();
        layers.dedup();
        layers.iter().map(|layer| self.missing[*layer]).sum::<f64>() / layers.len() as f64
    }
}

/// Returns the votes for a place, given its pairs of a system and a design that has it.
fn votes(chosen: &[(usize, usize)]) -> Option<Votes> {
    let by_system = chosen.chunk_by(|(one, _), (other, _)| one == other);
    let by_system = by_system.map(|of_system| (of_system[0].0, of_system.len()));
    let (system, most) = by_system.clone().max_by_key(|(system, votes)| (*votes, Reverse(*system)))?;
    let is_tied = by_system.filter(|(_, votes)| *votes == most).count() > 1;
    let mut designs: Vec<usize> = chosen.iter().map(|(_, design)| *design).collect();
    designs.sort_unstable();
    designs.dedup();
    Some(Votes { designs: Reverse(designs.len()), system, votes: Reverse(most), is_tied })
}
