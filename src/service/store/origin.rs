//! Projects that were loaded from an archive, and their answers where the origin differs from this service.

use rusqlite::params;

use super::database::error::Result;
use super::database::keys::ProjectKey;
use super::database::transaction::{Reader, Writer};

/// An answer about a loaded project in which the origin differs from this service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginAnswer {
    /// What this service answered when the project was loaded, as JSON; `None` where it answered 404.
    pub loaded: Option<String>,
    /// What the origin answered, as JSON, or the status with which it refused the request: 403 or 404.
    pub origin: std::result::Result<String, u16>,
}

impl OriginAnswer {
    pub fn bytes(&self) -> u64 {
        let texts = [self.loaded.as_ref(), self.origin.as_ref().ok()];
        texts.into_iter().flatten().map(|text| text.len() as u64).sum()
    }
}

impl Reader<'_> {
    /// The answer of this name in the archive of a project; `None` where the origin answered as this service does.
    pub fn origin_answer(&self, project: ProjectKey, name: &str) -> Result<Option<OriginAnswer>> {
        let sql = "SELECT loaded, status, origin FROM origin_answers WHERE project = ?1 AND name = ?2";
        self.one(sql, params![project.0, name], |row| {
            let (status, origin): (u16, Option<String>) = (row.get(1)?, row.get(2)?);
            Ok(OriginAnswer { loaded: row.get(0)?, origin: origin.ok_or(status) })
        })
    }
}

impl Writer<'_> {
    pub fn insert_origin_answer(&self, project: ProjectKey, name: &str, answer: &OriginAnswer) -> Result<()> {
        let sql = "INSERT INTO origin_answers (project, name, loaded, status, origin) VALUES (?1, ?2, ?3, ?4, ?5)";
        let status = answer.origin.as_ref().map_or_else(|status| *status, |_| 200);
        let origin = answer.origin.as_ref().ok();
        self.run(sql, params![project.0, name, answer.loaded, status, origin]).map(drop)
    }
}
