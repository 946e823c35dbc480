//! New diagrams: their place in the system's grid, and their row.

use rusqlite::params;

use super::{ProjectKey, Result, UserKey, Writer, moment, to_json, utc_now};
use crate::geometry::Measure;
use crate::model::{DiagramId, DiagramKind, JsonObject, SystemId, VolumeInformation};

/// A diagram as a member adds it.
#[derive(Debug)]
pub struct NewDiagram<'d> {
    pub system: SystemId,
    pub author: UserKey,
    pub kind: DiagramKind,
    pub title: &'d str,
    pub funding: &'d str,
    /// What the geometry covers; nothing where it lies elsewhere.
    pub measure: Measure,
    /// Zero: none.
    pub cost_override: f64,
    pub cost_override_type: &'d str,
    pub additional_metadata: JsonObject,
    pub flat_geobuf_url: &'d str,
    pub external_geometries: &'d str,
    /// How far each feature rises, and its geometry as GeoJSON text.
    pub features: Vec<(VolumeInformation, &'d str)>,
}

/// Where a diagram stands in its system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub rank: i64,
    /// A letter for the system, a number for the diagram: `C4`.
    pub grid_location: String,
}

/// Everything in the row of a diagram.
#[derive(Debug)]
pub struct NewDiagramRow<'d> {
    /// The next free one, where it is `None`.
    pub id: Option<DiagramId>,
    pub project: ProjectKey,
    pub place: Place,
    pub building_data: JsonObject,
    pub notes: &'d str,
    pub created_at: jiff::civil::DateTime,
    pub start_date: jiff::civil::Date,
    pub end_date: jiff::civil::Date,
    pub diagram: NewDiagram<'d>,
}

impl Writer<'_> {
    /// Adds a diagram at the next free place of its system. It starts and ends on the day it is drawn until somebody plans it.
    pub fn add_diagram(&self, project: ProjectKey, diagram: NewDiagram) -> Result<(DiagramId, Place)> {
        let place = self.next_place(project, diagram.system)?;
        let now = utc_now();
        let row = NewDiagramRow {
            id: None,
            project,
            place: place.clone(),
            building_data: JsonObject::new(),
            notes: "",
            created_at: now,
            start_date: now.date(),
            end_date: now.date(),
            diagram,
        };
        Ok((self.insert_diagram(&row)?, place))
    }

    pub fn insert_diagram(&self, row: &NewDiagramRow) -> Result<DiagramId> {
        let diagram = &row.diagram;
        // The service knows an area or a length, never both.
        let area = diagram.measure.square_metres;
        let length = if area > 0.0 { 0.0 } else { diagram.measure.kilometres() };
        let sql = "INSERT INTO diagrams (id, project, system, author, rank, grid_location, description, type, fundingtype, \
                   area, length, cost_override, cost_override_type, building_data, notes, created_at, changed_at, start_date, \
                   end_date, additional_metadata, flat_geobuf_url, external_geometries) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?16, ?17, ?18, ?19, ?20, ?21)";
        let id = self.insert(
            sql,
            params![
                row.id.map(|id| id.0),
                row.project.0,
                diagram.system.0,
                diagram.author.0,
                row.place.rank,
                row.place.grid_location,
                diagram.title,
                diagram.kind.name(),
                diagram.funding,
                area,
                length,
                diagram.cost_override,
                diagram.cost_override_type,
                to_json(&row.building_data)?,
                row.notes,
                moment(row.created_at),
                row.start_date.to_string(),
                row.end_date.to_string(),
                to_json(&diagram.additional_metadata)?,
                diagram.flat_geobuf_url,
                diagram.external_geometries,
            ],
        )?;
        for (VolumeInformation { min_height, max_height }, geometry) in &diagram.features {
            let sql = "INSERT INTO features (diagram, min_height, max_height, geometry) VALUES (?1, ?2, ?3, ?4)";
            self.run(sql, params![id, min_height, max_height, geometry])?;
        }
        Ok(DiagramId(id))
    }

    fn next_place(&self, project: ProjectKey, system: SystemId) -> Result<Place> {
        let highest = "SELECT coalesce(max(rank), 0) FROM diagrams WHERE system = ?1";
        let rank = 1 + self.one(highest, [system.0], |row| Ok(row.get::<_, i64>(0)?))?.unwrap_or_default();
        let before = "SELECT count(*) FROM systems WHERE project = ?1 AND id < ?2";
        let column =
            self.one(before, params![project.0, system.0], |row| Ok(row.get::<_, u8>(0)?))?.unwrap_or_default();
        Ok(Place { rank, grid_location: format!("{}{rank}", char::from(b'A' + column.min(25))) })
    }
}
