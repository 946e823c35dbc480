//! The price of one diagram.

use serde::{Deserialize, Serialize};

use crate::geometry::Measure;
use crate::model::{CostOverride, DiagramKind};

/// Where the rate of a diagram came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RateSource {
    /// The diagram's own whole amount; there is no rate.
    Total,
    /// A policy: nothing is built, nothing is paid.
    Policy,
    /// The diagram's own rate.
    Override,
    /// The system's cost.
    System,
}

/// Where the area and length of a diagram came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AreaSource {
    /// Measured on the geometry.
    Geometry,
    /// The service's own figures: the diagram has no geometry.
    Service,
    /// Neither geometry nor figures are there.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Per hectare, or per kilometre of a diagram with lines only.
    pub rate: Option<f64>,
    pub rate_source: RateSource,
    pub cost: f64,
}

/// Prices a diagram. `None` where its system's cost is wanted and there is none. A diagram of unknown kind is priced as a
/// project: a wrong cost of 0 would go unseen.
pub fn price(kind: Option<DiagramKind>, own: CostOverride, of_system: Option<f64>, measure: Measure) -> Option<Price> {
    let (rate, rate_source) = match (own, kind) {
        (CostOverride::Total(cost), _) => return Some(Price { rate: None, rate_source: RateSource::Total, cost }),
        (_, Some(DiagramKind::Policy)) => {
            return Some(Price { rate: None, rate_source: RateSource::Policy, cost: 0.0 });
        }
        (CostOverride::PerHectare(rate), _) => (rate, RateSource::Override),
        (CostOverride::None, _) => (of_system?, RateSource::System),
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

    fn cost(kind: Option<DiagramKind>, own: CostOverride, measure: Measure) -> f64 {
        price(kind, own, SYSTEM_COST, measure).unwrap().cost
    }

    #[test]
    fn a_total_is_the_cost_of_a_policy_too() {
        for kind in [PROJECT, POLICY, None] {
            assert_eq!(cost(kind, CostOverride::from_wire(900.0, "total"), hectares(3.0)), 900.0);
        }
    }

    #[test]
    fn a_policy_without_a_total_costs_nothing() {
        for own in [CostOverride::None, CostOverride::PerHectare(9.0), CostOverride::from_wire(0.0, "total")] {
            assert_eq!(cost(POLICY, own, hectares(3.0)), 0.0);
        }
    }

    #[test]
    fn an_override_of_any_other_type_is_a_rate() {
        for kind in ["per hectare.", "", "unit"] {
            assert_eq!(cost(PROJECT, CostOverride::from_wire(20.0, kind), hectares(3.0)), 60.0);
        }
    }

    #[test]
    fn without_an_override_the_system_has_the_rate() {
        let price = price(PROJECT, CostOverride::from_wire(0.0, "total"), SYSTEM_COST, hectares(3.0)).unwrap();
        assert_eq!(price, Price { rate: Some(50.0), rate_source: RateSource::System, cost: 150.0 });
    }

    #[test]
    fn lines_count_where_there_is_no_area() {
        let lines = Measure { square_metres: 0.0, metres: 7_000.0 };
        assert_eq!(cost(PROJECT, CostOverride::None, lines), 350.0);
    }

    #[test]
    fn a_system_without_cost_matters_only_where_it_sets_the_rate() {
        let priced = |kind, own| price(kind, own, None, hectares(1.0)).is_some();
        assert!(!priced(PROJECT, CostOverride::None));
        assert!(priced(POLICY, CostOverride::None) && priced(PROJECT, CostOverride::PerHectare(1.0)));
    }
}
