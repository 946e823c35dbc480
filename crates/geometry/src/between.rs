//! Land that two designs give to different systems.

use super::land::Land;
use super::overlay::Lands;
use super::places::{Choices, by_kind};

impl Lands {
    /// Returns the land between the systems of each pair, and in a last row the land of all pairs together. The first rows of `self`
    /// are diagrams.
    pub fn between(&self, pairs: &[[usize; 2]], choices: Choices<'_>) -> Self {
        let rows: Vec<usize> = (0..choices.systems.len()).collect();
        if !self.have_corners_on_edges(&rows) {
            return self.with(between(&self.lands()[..rows.len()], pairs, choices));
        }
        // Corners of a third system do not bend edges.
        let of_pair = |pair: &[usize; 2]| {
            let rows: Vec<usize> = rows.iter().copied().filter(|row| pair.contains(&choices.systems[*row])).collect();
            let (systems, designs): (Vec<usize>, Vec<Vec<usize>>) =
                rows.iter().map(|row| (choices.systems[*row], choices.designs[*row].clone())).unzip();
            let choices = Choices { systems: &systems, designs: &designs };
            between(self.rows(&rows).as_map().lands(), &[*pair], choices).swap_remove(0)
        };
        let mut found: Vec<Land> = pairs.iter().map(of_pair).collect();
        let together = by_kind(&found, |rows| vec![(); rows.len().min(1)], |_, _| ());
        found.push(together.into_iter().map(|(_, land)| land).next().unwrap_or_default());
        self.with(found)
    }
}

/// Does the same if all rows are diagrams of one map.
fn between(lands: &[Land], pairs: &[[usize; 2]], choices: Choices<'_>) -> Vec<Land> {
    let kinds = |rows: &[usize]| {
        let chosen = choices.of(rows);
        let by_system: Vec<&[(usize, usize)]> = chosen.chunk_by(|(one, _), (other, _)| one == other).collect();
        let designs_of = |system: usize| by_system.iter().find(|of_system| of_system[0].0 == system);
        let is_between = |[one, other]: [usize; 2]| match (designs_of(one), designs_of(other)) {
            (Some([(_, one)]), Some([(_, other)])) => one != other,
            (one, other) => one.is_some() && other.is_some(),
        };
        let mut kinds: Vec<usize> = (0..pairs.len()).filter(|pair| is_between(pairs[*pair])).collect();
        kinds.extend((!kinds.is_empty()).then_some(pairs.len()));
        kinds
    };
    let mut found = vec![Land::default(); pairs.len() + 1];
    for (kind, land) in by_kind(lands, kinds, |_, _| ()) {
        found[kind] = land;
    }
    found
}
