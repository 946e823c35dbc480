//! The report: one row per diagram, summed to one row per system, summed to the total.

use std::collections::{HashMap, HashSet};

use arrow_array::cast::AsArray;
use arrow_array::{Array, Float64Array, Int64Array, RecordBatch, StringArray};
use serde::{Deserialize, Serialize};

use super::CostError;
use super::rules::{AreaSource, RateSource, price};
use crate::features::{FeatureCollection, Table};
use crate::geometry::{Measure, read_wkb, total};
use crate::model::{CostOverride, DiagramKind, SystemDetail};

/// What diagrams cost, and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CostReport {
    pub systems: Vec<SystemCost>,
    pub diagrams: Vec<DiagramCost>,
}

/// A system in the report. Money is in the project's currency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SystemCost {
    pub sysid: i64,
    pub name: String,
    pub color: Option<String>,
    /// Priced diagrams, of which projects, of which policies.
    pub diagrams: i64,
    pub projects: i64,
    pub policies: i64,
    /// Hectares of all its diagrams, policies included.
    pub area_ha: f64,
    /// Kilometres of lines.
    pub length_km: f64,
    pub cost: f64,
    pub budget: Option<f64>,
    /// Budget less cost: negative where the system is over budget.
    pub budget_left: Option<f64>,
    pub current_ha: Option<f64>,
    pub target_ha: Option<f64>,
    /// Target less current hectares less `area_ha`: negative where the target is passed.
    pub target_left_ha: Option<f64>,
}

/// A diagram in the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiagramCost {
    pub diagramid: i64,
    pub sysid: i64,
    pub description: Option<String>,
    /// `project` or `policy`; none where the service does not say, and then priced as a project.
    pub kind: Option<DiagramKind>,
    pub area_ha: f64,
    pub area_source: AreaSource,
    pub length_km: f64,
    pub rate: Option<f64>,
    pub rate_source: RateSource,
    pub cost: f64,
}

impl CostReport {
    /// Prices a project's diagrams, or those selected of them.
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
        let by_id: HashMap<i64, &SystemDetail> = systems.iter().map(|system| (system.item.id.0, system)).collect();
        measure_all(&mut facts, diagrams.table());
        let diagrams: Vec<DiagramCost> =
            facts.into_iter().map(|diagram| price_diagram(diagram, &by_id)).collect::<Result<_, _>>()?;
        let systems = systems.iter().map(|system| sum_system(system, &diagrams)).collect();
        Ok(CostReport { systems, diagrams })
    }

    /// The cost of all systems together.
    pub fn total(&self) -> f64 {
        total(self.systems.iter().map(|system| system.cost))
    }
}

/// What pricing needs to know of a diagram.
struct DiagramFacts {
    id: i64,
    system: Option<i64>,
    description: Option<String>,
    kind: Option<DiagramKind>,
    own_cost: CostOverride,
    /// Its rows: one per feature.
    rows: Vec<usize>,
    measured: Option<Measure>,
    /// The service's own area (m²) and length (km).
    area: Option<f64>,
    length: Option<f64>,
}

/// One set of facts per diagram out of one row per feature, not measured yet.
fn read_diagrams(table: &Table) -> Vec<DiagramFacts> {
    let columns = Columns::of(&table.properties);
    let mut diagrams: Vec<DiagramFacts> = Vec::new();
    let mut places = HashMap::new();
    for row in 0..table.geometries.len() {
        let Some(id) = integer(columns.id, row) else { continue };
        let place = *places.entry(id).or_insert_with(|| {
            diagrams.push(columns.facts(id, row));
            diagrams.len() - 1
        });
        let diagram = &mut diagrams[place];
        diagram.kind = diagram.kind.or_else(|| text(columns.area_type, row).and_then(DiagramKind::from_name));
        diagram.rows.push(row);
    }
    diagrams
}

/// Measures the diagrams, each part in the order of the rows, as far as that was not done on arrival.
fn measure_all(diagrams: &mut [DiagramFacts], table: &Table) {
    let measure_row = |row: &usize| match &table.measures {
        Some(measures) => measures[*row],
        None => Measure::of(&read_wkb(table.geometries.get(*row)?)?),
    };
    for diagram in diagrams {
        for part in diagram.rows.iter().filter_map(measure_row) {
            *diagram.measured.get_or_insert_default() += part;
        }
    }
}

/// What pricing needs of a table. A column that is missing, or of another type than documented, says nothing.
struct Columns<'t> {
    id: Option<&'t Int64Array>,
    system: Option<&'t Int64Array>,
    description: Option<&'t StringArray>,
    kind: Option<&'t StringArray>,
    area_type: Option<&'t StringArray>,
    cost_override: Option<&'t Float64Array>,
    cost_override_type: Option<&'t StringArray>,
    area: Option<&'t Float64Array>,
    length: Option<&'t Float64Array>,
}

impl<'t> Columns<'t> {
    fn of(properties: &'t RecordBatch) -> Self {
        let integers = |name| properties.column_by_name(name)?.as_primitive_opt();
        let numbers = |name| properties.column_by_name(name)?.as_primitive_opt();
        let texts = |name| properties.column_by_name(name)?.as_string_opt();
        Columns {
            id: integers("diagramid"),
            system: integers("sysid"),
            description: texts("description"),
            kind: texts("type"),
            area_type: texts("areatype"),
            cost_override: numbers("cost_override"),
            cost_override_type: texts("cost_override_type"),
            area: numbers("area"),
            length: numbers("length"),
        }
    }

    fn facts(&self, id: i64, row: usize) -> DiagramFacts {
        let amount = number(self.cost_override, row).unwrap_or(0.0);
        DiagramFacts {
            id,
            system: integer(self.system, row),
            description: text(self.description, row).map(str::to_owned),
            kind: text(self.kind, row).and_then(DiagramKind::from_name),
            own_cost: CostOverride::from_wire(amount, text(self.cost_override_type, row).unwrap_or_default()),
            rows: Vec::new(),
            measured: None,
            area: number(self.area, row),
            length: number(self.length, row),
        }
    }
}

fn integer(column: Option<&Int64Array>, row: usize) -> Option<i64> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

fn number(column: Option<&Float64Array>, row: usize) -> Option<f64> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

fn text(column: Option<&StringArray>, row: usize) -> Option<&str> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

fn check_all_exist(selected: &HashSet<i64>, diagrams: &[DiagramFacts]) -> Result<(), CostError> {
    let known: HashSet<i64> = diagrams.iter().map(|diagram| diagram.id).collect();
    let mut unknown: Vec<i64> = selected.difference(&known).copied().collect();
    unknown.sort_unstable();
    if unknown.is_empty() { Ok(()) } else { Err(CostError::UnknownDiagrams(listed(unknown))) }
}

fn price_diagram(diagram: DiagramFacts, systems: &HashMap<i64, &SystemDetail>) -> Result<DiagramCost, CostError> {
    let description = || diagram.description.clone().unwrap_or_default();
    let Some((sysid, system)) = diagram.system.and_then(|id| systems.get(&id).map(|system| (id, system))) else {
        let mut ids: Vec<i64> = systems.keys().copied().collect();
        ids.sort_unstable();
        let system = diagram.system.map_or("(none)".into(), |id| id.to_string());
        return Err(CostError::UnlistedSystem {
            diagram: diagram.id,
            description: description(),
            system,
            listed: listed(ids),
        });
    };
    let (measure, area_source) = match (diagram.measured, diagram.area, diagram.length) {
        (Some(measured), _, _) => (measured, AreaSource::Geometry),
        (None, None, None) => (Measure::default(), AreaSource::None),
        (None, area, length) => (Measure::from_wire(area.unwrap_or(0.0), length.unwrap_or(0.0)), AreaSource::Service),
    };
    let price = price(diagram.kind, diagram.own_cost, system.cost, measure).ok_or_else(|| {
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

fn listed(ids: Vec<i64>) -> String {
    const SHOWN: usize = 20;
    let more = ids.len().saturating_sub(SHOWN);
    let shown = ids.into_iter().take(SHOWN).map(|id| id.to_string()).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
