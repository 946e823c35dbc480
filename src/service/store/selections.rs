//! The diagrams that members selected.

use rusqlite::params;

use super::database::error::Result;
use super::database::keys::{ProjectKey, UserKey};
use super::database::transaction::{Reader, Writer};
use super::history::{Change, joined};
use crate::model::{DiagramId, Username};

impl Reader<'_> {
    /// The ids of the diagrams of a project that a user selected, with commas between them.
    fn selected(&self, project: ProjectKey, user: UserKey) -> Result<String> {
        let sql = "SELECT diagram FROM selections JOIN diagrams ON id = diagram WHERE project = ?1 AND user = ?2 ORDER BY diagram";
        Ok(joined(self.all(sql, params![project.0, user.0], |row| Ok(DiagramId(row.get(0)?)))?))
    }
}

impl Writer<'_> {
    /// Replaces the selection of a member.
    pub fn set_selection(&self, project: ProjectKey, member: &Username, diagrams: &[DiagramId]) -> Result<()> {
        let user = self.require_member(project, member)?;
        self.require_diagrams(project, diagrams)?;
        let before = self.selected(project, user)?;
        self.clear_selection(project, user)?;
        for diagram in diagrams {
            let sql = "INSERT INTO selections (user, diagram) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![user.0, diagram.0])?;
        }
        let after = self.selected(project, user)?;
        if after == before {
            return Ok(());
        }
        let change = Change::of("set_selection").subject(format_args!("selection of {}", member.as_str()));
        self.record(project, change.before(before).after(after))
    }

    pub(super) fn clear_selection(&self, project: ProjectKey, user: UserKey) -> Result<()> {
        let sql =
            "DELETE FROM selections WHERE user = ?2 AND diagram IN (SELECT id FROM all_diagrams WHERE project = ?1)";
        self.run(sql, params![project.0, user.0]).map(drop)
    }
}
