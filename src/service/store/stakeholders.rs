//! The stakeholders of projects.

use rusqlite::params;

use super::database::error::Result;
use super::database::keys::ProjectKey;
use super::database::random_ids::new_uuid;
use super::database::transaction::{Reader, Writer};
use crate::model::{JsonObject, Stakeholder};

impl Reader<'_> {
    pub fn stakeholders(&self, project: ProjectKey) -> Result<Vec<Stakeholder>> {
        let sql = "SELECT id, name FROM stakeholders WHERE project = ?1 ORDER BY name, id";
        self.all(sql, [project.0], |row| {
            Ok(Stakeholder { id: row.get(0)?, name: row.get(1)?, extra: JsonObject::new() })
        })
    }
}

impl Writer<'_> {
    /// Adds the stakeholders whose names the project does not have yet. Returns how many were added.
    pub fn add_stakeholders(&self, project: ProjectKey, names: &[String]) -> Result<usize> {
        let mut added = Vec::new();
        for name in names {
            let known = "SELECT 1 FROM stakeholders WHERE project = ?1 AND name = ?2";
            if !self.exists(known, params![project.0, name])? {
                self.insert_stakeholder(project, &new_uuid()?, name)?;
                added.push(name.as_str());
            }
        }
        self.record_added("add_stakeholders", project, &added)?;
        Ok(added.len())
    }

    pub fn insert_stakeholder(&self, project: ProjectKey, id: &str, name: &str) -> Result<()> {
        let sql = "INSERT INTO stakeholders (id, project, name) VALUES (?1, ?2, ?3)";
        self.run(sql, params![id, project.0, name]).map(drop)
    }
}
