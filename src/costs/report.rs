//! The report: a row for each diagram, summed to a row for each system, summed to the total.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::diagram_facts::{DiagramFacts, measure_all, read_diagrams};
use super::error::CostError;
use super::rules::{AreaSource, RateSource, price};
use crate::features::FeatureCollection;
use crate::geometry::{Measure, total};
use crate::model::{DiagramKind, SystemDetail};

/// What diagrams cost, and why. Money is in the project's currency.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CostReport {
    /// One row for each system of the project, even if none of its diagrams is priced.
    pub systems: Vec<SystemCost>,
    /// One row for each priced diagram.
    pub diagrams: Vec<DiagramCost>,
}

/// What the priced diagrams of a system cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemCost {
    pub sysid: i64,
    pub name: String,
    pub color: Option<String>,
    /// The number of priced diagrams: projects and policies.
    pub diagrams: i64,
    /// The number of priced projects. A diagram of unknown kind counts as a project.
    pub projects: i64,
    /// The number of priced policies.
    pub policies: i64,
    /// Hectares of all priced diagrams, policies included.
    pub area_ha: f64,
    /// Kilometres of the lines of all priced diagrams, policies included.
    pub length_km: f64,
    /// Money.
    pub cost: f64,
    /// Money.
    pub budget: Option<f64>,
    /// `budget` − `cost`; negative if the system is over budget.
    pub budget_left: Option<f64>,
    /// Hectares that the system covers today.
    pub current_ha: Option<f64>,
    /// Hectares that the system should cover.
    pub target_ha: Option<f64>,
    /// `target_ha` − `current_ha` − `area_ha`; negative if the target is exceeded.
    pub target_left_ha: Option<f64>,
}

/// What a diagram costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiagramCost {
    pub diagramid: i64,
    pub sysid: i64,
    pub description: Option<String>,
    /// `None` if the service gives no kind; the diagram is then priced as a project.
    pub kind: Option<DiagramKind>,
    /// Hectares.
    pub area_ha: f64,
    /// The origin of `area_ha` and `length_km`.
    pub area_source: AreaSource,
    /// Kilometres of lines.
    pub length_km: f64,
    /// Money per hectare, or per kilometre if `area_ha` is 0. `None` if the cost does not follow from a rate.
    pub rate: Option<f64>,
    pub rate_source: RateSource,
    /// Money.
    pub cost: f64,
}

impl CostReport {
    /// Prices all diagrams of a project, or only those with the `selected` ids.
    pub fn new(
        systems: &[SystemDetail],
        diagrams: &FeatureCollection,
        selected: Option<&HashSet<i64>>,
    ) -> Result<Self, CostError> {
        let mut facts = read_diagrams(diagrams.table());
        if let Some(selected) = selected {
            check_all_exist(selected, &facts)?;
            facts.retain(|diagram| selected.contains(&diagram.id));
        }
        let systems_by_id: HashMap<i64, &SystemDetail> =
            systems.iter().map(|system| (system.item.id.0, system)).collect();
        measure_all(&mut facts, diagrams.table());
        let diagrams: Vec<DiagramCost> =
            facts.into_iter().map(|diagram| price_diagram(diagram, &systems_by_id)).collect::<Result<_, _>>()?;
        let systems = systems.iter().map(|system| sum_system(system, &diagrams)).collect();
        Ok(CostReport { systems, diagrams })
    }

    /// The cost of all systems together.
    pub fn total(&self) -> f64 {
        total(self.systems.iter().map(|system| system.cost))
    }
}

fn check_all_exist(selected: &HashSet<i64>, diagrams: &[DiagramFacts]) -> Result<(), CostError> {
    let known: HashSet<i64> = diagrams.iter().map(|diagram| diagram.id).collect();
    let mut unknown: Vec<i64> = selected.difference(&known).copied().collect();
    unknown.sort_unstable();
    if unknown.is_empty() { Ok(()) } else { Err(CostError::UnknownDiagrams(unknown)) }
}

fn price_diagram(diagram: DiagramFacts, systems: &HashMap<i64, &SystemDetail>) -> Result<DiagramCost, CostError> {
    let description = || diagram.description.clone().unwrap_or_default();
    let Some((sysid, system)) = diagram.system.and_then(|id| systems.get(&id).map(|system| (id, system))) else {
        let mut listed: Vec<i64> = systems.keys().copied().collect();
        listed.sort_unstable();
        let (system, description) = (diagram.system, description());
        return Err(CostError::UnlistedSystem { diagram: diagram.id, description, system, listed });
    };
    let (measure, area_source) = match (diagram.measured, diagram.service_area, diagram.service_length) {
        (Some(measured), _, _) => (measured, AreaSource::Geometry),
        (None, None, None) => (Measure::default(), AreaSource::None),
        (None, area, length) => (Measure::from_wire(area.unwrap_or(0.0), length.unwrap_or(0.0)), AreaSource::Service),
    };
    let price = price(diagram.kind, diagram.cost_override, system.cost, measure).ok_or_else(|| {
        let name = system.item.name.clone();
        CostError::SystemWithoutCost { diagram: diagram.id, description: description(), system: sysid, name }
    })?;
    Ok(DiagramCost {
        diagramid: diagram.id,
        sysid,
        description: diagram.description,
        kind: diagram.kind,
        area_ha: measure.hectares(),
        area_source,
        length_km: measure.kilometres(),
        rate: price.rate,
        rate_source: price.rate_source,
        cost: price.cost,
    })
}

fn sum_system(system: &SystemDetail, diagrams: &[DiagramCost]) -> SystemCost {
    let own: Vec<&DiagramCost> = diagrams.iter().filter(|diagram| diagram.sysid == system.item.id.0).collect();
    let (policies, projects): (Vec<&DiagramCost>, Vec<&DiagramCost>) =
        own.iter().partition(|diagram| diagram.kind == Some(DiagramKind::Policy));
    let cost = total(own.iter().map(|diagram| diagram.cost));
    let area_ha = total(own.iter().map(|diagram| diagram.area_ha));
    SystemCost {
        sysid: system.item.id.0,
        name: system.item.name.clone(),
        color: system.item.color.clone(),
        diagrams: own.len() as i64,
        projects: projects.len() as i64,
        policies: policies.len() as i64,
        area_ha,
        length_km: total(own.iter().map(|diagram| diagram.length_km)),
        cost,
        budget: system.budget,
        budget_left: system.budget.map(|budget| budget - cost),
        current_ha: system.current_ha,
        target_ha: system.target_ha,
        target_left_ha: system.target_ha.map(|target| target - system.current_ha.unwrap_or(0.0) - area_ha),
    }
}
