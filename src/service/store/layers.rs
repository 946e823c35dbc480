//! The external data layers of projects.

use rusqlite::params;
use serde::Serialize;

use super::database::columns::{object_text, to_json};
use super::database::error::Result;
use super::database::keys::ProjectKey;
use super::database::transaction::{Reader, Writer};
use super::history::Change;
use crate::model::{JsonObject, Layer, LayerId, NewLayer, ObjectText};

impl Reader<'_> {
    pub fn layers(&self, project: ProjectKey) -> Result<Vec<Layer<ObjectText>>> {
        let sql = "SELECT id, server_type, layer_type, url, layer_name, attribution, display_name, additional_metadata \
                   FROM layers WHERE project = ?1 ORDER BY id";
        self.all(sql, [project.0], |row| {
            Ok(Layer {
                id: LayerId(row.get(0)?),
                server_type: row.get(1)?,
                layer_type: row.get(2)?,
                url: row.get(3)?,
                layer_name: row.get(4)?,
                attribution: row.get(5)?,
                display_name: row.get(6)?,
                additional_metadata: Some(object_text(row, 7)?),
                extra: JsonObject::new(),
            })
        })
    }
}

impl Writer<'_> {
    pub fn add_layer(&self, project: ProjectKey, layer: &NewLayer<impl Serialize>) -> Result<LayerId> {
        let id = self.insert_layer(project, None, layer)?;
        self.record(project, Change::of("add_layer").subject(format_args!("layer {id}")).after(&layer.url))?;
        Ok(id)
    }

    /// Adds a layer. Without an id it gets the next free one.
    pub fn insert_layer(
        &self,
        project: ProjectKey,
        id: Option<LayerId>,
        layer: &NewLayer<impl Serialize>,
    ) -> Result<LayerId> {
        let sql = "INSERT INTO layers (id, project, server_type, layer_type, url, layer_name, attribution, display_name, \
                   additional_metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let values = params![
            id.map(|id| id.0),
            project.0,
            layer.server_type.name(),
            layer.layer_type.name(),
            layer.url,
            layer.layer_name,
            layer.attribution,
            layer.display_name,
            layer.additional_metadata.as_ref().map_or_else(|| Ok("{}".into()), to_json)?,
        ];
        self.insert(sql, values).map(LayerId)
    }

    /// Deletes a layer. Returns false if the project has no such layer.
    pub fn delete_layer(&self, project: ProjectKey, layer: LayerId) -> Result<bool> {
        let sql = "DELETE FROM layers WHERE project = ?1 AND id = ?2 RETURNING url";
        let deleted = self.one(sql, params![project.0, layer.0], |row| Ok(row.get::<_, String>(0)?))?;
        match deleted {
            None => Ok(false),
            Some(url) => {
                let change = Change::of("delete_layer").subject(format_args!("layer {layer}")).before(url);
                self.record(project, change).map(|()| true)
            }
        }
    }
}
