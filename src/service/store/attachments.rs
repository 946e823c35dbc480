//! What is attached to a project: stakeholders, plugins, external layers, tags, maps of its systems.

use rusqlite::params;

use super::{ProjectKey, Result, Writer, new_uuid, to_json};
use crate::model::{LayerId, NewLayer, NewTag, SystemId, Uuid};

impl Writer<'_> {
    /// Adds those who are not there yet, by their names; how many.
    pub fn add_stakeholders(&self, project: ProjectKey, names: &[String]) -> Result<usize> {
        let mut added = 0;
        for name in names {
            let sql = "INSERT INTO stakeholders (id, project, name) SELECT ?1, ?2, ?3 \
                       WHERE NOT EXISTS (SELECT 1 FROM stakeholders WHERE project = ?2 AND name = ?3)";
            added += self.run(sql, params![new_uuid()?, project.0, name])?;
        }
        Ok(added)
    }

    /// Makes these plugins those of the project; how many. One that the service does not know yet has no description.
    pub fn set_plugins(&self, project: ProjectKey, plugins: &[Uuid]) -> Result<usize> {
        self.run("DELETE FROM project_plugins WHERE project = ?1", [project.0])?;
        let mut added = 0;
        for plugin in plugins {
            let plugin = plugin.as_str().to_ascii_lowercase();
            self.run("INSERT INTO plugins (id, description) VALUES (?1, '') ON CONFLICT DO NOTHING", [&plugin])?;
            let sql = "INSERT INTO project_plugins (project, plugin) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            added += self.run(sql, params![project.0, plugin])?;
        }
        Ok(added)
    }

    pub fn add_layer(&self, project: ProjectKey, layer: &NewLayer) -> Result<LayerId> {
        let sql = "INSERT INTO layers (project, server_type, layer_type, url, layer_name, attribution, display_name, \
                   additional_metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let values = params![
            project.0,
            layer.server_type.name(),
            layer.layer_type.name(),
            layer.url,
            layer.layer_name,
            layer.attribution,
            layer.display_name,
            to_json(&layer.additional_metadata.clone().unwrap_or_default())?,
        ];
        self.insert(sql, values).map(LayerId)
    }

    /// Whether there was such a layer.
    pub fn delete_layer(&self, project: ProjectKey, layer: LayerId) -> Result<bool> {
        let sql = "DELETE FROM layers WHERE project = ?1 AND id = ?2";
        Ok(self.run(sql, params![project.0, layer.0])? > 0)
    }

    /// The code of a new tag that another tag of the project has, if there is one.
    pub fn taken_code<'t>(&self, project: ProjectKey, tags: &'t [NewTag]) -> Result<Option<&'t str>> {
        let sql = "SELECT 1 FROM tags WHERE project = ?1 AND code = ?2 AND tag <> ?3";
        for (at, NewTag { tag, code }) in tags.iter().enumerate().filter(|(_, tag)| !tag.code.is_empty()) {
            let among_new = tags[..at].iter().any(|other| other.code == *code && other.tag != *tag);
            if among_new || self.exists(sql, params![project.0, code, tag])? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    /// Adds those that are not there yet, by name and code; how many.
    pub fn add_tags(&self, project: ProjectKey, tags: &[NewTag]) -> Result<usize> {
        let mut added = 0;
        for NewTag { tag, code } in tags {
            let sql = "INSERT INTO tags (id, project, tag, slug, code) SELECT ?1, ?2, ?3, ?4, ?5 \
                       WHERE NOT EXISTS (SELECT 1 FROM tags WHERE project = ?2 AND tag = ?3 AND code = ?5)";
            added += self.run(sql, params![new_uuid()?, project.0, tag, slug(tag), code])?;
        }
        Ok(added)
    }

    /// Whether there was such a system.
    pub fn set_evaluation(&self, project: ProjectKey, system: SystemId, map: &impl serde::Serialize) -> Result<bool> {
        let sql = "UPDATE systems SET evaluation = ?3 WHERE project = ?1 AND id = ?2";
        Ok(self.run(sql, params![project.0, system.0, to_json(map)?])? > 0)
    }

    /// Whether there was such a system.
    pub fn set_impact(&self, project: ProjectKey, system: SystemId, map: &impl serde::Serialize) -> Result<bool> {
        let sql = "UPDATE systems SET impact = ?3 WHERE project = ?1 AND id = ?2";
        Ok(self.run(sql, params![project.0, system.0, to_json(map)?])? > 0)
    }
}

/// A tag's name for addresses: letters and digits in lower case, hyphens between words.
fn slug(tag: &str) -> String {
    let lower = tag.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
