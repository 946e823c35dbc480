//! Thumbnails: drawn when they are asked for, and kept.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::diagrams::DiagramPath;
use crate::blocking;
use crate::model::{DiagramId, ThumbnailJob, ThumbnailJobs, Uuid};
use crate::service::ROOT;
use crate::service::http::auth::{Credentials, Member, ProjectPath};
use crate::service::http::error::{ApiError, MemberErrors, Result};
use crate::service::http::extract::PathIds;
use crate::service::http::respond::answer;
use crate::service::http::state::Service;
use crate::service::store::{Appearance, DiagramFilter, Job, ProjectKey, ThumbnailInput};
use crate::service::thumbnail::Backdrop;

pub fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::new()
        .routes(routes!(generate_thumbnails))
        .routes(routes!(generate_thumbnail))
        .routes(routes!(thumbnail))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct JobPath {
    #[param(inline)]
    jobid: Uuid,
}

/// Draws the thumbnails of all diagrams.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/all/generate_thumbnails/", tag = "Thumbnails",
    params(ProjectPath), responses((status = 200, body = ThumbnailJobs), MemberErrors))]
async fn generate_thumbnails(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(path): PathIds<ProjectPath>,
) -> Result<Response> {
    let jobs = generate(&service, project, DiagramFilter::InProject(project)).await?;
    let message = Some(format!("Thumbnails generated: {}.", jobs.len()));
    let results_url = jobs.iter().map(|job| result_path(&path, job)).collect();
    answer(&ThumbnailJobs { message, results_url })
}

/// Draws the thumbnail of a diagram.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/{diagramid}/generate_thumbnail/", tag = "Thumbnails",
    params(ProjectPath, DiagramPath), responses((status = 200, body = ThumbnailJob), MemberErrors))]
async fn generate_thumbnail(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(path): PathIds<ProjectPath>,
    PathIds(DiagramPath { diagramid }): PathIds<DiagramPath>,
) -> Result<Response> {
    let jobs = generate(&service, project, DiagramFilter::One(project, diagramid)).await?;
    let job = jobs.first().ok_or(ApiError::NotFound("diagram"))?;
    let message = Some(format!("The thumbnail of diagram {} was generated.", job.diagram));
    answer(&ThumbnailJob { message, results_url: result_path(&path, job) })
}

/// A thumbnail that was drawn: a PNG of 256 × 256 pixels.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/{diagramid}/thumbnail/{jobid}/", tag = "Thumbnails",
    params(ProjectPath, DiagramPath, JobPath),
    responses((status = 200, body = Vec<u8>, content_type = "image/png"), MemberErrors))]
async fn thumbnail(
    State(service): State<Service>,
    credentials: Credentials,
    diagram: Result<PathIds<DiagramPath>>,
    job: Result<PathIds<JobPath>>,
) -> Result<Response> {
    let png = service.look_up(|read| {
        let Member { project, .. } = credentials.member(read)?;
        let (PathIds(DiagramPath { diagramid }), PathIds(JobPath { jobid })) = (diagram?, job?);
        Ok(read.thumbnail(project, diagramid, jobid.as_str())?)
    })?;
    let png = png.ok_or(ApiError::NotFound("thumbnail job"))?;
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("image/png"))], png).into_response())
}

fn result_path(ProjectPath { projectid }: &ProjectPath, Job { id, diagram }: &Job) -> String {
    format!("{ROOT}/projects/{projectid}/diagrams/{diagram}/thumbnail/{id}/")
}

/// Draws whatever has no picture of how it looks now; the jobs of all.
async fn generate(service: &Service, project: ProjectKey, which: DiagramFilter) -> Result<Vec<Job>> {
    loop {
        let asked = which.clone();
        let (appearance, outdated, jobs) = service
            .read(move |read| {
                let Some(appearance) = read.appearance(project)? else { return Ok(None) };
                let outdated = read.outdated_thumbnails(&asked, &appearance)?;
                let jobs = read.jobs(&asked, &appearance)?;
                Ok(Some((appearance, outdated, jobs)))
            })
            .await?
            .ok_or(ApiError::NotFound("project"))?;
        if outdated.is_empty() {
            return Ok(jobs);
        }
        let (appearance, drawn) = blocking::run(move || draw(appearance, outdated)).await??;
        service
            .write(move |write| {
                let mut drawn = drawn.iter();
                Ok(drawn.try_for_each(|(drawing, png)| write.add_thumbnail(&appearance, drawing, png))?)
            })
            .await?;
    }
}

type Drawn = Vec<(ThumbnailInput, Vec<u8>)>;

/// Draws on all cores.
fn draw(appearance: Appearance, drawings: Vec<ThumbnailInput>) -> Result<(Appearance, Drawn)> {
    let backdrop = Backdrop::new(&appearance.study_area, appearance.bounds);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let per_core = drawings.len().div_ceil(cores).max(1);
    let pictures: Vec<Result<Vec<u8>>> = std::thread::scope(|scope| {
        let parts = drawings.chunks(per_core).map(|part| {
            let picture = |drawing: &ThumbnailInput| {
                backdrop.draw(&drawing.geometries, &drawing.color).map_err(|error| failed(drawing.diagram, &error))
            };
            scope.spawn(move || part.iter().map(picture).collect::<Vec<_>>())
        });
        let threads: Vec<_> = parts.collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|_| vec![Err(ApiError::Panic)])).collect()
    });
    let pictures: Vec<Vec<u8>> = pictures.into_iter().collect::<Result<_>>()?;
    Ok((appearance, drawings.into_iter().zip(pictures).collect()))
}

fn failed(diagram: DiagramId, error: &dyn std::fmt::Display) -> ApiError {
    tracing::error!("the thumbnail of diagram {diagram}: {error}");
    ApiError::Panic
}
