//! The diagrams that members selected.

use rusqlite::params;

use super::database::error::Result;
use super::database::keys::{ProjectKey, UserKey};
use super::database::transaction::Writer;
use crate::model::{DiagramId, Username};

impl Writer<'_> {
    /// Replaces the selection of a member.
    pub fn set_selection(&self, project: ProjectKey, member: &Username, diagrams: &[DiagramId]) -> Result<()> {
        let user = self.require_member(project, member)?;
        self.require_diagrams(project, diagrams)?;
        self.clear_selection(project, user)?;
        for diagram in diagrams {
            let sql = "INSERT INTO selections (user, diagram) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![user.0, diagram.0])?;
        }
        Ok(())
    }

    pub(super) fn clear_selection(&self, project: ProjectKey, user: UserKey) -> Result<()> {
        let sql = "DELETE FROM selections WHERE user = ?2 AND diagram IN (SELECT id FROM diagrams WHERE project = ?1)";
        self.run(sql, params![project.0, user.0]).map(drop)
    }
}
