//! Projects, the data of a project as a whole, and the requirements for creating one.

use rusqlite::{Params, params};

use super::database::columns::columns;
use super::database::error::{InputError, Result, StoreError};
use super::database::store::Store;
use super::database::transaction::{Reader, Writer};
use super::database::values::{NO_FEATURES, ProjectKey, UserKey, new_id, new_uuid, utc_now};
use super::history::{Change, joined};
use super::members::comma_separated;
use super::systems::SystemRow;
use super::tags::TagsToAdd;
use geodesign::model::{
    Bounds, Center, Impacts, JsonObject, NewProject, NewSystem, Plugin, ProjectId, ProjectInfo, Quantities,
    Stakeholder, Uuid,
};

/// The row of a project.
#[derive(Debug)]
pub struct ProjectRow<'p> {
    pub id: &'p ProjectId,
    pub title: &'p str,
    pub description: &'p str,
    /// `YYYY-MM-DD`
    pub start_date: &'p str,
    pub kind: &'p str,
    /// The platform that the project is linked to, such as `esri`; `none` for none.
    pub external_connection: &'p str,
    pub bounds: Bounds,
    pub center: Center,
    pub zoom_level: i64,
    pub currency: Option<&'p str>,
    pub language: Option<&'p str>,
    pub counted_land: Option<&'p str>,
    pub drawings_on_constraints: Option<&'p str>,
}

impl Store {
    /// True if there is no project yet.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.project_ids()?.is_empty())
    }

    /// Returns the ids of all projects, oldest first.
    pub fn project_ids(&self) -> Result<Vec<ProjectId>> {
        self.read(|read| read.project_ids())
    }
}

impl Reader<'_> {
    /// Returns the ids of all projects, oldest first.
    pub fn project_ids(&self) -> Result<Vec<ProjectId>> {
        self.values("SELECT id FROM projects ORDER BY key", [])
    }

    /// Returns the ids and titles of all projects, oldest first.
    pub fn project_titles(&self) -> Result<Vec<(ProjectId, String)>> {
        self.select(columns!((id, title)), "FROM projects ORDER BY key", [])
    }

    /// Returns the oldest project of this title.
    pub fn project_titled(&self, title: &str) -> Result<Option<ProjectKey>> {
        let sql = "SELECT key FROM projects WHERE title = ?1 ORDER BY key LIMIT 1";
        self.value(sql, [title])
    }

    /// Returns the key of a project. Fails if there is no such project.
    pub fn project_key(&self, id: &ProjectId) -> Result<ProjectKey> {
        let key = self.value("SELECT key FROM projects WHERE id = ?1", [id.as_str()])?;
        match key {
            Some(key) => Ok(ProjectKey(key)),
            None => {
                let known = comma_separated(&self.project_ids()?);
                Err(StoreError::Input(InputError::UnknownProject { id: id.clone(), known }))
            }
        }
    }

    /// Returns the projects that a user is a member or a guest of, oldest first; all projects for the file owner.
    pub fn projects(&self, user: UserKey) -> Result<Vec<ProjectInfo>> {
        let condition = "?2 OR key IN (SELECT project FROM members WHERE user = ?1 \
                         UNION ALL SELECT project FROM links WHERE key = -?1)";
        self.projects_where(condition, params![user.0, user == UserKey::FILE_OWNER])
    }

    pub fn project(&self, key: ProjectKey) -> Result<Option<ProjectInfo>> {
        Ok(self.projects_where("key = ?1", [key.0])?.pop())
    }

    fn projects_where(&self, condition: &str, values: impl Params) -> Result<Vec<ProjectInfo>> {
        let columns = columns!((
            key,
            project: ProjectInfo {
                id,
                projecttitle: "title",
                projectdesc: "description",
                startdate: "start_date",
                projecttype: "type",
                external_connection,
                currency,
                language,
                counted_land,
                drawings_on_constraints,
                extra: (JsonObject::new()),
            },
        ));
        let projects = self.select(columns, &format!("FROM projects WHERE {condition} ORDER BY key"), values)?;
        projects.into_iter().map(|(key, project)| self.with_origin_fields(key, project)).collect()
    }

    pub fn bounds(&self, project: ProjectKey) -> Result<Option<Bounds>> {
        self.value("SELECT bounds FROM projects WHERE key = ?1", [project.0])
    }

    pub fn center(&self, project: ProjectKey) -> Result<Option<Center>> {
        self.value("SELECT center FROM projects WHERE key = ?1", [project.0])
    }
}

impl Reader<'_> {
    fn with_origin_fields(&self, key: ProjectKey, project: ProjectInfo) -> Result<ProjectInfo> {
        Ok(self.one_as_loaded(key, Some(project.clone()))?.unwrap_or(project))
    }
}

impl Writer<'_> {
    pub fn insert_project(&self, row: &ProjectRow) -> Result<ProjectKey> {
        let sql = "INSERT INTO projects (id, title, description, start_date, type, external_connection, bounds, center, \
                   zoom_level, currency, language, counted_land, drawings_on_constraints) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
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
            row.currency,
            row.language,
            row.counted_land,
            row.drawings_on_constraints,
        ];
        self.insert(sql, values).map(ProjectKey)
    }
}

impl Reader<'_> {
    pub fn creation_codes(&self) -> Result<Vec<String>> {
        self.values("SELECT code FROM creation_codes ORDER BY code", [])
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
            currency: None,
            language: None,
            counted_land: None,
            drawings_on_constraints: None,
        })?;
        self.record(key, Change::of("create_project").after(&project.project_title))?;
        creator.map_or(Ok(()), |creator| self.add_member(key, creator, true))?;
        project.systems.iter().try_for_each(|system| self.create_system(key, system))?;
        self.add_tags(key, tags)?;
        self.set_plugins(key, &project.plugins)?;
        Ok(id)
    }

    fn create_system(&self, project: ProjectKey, system: &NewSystem) -> Result<()> {
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
            impacts: &Impacts::new(),
            quantities: &Quantities::new(),
            evaluation: NO_FEATURES,
        })
        .map(drop)
    }
}

impl Reader<'_> {
    pub fn stakeholders(&self, project: ProjectKey) -> Result<Vec<Stakeholder>> {
        let rest = "FROM stakeholders WHERE project = ?1 ORDER BY name, id";
        self.as_loaded(project, self.select(columns!(Stakeholder { id, name, .. }), rest, [project.0])?)
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

impl Reader<'_> {
    pub fn plugins(&self, project: ProjectKey) -> Result<Vec<Plugin>> {
        let rest = "FROM plugins JOIN project_plugins ON plugin = id WHERE project = ?1 ORDER BY description, id";
        self.as_loaded(project, self.select(columns!(Plugin { id, description, .. }), rest, [project.0])?)
    }

    /// Returns the first of these plugins that the service does not know.
    pub fn unknown_plugin<'p>(&self, plugins: &'p [Uuid]) -> Result<Option<&'p Uuid>> {
        for plugin in plugins {
            let id = plugin.as_str().to_ascii_lowercase();
            if !self.exists("SELECT 1 FROM plugins WHERE id = ?1", [id])? {
                return Ok(Some(plugin));
            }
        }
        Ok(None)
    }

    /// Returns the ids of the plugins of a project.
    fn plugin_ids(&self, project: ProjectKey) -> Result<Vec<String>> {
        let sql = "SELECT plugin FROM project_plugins WHERE project = ?1 ORDER BY plugin";
        self.values(sql, [project.0])
    }
}

impl Writer<'_> {
    /// Adds a plugin that projects can use, or changes its description.
    pub fn add_plugin(&self, id: &Uuid, description: &str) -> Result<()> {
        let sql = "INSERT INTO plugins (id, description) VALUES (?1, ?2) \
                   ON CONFLICT DO UPDATE SET description = excluded.description \
                   WHERE description <> excluded.description";
        match self.run(sql, params![id.as_str().to_ascii_lowercase(), description])? {
            0 => Ok(()),
            _ => self.record(None, Change::of("add_plugin").subject(format_args!("plugin {id}")).after(description)),
        }
    }

    /// Replaces a project's plugins with those of the given ones that the service knows. Returns the new number of plugins.
    pub fn set_plugins(&self, project: ProjectKey, plugins: &[Uuid]) -> Result<usize> {
        let before = self.plugin_ids(project)?;
        self.run("DELETE FROM project_plugins WHERE project = ?1", [project.0])?;
        let mut added = 0;
        for plugin in plugins {
            let plugin = plugin.as_str().to_ascii_lowercase();
            let sql = "INSERT INTO project_plugins (project, plugin) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            added += self.run(sql, params![project.0, plugin])?;
        }
        let after = self.plugin_ids(project)?;
        if after != before {
            self.record(project, Change::of("set_plugins").before(joined(before)).after(joined(after)))?;
        }
        Ok(added)
    }
}

/// Totals of a project, and of a user in all projects.
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
        let columns = columns!(Usage {
            project_diagrams: "diagrams",
            project_bytes: "projects.bytes",
            user_bytes: "users.bytes"
        });
        let rest = "FROM projects, users WHERE projects.key = ?1 AND users.key = ?2";
        Ok(self.select_one(columns, rest, [project.0, user.0])?.unwrap_or_default())
    }

    /// Returns the bytes of the diagrams and maps of a project.
    pub fn project_bytes(&self, project: ProjectKey) -> Result<u64> {
        self.count("SELECT bytes FROM projects WHERE key = ?1", project.0)
    }

    /// Counts the rows of a table that belong to a project.
    pub fn count_in(&self, table: &'static str, project: ProjectKey) -> Result<u64> {
        self.count(&format!("SELECT count(*) FROM {table} WHERE project = ?1"), project.0)
    }

    /// Counts the projects that a user administers.
    pub fn count_administered_projects(&self, user: UserKey) -> Result<u64> {
        self.count("SELECT count(*) FROM members WHERE user = ?1 AND administrator", user.0)
    }

    fn count(&self, sql: &str, key: i64) -> Result<u64> {
        Ok(self.value(sql, [key])?.unwrap_or_default())
    }
}
