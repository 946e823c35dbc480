//! Diagrams without their features.

use rusqlite::{Row, params, params_from_iter};
use sha2::{Digest, Sha256};

use super::database::columns::{hex, object_text, parsed_optional};
use super::database::error::{InputError, Result, StoreError};
use super::database::keys::ProjectKey;
use super::database::transaction::Reader;
use super::diagram_filter::DiagramFilter;
use crate::model::{ChangeHash, Diagram, DiagramId, DiagramSummary, JsonObject, Note, ObjectText, SystemId};

/// The `tag_codes` of a diagram, separated by `|`.
pub const TAG_CODES: &str = "coalesce((SELECT group_concat(code, '|') FROM (SELECT code FROM diagram_tags JOIN tags ON tags.id = diagram_tags.tag \
                             WHERE diagram = diagrams.id AND code <> '' ORDER BY code)), '')";
/// Diagrams with their systems and authors.
pub const FROM_DIAGRAMS: &str = "FROM diagrams JOIN systems ON systems.id = system JOIN users ON users.key = author";

impl Reader<'_> {
    pub fn diagram_summaries(&self, project: ProjectKey) -> Result<Vec<DiagramSummary>> {
        let sql = format!(
            "SELECT diagrams.id, diagrams.description, username, created_at, rank, system {FROM_DIAGRAMS} \
             WHERE diagrams.project = ?1 ORDER BY diagrams.id"
        );
        self.all(&sql, [project.0], |row| {
            Ok(DiagramSummary {
                id: DiagramId(row.get(0)?),
                worlddescription: row.get(1)?,
                author: row.get(2)?,
                created_at: parsed_optional(row, 3)?,
                rank: row.get(4)?,
                sysid: SystemId(row.get(5)?),
                extra: JsonObject::new(),
            })
        })
    }

    /// Diagrams without their features.
    pub fn diagram_details(&self, filter: &DiagramFilter) -> Result<Vec<Diagram<ObjectText>>> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "SELECT system, rank, diagrams.id, diagrams.description, type, length, area, fundingtype, cost_override, \
             cost_override_type, building_data, notes, created_at, start_date, end_date, additional_metadata, {TAG_CODES}, \
             flat_geobuf_url, external_geometries {FROM_DIAGRAMS} WHERE {condition} ORDER BY diagrams.id"
        );
        self.all(&sql, params_from_iter(values), diagram)
    }

    pub fn has_diagram(&self, project: ProjectKey, id: DiagramId) -> Result<bool> {
        self.exists("SELECT 1 FROM diagrams WHERE project = ?1 AND id = ?2", params![project.0, id.0])
    }

    /// Fails if the project lacks one of these diagrams.
    pub(super) fn require_diagrams(&self, project: ProjectKey, diagrams: &[DiagramId]) -> Result<()> {
        for &id in diagrams {
            if !self.has_diagram(project, id)? {
                return Err(InputError::UnknownDiagram(id).into());
            }
        }
        Ok(())
    }

    pub fn diagram_note(&self, project: ProjectKey, id: DiagramId) -> Result<Option<Note>> {
        let sql = "SELECT notes FROM diagrams WHERE project = ?1 AND id = ?2";
        self.one(sql, params![project.0, id.0], |row| Ok(Note { id: id.to_string().into(), notes: row.get(0)? }))
    }

    /// The digest of the time at which a diagram last changed.
    pub fn change_hash(&self, project: ProjectKey, id: DiagramId) -> Result<Option<ChangeHash>> {
        let sql = "SELECT changed_at FROM diagrams WHERE project = ?1 AND id = ?2";
        self.one(sql, params![project.0, id.0], |row| {
            let changed_at: String = row.get(0)?;
            Ok(ChangeHash { changehash: hex(&Sha256::digest(changed_at.as_bytes())) })
        })
    }
}

fn diagram(row: &Row) -> Result<Diagram<ObjectText>> {
    let created_at: String = row.get(12)?;
    // In whole seconds and with a space, unlike in the list of diagrams.
    let created_at = created_at.replace('T', " ");
    let created_at = created_at.split('.').next().map(str::parse).transpose().map_err(StoreError::content)?;
    Ok(Diagram {
        sysid: SystemId(row.get(0)?),
        rank: row.get(1)?,
        id: DiagramId(row.get(2)?),
        description: row.get(3)?,
        kind: row.get(4)?,
        length: row.get(5)?,
        area: row.get(6)?,
        fundingtype: row.get(7)?,
        cost_override: row.get(8)?,
        cost_override_type: row.get(9)?,
        building_data: Some(object_text(row, 10)?),
        notes: row.get(11)?,
        created_at,
        start_date: parsed_optional(row, 13)?,
        end_date: parsed_optional(row, 14)?,
        additional_metadata: Some(object_text(row, 15)?),
        tag_codes: row.get(16)?,
        flat_geobuf_url: row.get(17)?,
        external_geometries: row.get(18)?,
        extra: JsonObject::new(),
    })
}
