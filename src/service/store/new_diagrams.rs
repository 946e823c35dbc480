//! New diagrams, and where they are placed in the grid of systems.

use jiff::civil::{Date, DateTime};
use rusqlite::params;

use super::database::columns::{date_time_text, to_json, utc_now};
use super::database::error::Result;
use super::database::keys::{ProjectKey, UserKey};
use super::database::transaction::Writer;
use super::diagram_state::DiagramState;
use super::history::Change;
use super::undo::Undo;
use crate::geometry::Measure;
use crate::model::{DiagramId, DiagramKind, FeatureType, JsonObject, ObjectText, SystemId, VolumeInformation};

/// What a member gives for a new diagram.
#[derive(Debug)]
pub struct DiagramContent<'d> {
    pub system: SystemId,
    pub author: UserKey,
    pub kind: DiagramKind,
    pub title: &'d str,
    pub funding: &'d str,
    /// The size of all features; zero if the geometry is external.
    pub measure: Measure,
    /// An amount of money; 0 for none.
    pub cost_override: f64,
    pub cost_override_type: &'d str,
    pub additional_metadata: ObjectText,
    pub flat_geobuf_url: &'d str,
    pub external_geometries: &'d str,
    pub feature_type: FeatureType,
    /// The heights of each feature, and its geometry as GeoJSON text.
    pub features: Vec<(VolumeInformation, &'d str)>,
}

impl DiagramContent<'_> {
    /// What the quotas of project and user count.
    fn geometry_bytes(&self) -> i64 {
        self.features.iter().map(|(_, geometry)| geometry.len() as i64).sum()
    }

    /// The name of the operation that adds it.
    fn operation(&self) -> &'static str {
        let is_external = !self.flat_geobuf_url.is_empty() || !self.external_geometries.is_empty();
        match (self.kind, is_external) {
            (DiagramKind::Project, false) => "add_project",
            (DiagramKind::Policy, false) => "add_policy",
            (DiagramKind::Project, true) => "add_external_project",
            (DiagramKind::Policy, true) => "add_external_policy",
        }
    }
}

/// Where a diagram stands in the grid, which has a column for each system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GridLocation {
    /// The row in the grid, from 1.
    pub rank: i64,
    /// A letter for the system and the rank, such as `C4`.
    pub name: String,
}

/// The row of a diagram, with its features.
#[derive(Debug)]
pub struct DiagramRow<'d> {
    /// Without an id, the diagram gets the next free one.
    pub id: Option<DiagramId>,
    pub project: ProjectKey,
    pub location: GridLocation,
    pub content: DiagramContent<'d>,
    pub building_data: JsonObject,
    pub notes: &'d str,
    /// UTC
    pub created_at: DateTime,
    pub start_date: Date,
    pub end_date: Date,
    /// The tags of the project that the diagram has.
    pub tag_codes: &'d [String],
}

impl Writer<'_> {
    /// Adds a diagram below the others of its system. It starts and ends today.
    pub fn add_diagram(&self, project: ProjectKey, content: DiagramContent) -> Result<(DiagramId, GridLocation)> {
        let location = self.next_location(project, content.system)?;
        let now = utc_now();
        let change = Change::of(content.operation()).after(format_args!("{} at {}", content.title, location.name));
        let id = self.insert_diagram(&DiagramRow {
            id: None,
            project,
            location: location.clone(),
            content,
            building_data: JsonObject::new(),
            notes: "",
            created_at: now,
            start_date: now.date(),
            end_date: now.date(),
            tag_codes: &[],
        })?;
        let state = DiagramState { removed: Some(true), ..DiagramState::default() };
        self.record(project, change.subject(format_args!("diagram {id}")).undone_by(&Undo::Diagram { id, state })?)?;
        Ok((id, location))
    }

    pub fn insert_diagram(&self, row: &DiagramRow) -> Result<DiagramId> {
        let content = &row.content;
        // A diagram has an area or a length, never both.
        let area = content.measure.square_metres;
        let length = if area > 0.0 { 0.0 } else { content.measure.kilometres() };
        let sql = "INSERT INTO all_diagrams (id, project, system, author, rank, grid_location, description, type, fundingtype, \
                   area, length, cost_override, cost_override_type, building_data, notes, created_at, changed_at, start_date, \
                   end_date, additional_metadata, flat_geobuf_url, external_geometries, featuretype, geometry_bytes) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?16, ?17, ?18, ?19, ?20, ?21, \
                   ?22, ?23)";
        let id = self.insert(
            sql,
            params![
                row.id.map(|id| id.0),
                row.project.0,
                content.system.0,
                content.author.0,
                row.location.rank,
                row.location.name,
                content.title,
                content.kind.name(),
                content.funding,
                area,
                length,
                content.cost_override,
                content.cost_override_type,
                to_json(&row.building_data)?,
                row.notes,
                date_time_text(row.created_at),
                row.start_date.to_string(),
                row.end_date.to_string(),
                content.additional_metadata.text(),
                content.flat_geobuf_url,
                content.external_geometries,
                content.feature_type.name(),
                content.geometry_bytes(),
            ],
        )?;
        for (VolumeInformation { min_height, max_height }, geometry) in &content.features {
            let sql = "INSERT INTO features (diagram, min_height, max_height, geometry) VALUES (?1, ?2, ?3, ?4)";
            self.run(sql, params![id, min_height, max_height, geometry])?;
        }
        for code in row.tag_codes {
            let sql =
                "INSERT INTO diagram_tags (diagram, tag) SELECT ?1, id FROM tags WHERE project = ?2 AND code = ?3";
            self.run(sql, params![id, row.project.0, code])?;
        }
        Ok(DiagramId(id))
    }

    fn next_location(&self, project: ProjectKey, system: SystemId) -> Result<GridLocation> {
        let highest = "SELECT coalesce(max(rank), 0) FROM all_diagrams WHERE system = ?1";
        let rank = 1 + self.one(highest, [system.0], |row| Ok(row.get::<_, i64>(0)?))?.unwrap_or_default();
        let before = "SELECT count(*) FROM systems WHERE project = ?1 AND id < ?2";
        let column =
            self.one(before, params![project.0, system.0], |row| Ok(row.get::<_, u8>(0)?))?.unwrap_or_default();
        Ok(GridLocation { rank, name: format!("{}{rank}", char::from(b'A' + column.min(25))) })
    }
}
