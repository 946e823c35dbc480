//! Land by the classes of a map.

use super::geodesic::total;
use super::overlay::Lands;
use geodesign_common::parallel::map_chunks;

/// Area that may come from rounding: a fraction of the total, and square metres.
const ROUNDING: f64 = 1e-9;
const ROUNDING_SQUARE_METRES: f64 = 1e-4;

/// Square metres of a land on the classes of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct LandInClasses {
    pub all: f64,
    /// Square metres in each class. Where two classes overlap, both count.
    pub classes: Vec<f64>,
    /// Square metres in no class.
    pub outside: f64,
}

impl Lands {
    /// Divides the first rows, which measure `all` square metres, by the classes of a map. The other rows are the map's areas:
    /// `class_of` has the class of each, a number below `classes`.
    pub fn in_classes(&self, all: &[f64], class_of: &[usize], classes: usize) -> Vec<LandInClasses> {
        let map = all.len();
        let mut near = vec![Vec::new(); map];
        for (row, area) in self.near(u32::try_from(map).ok()) {
            near[row as usize].push(area as usize);
        }
        let of_row = |row: usize| {
            let mut by_class = vec![Vec::new(); classes];
            near[row].iter().for_each(|area| by_class[class_of[area - map]].push(*area));
            self.row_in_classes((row, all[row]), &near[row], &by_class)
        };
        map_chunks(map, 1, |rows| rows.map(of_row).collect())
    }

    fn row_in_classes(&self, (row, all): (usize, f64), near: &[usize], by_class: &[Vec<usize>]) -> LandInClasses {
        // Corners of the map on an edge of a land split it into several geodesics.
        let bent = self.square_metres_beside(row, near);
        let scale = if bent > 0.0 { all / bent } else { 1.0 };
        let on = |areas: &[usize]| if areas.is_empty() { 0.0 } else { scale * self.shared_with(row, areas) };
        let mut classes: Vec<f64> = by_class.iter().map(|areas| on(areas)).collect();
        let (each, together) = (total(classes.iter().copied()), on(near));
        // Overlaps of classes, and land outside, are ignored if rounding can explain them.
        let rounding = ROUNDING * all + ROUNDING_SQUARE_METRES;
        let covered = if each - together <= rounding { each } else { together };
        let outside = all - covered;
        if covered > 0.0 && outside <= rounding {
            classes.iter_mut().for_each(|area| *area *= all / covered);
            return LandInClasses { all, classes, outside: 0.0 };
        }
        LandInClasses { all, classes, outside }
    }
}
