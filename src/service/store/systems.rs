//! Systems with their evaluation and impact maps.

use rusqlite::params;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::database::error::{InputError, Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{NO_FEATURES, ProjectKey};
use super::history::{Change, Undo};
use super::loaded::Loadable;
use crate::model::{DiagramId, Evaluated, GeometryText, JsonObject, SystemDetail, SystemId, SystemItem, WithGeojson};

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
    /// Per hectare of a project, or per kilometre of one that has only lines.
    pub cost: f64,
    /// For the whole system.
    pub budget: f64,
    /// Hectares that the system covers today.
    pub current_ha: f64,
    /// Hectares that the system should cover.
    pub target_ha: f64,
    /// The evaluation map, as GeoJSON text.
    pub evaluation: &'s str,
}

/// A system in the list of systems, with the fields that only its origin knows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListedSystem {
    #[serde(flatten)]
    pub item: SystemItem,
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl Loadable for ListedSystem {
    const KIND: &'static str = "listed system";

    fn id(&self) -> String {
        self.item.id.to_string()
    }

    fn extra(&mut self) -> &mut JsonObject {
        &mut self.extra
    }
}

impl Reader<'_> {
    /// The systems in the order of their list.
    pub fn listed_systems(&self, project: ProjectKey) -> Result<Vec<ListedSystem>> {
        let systems =
            self.systems(project)?.into_iter().map(|item| ListedSystem { item, extra: JsonObject::new() }).collect();
        self.as_loaded(project, systems)
    }

    /// The systems in the order of their ids.
    pub fn systems(&self, project: ProjectKey) -> Result<Vec<SystemItem>> {
        let sql = "SELECT id, name, color, verbose_description FROM systems WHERE project = ?1 ORDER BY id";
        self.all(sql, [project.0], |row| {
            Ok(SystemItem {
                id: SystemId(row.get(0)?),
                name: row.get(1)?,
                color: row.get(2)?,
                verbose_description: row.get(3)?,
            })
        })
    }

    pub fn system(&self, project: ProjectKey, id: SystemId) -> Result<Option<SystemDetail>> {
        let sql = "SELECT name, color, verbose_description, tag, cost, budget, current_ha, target_ha FROM systems \
                   WHERE project = ?1 AND id = ?2";
        let system = self.one(sql, params![project.0, id.0], |row| {
            let item = SystemItem { id, name: row.get(0)?, color: row.get(1)?, verbose_description: row.get(2)? };
            Ok(SystemDetail {
                item,
                tag: row.get(3)?,
                cost: row.get(4)?,
                budget: row.get(5)?,
                current_ha: row.get(6)?,
                target_ha: row.get(7)?,
                extra: JsonObject::new(),
            })
        })?;
        self.one_as_loaded(project, system)
    }

    pub fn has_system(&self, project: ProjectKey, id: SystemId) -> Result<bool> {
        self.exists("SELECT 1 FROM systems WHERE project = ?1 AND id = ?2", params![project.0, id.0])
    }

    pub fn system_diagram_ids(&self, project: ProjectKey, id: SystemId) -> Result<Vec<DiagramId>> {
        let sql = "SELECT diagrams.id FROM diagrams LEFT JOIN loaded_things AS loaded \
                   ON loaded.project = ?1 AND loaded.kind = 'diagram' AND loaded.id = CAST(diagrams.id AS TEXT) \
                   WHERE system = ?2 ORDER BY position IS NULL, position, diagrams.id";
        self.all(sql, params![project.0, id.0], |row| Ok(DiagramId(row.get(0)?)))
    }

    pub fn evaluation(
        &self,
        project: ProjectKey,
        id: SystemId,
    ) -> Result<Option<WithGeojson<GeometryText, Evaluated>>> {
        let sql = "SELECT evaluation FROM systems WHERE project = ?1 AND id = ?2";
        self.one(sql, params![project.0, id.0], |row| {
            Ok(WithGeojson { geojson: GeometryText(row.get(0)?), resource: Evaluated { sysid: id } })
        })
    }

    /// The impact map of a system. Fails if the project has no such system.
    pub fn impact(&self, project: ProjectKey, id: SystemId) -> Result<GeometryText> {
        let sql = "SELECT impact FROM systems WHERE project = ?1 AND id = ?2";
        let impact = self.one(sql, params![project.0, id.0], |row| Ok(GeometryText(row.get(0)?)))?;
        impact.ok_or_else(|| InputError::UnknownSystem(id).into())
    }
}

impl Writer<'_> {
    pub fn insert_system(&self, row: &SystemRow) -> Result<SystemId> {
        let sql = "INSERT INTO systems (id, project, name, color, tag, verbose_description, cost, budget, current_ha, \
                   target_ha, evaluation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
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
            row.evaluation,
        ];
        self.insert(sql, values).map(SystemId)
    }

    /// Replaces the evaluation map of a system by another as GeoJSON text, in the name of a member if one is given. Returns false if the project has no
    /// such system.
    pub fn set_evaluation(
        &self,
        project: ProjectKey,
        system: SystemId,
        map: &str,
        in_name_of: Option<&str>,
    ) -> Result<bool> {
        self.set_map("set_evaluation", project, system, SystemMap::Evaluation, map, in_name_of)
    }

    /// Replaces the impact map of a system by another as GeoJSON text, in the name of a member if one is given. Returns false if the project has no such
    /// system.
    pub fn set_impact(
        &self,
        project: ProjectKey,
        system: SystemId,
        map: &str,
        in_name_of: Option<&str>,
    ) -> Result<bool> {
        self.set_map("set_impact", project, system, SystemMap::Impact, map, in_name_of)
    }

    /// Replaces a map of a system, given as GeoJSON text.
    pub(super) fn set_map(
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
        let Some(before) = self.one(&sql, params![project.0, system.0], |row| Ok(row.get::<_, String>(0)?))? else {
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

/// A map in short.
fn bytes_of(geojson: &str) -> String {
    if geojson == NO_FEATURES { "no features".into() } else { format!("{} bytes of GeoJSON", geojson.len()) }
}

/// A map of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemMap {
    Evaluation,
    Impact,
}

impl SystemMap {
    /// Its name, which is that of its column.
    pub fn name(self) -> &'static str {
        match self {
            SystemMap::Evaluation => "evaluation",
            SystemMap::Impact => "impact",
        }
    }
}
