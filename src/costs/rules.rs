//! The price of one diagram, by the rules in the [module's documentation](super).

use serde::{Deserialize, Serialize};

use crate::geometry::Measure;
use crate::model::{CostOverride, DiagramKind};

/// The rule that decided the cost of a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RateSource {
    /// The diagram's override is its cost. There is no rate.
    Total,
    /// The diagram is a policy, which costs nothing. There is no rate.
    Policy,
    /// The diagram's override is the rate.
    Override,
    /// The cost of the diagram's system is the rate.
    System,
}

/// The origin of a diagram's area and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AreaSource {
    /// They were measured on the geometry.
    Geometry,
    /// They are the service's own figures, because the diagram has no geometry.
    Service,
    /// They are 0, because the diagram has neither a geometry nor figures of the service.
    None,
}

/// The price of a diagram. Money is in the project's currency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Money per hectare, or per kilometre if the diagram has no area.
    pub rate: Option<f64>,
    pub rate_source: RateSource,
    /// Money.
    pub cost: f64,
}

/// Prices a diagram. `None` if its rate is the cost of its system, and the system has no cost. A diagram of unknown
/// kind is priced as a project: if it were priced as a policy by mistake, nobody would notice the cost of 0.
pub fn price(
    kind: Option<DiagramKind>,
    cost_override: CostOverride,
    system_cost: Option<f64>,
    measure: Measure,
) -> Option<Price> {
    let (rate, rate_source) = match (cost_override, kind) {
        (CostOverride::Total(cost), _) => return Some(Price { rate: None, rate_source: RateSource::Total, cost }),
        (_, Some(DiagramKind::Policy)) => {
            return Some(Price { rate: None, rate_source: RateSource::Policy, cost: 0.0 });
        }
        (CostOverride::PerHectare(rate), _) => (rate, RateSource::Override),
        (CostOverride::None, _) => (system_cost?, RateSource::System),
    };
    let extent = if measure.square_metres > 0.0 { measure.hectares() } else { measure.kilometres() };
    Some(Price { rate: Some(rate), rate_source, cost: rate * extent })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROJECT: Option<DiagramKind> = Some(DiagramKind::Project);
    const POLICY: Option<DiagramKind> = Some(DiagramKind::Policy);
    const SYSTEM_COST: Option<f64> = Some(50.0);

    fn hectares(hectares: f64) -> Measure {
        Measure { square_metres: hectares * 10_000.0, metres: 7_000.0 }
    }

    fn cost(kind: Option<DiagramKind>, cost_override: CostOverride, measure: Measure) -> f64 {
        price(kind, cost_override, SYSTEM_COST, measure).unwrap().cost
    }

    #[test]
    fn a_total_override_is_the_cost_of_any_kind_of_diagram() {
        for kind in [PROJECT, POLICY, None] {
            assert_eq!(cost(kind, CostOverride::from_wire(900.0, "total"), hectares(3.0)), 900.0);
        }
    }

    #[test]
    fn a_policy_without_a_total_override_costs_nothing() {
        for cost_override in [CostOverride::None, CostOverride::PerHectare(9.0), CostOverride::from_wire(0.0, "total")]
        {
            assert_eq!(cost(POLICY, cost_override, hectares(3.0)), 0.0);
        }
    }

    #[test]
    fn an_override_of_any_other_type_is_a_rate() {
        for kind in ["per hectare.", "", "unit"] {
            assert_eq!(cost(PROJECT, CostOverride::from_wire(20.0, kind), hectares(3.0)), 60.0);
        }
    }

    #[test]
    fn without_an_override_the_rate_is_the_cost_of_the_system() {
        let price = price(PROJECT, CostOverride::from_wire(0.0, "total"), SYSTEM_COST, hectares(3.0)).unwrap();
        assert_eq!(price, Price { rate: Some(50.0), rate_source: RateSource::System, cost: 150.0 });
    }

    #[test]
    fn a_diagram_without_area_costs_its_rate_for_each_kilometre() {
        let lines = Measure { square_metres: 0.0, metres: 7_000.0 };
        assert_eq!(cost(PROJECT, CostOverride::None, lines), 350.0);
    }

    #[test]
    fn a_diagram_has_no_price_only_if_its_system_sets_the_rate_and_has_no_cost() {
        let is_priced = |kind, cost_override| price(kind, cost_override, None, hectares(1.0)).is_some();
        assert!(!is_priced(PROJECT, CostOverride::None));
        assert!(is_priced(POLICY, CostOverride::None) && is_priced(PROJECT, CostOverride::PerHectare(1.0)));
    }
}
