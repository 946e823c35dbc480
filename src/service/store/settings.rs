//! Values of systems and diagrams that only an administrator of the service can set.

use rusqlite::params;
use serde::Deserialize;

use super::database::columns::to_json;
use super::database::error::{InputError, Result};
use super::database::keys::ProjectKey;
use super::database::transaction::Writer;
use super::history::{Change, joined};
use crate::model::{AreaFeatures, DiagramId, EvaluationFeatures, JsonObject, SystemDetail, SystemId};

/// New values of a system. `None` leaves a value as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemSettings {
    /// Per hectare of a project, or per kilometre of one that has only lines.
    pub cost: Option<f64>,
    /// For the whole system.
    pub budget: Option<f64>,
    /// Hectares that the system covers today.
    pub current_ha: Option<f64>,
    /// Hectares that the system should cover.
    pub target_ha: Option<f64>,
    pub evaluation: Option<EvaluationFeatures>,
    pub impact: Option<AreaFeatures>,
}

/// New values of a diagram. `None` leaves a value as it is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiagramSettings {
    /// An amount of money; 0 for none.
    pub cost_override: Option<f64>,
    /// `total`, or anything else for a cost per hectare.
    pub cost_override_type: Option<String>,
    pub building_data: Option<JsonObject>,
}

impl Writer<'_> {
    /// Sets values of a system.
    pub fn set_system(&self, project: ProjectKey, id: SystemId, settings: &SystemSettings) -> Result<()> {
        let &SystemSettings { cost, budget, current_ha, target_ha, ref evaluation, ref impact } = settings;
        let figures = [("cost", cost), ("budget", budget), ("current_ha", current_ha), ("target_ha", target_ha)];
        check_figures(&format!("system {id}"), figures)?;
        let sql = "UPDATE systems SET cost = coalesce(?3, cost), budget = coalesce(?4, budget), \
                   current_ha = coalesce(?5, current_ha), target_ha = coalesce(?6, target_ha) WHERE project = ?1 AND id = ?2";
        let before = self.system(project, id)?.ok_or(InputError::UnknownSystem(id))?;
        self.run(sql, params![project.0, id.0, cost, budget, current_ha, target_ha])?;
        let after = self.system(project, id)?.ok_or(InputError::UnknownSystem(id))?;
        if after != before {
            let change = Change::of("set_system").subject(format_args!("system {id}"));
            self.record(project, change.before(figures_of(&before)).after(figures_of(&after)))?;
        }
        if let Some(map) = evaluation {
            map.check().map_err(InputError::map)?;
            self.set_evaluation(project, id, &to_json(&map.colored())?, None)?;
        }
        if let Some(map) = impact {
            map.check_areas().map_err(InputError::map)?;
            self.set_impact(project, id, &to_json(map)?, None)?;
        }
        Ok(())
    }

    /// Sets values of a diagram.
    pub fn set_diagram(&self, project: ProjectKey, id: DiagramId, settings: &DiagramSettings) -> Result<()> {
        let DiagramSettings { cost_override, cost_override_type, building_data } = settings;
        check_figures(&format!("diagram {id}"), [("cost_override", *cost_override)])?;
        self.require_diagrams(project, &[id])?;
        let building_data = building_data.as_ref().map(to_json).transpose()?;
        self.change_diagram("set_diagram", project, id, |write| {
            let sql = "UPDATE all_diagrams SET cost_override = coalesce(?2, cost_override), \
                       cost_override_type = coalesce(?3, cost_override_type), \
                       building_data = coalesce(?4, building_data) WHERE id = ?1";
            write.run(sql, params![id.0, cost_override, cost_override_type, building_data]).map(drop)
        })
    }
}

fn figures_of(system: &SystemDetail) -> String {
    let SystemDetail { cost, budget, current_ha, target_ha, .. } = system;
    let figures = [("cost", cost), ("budget", budget), ("current_ha", current_ha), ("target_ha", target_ha)];
    joined(figures.into_iter().filter_map(|(name, figure)| Some(format!("{name}: {}", (*figure)?))))
}

/// Checks that every figure that is given is a finite number of 0 or more.
fn check_figures<const N: usize>(owner: &str, figures: [(&'static str, Option<f64>); N]) -> Result<()> {
    let unfit = |figure: &f64| !figure.is_finite() || *figure < 0.0;
    match figures.into_iter().find_map(|(name, figure)| Some((name, figure.filter(unfit)?))) {
        Some((name, value)) => Err(InputError::NegativeFigure { name, owner: owner.to_owned(), value }.into()),
        None => Ok(()),
    }
}
