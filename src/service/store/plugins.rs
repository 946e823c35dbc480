//! The plugins of the service, and which of them a project uses.

use rusqlite::params;

use super::database::error::Result;
use super::database::keys::ProjectKey;
use super::database::transaction::{Reader, Writer};
use super::history::{Change, joined};
use crate::model::{JsonObject, Plugin, Uuid};

impl Reader<'_> {
    pub fn plugins(&self, project: ProjectKey) -> Result<Vec<Plugin>> {
        let sql = "SELECT id, description FROM plugins JOIN project_plugins ON plugin = id WHERE project = ?1 \
                   ORDER BY description, id";
        self.all(sql, [project.0], |row| {
            Ok(Plugin { id: row.get(0)?, description: row.get(1)?, extra: JsonObject::new() })
        })
    }

    /// The ids of the plugins of a project, with commas between them.
    fn plugin_ids(&self, project: ProjectKey) -> Result<Vec<String>> {
        let sql = "SELECT plugin FROM project_plugins WHERE project = ?1 ORDER BY plugin";
        self.all(sql, [project.0], |row| Ok(row.get(0)?))
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

    /// Replaces the plugins of a project. Adds a plugin that the service does not know yet, without a description, and
    /// removes one without a description that no project uses any longer. Returns how many plugins the project has now.
    pub fn set_plugins(&self, project: ProjectKey, plugins: &[Uuid]) -> Result<usize> {
        let before = self.plugin_ids(project)?;
        self.run("DELETE FROM project_plugins WHERE project = ?1", [project.0])?;
        let mut added = 0;
        for plugin in plugins {
            let plugin = plugin.as_str().to_ascii_lowercase();
            self.run("INSERT INTO plugins (id, description) VALUES (?1, '') ON CONFLICT DO NOTHING", [&plugin])?;
            let sql = "INSERT INTO project_plugins (project, plugin) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            added += self.run(sql, params![project.0, plugin])?;
        }
        // Otherwise projects could fill the database with ids that none of them has any longer.
        let unused = "DELETE FROM plugins WHERE id = ?1 AND description = '' \
                      AND NOT EXISTS (SELECT 1 FROM project_plugins WHERE plugin = id)";
        before.iter().try_for_each(|plugin| self.run(unused, [plugin]).map(drop))?;
        let after = self.plugin_ids(project)?;
        if after != before {
            self.record(project, Change::of("set_plugins").before(joined(before)).after(joined(after)))?;
        }
        Ok(added)
    }
}
