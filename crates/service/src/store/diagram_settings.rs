//! What the operator sets of systems and diagrams, and the state of a diagram that a change or an undo sets.

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
use geodesign::model::{AreaFeatures, DiagramId, EvaluationFeatures, JsonObject, SystemDetail, SystemEdit, SystemId};

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
        let edit = SystemEdit { cost, budget, current_ha, target_ha, ..SystemEdit::default() };
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

    /// Changes what is given of a system, but its maps.
    pub fn edit_system(
        &self,
        operation: &'static str,
        project: ProjectKey,
        id: SystemId,
        edit: &SystemEdit,
    ) -> Result<SystemDetail> {
        let SystemEdit { name, color, tag, verbose_description, cost, budget, current_ha, target_ha } = edit;
        let before = self.system(project, id)?.ok_or(InputError::UnknownSystem(id))?;
        let sql = "UPDATE systems SET cost = coalesce(?3, cost), budget = coalesce(?4, budget), \
                   current_ha = coalesce(?5, current_ha), target_ha = coalesce(?6, target_ha), name = coalesce(?7, name), \
                   color = coalesce(?8, color), tag = coalesce(?9, tag), \
                   verbose_description = coalesce(?10, verbose_description) WHERE project = ?1 AND id = ?2";
        let values =
            params![project.0, id.0, cost, budget, current_ha, target_ha, name, color, tag, verbose_description];
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
        ];
        for (field, _) in given.iter().filter(|(_, is_given)| *is_given) {
            self.forget_told(project, SystemDetail::KIND, &id.to_string(), field)?;
        }
        let after = self.system(project, id)?.ok_or(InputError::UnknownSystem(id))?;
        if after != before {
            let change = Change::of(operation).subject(format_args!("system {id}"));
            self.record(project, change.before(texts_of(&before)).after(texts_of(&after)))?;
            if after.item.color != before.item.color {
                // Thumbnails show the colour, so that they have to be drawn again.
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
    let SystemDetail { item, tag, cost, budget, current_ha, target_ha, .. } = system;
    let figures = [("cost", cost), ("budget", budget), ("current_ha", current_ha), ("target_ha", target_ha)];
    let figures = figures.into_iter().filter_map(|(name, figure)| Some(format!("{name}: {}", (*figure)?)));
    let texts = [("color", &item.color), ("tag", tag), ("verbose_description", &item.verbose_description)];
    let texts = texts.into_iter().filter_map(|(name, text)| Some(format!("{name}: {}", text.as_ref()?)));
    joined(std::iter::once(format!("name: {}", item.name)).chain(figures).chain(texts))
}

/// Checks that every figure that is given is a finite number of 0 or more.
fn check_figures<const N: usize>(owner: &str, figures: [(&'static str, Option<f64>); N]) -> Result<()> {
    let unfit = |figure: &f64| !figure.is_finite() || *figure < 0.0;
    match figures.into_iter().find_map(|(name, figure)| Some((name, figure.filter(unfit)?))) {
        Some((name, value)) => Err(InputError::NegativeFigure { name, owner: owner.to_owned(), value }.into()),
        None => Ok(()),
    }
}

impl Reader<'_> {
    /// The state of a diagram, which may have been removed; empty if the project has no such diagram.
    pub(super) fn diagram_state(&self, project: ProjectKey, id: DiagramId) -> Result<DiagramState> {
        let tags = "SELECT tag FROM diagram_tags WHERE diagram = ?1 ORDER BY tag";
        let columns = columns!(DiagramState {
            removed: "removed_by IS NOT NULL",
            title: "description",
            notes,
            start_date,
            end_date,
            undated: "coalesce(undated, start_date = end_date AND start_date = substr(created_at, 1, 10), FALSE)",
            additional_metadata,
            cost_override,
            cost_override_type,
            building_data,
            system,
            rank,
            grid_location,
            kind: "type",
            fundingtype,
            tags: (Some(self.values(tags, [id.0])?)),
            ..
        });
        let state = self.select_one(columns, "FROM all_diagrams WHERE project = ?1 AND id = ?2", [project.0, id.0])?;
        Ok(state.unwrap_or_default())
    }

    /// The features of a diagram.
    pub(super) fn drawing(&self, id: DiagramId) -> Result<Option<Drawing>> {
        let columns =
            columns!(DrawnFeature { min_height, max_height, geometry, square_metres, metres, extent: (None), extra });
        let features = self.select(columns, "FROM features WHERE diagram = ?1 ORDER BY key", [id.0])?;
        let columns = columns!(Drawing { area, length, featuretype, features: (Vec::new()) });
        let drawing = self.select_one(columns, "FROM all_diagrams WHERE id = ?1", [id.0])?;
        Ok(drawing.map(|drawing| Drawing { features, ..drawing }))
    }

    /// Some values of a diagram of this title in short, for people.
    pub(super) fn describe_state(&self, diagram_title: &str, state: &DiagramState) -> Result<String> {
        let DiagramState {
            removed,
            title,
            notes,
            start_date,
            end_date,
            undated: _,
            additional_metadata,
            cost_override,
            cost_override_type,
            building_data,
            system,
            rank: _,
            grid_location,
            kind,
            fundingtype,
            tags,
            drawing,
        } = state;
        let tags = tags.as_ref().map(|tags| self.tag_names(tags)).transpose()?;
        let parts = [
            removed.map(|removed| if removed { "removed" } else { diagram_title }.to_owned()),
            named("title", title),
            named("notes", notes),
            named("start_date", start_date),
            named("end_date", end_date),
            named("additional_metadata", additional_metadata),
            cost_override.map(|cost| format!("cost_override: {cost}")),
            named("cost_override_type", cost_override_type),
            named("building_data", building_data),
            system.map(|system| format!("system: {system}")),
            named("grid_location", grid_location),
            named("type", kind),
            named("fundingtype", fundingtype),
            named("tags", &tags),
            drawing.as_ref().map(|drawing| format!("features: {}", drawing.features.len())),
        ];
        Ok(parts.into_iter().flatten().collect::<Vec<_>>().join("; "))
    }

    /// The names of tags, with commas between them.
    fn tag_names(&self, ids: &[String]) -> Result<String> {
        let name = |id: &String| self.value::<String>("SELECT tag FROM tags WHERE id = ?1", [id]);
        let names = ids.iter().filter_map(|id| name(id).transpose()).collect::<Result<Vec<_>>>()?;
        Ok(names.join(", "))
    }
}

impl Writer<'_> {
    /// Sets the values that a state has. Belongs into [`Writer::change_diagram`], which records it.
    pub(super) fn set_diagram_state(&self, id: DiagramId, state: &DiagramState) -> Result<()> {
        // A diagram is removed by the entry of the history that is recorded next.
        let sql = "UPDATE all_diagrams SET description = coalesce(?2, description), notes = coalesce(?3, notes), \
                   start_date = coalesce(?4, start_date), end_date = coalesce(?5, end_date), \
                   additional_metadata = coalesce(?6, additional_metadata), cost_override = coalesce(?7, cost_override), \
                   cost_override_type = coalesce(?8, cost_override_type), building_data = coalesce(?9, building_data), \
                   undated = coalesce(?11, undated), system = coalesce(?12, system), rank = coalesce(?13, rank), \
                   grid_location = coalesce(?14, grid_location), type = coalesce(?15, type), \
                   fundingtype = coalesce(?16, fundingtype), removed_by = CASE ?10 WHEN TRUE THEN coalesce(removed_by, (SELECT coalesce(max(number), 0) + 1 FROM history \
                   WHERE history.project = all_diagrams.project)) WHEN FALSE THEN NULL ELSE removed_by END WHERE id = ?1";
        let values = params![
            id.0,
            state.title,
            state.notes,
            state.start_date,
            state.end_date,
            state.additional_metadata,
            state.cost_override,
            state.cost_override_type,
            state.building_data,
            state.removed,
            state.undated,
            state.system,
            state.rank,
            state.grid_location,
            state.kind,
            state.fundingtype,
        ];
        self.run(sql, values)?;
        state.drawing.as_ref().map_or(Ok(()), |drawing| self.replace_drawing(id, drawing))?;
        state.tags.as_ref().map_or(Ok(()), |tags| self.replace_diagram_tags(id, tags))
    }
}

impl Writer<'_> {
    /// Replaces the features of a diagram.
    fn replace_drawing(&self, id: DiagramId, drawing: &Drawing) -> Result<()> {
        self.run("DELETE FROM features WHERE diagram = ?1", [id.0])?;
        drawing.features.iter().try_for_each(|feature| self.insert_feature(id, &feature.row()))?;
        let bytes: usize = drawing.features.iter().map(|feature| feature.geometry.len()).sum();
        let sql = "UPDATE all_diagrams SET area = ?2, length = ?3, featuretype = ?4, geometry_bytes = ?5 WHERE id = ?1";
        self.run(sql, params![id.0, drawing.area, drawing.length, drawing.featuretype, bytes as i64]).map(drop)
    }
}

fn named(name: &str, value: &Option<String>) -> Option<String> {
    value.as_ref().map(|value| format!("{name}: {value}"))
}
