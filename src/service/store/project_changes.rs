//! What changed in a project, from the tables that triggers of the database fill.

use rusqlite::params;

use super::database::error::Result;
use super::database::feed::ProjectChange;
use super::database::keys::ProjectKey;
use super::database::transaction::Reader;

/// The state of a project.
#[derive(Debug, Clone)]
pub struct ProjectVersion {
    /// The id of the last change.
    pub version: i64,
    /// A text that is different after each change.
    pub changeid: String,
}

impl Reader<'_> {
    pub fn project_version(&self, project: ProjectKey) -> Result<Option<ProjectVersion>> {
        self.one("SELECT version, changeid FROM projects WHERE key = ?1", [project.0], |row| {
            Ok(ProjectVersion { version: row.get(0)?, changeid: row.get(1)? })
        })
    }

    /// Fails if the database cannot be read.
    pub fn check_readable(&self) -> Result<()> {
        self.exists("SELECT 1 FROM projects LIMIT 1", []).map(drop)
    }

    /// The first `count` changes of a project after that one which the database still has, oldest first.
    pub fn project_changes_after(&self, project: ProjectKey, id: i64, count: usize) -> Result<Vec<ProjectChange>> {
        let sql = "SELECT project, id, kind, action, resource FROM changes WHERE project = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
        self.all(sql, params![project.0, id, count as i64], |row| Ok(ProjectChange::read(row)?))
    }
}
