//! How much projects and users have. Triggers of the database keep count, so that no write has to.

use rusqlite::params;

use super::database::error::Result;
use super::database::keys::{ProjectKey, UserKey};
use super::database::transaction::Reader;

/// What a project has, and what a user has in all projects.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    pub project_diagrams: u64,
    /// The bytes of the diagrams and maps of the project.
    pub project_bytes: u64,
    /// The bytes of the diagrams that the user has added.
    pub user_bytes: u64,
}

impl Reader<'_> {
    pub fn usage(&self, project: ProjectKey, user: UserKey) -> Result<Usage> {
        let sql = "SELECT diagrams, projects.bytes, users.bytes FROM projects, users \
                   WHERE projects.key = ?1 AND users.key = ?2";
        let usage = self.one(sql, params![project.0, user.0], |row| {
            let count = |column: usize| Result::Ok(row.get::<_, i64>(column)?.max(0) as u64);
            Ok(Usage { project_diagrams: count(0)?, project_bytes: count(1)?, user_bytes: count(2)? })
        })?;
        Ok(usage.unwrap_or_default())
    }

    /// The bytes of the diagrams and maps of a project.
    pub fn project_bytes(&self, project: ProjectKey) -> Result<u64> {
        self.count("SELECT bytes FROM projects WHERE key = ?1", project.0)
    }

    pub fn count_tags(&self, project: ProjectKey) -> Result<u64> {
        self.count("SELECT count(*) FROM tags WHERE project = ?1", project.0)
    }

    pub fn count_stakeholders(&self, project: ProjectKey) -> Result<u64> {
        self.count("SELECT count(*) FROM stakeholders WHERE project = ?1", project.0)
    }

    pub fn count_layers(&self, project: ProjectKey) -> Result<u64> {
        self.count("SELECT count(*) FROM layers WHERE project = ?1", project.0)
    }

    pub fn count_grouped_diagrams(&self, project: ProjectKey) -> Result<u64> {
        self.count("SELECT count(*) FROM diagram_groups WHERE project = ?1", project.0)
    }

    /// How many projects a user administers.
    pub fn count_administered_projects(&self, user: UserKey) -> Result<u64> {
        self.count("SELECT count(*) FROM members WHERE user = ?1 AND administrator", user.0)
    }

    fn count(&self, sql: &str, key: i64) -> Result<u64> {
        let count = self.one(sql, [key], |row| Ok(row.get::<_, i64>(0)?))?;
        Ok(count.unwrap_or_default().max(0) as u64)
    }
}
