//! Reports under other rates, budgets and targets of the systems.

use std::collections::HashMap;

use super::report::{CostReport, SystemAims, sum_systems, unpriced_because};
use super::rules::{RateSource, cost_at};

/// Assumed figures of a system, in place of the project's. `Some(None)` removes a figure, and `None` leaves it as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SupposedSystem {
    /// Money per hectare, per kilometre of a line, or for each piece of points.
    pub rate: Option<Option<f64>>,
    /// Budget; 0 means none, as in a service.
    pub budget: Option<Option<f64>>,
    /// Hectares; 0 means none, as in a service.
    pub target_ha: Option<Option<f64>>,
}

impl CostReport {
    /// Returns the report on the same diagrams under assumed figures, by system id. Diagrams priced at their system's rate follow the
    /// assumed one; overrides and policies stay as they are.
    pub fn what_if(&self, supposed: &HashMap<i64, SupposedSystem>) -> Self {
        let mut report = self.clone();
        for diagram in &mut report.diagrams {
            let rate = diagram.sysid.and_then(|system| supposed.get(&system)?.rate);
            if let (Some(rate), RateSource::System) = (rate, diagram.rate_source) {
                diagram.rate = rate;
                diagram.cost = cost_at(rate, diagram.extent());
                diagram.cost_problem = unpriced_because(diagram.cost, rate, diagram.area_problem.as_deref());
            }
        }
        let aims = report.systems.into_iter().map(|system| {
            let SupposedSystem { budget, target_ha, .. } = supposed.get(&system.sysid).copied().unwrap_or_default();
            SystemAims {
                sysid: system.sysid,
                name: system.name,
                color: system.color,
                budget: budget.unwrap_or(system.budget),
                current_ha: system.current_ha,
                target_ha: target_ha.unwrap_or(system.target_ha),
                targets: system.quantities.into_iter().map(|(name, sum)| (name, sum.target)).collect(),
            }
        });
        report.systems = sum_systems(aims, &report.diagrams);
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::{AreaSource, DiagramCost, ReportSubject};
    use crate::features::FeatureCollection;

    fn diagram(rate_source: RateSource, area_ha: Option<f64>, length_km: Option<f64>) -> DiagramCost {
        DiagramCost {
            diagramid: 1,
            sysid: Some(1),
            description: None,
            kind: None,
            area_ha,
            area_source: AreaSource::Geometry,
            area_figure: None,
            area_problem: area_ha.is_none().then(|| "nobody measured it".to_owned()),
            length_km,
            pieces: None,
            rate: Some(10.0),
            rate_source,
            cost: Some(50.0),
            cost_problem: None,
            geometry_problem: None,
            file_problem: None,
            floor_above_m2: None,
            floor_below_m2: None,
            quantities: Default::default(),
            outside: None,
        }
    }

    fn report(diagrams: Vec<DiagramCost>) -> CostReport {
        let system = SystemAims {
            sysid: 1,
            name: "Water".to_owned(),
            color: None,
            budget: Some(40.0),
            current_ha: Some(1.0),
            target_ha: Some(8.0),
            targets: Default::default(),
        };
        let systems = sum_systems([system].into_iter(), &diagrams);
        let features = FeatureCollection::from_esri(&[]).unwrap();
        CostReport { systems, diagrams, checked: false, features, subject: ReportSubject::default() }
    }

    fn supposed(rate: Option<f64>) -> HashMap<i64, SupposedSystem> {
        HashMap::from([(1, SupposedSystem { rate: Some(rate), ..SupposedSystem::default() })])
    }

    #[test]
    fn what_follows_the_rate_of_its_system_follows_the_supposed_one_and_nothing_else_does() {
        let follows =
            [diagram(RateSource::System, Some(5.0), Some(9.0)), diagram(RateSource::System, Some(0.0), Some(2.0))];
        let own = [RateSource::Override, RateSource::Total, RateSource::Policy]
            .map(|source| diagram(source, Some(5.0), None));
        let other = report([follows.to_vec(), own.to_vec()].concat()).what_if(&supposed(Some(20.0)));
        assert_eq!(
            other.diagrams.iter().map(|row| row.cost).collect::<Vec<_>>(),
            [100.0, 40.0, 50.0, 50.0, 50.0].map(Some)
        );
        assert_eq!((other.total(), other.systems[0].budget_left), (290.0, Some(-250.0)));
    }

    #[test]
    fn without_a_rate_or_an_area_the_cost_is_not_known_and_says_why() {
        let unmeasured = report(vec![diagram(RateSource::System, None, None)]).what_if(&supposed(Some(20.0)));
        assert_eq!(unmeasured.diagrams[0].cost_problem.as_deref(), Some("its area is not known: nobody measured it"));
        let without_rate = report(vec![diagram(RateSource::System, Some(5.0), None)]).what_if(&supposed(None));
        assert_eq!((without_rate.diagrams[0].cost, without_rate.systems[0].unpriced), (None, 1));
        assert_eq!(without_rate.what_if(&supposed(Some(20.0))).total(), 100.0);
    }

    #[test]
    fn a_budget_or_target_that_is_taken_away_or_0_is_none() {
        let known = report(vec![diagram(RateSource::System, Some(5.0), None)]);
        for gone in [None, Some(0.0)] {
            let taken = SupposedSystem { budget: Some(gone), target_ha: Some(gone), rate: None };
            let other = known.what_if(&HashMap::from([(1, taken)]));
            assert_eq!((other.systems[0].budget, other.systems[0].target_met), (None, None));
        }
        let met = SupposedSystem { target_ha: Some(Some(6.0)), ..SupposedSystem::default() };
        assert_eq!(known.what_if(&HashMap::from([(1, met)])).systems[0].target_met, Some(true));
        assert_eq!(known.what_if(&HashMap::new()).systems, known.systems);
    }
}
