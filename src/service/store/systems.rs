//! Systems and their evaluation maps.

use rusqlite::params;

use super::{ProjectKey, Reader, Result};
use crate::model::{DiagramId, Evaluated, GeometryText, JsonObject, SystemDetail, SystemId, SystemItem, WithGeojson};

impl Reader<'_> {
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
        self.one(sql, params![project.0, id.0], |row| {
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
        })
    }

    pub fn has_system(&self, project: ProjectKey, id: SystemId) -> Result<bool> {
        self.exists("SELECT 1 FROM systems WHERE project = ?1 AND id = ?2", params![project.0, id.0])
    }

    pub fn system_diagram_ids(&self, id: SystemId) -> Result<Vec<DiagramId>> {
        let sql = "SELECT id FROM diagrams WHERE system = ?1 ORDER BY id";
        self.all(sql, [id.0], |row| Ok(DiagramId(row.get(0)?)))
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

    pub fn impact(&self, project: ProjectKey, id: SystemId) -> Result<Option<GeometryText>> {
        self.one("SELECT impact FROM systems WHERE project = ?1 AND id = ?2", params![project.0, id.0], |row| {
            Ok(GeometryText(row.get(0)?))
        })
    }
}
