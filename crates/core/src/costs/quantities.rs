//! Floors of buildings, and the quantities that a system's projects bring for each hectare, square metre of floor, or piece.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{DiagramKind, Quantities, Quantity, QuantityUnit, Storeys};
use geodesign_geometry::{Measure, total};

/// Square metres of floor: the land of a diagram's polygons on each storey.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Floor {
    pub above_m2: f64,
    pub below_m2: f64,
}

impl Floor {
    /// The floor of a diagram. `None` if its storeys or its area are unknown. Policies, lines and points have none.
    pub fn of(kind: Option<DiagramKind>, storeys: Option<Storeys>, measure: Option<Measure>) -> Option<Self> {
        if kind == Some(DiagramKind::Policy) {
            return Some(Floor::default());
        }
        let land = measure?.square_metres;
        if land == 0.0 {
            return Some(Floor::default());
        }
        let storeys = storeys?;
        let on = |count: u32| land * f64::from(count);
        Some(Floor { above_m2: on(storeys.above_ground), below_m2: on(storeys.below_ground) })
    }
}

/// Amounts by the name of the quantity; null if an amount is unknown.
pub type Amounts = BTreeMap<String, Option<f64>>;

/// The amounts that a diagram brings of its system's quantities. A policy brings nothing.
pub fn amounts(
    quantities: &Quantities,
    kind: Option<DiagramKind>,
    floor: Option<Floor>,
    measure: Option<Measure>,
) -> Amounts {
    let of = |quantity: &Quantity| match kind {
        Some(DiagramKind::Policy) => Some(0.0),
        _ => extent(quantity.per, floor, measure).map(|extent| quantity.amount * extent),
    };
    quantities.iter().map(|(name, quantity)| (name.clone(), of(quantity))).collect()
}

fn extent(unit: QuantityUnit, floor: Option<Floor>, measure: Option<Measure>) -> Option<f64> {
    match unit {
        QuantityUnit::Hectare => measure.map(Measure::hectares),
        QuantityUnit::FloorM2 => floor.map(|floor| floor.above_m2 + floor.below_m2),
        QuantityUnit::Piece => measure.map(|measure| measure.pieces as f64),
    }
}

/// A quantity of a system: the sum over its priced diagrams, and its target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SystemAmount {
    /// The sum of all known amounts.
    pub amount: f64,
    /// The number of diagrams whose amount is unknown, and therefore not part of `amount`.
    pub unknown: i64,
    /// The amount that the system should reach; null if it has no target.
    pub target: Option<f64>,
    /// True if `amount` reaches the target. Null if there is no target, or if an unknown amount may decide.
    pub target_met: Option<bool>,
}

/// The quantities of a system, summed over its diagrams.
pub(super) fn sums(targets: &BTreeMap<String, Option<f64>>, own: &[&Amounts]) -> BTreeMap<String, SystemAmount> {
    let sum = |(name, target): (&String, &Option<f64>)| {
        let amounts = || own.iter().filter_map(|amounts| amounts.get(name));
        let amount = total(amounts().filter_map(|amount| *amount));
        let unknown = amounts().filter(|amount| amount.is_none()).count() as i64;
        let is_met = target.map(|target| amount >= target);
        let target_met = is_met.filter(|_| unknown == 0);
        (name.clone(), SystemAmount { amount, unknown, target: *target, target_met })
    };
    targets.iter().map(sum).collect()
}

/// The targets of a system's quantities.
pub(super) fn targets(quantities: &Quantities) -> BTreeMap<String, Option<f64>> {
    quantities.iter().map(|(name, quantity)| (name.clone(), quantity.target)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECT: Option<DiagramKind> = Some(DiagramKind::Project);
    const POLICY: Option<DiagramKind> = Some(DiagramKind::Policy);
    const BLOCKS: Option<Storeys> = Some(Storeys { above_ground: 5, below_ground: 1 });

    fn measured(square_metres: f64, pieces: u64) -> Option<Measure> {
        Some(Measure { square_metres, metres: 0.0, pieces })
    }

    #[test]
    fn floor_is_the_land_on_each_storey() {
        let floor = Floor::of(PROJECT, BLOCKS, measured(4_800.0, 0));
        assert_eq!(floor, Some(Floor { above_m2: 24_000.0, below_m2: 4_800.0 }));
    }

    #[test]
    fn floor_is_unknown_without_storeys_or_area() {
        assert_eq!(Floor::of(PROJECT, None, measured(4_800.0, 0)), None);
        assert_eq!(Floor::of(PROJECT, BLOCKS, None), None);
    }

    #[test]
    fn policies_and_points_have_no_floor() {
        assert_eq!(Floor::of(POLICY, None, None), Some(Floor::default()));
        assert_eq!(Floor::of(PROJECT, None, measured(0.0, 3)), Some(Floor::default()));
    }

    #[test]
    fn an_amount_is_for_each_unit_and_null_where_the_unit_is_unknown() {
        let quantity = |amount, per| Quantity { amount, per, target: None };
        let quantities = Quantities::from([
            ("homes".to_owned(), quantity(0.0125, QuantityUnit::FloorM2)),
            ("jobs".to_owned(), quantity(40.0, QuantityUnit::Hectare)),
            ("trees".to_owned(), quantity(1.0, QuantityUnit::Piece)),
        ]);
        let of = |kind, storeys| {
            let land = measured(4_000.0, 7);
            amounts(&quantities, kind, Floor::of(kind, storeys, land), land).into_values().collect::<Vec<_>>()
        };
        assert_eq!(of(PROJECT, BLOCKS), [Some(300.0), Some(16.0), Some(7.0)]);
        assert_eq!(of(PROJECT, None), [None, Some(16.0), Some(7.0)]);
        assert_eq!(of(POLICY, BLOCKS), [Some(0.0); 3]);
    }
}
