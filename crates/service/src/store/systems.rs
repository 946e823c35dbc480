//! Systems with their evaluation and impact maps.

use rusqlite::{Params, params};
use serde_json::value::RawValue;

use super::database::columns::columns;
use super::database::error::{InputError, Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{NO_FEATURES, ProjectKey, to_json};
use super::history::{Change, Undo};
use super::system_map::SystemMap;
use geodesign::model::{
    DiagramId, Evaluated, GeometryText, Impacts, Quantities, SystemDetail, SystemEdit, SystemId, SystemItem,
    WithGeojson, with_cells, with_quantities,
};

/// The row of a system.
#[derive(Debug)]
pub struct SystemRow<'s> {
    /// Without an id, the system gets the next free one.
    pub id: Option<SystemId>,
    pub project: ProjectKey,
    pub name: &'s str,
    /// `#RRGGBB`
    pub color: &'s str,
    pub tag: &'s str,
    pub verbose_description: &'s str,
    /// Money per hectare of a project, or per kilometre of one that has only lines.
    pub cost: f64,
    /// Money for the whole system.
    pub budget: f64,
    /// Hectares that the system covers today.
    pub current_ha: f64,
    /// Hectares that the system should cover.
    pub target_ha: f64,
    /// Effects on other systems, by their ids.
    pub impacts: &'s Impacts,
    /// Quantities that its projects bring, such as homes.
    pub quantities: &'s Quantities,
    /// The evaluation map, as GeoJSON text.
    pub evaluation: &'s str,
}

impl Reader<'_> {
    /// Returns the systems in the order of their ids; for a loaded project, in the order of its origin.
    pub fn systems(&self, project: ProjectKey) -> Result<Vec<SystemDetail>> {
        self.as_loaded(project, self.systems_where("project = ?1", [project.0])?)
    }

    pub fn system(&self, project: ProjectKey, id: SystemId) -> Result<Option<SystemDetail>> {
        let system = self.systems_where("project = ?1 AND id = ?2", [project.0, id.0])?.pop();
        self.one_as_loaded(project, system)
    }

    fn systems_where(&self, condition: &str, values: impl Params) -> Result<Vec<SystemDetail>> {
        let columns = columns!(SystemDetail {
            item: SystemItem { id, name, color, verbose_description },
            tag,
            cost,
            budget,
            current_ha,
            target_ha,
            impacts,
            quantities,
            ..
        });
        self.select(columns, &format!("FROM systems WHERE {condition} ORDER BY id"), values)
    }

    pub fn has_system(&self, project: ProjectKey, id: SystemId) -> Result<bool> {
        self.exists("SELECT 1 FROM systems WHERE project = ?1 AND id = ?2", params![project.0, id.0])
    }

    /// True if no diagram was ever drawn in the system.
    pub fn is_unused_system(&self, id: SystemId) -> Result<bool> {
        Ok(!self.exists("SELECT 1 FROM all_diagrams WHERE system = ?1", [id.0])?)
    }

    pub fn system_diagram_ids(&self, project: ProjectKey, id: SystemId) -> Result<Vec<DiagramId>> {
        let sql = "SELECT diagrams.id FROM diagrams LEFT JOIN loaded_things AS loaded \
                   ON loaded.project = ?1 AND loaded.kind = 'diagram' AND loaded.id = CAST(diagrams.id AS TEXT) \
                   WHERE system = ?2 ORDER BY position IS NULL, position, diagrams.id";
        self.values(sql, params![project.0, id.0])
    }

    /// Returns a map of a system; `None` if the project has no such system.
    pub fn system_map(
        &self,
        project: ProjectKey,
        id: SystemId,
        map: SystemMap,
    ) -> Result<Option<WithGeojson<GeometryText, Evaluated>>> {
        let sql = format!("SELECT {} FROM systems WHERE project = ?1 AND id = ?2", map.name());
        self.one(&sql, params![project.0, id.0], |row| {
            Ok(WithGeojson { geojson: GeometryText(row.get(0)?), resource: Evaluated { sysid: id } })
        })
    }
}

impl Writer<'_> {
    pub fn insert_system(&self, row: &SystemRow) -> Result<SystemId> {
        let sql = "INSERT INTO systems (id, project, name, color, tag, verbose_description, cost, budget, current_ha, \
                   target_ha, impacts, quantities, evaluation) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        let values = params![
            row.id.map(|id| id.0),
            row.project.0,
            row.name,
            row.color,
            row.tag,
            row.verbose_description,
            row.cost,
            row.budget,
            row.current_ha,
            row.target_ha,
            to_json(row.impacts)?,
            to_json(row.quantities)?,
            row.evaluation,
        ];
        self.insert(sql, values).map(SystemId)
    }

    /// Adds a system with a name and a colour, and with its evaluation map as GeoJSON text.
    pub fn add_system(
        &self,
        operation: &'static str,
        project: ProjectKey,
        new: &SystemEdit,
        evaluation: Option<&str>,
    ) -> Result<SystemDetail> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let id = self.insert_system(&SystemRow {
            id: None,
            project,
            name: &text(&new.name),
            color: &text(&new.color),
            tag: &text(&new.tag),
            verbose_description: &text(&new.verbose_description),
            cost: new.cost.unwrap_or_default(),
            budget: new.budget.unwrap_or_default(),
            current_ha: new.current_ha.unwrap_or_default(),
            target_ha: new.target_ha.unwrap_or_default(),
            impacts: &self.known_impacts(project, Impacts::new(), new.impacts.as_ref())?,
            quantities: &new.quantities.as_ref().map(|new| with_quantities(Quantities::new(), new)).unwrap_or_default(),
            evaluation: evaluation.unwrap_or(NO_FEATURES),
        })?;
        self.record(project, Change::of(operation).subject(format_args!("system {id}")).after(text(&new.name)))?;
        Ok(self.system(project, id)?.ok_or(InputError::UnknownSystem(id))?)
    }

    /// Returns a row of impacts with new cells, whose systems the project must have.
    pub(super) fn known_impacts(&self, project: ProjectKey, row: Impacts, cells: Option<&Impacts>) -> Result<Impacts> {
        let Some(cells) = cells else { return Ok(row) };
        for &id in cells.keys() {
            if !self.has_system(project, id)? {
                return Err(InputError::UnknownSystem(id).into());
            }
        }
        Ok(with_cells(row, cells))
    }

    /// Removes a system without diagrams, and the impacts of others on it.
    pub fn remove_system(&self, project: ProjectKey, id: SystemId) -> Result<()> {
        let name: Option<String> = self.value("DELETE FROM systems WHERE id = ?1 RETURNING name", [id.0])?;
        let sql = "UPDATE systems SET impacts = json_remove(impacts, '$.\"' || ?2 || '\"') WHERE project = ?1";
        self.run(sql, params![project.0, id.0])?;
        let change = Change::of("remove_system").subject(format_args!("system {id}"));
        self.record(project, change.before(name.unwrap_or_default()))
    }

    /// Replaces a map of a system with another one as GeoJSON text, in the name of a member if one is given. Returns false if the project
    /// has no such system.
    pub fn set_map(
        &self,
        project: ProjectKey,
        system: SystemId,
        map: SystemMap,
        geojson: &str,
        in_name_of: Option<&str>,
    ) -> Result<bool> {
        let operation = match map {
            SystemMap::Evaluation => "set_evaluation",
            SystemMap::Impact => "set_impact",
        };
        self.change_map(operation, project, system, map, geojson, in_name_of)
    }

    /// The same, by any operation.
    pub(super) fn change_map(
        &self,
        operation: &'static str,
        project: ProjectKey,
        system: SystemId,
        map: SystemMap,
        geojson: &str,
        in_name_of: Option<&str>,
    ) -> Result<bool> {
        let column = map.name();
        let sql = format!("SELECT {column} FROM systems WHERE project = ?1 AND id = ?2");
        let Some(before) = self.value::<String>(&sql, params![project.0, system.0])? else {
            return Ok(false);
        };
        if before == geojson {
            return Ok(true);
        }
        self.run(&format!("UPDATE systems SET {column} = ?2 WHERE id = ?1"), params![system.0, geojson])?;
        let name = in_name_of.map(|name| format!(" in the name of {name}")).unwrap_or_default();
        let change = Change::of(operation).subject(format_args!("{column} map of system {}", system.0));
        let change = change.before(bytes_of(&before)).after(format_args!("{}{name}", bytes_of(geojson)));
        let geojson = RawValue::from_string(before).map_err(StoreError::content)?;
        self.record(project, change.undone_by(&Undo::Map { map, system, geojson })?)?;
        Ok(true)
    }
}

/// Summarises a map.
fn bytes_of(geojson: &str) -> String {
    if geojson == NO_FEATURES { "no features".into() } else { format!("{} bytes of GeoJSON", geojson.len()) }
}
