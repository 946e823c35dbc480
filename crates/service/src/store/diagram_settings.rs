//! The operator's settings of systems and diagrams, and the state of a diagram that a change or an undo sets.

use std::collections::BTreeMap;

use rusqlite::params;
use serde::Deserialize;

use super::database::columns::columns;
use super::database::error::{InputError, Result};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, to_json};
use super::diagram_state::{DiagramState, Drawing, DrawnFeature};
use super::history::{Change, joined};
use super::loaded::Loadable;
use super::system_map::SystemMap;
use geodesign::model::{
    AreaFeatures, DiagramId, EvaluationFeatures, JsonObject, Quantity, SystemDetail, SystemEdit, SystemId,
    with_quantities,
};

/// New values of a system. `None` leaves a value as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemSettings {
    /// Money per hectare of a project, or per kilometre of one that has only lines.
    pub cost: Option<f64>,
    /// Money for the whole system.
    pub budget: Option<f64>,
    /// Hectares that the system covers today.
    pub current_ha: Option<f64>,
    /// Hectares that the system should cover.
    pub target_ha: Option<f64>,
    /// Quantities that its projects bring, by name; null removes one.
    pub quantities: Option<BTreeMap<String, Option<Quantity>>>,
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
        let &SystemSettings { cost, budget, current_ha, target_ha, ref quantities, ref evaluation, ref impact } =
            settings;
        let figures = [("cost", cost), ("budget", budget), ("current_ha", current_ha), ("target_ha", target_ha)];
        check_figures(&format!("system {id}"), figures)?;
        let quantities = quantities.clone();
        let edit = SystemEdit { cost, budget, current_ha, target_ha, quantities, ..SystemEdit::default() };
        edit.check(Some(id)).map_err(InputError::Edit)?;
        self.edit_system("set_system", project, id, &edit)?;
        if let Some(map) = evaluation {
            map.check().map_err(InputError::map)?;
            self.set_map(project, id, SystemMap::Evaluation, &to_json(&map.colored())?, None)?;
        }
        if let Some(map) = impact {
            map.check_areas().map_err(InputError::map)?;
            self.set_map(project, id, SystemMap::Impact, &to_json(map)?, None)?;
        }
        Ok(())
    }

    /// Changes the given fields of a system, except its maps.
    pub fn edit_system(
        &self,
        operation: &'static str,
        project: ProjectKey,
        id: SystemId,
        edit: &SystemEdit,
    ) -> Result<SystemDetail> {
        let SystemEdit {
            name,
            color,
            tag,
            verbose_description,
            cost,
            budget,
            current_ha,
            target_ha,
            impacts,
            quantities,
        } = edit;
        let before = self.system(project, id)?.ok_or(InputError::UnknownSystem(id))?;
        let row = self.known_impacts(project, before.impacts.clone(), impacts.as_ref())?;
        let of_quantities = quantities.as_ref().map(|new| with_quantities(before.quantities.clone(), new));
        let of_quantities = of_quantities.as_ref().map(to_json).transpose()?;
        let sql = "UPDATE systems SET cost = coalesce(?3, cost), budget = coalesce(?4, budget), \
                   current_ha = coalesce(?5, current_ha), target_ha = coalesce(?6, target_ha), name = coalesce(?7, name), \
                   color = coalesce(?8, color), tag = coalesce(?9, tag), \
                   verbose_description = coalesce(?10, verbose_description), impacts = ?11, \
                   quantities = coalesce(?12, quantities) WHERE project = ?1 AND id = ?2";
        let values = params![
            project.0,
            id.0,
            cost,
            budget,
            current_ha,
            target_ha,
            name,
            color,
            tag,
            verbose_description,
            to_json(&row)?,
            of_quantities
        ];
        self.run(sql, values)?;
        let given = [
            ("name", name.is_some()),
            ("color", color.is_some()),
            ("tag", tag.is_some()),
            ("verbose_description", verbose_description.is_some()),
            ("cost", cost.is_some()),
            ("budget", budget.is_some()),
            ("current_ha", current_ha.is_some()),
            ("target_ha", target_ha.is_some()),
            ("impacts", impacts.is_some()),
            ("quantities", quantities.is_some()),
        ];
        for (field, _) in given.iter().filter(|(_, is_given)| *is_given) {
            self.forget_told(project, SystemDetail::KIND, &id.to_string(), field)?;
        }
        let after = self.system(project, id)?.ok_or(InputError::UnknownSystem(id))?;
        if after != before {
            let change = Change::of(operation).subject(format_args!("system {id}"));
            self.record(project, change.before(texts_of(&before)).after(texts_of(&after)))?;
            if after.item.color != before.item.color {
                // Thumbnails show the colour, so they have to be drawn again.
                self.run("UPDATE projects SET appearance = appearance + 1 WHERE key = ?1", [project.0])?;
            }
        }
        Ok(after)
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

fn texts_of(system: &SystemDetail) -> String {
    let SystemDetail { item, tag, cost, budget, current_ha, target_ha, impacts, quantities, .. } = system;
    let figures = [("cost", cost), ("budget", budget), ("current_ha", current_ha), ("target_ha", target_ha)];
    let figures = figures.into_iter().filter_map(|(name, figure)| Some(format!("{name}: {}", (*figure)?)));
    let texts = [("color", &item.color), ("tag", tag), ("verbose_description", &item.verbose_description)];
    let texts = texts.into_iter().filter_map(|(name, text)| Some(format!("{name}: {}", text.as_ref()?)));
    let impacts = impacts.iter().map(|(affected, impact)| format!("impact on system {affected}: {impact}"));
    let quantities = quantities.iter().map(|(name, quantity)| told(name, quantity));
    joined(std::iter::once(format!("name: {}", item.name)).chain(figures).chain(impacts).chain(quantities).chain(texts))
}

/// A quantity in one line, such as `homes: 0.0125 per m² of floor, target 300`.
fn told(name: &str, Quantity { amount, per, target }: &Quantity) -> String {
    let target = target.map(|target| format!(", target {target}")).unwrap_or_default();
    format!("{name}: {amount} per {}{target}", per.in_words())
}

/// Checks that every given figure is a finite number of 0 or more.
fn check_figures<const N: usize>(owner: &str, figures: [(&'static str, Option<f64>); N]) -> Result<()> {
    let unfit = |figure: &f64| !figure.is_finite() || *figure < 0.0;
    match figures.into_iter().find_map(|(name, figure)| Some((name, figure.filter(unfit)?))) {
        Some((name, value)) => Err(InputError::NegativeFigure { name, owner: owner.to_owned(), value }.into()),
        None => Ok(()),
    }
}

impl Reader<'_> {
    /// Returns the features of a diagram.
    pub(super) fn drawing(&self, id: DiagramId) -> Result<Option<Drawing>> {
        let columns =
            columns!(DrawnFeature { min_height, max_height, geometry, square_metres, metres, extent: (None), extra });
        let features = self.select(columns, "FROM features WHERE diagram = ?1 ORDER BY key", [id.0])?;
        let columns = columns!(Drawing { area, length, featuretype, features: (Vec::new()) });
        let drawing = self.select_one(columns, "FROM all_diagrams WHERE id = ?1", [id.0])?;
        Ok(drawing.map(|drawing| Drawing { features, ..drawing }))
    }

    /// Summarises some values of a diagram of this title, for people.
    pub(super) fn describe_state(&self, diagram_title: &str, state: &DiagramState) -> Result<String> {
        let tags = state.tags.as_ref().map(|tags| self.tag_names(tags)).transpose()?;
        let removed = state.removed.map(|removed| if removed { "removed" } else { diagram_title }.to_owned());
        let tags = tags.map(|tags| format!("tags: {tags}"));
        let drawing = state.drawing.as_ref().map(|drawing| format!("features: {}", drawing.features.len()));
        Ok(removed.into_iter().chain(state.told()).chain(tags).chain(drawing).collect::<Vec<_>>().join("; "))
    }

    /// Returns the names of tags, with commas between them.
    fn tag_names(&self, ids: &[String]) -> Result<String> {
        let name = |id: &String| self.value::<String>("SELECT tag FROM tags WHERE id = ?1", [id]);
        let names = ids.iter().filter_map(|id| name(id).transpose()).collect::<Result<Vec<_>>>()?;
        Ok(names.join(", "))
    }
}

impl Writer<'_> {
    /// Replaces the features of a diagram.
    pub(super) fn replace_drawing(&self, id: DiagramId, drawing: &Drawing) -> Result<()> {
        self.run("DELETE FROM features WHERE diagram = ?1", [id.0])?;
        drawing.features.iter().try_for_each(|feature| self.insert_feature(id, &feature.row()))?;
        let bytes: usize = drawing.features.iter().map(|feature| feature.geometry.len()).sum();
        let sql = "UPDATE all_diagrams SET area = ?2, length = ?3, featuretype = ?4, geometry_bytes = ?5 WHERE id = ?1";
        self.run(sql, params![id.0, drawing.area, drawing.length, drawing.featuretype, bytes as i64]).map(drop)
    }
}
