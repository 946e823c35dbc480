//! Places that designs change: in how many of them each is changed, and which system most of them have there.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::land::Land;
use super::overlay::Lands;
use super::places::{Choices, by_kind};

/// Of the land of a layer: what rounding makes of borders in common is no overlap.
const MAX_OVERLAP: f64 = 1e-9;

/// What designs have in a place. In order: where most of them have something comes first, then the first system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Votes {
    /// How many designs have any system there.
    pub designs: Reverse<usize>,
    /// The system that most of them have, the first of those with as many.
    pub system: usize,
    /// How many designs have it.
    pub votes: Reverse<usize>,
    /// Whether as many have another one.
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
    /// The one of each row.
    of_row: Vec<usize>,
    /// For each square step, the square metres that its diagrams have and their land as one map has not: corners of others bend its edges.
    missing: Vec<f64>,
}

impl Lands {
    /// The places of each kind of votes, and their land, where rows are diagrams of one map, which measure `all` square metres.
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
            // Where diagrams overlap, it is their union that has an area.
            let are_apart = (bent - united).abs() <= MAX_OVERLAP * bent;
            let steps = sum(&|row| map.lands()[row].square_steps());
            if are_apart && steps > 0.0 { (sum(&|row| all[row]) - bent) / steps } else { 0.0 }
        });
        Layers { missing: missing.collect(), of_row }
    }

    /// In each square step of a place of these rows: the mean of its layers.
    fn missing_in(&self, rows: &[usize]) -> f64 {
        let mut layers: Vec<usize> = rows.iter().map(|row| self.of_row[*row]).collect();
        layers.sort_unstable();
        layers.dedup();
        layers.iter().map(|layer| self.missing[*layer]).sum::<f64>() / layers.len() as f64
    }
}

/// What is chosen most often, of systems with a design each.
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
