//! Undoing a change that the history has recorded.

use rusqlite::params;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::database::columns::from_json;
use super::database::error::Result;
use super::database::keys::ProjectKey;
use super::database::transaction::Writer;
use super::diagram_state::DiagramState;
use super::system_map::SystemMap;
use crate::model::{DiagramId, EntryId, SystemId};

/// What restores the state before a change.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// Has the values that the diagram gets back.
    Diagram {
        id: DiagramId,
        state: DiagramState,
    },
    Map {
        map: SystemMap,
        system: SystemId,
        geojson: Box<RawValue>,
    },
}

/// What became of a request to undo an entry of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    Yes,
    /// The history has no such entry.
    NoSuchEntry,
    /// It is a change of something that cannot be restored.
    Impossible,
}

impl Writer<'_> {
    /// Makes a diagram or a map what it was before an entry of the history. This is a change that can be undone in turn.
    pub fn undo(&self, project: ProjectKey, entry: EntryId) -> Result<Undone> {
        let sql = "SELECT undo FROM history WHERE project = ?1 AND number = ?2 AND changed_at > ?3";
        let undo = self.one(sql, params![project.0, entry.0, self.history_start()], |row| {
            let is_possible = row.get_ref(0)?.as_str_or_null().is_ok_and(|undo| undo.is_some());
            if is_possible { from_json(row, 0).map(Some) } else { Ok(None) }
        })?;
        match undo {
            None => return Ok(Undone::NoSuchEntry),
            Some(None) => return Ok(Undone::Impossible),
            Some(Some(Undo::Diagram { id, state })) => {
                self.change_diagram("undo", project, id, |write| write.set_diagram_state(id, &state))?;
            }
            Some(Some(Undo::Map { map, system, geojson })) => {
                self.set_map("undo", project, system, map, geojson.get(), None)?;
            }
        }
        Ok(Undone::Yes)
    }
}
