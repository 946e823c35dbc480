//! Thumbnails that were asked for. A job is a picture of a diagram as it looked; it stays when the diagram changes.

use rusqlite::params;
use serde_json::value::RawValue;

use super::{Diagrams, Geography, ProjectKey, Reader, Result, StoreError, Writer, new_uuid, parsed, to_geometry};
use crate::geometry::Geometry;
use crate::model::{Bounds, DiagramId, GeojsonCollection};

/// A job, and the diagram that it shows.
#[derive(Debug, Clone)]
pub struct Job {
    pub id: String,
    pub diagram: DiagramId,
}

/// What every thumbnail of a project shows.
#[derive(Debug)]
pub struct Appearance {
    version: i64,
    pub bounds: Bounds,
    pub study_area: Vec<Geometry>,
}

/// A diagram that has no picture of how it looks now.
#[derive(Debug)]
pub struct Drawing {
    pub diagram: DiagramId,
    changed_at: String,
    pub color: String,
    pub geometries: Vec<Geometry>,
}

impl Reader<'_> {
    pub fn appearance(&self, project: ProjectKey) -> Result<Option<Appearance>> {
        let sql = "SELECT appearance, bounds FROM projects WHERE key = ?1";
        let row = self.one(sql, [project.0], |row| Ok((row.get(0)?, parsed(row, 1)?)))?;
        let Some((version, bounds)) = row else { return Ok(None) };
        let boundaries = self.geography(project, Geography::Boundaries)?.geojson.0;
        let boundaries: GeojsonCollection<serde::de::IgnoredAny, Option<Box<RawValue>>> =
            serde_json::from_str(&boundaries).map_err(|error| StoreError::Content(error.to_string()))?;
        let texts = boundaries.features.iter().filter_map(|feature| feature.geometry.as_ref());
        let study_area = texts.map(|text| to_geometry(text.get())).collect::<Result<Vec<_>>>()?;
        Ok(Some(Appearance { version, bounds, study_area: study_area.into_iter().flatten().collect() }))
    }

    /// The diagrams among these of which there is no picture as they look now.
    pub fn undrawn(&self, which: &Diagrams, appearance: &Appearance) -> Result<Vec<Drawing>> {
        let (condition, mut values) = which.condition();
        values.push(Box::new(appearance.version));
        let sql = format!(
            "SELECT diagrams.id, changed_at, color FROM diagrams JOIN systems ON systems.id = system WHERE {condition} \
             AND NOT EXISTS (SELECT 1 FROM thumbnails WHERE diagram = diagrams.id \
             AND thumbnails.changed_at = diagrams.changed_at AND appearance = ?) ORDER BY diagrams.id"
        );
        let drawings: Vec<Drawing> = self.all(&sql, rusqlite::params_from_iter(values), |row| {
            let (changed_at, color) = (row.get(1)?, row.get(2)?);
            Ok(Drawing { diagram: DiagramId(row.get(0)?), changed_at, color, geometries: Vec::new() })
        })?;
        let of_diagram = "SELECT geometry FROM features WHERE diagram = ?1 ORDER BY key";
        let with_geometries = |drawing: Drawing| {
            let geometries = self.all(of_diagram, [drawing.diagram.0], |row| to_geometry(&row.get::<_, String>(0)?))?;
            Ok(Drawing { geometries: geometries.into_iter().flatten().collect(), ..drawing })
        };
        drawings.into_iter().map(with_geometries).collect()
    }

    /// The jobs that show these diagrams as they look now.
    pub fn jobs(&self, which: &Diagrams, appearance: &Appearance) -> Result<Vec<Job>> {
        let (condition, mut values) = which.condition();
        values.push(Box::new(appearance.version));
        let sql = format!(
            "SELECT job, diagrams.id FROM diagrams JOIN thumbnails ON diagram = diagrams.id \
             AND thumbnails.changed_at = diagrams.changed_at WHERE {condition} AND appearance = ? ORDER BY diagrams.id"
        );
        self.all(&sql, rusqlite::params_from_iter(values), |row| {
            Ok(Job { id: row.get(0)?, diagram: DiagramId(row.get(1)?) })
        })
    }

    pub fn thumbnail(&self, project: ProjectKey, diagram: DiagramId, job: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT png FROM thumbnails JOIN diagrams ON diagrams.id = diagram \
                   WHERE project = ?1 AND diagram = ?2 AND job = lower(?3)";
        self.one(sql, params![project.0, diagram.0, job], |row| Ok(row.get(0)?))
    }
}

impl Writer<'_> {
    /// Keeps a picture, unless another request has drawn the same meanwhile.
    pub fn add_thumbnail(&self, appearance: &Appearance, drawing: &Drawing, png: &[u8]) -> Result<()> {
        let sql = "INSERT INTO thumbnails (job, diagram, changed_at, appearance, png) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT DO NOTHING";
        let values = params![new_uuid()?, drawing.diagram.0, drawing.changed_at, appearance.version, png];
        self.run(sql, values).map(drop)
    }
}
