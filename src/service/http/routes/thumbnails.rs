//! Thumbnails: drawn when they are first asked for, and kept.

use axum::extract::State;

use crate::blocking;
use crate::model::operations::{
    GENERATE_THUMBNAIL, GENERATE_THUMBNAILS, InDiagram, InThumbnail, ProjectPathIds, THUMBNAIL,
};
use crate::model::{DiagramId, ProjectId, ThumbnailJob, ThumbnailJobs, Uuid};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::{Member, Membership};
use crate::service::http::response::respond::{Json, Png};
use crate::service::http::routing::{ROOT, Routes};
use crate::service::http::state::AppState;
use crate::service::store::{Appearance, Batch, DiagramFilter, Job, ThumbnailInput};
use crate::service::thumbnail::Backdrop;

pub fn routes() -> Routes {
    Routes::tagged("Thumbnails")
        .operation(GENERATE_THUMBNAILS, generate_thumbnails)
        .operation(GENERATE_THUMBNAIL, generate_thumbnail)
        .operation(THUMBNAIL, thumbnail)
}

/// All thumbnails have one job: programs take its id from the first path.
async fn generate_thumbnails(member: Member, State(state): State<AppState>) -> Result<Json<ThumbnailJobs>> {
    let (projectid, jobs) = generate(&state, member.clone(), |member| DiagramFilter::InProject(member.project)).await?;
    let batch = Batch::new(jobs)?;
    let message = Some(format!("Thumbnails generated: {}.", batch.diagrams().count()));
    let results_url = batch.diagrams().map(|diagram| result_path(&projectid, diagram, batch.id.clone())).collect();
    let looked_up = batch.clone();
    if !state.query(member.clone(), move |read, _| Ok(read.has_thumbnail_batch(&looked_up)?)).await? {
        state.write(member, move |write, _| Ok(write.add_thumbnail_batch(&batch)?)).await?;
    }
    Ok(Json::new(&ThumbnailJobs { message, results_url })?)
}

async fn generate_thumbnail(member: Member<InDiagram>, State(state): State<AppState>) -> Result<Json<ThumbnailJob>> {
    let one = |member: &Membership<InDiagram>| DiagramFilter::One(member.project, member.ids.diagramid);
    let (projectid, jobs) = generate(&state, member, one).await?;
    let Job { id, diagram } = jobs.into_iter().next().ok_or(ApiError::NotFound("diagram"))?;
    let message = Some(format!("The thumbnail of diagram {diagram} was generated."));
    Ok(Json::new(&ThumbnailJob { message, results_url: result_path(&projectid, diagram, id) })?)
}

async fn thumbnail(member: Member<InThumbnail>, State(state): State<AppState>) -> Result<Png> {
    state.look_up(member, |read, member| {
        let InThumbnail { diagramid, jobid, .. } = member.ids;
        let png = read.thumbnail(member.project, diagramid, jobid.as_str())?;
        png.map(Png).ok_or(ApiError::NotFound("thumbnail job"))
    })
}

/// The path of the thumbnail of a diagram.
fn result_path(projectid: &ProjectId, diagramid: DiagramId, jobid: Uuid) -> String {
    format!("{ROOT}/{}", THUMBNAIL.at(InThumbnail { projectid: projectid.clone(), diagramid, jobid }).path)
}

/// Draws the thumbnails of those diagrams that have none, or that looked different when theirs was drawn. The project,
/// and the job of each of these diagrams.
async fn generate<Ids: ProjectPathIds>(
    state: &AppState,
    member: Member<Ids>,
    diagrams: fn(&Membership<Ids>) -> DiagramFilter,
) -> Result<(ProjectId, Vec<Job>)> {
    loop {
        let looked_up = state.query(member.clone(), move |read, member| {
            let appearance = read.appearance(member.project)?.ok_or(ApiError::NotFound("project"))?;
            let diagrams = diagrams(&member);
            let undrawn = read.outdated_thumbnails(&diagrams, &appearance)?;
            let jobs = read.jobs(&diagrams, &appearance)?;
            Ok((appearance, undrawn, (member.ids.projectid().clone(), jobs)))
        });
        let (appearance, undrawn, jobs) = looked_up.await?;
        if undrawn.is_empty() {
            return Ok(jobs);
        }
        let (appearance, drawn) = blocking::run(move || draw(appearance, undrawn)).await??;
        let written = state.write(member.clone(), move |write, _| {
            let mut drawn = drawn.iter();
            Ok(drawn.try_for_each(|(drawing, png)| write.add_thumbnail(&appearance, drawing, png))?)
        });
        written.await?;
    }
}

type Drawn = Vec<(ThumbnailInput, Vec<u8>)>;

/// Draws on all cores.
fn draw(appearance: Appearance, drawings: Vec<ThumbnailInput>) -> Result<(Appearance, Drawn)> {
    let backdrop = Backdrop::new(&appearance.study_area, appearance.bounds);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let per_core = drawings.len().div_ceil(cores).max(1);
    let pictures: Vec<Result<Vec<u8>>> = std::thread::scope(|scope| {
        let chunks = drawings.chunks(per_core).map(|chunk| {
            let picture = |drawing: &ThumbnailInput| {
                let failed = |source| ApiError::Thumbnail { diagram: drawing.diagram, source };
                backdrop.draw(&drawing.geometries, &drawing.color).map_err(failed)
            };
            scope.spawn(move || chunk.iter().map(picture).collect::<Vec<_>>())
        });
        let threads: Vec<_> = chunks.collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|_| vec![Err(ApiError::Panic)])).collect()
    });
    let pictures: Vec<Vec<u8>> = pictures.into_iter().collect::<Result<_>>()?;
    Ok((appearance, drawings.into_iter().zip(pictures).collect()))
}
