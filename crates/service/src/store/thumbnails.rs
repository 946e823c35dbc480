//! Thumbnails. A job names one picture of a diagram; it keeps that picture when the diagram changes later.

use rusqlite::{params, params_from_iter};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::database::columns::columns;
use super::database::error::{Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, digest_uuid, new_uuid, to_geometry};
use super::diagrams::DiagramFilter;
use super::maps::Geography;
use geodesign::model::{Bounds, DiagramId, GeojsonCollection, Uuid};
use geodesign_common::digest::sha256;
use geodesign_geometry::Geometry;

/// A finished thumbnail job, and the diagram that its picture shows.
#[derive(Debug, Clone)]
pub struct Job {
    pub id: Uuid,
    pub diagram: DiagramId,
}

/// A job for thumbnails of several diagrams, each of which also has a job of its own.
#[derive(Debug, Clone)]
pub struct Batch {
    pub id: Uuid,
    jobs: Vec<Job>,
}

impl Batch {
    /// The id follows from the jobs, so that the same pictures have the same batch.
    pub fn new(jobs: Vec<Job>) -> Result<Self> {
        let ids: Vec<&[u8]> = jobs.iter().map(|job| job.id.as_str().as_bytes()).collect();
        let id = digest_uuid(&sha256(&ids)).parse().map_err(StoreError::content)?;
        Ok(Batch { id, jobs })
    }

    pub fn diagrams(&self) -> impl Iterator<Item = DiagramId> + '_ {
        self.jobs.iter().map(|job| job.diagram)
    }
}

/// The parts of a project's thumbnails other than the diagram.
#[derive(Debug)]
pub struct Appearance {
    /// Changes whenever the other fields do.
    version: i64,
    pub bounds: Bounds,
    pub study_area: Vec<Geometry>,
}

/// Data for drawing the thumbnail of a diagram.
#[derive(Debug)]
pub struct ThumbnailInput {
    pub diagram: DiagramId,
    changed_at: String,
    /// The colour of the diagram's system.
    pub color: String,
    pub geometries: Vec<Geometry>,
}

/// A thumbnail that was drawn.
#[derive(Debug)]
pub struct Picture {
    diagram: DiagramId,
    /// The state of the diagram, and the version of the appearance, that the picture shows.
    changed_at: String,
    appearance: i64,
    png: Vec<u8>,
}

impl Picture {
    pub fn new(appearance: &Appearance, input: ThumbnailInput, png: Vec<u8>) -> Self {
        Picture { diagram: input.diagram, changed_at: input.changed_at, appearance: appearance.version, png }
    }
}

/// True if a row of `thumbnails` shows the current state of a diagram.
const IS_CURRENT: &str = "thumbnails.diagram = diagrams.id AND thumbnails.changed_at = diagrams.changed_at \
                          AND thumbnails.appearance = (SELECT appearance FROM projects WHERE key = diagrams.project)";

impl Reader<'_> {
    pub fn appearance(&self, project: ProjectKey) -> Result<Option<Appearance>> {
        let row = self.select_one(columns!((appearance, bounds)), "FROM projects WHERE key = ?1", [project.0])?;
        let Some((version, bounds)) = row else { return Ok(None) };
        let boundaries = self.geography(project, Geography::Boundaries)?.geojson.0;
        let boundaries: GeojsonCollection<IgnoredAny, Option<Box<RawValue>>> =
            serde_json::from_str(&boundaries).map_err(StoreError::content)?;
        let texts = boundaries.features.iter().filter_map(|feature| feature.geometry.as_ref());
        let study_area = texts.map(|text| to_geometry(text.get())).collect::<Result<Vec<_>>>()?;
        Ok(Some(Appearance { version, bounds, study_area: study_area.into_iter().flatten().collect() }))
    }

    /// Returns the diagrams without a thumbnail, and those that changed after their last one.
    pub fn outdated_thumbnails(&self, filter: &DiagramFilter) -> Result<Vec<DiagramId>> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "SELECT diagrams.id FROM diagrams WHERE {condition} \
             AND NOT EXISTS (SELECT 1 FROM thumbnails WHERE {IS_CURRENT}) ORDER BY diagrams.id"
        );
        self.values(&sql, params_from_iter(values))
    }

    /// Returns the data for drawing a diagram; `None` if there is no such diagram, or if it has a current thumbnail.
    pub fn thumbnail_input(&self, project: ProjectKey, diagram: DiagramId) -> Result<Option<ThumbnailInput>> {
        let rest = format!(
            "FROM diagrams JOIN systems ON systems.id = system WHERE diagrams.project = ?1 AND diagrams.id = ?2 \
             AND NOT EXISTS (SELECT 1 FROM thumbnails WHERE {IS_CURRENT})"
        );
        let found = self.select_one(columns!((changed_at, color)), &rest, [project.0, diagram.0])?;
        let Some((changed_at, color)) = found else { return Ok(None) };
        let sql = "SELECT geometry FROM features WHERE diagram = ?1 ORDER BY key";
        let geometries = self.all(sql, [diagram.0], |row| {
            // Not copied: a geometry may have many megabytes.
            to_geometry(row.get_ref(0)?.as_str().map_err(StoreError::content)?)
        })?;
        Ok(Some(ThumbnailInput { diagram, changed_at, color, geometries: geometries.into_iter().flatten().collect() }))
    }

    /// Returns the jobs whose pictures show the current state of these diagrams.
    pub fn jobs(&self, filter: &DiagramFilter) -> Result<Vec<Job>> {
        let (condition, values) = filter.condition();
        let rest = format!("FROM diagrams JOIN thumbnails ON {IS_CURRENT} WHERE {condition} ORDER BY diagrams.id");
        self.select(columns!(Job { id: "job", diagram: "diagrams.id" }), &rest, params_from_iter(values))
    }

    pub fn has_thumbnail_batch(&self, batch: &Batch) -> Result<bool> {
        self.exists("SELECT 1 FROM thumbnail_batches WHERE job = ?1", [batch.id.as_str()])
    }

    /// Returns the picture of a diagram that a job, or the job of a batch, made, as PNG.
    pub fn thumbnail(&self, project: ProjectKey, diagram: DiagramId, job: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT png FROM thumbnails JOIN diagrams ON diagrams.id = diagram \
                   WHERE project = ?1 AND diagram = ?2 AND job = coalesce((SELECT thumbnail FROM thumbnail_batches \
                   WHERE thumbnail_batches.job = lower(?3) AND thumbnail_batches.diagram = ?2), lower(?3))";
        self.value(sql, params![project.0, diagram.0, job])
    }
}

impl Writer<'_> {
    /// Stores a picture under a new job, unless another request has stored the same picture meanwhile.
    pub fn add_thumbnail(&self, picture: &Picture) -> Result<()> {
        let sql = "INSERT INTO thumbnails (job, diagram, changed_at, appearance, png) \
                   SELECT ?1, id, ?3, ?4, ?5 FROM diagrams WHERE id = ?2 ON CONFLICT DO NOTHING";
        let Picture { diagram, changed_at, appearance, png } = picture;
        self.run(sql, params![new_uuid()?, diagram.0, changed_at, appearance, png]).map(drop)
    }

    /// Stores a batch, unless it is stored already.
    pub fn add_thumbnail_batch(&self, batch: &Batch) -> Result<()> {
        let sql = "INSERT INTO thumbnail_batches (job, diagram, thumbnail) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        batch.jobs.iter().try_for_each(|Job { id, diagram }| {
            self.run(sql, params![batch.id.as_str(), diagram.0, id.as_str()]).map(drop)
        })
    }
}
