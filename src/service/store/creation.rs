//! New projects.

use rusqlite::params;

use super::{ProjectKey, Result, StoreError, UserKey, Writer, new_id, utc_now};
use crate::model::{NewProject, NewSystem, ProjectId, SystemId};

/// The empty map that a system begins with.
const NO_FEATURES: &str = r#"{"type":"FeatureCollection","features":[]}"#;

impl Writer<'_> {
    /// Makes a project, with its creator as administrator. `connection` names the platform that it is linked to.
    pub fn create_project(&self, project: &NewProject, creator: UserKey, connection: &str) -> Result<ProjectId> {
        let id: ProjectId = new_id()?.parse().map_err(|error| StoreError::Content(format!("{error}")))?;
        let sql = "INSERT INTO projects (id, title, description, start_date, type, external_connection, bounds, center, \
                   zoom_level) VALUES (?1, ?2, ?3, ?4, 'free', ?5, ?6, ?7, ?8)";
        let key = self.insert(
            sql,
            params![
                id.as_str(),
                project.project_title,
                project.project_description,
                utc_now().date().to_string(),
                connection,
                project.map_bounds.to_string(),
                project.center().to_string(),
                project.zoom_level,
            ],
        )?;
        let key = ProjectKey(key);
        self.add_member(key, creator, true)?;
        project.systems.iter().try_for_each(|system| self.add_system(key, system).map(drop))?;
        self.add_tags(key, &project.tags)?;
        self.set_plugins(key, &project.plugins)?;
        Ok(id)
    }

    fn add_system(&self, project: ProjectKey, system: &NewSystem) -> Result<SystemId> {
        let sql = "INSERT INTO systems (project, name, color, tag, verbose_description, cost, budget, current_ha, \
                   target_ha, evaluation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, 0, ?7)";
        let values = params![
            project.0,
            system.name,
            system.color,
            system.tag,
            system.description(),
            system.cost as f64,
            NO_FEATURES
        ];
        self.insert(sql, values).map(SystemId)
    }
}
