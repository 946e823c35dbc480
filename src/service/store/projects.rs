//! Projects.

use rusqlite::{Row, params};

use super::database::columns::{parsed, parsed_optional};
use super::database::error::{InputError, Result, StoreError};
use super::database::keys::{ProjectKey, UserKey};
use super::database::store::Store;
use super::database::transaction::{Reader, Writer};
use super::users::comma_separated;
use crate::model::{Bounds, Center, JsonObject, ProjectId, ProjectInfo};

const SELECT_PROJECT: &str = "SELECT id, title, description, start_date, type, external_connection FROM projects";

/// The row of a project.
#[derive(Debug)]
pub struct ProjectRow<'p> {
    pub id: &'p ProjectId,
    pub title: &'p str,
    pub description: &'p str,
    /// `YYYY-MM-DD`
    pub start_date: &'p str,
    pub kind: &'p str,
    /// The platform that the project is linked to, such as `igc`; `none` for none.
    pub external_connection: &'p str,
    pub bounds: Bounds,
    pub center: Center,
    pub zoom_level: i64,
}

impl Store {
    /// Whether there is no project yet.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.project_ids()?.is_empty())
    }

    /// The ids of all projects, oldest first.
    pub fn project_ids(&self) -> Result<Vec<ProjectId>> {
        self.read(|read| read.project_ids())
    }
}

impl Reader<'_> {
    /// The ids of all projects, oldest first.
    pub fn project_ids(&self) -> Result<Vec<ProjectId>> {
        self.all("SELECT id FROM projects ORDER BY key", [], |row| parsed(row, 0))
    }

    /// The ids and titles of all projects, oldest first.
    pub fn project_titles(&self) -> Result<Vec<(ProjectId, String)>> {
        self.all("SELECT id, title FROM projects ORDER BY key", [], |row| Ok((parsed(row, 0)?, row.get(1)?)))
    }

    /// The oldest project of this title.
    pub fn project_titled(&self, title: &str) -> Result<Option<ProjectKey>> {
        let sql = "SELECT key FROM projects WHERE title = ?1 ORDER BY key LIMIT 1";
        self.one(sql, [title], |row| Ok(ProjectKey(row.get(0)?)))
    }

    /// The key of a project. Fails if there is no such project.
    pub fn project_key(&self, id: &ProjectId) -> Result<ProjectKey> {
        let key = self.one("SELECT key FROM projects WHERE id = ?1", [id.as_str()], |row| Ok(row.get(0)?))?;
        match key {
            Some(key) => Ok(ProjectKey(key)),
            None => {
                let known = comma_separated(&self.project_ids()?);
                Err(StoreError::Input(InputError::UnknownProject { id: id.clone(), known }))
            }
        }
    }

    /// The projects of which a user is a member, oldest first.
    pub fn projects(&self, user: UserKey) -> Result<Vec<ProjectInfo>> {
        let sql = format!("{SELECT_PROJECT} JOIN members ON project = key WHERE user = ?1 ORDER BY key");
        self.all(&sql, [user.0], project)
    }

    pub fn project(&self, key: ProjectKey) -> Result<Option<ProjectInfo>> {
        self.one(&format!("{SELECT_PROJECT} WHERE key = ?1"), [key.0], project)
    }

    pub fn bounds(&self, project: ProjectKey) -> Result<Option<Bounds>> {
        self.one("SELECT bounds FROM projects WHERE key = ?1", [project.0], |row| parsed(row, 0))
    }

    pub fn center(&self, project: ProjectKey) -> Result<Option<Center>> {
        self.one("SELECT center FROM projects WHERE key = ?1", [project.0], |row| parsed(row, 0))
    }
}

impl Writer<'_> {
    pub fn insert_project(&self, row: &ProjectRow) -> Result<ProjectKey> {
        let sql = "INSERT INTO projects (id, title, description, start_date, type, external_connection, bounds, center, \
                   zoom_level) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let values = params![
            row.id.as_str(),
            row.title,
            row.description,
            row.start_date,
            row.kind,
            row.external_connection,
            row.bounds.to_string(),
            row.center.to_string(),
            row.zoom_level,
        ];
        self.insert(sql, values).map(ProjectKey)
    }
}

fn project(row: &Row) -> Result<ProjectInfo> {
    Ok(ProjectInfo {
        id: parsed(row, 0)?,
        projecttitle: row.get(1)?,
        projectdesc: row.get(2)?,
        startdate: parsed_optional(row, 3)?,
        projecttype: row.get(4)?,
        external_connection: row.get(5)?,
        extra: JsonObject::new(),
    })
}
