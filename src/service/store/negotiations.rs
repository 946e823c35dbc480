//! Negotiation logs.

use rusqlite::params;

use super::database::columns::{from_json, to_json};
use super::database::error::{InputError, Result};
use super::database::keys::ProjectKey;
use super::database::transaction::{Reader, Writer};
use super::history::Change;
use crate::model::NegotiationSession;

impl Reader<'_> {
    /// The sessions of a project, in the order in which they were added.
    pub fn negotiations(&self, project: ProjectKey) -> Result<Vec<NegotiationSession>> {
        let sql = "SELECT log FROM negotiations WHERE project = ?1 ORDER BY rowid";
        self.all(sql, [project.0], |row| from_json(row, 0))
    }
}

impl Writer<'_> {
    /// Adds a session, or replaces the one of the same id.
    pub fn add_negotiation(&self, project: ProjectKey, session: &NegotiationSession) -> Result<()> {
        let sql = "INSERT INTO negotiations (session_id, project, log) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO UPDATE SET log = excluded.log WHERE project = excluded.project";
        let (id, log) = (&session.session_id, to_json(session)?);
        let known = "SELECT 1 FROM negotiations WHERE session_id = ?1 AND project = ?2 AND log = ?3";
        if self.exists(known, params![id, project.0, log])? {
            return Ok(());
        }
        match self.run(sql, params![id, project.0, log])? {
            0 => Err(InputError::SessionOfAnotherProject(id.clone()).into()),
            _ => self.record(project, Change::of("add_negotiation").subject(format_args!("session {id}"))),
        }
    }
}
