//! Thumbnails, drawn on first request and kept.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use axum::extract::{FromRef, State};
use parking_lot::Mutex;

use crate::ROOT;
use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::request::auth::{Member, Membership};
use crate::http::response::{Json, Png};
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::store::{Appearance, Batch, DiagramFilter, Job, Picture, ProjectKey, Store};
use crate::thumbnail::Backdrop;
use geodesign::model::operations::{
    GENERATE_THUMBNAIL, GENERATE_THUMBNAILS, InDiagram, InThumbnail, ProjectPathIds, THUMBNAIL,
};
use geodesign::model::{DiagramId, ProjectId, ThumbnailJob, ThumbnailJobs, Uuid};
use geodesign_common::blocking::lower_thread_priority;
use geodesign_common::work_time;

/// Time that a request draws before it lets others draw, and the maximum number of threads for it.
const TURN: Duration = Duration::from_millis(200);
const MAX_THREADS: usize = 4;

pub fn routes() -> Routes {
    Routes::of("Thumbnails")
        .operation(GENERATE_THUMBNAILS, generate_thumbnails)
        .operation(GENERATE_THUMBNAIL, generate_thumbnail)
        .operation(THUMBNAIL, thumbnail)
}

/// Generates all thumbnails in one job: programs take its id from the first path.
async fn generate_thumbnails(member: Member, State(state): State<AppState>) -> Result<Json<ThumbnailJobs>> {
    let (projectid, jobs) = generate(&state, member.clone(), |member| DiagramFilter::InProject(member.project)).await?;
    let batch = Batch::new(jobs)?;
    let message = Some(format!("Thumbnails generated: {}.", batch.diagrams().count()));
    let results_url =
        batch.diagrams().map(|diagram| result_path(state.prefix(), &projectid, diagram, batch.id.clone())).collect();
    if !state.look_up(member.clone(), |read, _| Ok(read.has_thumbnail_batch(&batch)?))? {
        state.write(member.clone(), move |write, _| Ok(write.add_thumbnail_batch(&batch)?)).await?;
    }
    state.read(member.uncached(), |_, _| Ok(ThumbnailJobs { message, results_url })).await
}

async fn generate_thumbnail(member: Member<InDiagram>, State(state): State<AppState>) -> Result<Json<ThumbnailJob>> {
    let one = |member: &Membership<InDiagram>| DiagramFilter::One(member.project, member.ids.diagramid);
    let (projectid, jobs) = generate(&state, member, one).await?;
    let Job { id, diagram } = jobs.into_iter().next().ok_or(ApiError::NotFound("diagram"))?;
    let message = Some(format!("The thumbnail of diagram {diagram} was generated."));
    Ok(Json::new(&ThumbnailJob { message, results_url: result_path(state.prefix(), &projectid, diagram, id) })?)
}

async fn thumbnail(member: Member<InThumbnail>, State(state): State<AppState>) -> Result<Png> {
    state.look_up(member, |read, member| {
        let InThumbnail { diagramid, jobid, .. } = member.ids;
        let png = read.thumbnail(member.project, diagramid, jobid.as_str())?;
        png.map(Png).ok_or(ApiError::NotFound("thumbnail job"))
    })
}

/// The path of the thumbnail of a diagram.
fn result_path(prefix: &str, projectid: &ProjectId, diagramid: DiagramId, jobid: Uuid) -> String {
    format!("{prefix}{ROOT}/{}", THUMBNAIL.at(InThumbnail { projectid: projectid.clone(), diagramid, jobid }).path)
}

/// Draws missing and outdated thumbnails of diagrams. Returns the project, and the job of each diagram.
async fn generate<Ids: ProjectPathIds>(
    state: &AppState,
    member: Member<Ids>,
    diagrams: fn(&Membership<Ids>) -> DiagramFilter,
) -> Result<(ProjectId, Vec<Job>)> {
    loop {
        let (looking, asking) = (state.clone(), member.clone());
        let looked_up = gate::run(move || {
            looking.look_up(asking, |read, member| {
                let diagrams = diagrams(&member);
                let outdated = read.outdated_thumbnails(&diagrams)?;
                Ok((member.project, outdated, (member.ids.projectid().clone(), read.jobs(&diagrams)?)))
            })
        });
        let (project, outdated, jobs) = looked_up.await??;
        if outdated.is_empty() {
            return Ok(jobs);
        }
        let sheet = Sheet { store: Store::from_ref(state), project, backdrop: Mutex::default() };
        let pictures = gate::run(move || sheet.draw_in_turn(outdated)).await??;
        let written = state.write(member.clone(), move |write, _| {
            Ok(pictures.iter().try_for_each(|picture| write.add_thumbnail(picture))?)
        });
        written.await?;
    }
}

/// The sheet that the pictures of a project are drawn on.
struct Sheet {
    store: Store,
    project: ProjectKey,
    /// Made with the first picture.
    backdrop: Mutex<Option<Arc<(Appearance, Backdrop)>>>,
}

impl Sheet {
    /// Draws one diagram after another until the turn is over, on threads of a lower priority, so that reads and writes do not wait for
    /// pictures.
    fn draw_in_turn(&self, diagrams: Vec<DiagramId>) -> Result<Vec<Picture>> {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = processors.min(MAX_THREADS).min(diagrams.len());
        let (diagrams, end, time) = (Mutex::new(diagrams.into_iter()), Instant::now() + TURN, work_time::current());
        let draw = || -> Result<Vec<Picture>> {
            lower_thread_priority();
            let mut pictures = Vec::new();
            let next = || diagrams.lock().next();
            while let Some(diagram) = next() {
                pictures.extend(self.draw(diagram)?);
                if Instant::now() >= end || time.as_ref().is_some_and(|time| time.is_over()) {
                    break;
                }
            }
            Ok(pictures)
        };
        thread::scope(|scope| {
            let drawing = |_| thread::Builder::new().name("geodesign-drawing".into()).spawn_scoped(scope, draw);
            let drawing = (0..threads).map(drawing).collect::<std::io::Result<Vec<_>>>().map_err(ApiError::Thread)?;
            let mut pictures = Vec::new();
            for thread in drawing {
                pictures.extend(thread.join().map_err(|_| ApiError::Panic)??);
            }
            Ok(pictures)
        })
    }

    /// Draws a diagram's current picture; `None` if there is one already, or if the diagram no longer exists.
    fn draw(&self, diagram: DiagramId) -> Result<Option<Picture>> {
        // Read before the diagram: if the appearance changes in between, the picture counts as outdated.
        let sheet = self.backdrop()?;
        let Some(input) = self.store.read(|read| read.thumbnail_input(self.project, diagram))? else { return Ok(None) };
        let (appearance, backdrop) = &*sheet;
        let png = backdrop.draw(&input.geometries, &input.color);
        let png = png.map_err(|source| ApiError::Thumbnail { diagram, source })?;
        Ok(Some(Picture::new(appearance, input, png)))
    }

    fn backdrop(&self) -> Result<Arc<(Appearance, Backdrop)>> {
        let mut backdrop = self.backdrop.lock();
        if let Some(backdrop) = &*backdrop {
            return Ok(backdrop.clone());
        }
        let appearance = self.store.read(|read| read.appearance(self.project))?.ok_or(ApiError::NotFound("project"))?;
        let drawn = Backdrop::new(&appearance.study_area, appearance.bounds);
        Ok(backdrop.insert(Arc::new((appearance, drawn))).clone())
    }
}
