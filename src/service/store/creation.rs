//! Creating projects, and who may: a user needs a creation code, or a project of the companion platform to link to.

use super::database::columns::{NO_FEATURES, utc_now};
use super::database::error::{InputError, Result, StoreError};
use super::database::keys::{ProjectKey, UserKey};
use super::database::random_ids::new_id;
use super::database::transaction::{Reader, Writer};
use super::history::Change;
use super::projects::ProjectRow;
use super::systems::SystemRow;
use super::tags::TagsToAdd;
use crate::model::{NewProject, NewSystem, ProjectId};

impl Reader<'_> {
    pub fn creation_codes(&self) -> Result<Vec<String>> {
        self.all("SELECT code FROM creation_codes ORDER BY code", [], |row| Ok(row.get(0)?))
    }

    pub fn has_creation_code(&self, code: &str) -> Result<bool> {
        self.exists("SELECT 1 FROM creation_codes WHERE code = ?1", [code])
    }

    pub fn has_linked_project(&self, id: &str) -> Result<bool> {
        self.exists("SELECT 1 FROM linked_projects WHERE id = ?1", [id])
    }
}

impl Writer<'_> {
    /// Accepts a code with which users may create projects.
    pub fn add_creation_code(&self, code: &str) -> Result<()> {
        if code.trim().is_empty() {
            return Err(InputError::EmptyCreationCode.into());
        }
        let added = self.run("INSERT INTO creation_codes (code) VALUES (?1) ON CONFLICT DO NOTHING", [code])?;
        // The code itself is a secret.
        if added > 0 { self.record(None, Change::of("creation_code")) } else { Ok(()) }
    }

    /// Accepts a random creation code, and returns it.
    pub fn new_creation_code(&self) -> Result<String> {
        let code = new_id()?;
        self.add_creation_code(&code)?;
        Ok(code)
    }

    /// Accepts the id of a project of the companion platform, from which users may create a linked project.
    pub fn add_linked_project(&self, id: &str) -> Result<()> {
        if id.trim().is_empty() {
            return Err(InputError::EmptyLinkedProject.into());
        }
        let added = self.run("INSERT INTO linked_projects (id) VALUES (?1) ON CONFLICT DO NOTHING", [id])?;
        if added > 0 { self.record(None, Change::of("add_linked_project").after(id)) } else { Ok(()) }
    }

    /// Creates a project with these tags. `creator`, if there is one, becomes its administrator; `external_connection` names
    /// the platform that it is linked to.
    pub fn create_project(
        &self,
        project: &NewProject,
        tags: &TagsToAdd,
        creator: Option<UserKey>,
        external_connection: &str,
    ) -> Result<ProjectId> {
        let id: ProjectId = new_id()?.parse().map_err(StoreError::content)?;
        let key = self.insert_project(&ProjectRow {
            id: &id,
            title: &project.project_title,
            description: &project.project_description,
            start_date: &utc_now().date().to_string(),
            kind: "free",
            external_connection,
            bounds: project.map_bounds,
            center: project.center(),
            zoom_level: project.zoom_level,
        })?;
        self.record(key, Change::of("create_project").after(&project.project_title))?;
        creator.map_or(Ok(()), |creator| self.add_member(key, creator, true))?;
        project.systems.iter().try_for_each(|system| self.add_system(key, system))?;
        self.add_tags(key, tags)?;
        self.set_plugins(key, &project.plugins)?;
        Ok(id)
    }

    fn add_system(&self, project: ProjectKey, system: &NewSystem) -> Result<()> {
        self.insert_system(&SystemRow {
            id: None,
            project,
            name: &system.name,
            color: &system.color,
            tag: &system.tag,
            verbose_description: system.description(),
            cost: system.cost as f64,
            budget: 0.0,
            current_ha: 0.0,
            target_ha: 0.0,
            evaluation: NO_FEATURES,
        })
        .map(drop)
    }
}
