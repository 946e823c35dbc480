//! The price of one diagram, by the rules in the [module's documentation](super).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::{CostOverride, DiagramKind};
use geodesign_geometry::Measure;

/// The rule that decided the cost of a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum RateSource {
    /// The diagram's override is its cost. There is no rate.
    Total,
    /// The diagram is a policy, which costs nothing. There is no rate.
    Policy,
    /// The diagram's override is the rate.
    Override,
    /// The cost of the diagram's system is the rate, if the system has one.
    System,
    /// No rule was applied: a value of the diagram is wrong, or could not be read.
    Unknown,
}

/// The origin of a diagram's area and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum AreaSource {
    /// They were measured on the geometry.
    Geometry,
    /// They were measured on the geometries of its file on another server.
    External,
    /// They are the service's own figures, because the diagram has no geometry.
    Service,
    /// They are unknown: the diagram has neither a geometry nor figures of the service, such as one whose geometries are in a file
    /// elsewhere; or its geometry has no reliable ones: points, metres, a polygon around the whole Earth.
    Unknown,
}

/// The unit of a rate: money per hectare; per kilometre of a diagram of lines only; for each piece of one of points only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateUnit {
    Hectare,
    Kilometre,
    Piece,
}

/// Displays how many lines or diagrams of points were priced at an area rate.
pub struct AtAreaRate {
    pub count: i64,
    pub unit: RateUnit,
}

impl AtAreaRate {
    /// The lines and the diagrams of points, if there are any.
    pub fn of(lines: i64, points: i64) -> impl Iterator<Item = Self> {
        let all = [(lines, RateUnit::Kilometre), (points, RateUnit::Piece)];
        all.into_iter().filter(|(count, _)| *count > 0).map(|(count, unit)| AtAreaRate { count, unit })
    }
}

impl fmt::Display for AtAreaRate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let s = if self.count == 1 { "" } else { "s" };
        match self.unit {
            RateUnit::Piece => write!(f, "{} diagram{s} of points priced by the piece", self.count)?,
            _ => write!(f, "{} line{s} priced per kilometre", self.count)?,
        }
        f.write_str(" at a rate per hectare")
    }
}

/// The price of a diagram. Money is in the project's currency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Money per hectare; per kilometre if the diagram has no area, and of each piece if it has only points.
    pub rate: Option<f64>,
    pub rate_source: RateSource,
    /// Money. `None` if the rate or the extent that it multiplies is unknown, or if the amount is higher than any real cost.
    pub cost: Option<f64>,
}

/// Upper limit of a cost; no real cost is higher. Sums of higher amounts would overflow and could not be compared.
const MAX_COST: f64 = 1e100;

/// Prices a diagram. `measure` is `None` if its area and length are not known. A diagram of unknown kind is priced as a project: if it were
/// priced as a policy by mistake, its cost of 0 would go unnoticed.
pub fn price(
    kind: Option<DiagramKind>,
    cost_override: CostOverride,
    system_cost: Option<f64>,
    measure: Option<Measure>,
) -> Price {
    let (rate, rate_source) = match (cost_override, kind) {
        (CostOverride::Total(cost), _) => {
            return Price { rate: None, rate_source: RateSource::Total, cost: credible(cost) };
        }
        (_, Some(DiagramKind::Policy)) => {
            return Price { rate: None, rate_source: RateSource::Policy, cost: Some(0.0) };
        }
        (CostOverride::PerHectare(rate) | CostOverride::PerKilometre(rate) | CostOverride::PerPiece(rate), _) => {
            (Some(rate), RateSource::Override)
        }
        (CostOverride::None, _) => (system_cost, RateSource::System),
    };
    Price { rate, rate_source, cost: cost_at(rate, measure.map(extent)) }
}

/// Returns the cost of an extent (hectares, kilometres or pieces) at a rate. `None` if one of them is unknown and may matter.
pub fn cost_at(rate: Option<f64>, extent: Option<f64>) -> Option<f64> {
    match (rate, extent) {
        // At any extent.
        (Some(0.0), _) => Some(0.0),
        (rate, extent) => rate.zip(extent).and_then(|(rate, extent)| credible(rate * extent)),
    }
}

fn credible(cost: f64) -> Option<f64> {
    Some(cost).filter(|cost| cost.abs() <= MAX_COST)
}

/// Returns the extent that a rate multiplies: hectares; kilometres if there is no area; pieces if there are no lines either.
fn extent(measure: Measure) -> f64 {
    match measure {
        Measure { square_metres, .. } if square_metres > 0.0 => measure.hectares(),
        Measure { metres, .. } if metres > 0.0 => measure.kilometres(),
        Measure { pieces, .. } => pieces as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::InvalidOverride;

    const PROJECT: Option<DiagramKind> = Some(DiagramKind::Project);
    const POLICY: Option<DiagramKind> = Some(DiagramKind::Policy);
    const SYSTEM_COST: Option<f64> = Some(50.0);

    fn hectares(hectares: f64) -> Measure {
        Measure { square_metres: hectares * 10_000.0, metres: 7_000.0, pieces: 3 }
    }

    fn cost(kind: Option<DiagramKind>, cost_override: CostOverride, measure: Measure) -> f64 {
        price(kind, cost_override, SYSTEM_COST, Some(measure)).cost.unwrap()
    }

    #[test]
    fn a_total_override_is_the_cost_of_any_kind_of_diagram() {
        for kind in [PROJECT, POLICY, None] {
            assert_eq!(cost(kind, CostOverride::Total(900.0), hectares(3.0)), 900.0);
        }
    }

    #[test]
    fn an_amount_that_nothing_costs_is_not_known() {
        assert_eq!(price(PROJECT, CostOverride::Total(1e300), None, None).cost, None);
        assert_eq!(price(PROJECT, CostOverride::None, Some(1e308), Some(hectares(3.0))).cost, None);
    }

    #[test]
    fn a_policy_without_a_total_override_costs_nothing() {
        for cost_override in [CostOverride::None, CostOverride::PerHectare(9.0)] {
            assert_eq!(cost(POLICY, cost_override, hectares(3.0)), 0.0);
        }
    }

    #[test]
    fn an_override_of_another_type_is_a_rate_unless_the_type_names_another_unit() {
        for kind in ["per hectare.", "Per Hectare", "EUR/ha", "", "unit", "per unit", "per ha.", "hectares", "totally"]
        {
            let rate = CostOverride::from_wire(20.0, kind);
            assert_eq!(rate.map(|rate| cost(PROJECT, rate, hectares(3.0))), Ok(60.0), "{kind}");
        }
        for kind in ["per m2", "per m²", "USD/m2", "sqm", "per acre", "per year", "per ha and km", "per square metre"]
        {
            assert!(matches!(CostOverride::from_wire(20.0, kind), Err(InvalidOverride::Unit(_))), "{kind}");
        }
        assert_eq!(CostOverride::from_wire(5.0, "per km"), Ok(CostOverride::PerKilometre(5.0)));
        for kind in ["per piece", "each", "USD/item"] {
            assert_eq!(CostOverride::from_wire(5.0, kind), Ok(CostOverride::PerPiece(5.0)), "{kind}");
        }
        assert_eq!(CostOverride::from_wire(-5.0, "total"), Err(InvalidOverride::Negative(-5.0)));
    }

    #[test]
    fn an_override_of_a_type_that_says_total_in_other_words_is_the_cost() {
        for kind in ["total", " Total ", "total cost", "Lump sum", "lump-sum", "lumpsum", "project total", "sum"] {
            assert_eq!(CostOverride::from_wire(20.0, kind), Ok(CostOverride::Total(20.0)), "{kind}");
        }
        assert_eq!(CostOverride::from_wire(20.0, "total cost per hectare"), Ok(CostOverride::PerHectare(20.0)));
        assert!(CostOverride::from_wire(20.0, "lump sum for 3 acres").is_err());
    }

    #[test]
    fn without_an_override_the_rate_is_the_cost_of_the_system() {
        let price = price(PROJECT, CostOverride::None, SYSTEM_COST, Some(hectares(3.0)));
        assert_eq!(price, Price { rate: Some(50.0), rate_source: RateSource::System, cost: Some(150.0) });
    }

    #[test]
    fn a_diagram_without_area_costs_its_rate_for_each_kilometre() {
        let lines = Measure { square_metres: 0.0, metres: 7_000.0, pieces: 3 };
        assert_eq!(cost(PROJECT, CostOverride::None, lines), 350.0);
    }

    #[test]
    fn a_diagram_of_points_costs_its_rate_for_each_piece() {
        let trees = Measure { square_metres: 0.0, metres: 0.0, pieces: 40 };
        assert_eq!(cost(PROJECT, CostOverride::None, trees), 2_000.0);
        assert_eq!(cost(PROJECT, CostOverride::PerPiece(300.0), trees), 12_000.0);
        assert_eq!(cost(PROJECT, CostOverride::Total(900.0), trees), 900.0);
    }

    #[test]
    fn a_system_without_a_cost_leaves_only_the_diagrams_that_it_would_price_without_one() {
        let is_priced = |kind, cost_override| price(kind, cost_override, None, Some(hectares(1.0))).cost.is_some();
        assert!(!is_priced(PROJECT, CostOverride::None));
        assert!(is_priced(POLICY, CostOverride::None) && is_priced(PROJECT, CostOverride::PerHectare(1.0)));
    }

    #[test]
    fn a_diagram_of_unknown_size_has_a_cost_only_if_its_size_does_not_matter() {
        let cost = |kind, cost_override, system_cost| price(kind, cost_override, system_cost, None).cost;
        assert_eq!(cost(PROJECT, CostOverride::None, SYSTEM_COST), None);
        assert_eq!(cost(PROJECT, CostOverride::PerHectare(9.0), SYSTEM_COST), None);
        assert_eq!(cost(PROJECT, CostOverride::Total(9.0), SYSTEM_COST), Some(9.0));
        assert_eq!(cost(POLICY, CostOverride::PerHectare(9.0), SYSTEM_COST), Some(0.0));
        assert_eq!(cost(PROJECT, CostOverride::None, Some(0.0)), Some(0.0));
    }
}
