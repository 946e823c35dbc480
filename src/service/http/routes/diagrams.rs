//! Diagrams: reading, updating, notes and groups.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::model::{
    ChangeHash, Diagram, DiagramGroups, DiagramId, DiagramProperties, DiagramSummary, DiagramUpdate, GeojsonCollection,
    Note, NoteText, Status, WithGeojson,
};
use crate::service::http::auth::{Credentials, Member, ProjectPath};
use crate::service::http::error::{ApiError, ErrorBody, MemberErrors, Result, TaggerErrors, WriterErrors};
use crate::service::http::extract::{JsonBody, PageParams, PathIds};
use crate::service::http::paging::{Page, PageQuery};
use crate::service::http::respond::answer;
use crate::service::http::state::Service;
use crate::service::store::{DiagramFilter, TagReference, UnknownTag, Writer};

pub fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::new()
        .routes(routes!(diagrams))
        .routes(routes!(all_diagrams))
        .routes(routes!(all_diagram_details))
        .routes(routes!(diagram, update_diagram))
        .routes(routes!(notes, set_notes))
        .routes(routes!(change_id))
        .routes(routes!(group_diagrams))
        .routes(routes!(group_diagrams_alias))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct DiagramPath {
    #[param(inline)]
    pub diagramid: DiagramId,
}

/// The diagrams in short.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/", tag = "Diagrams", params(ProjectPath, PageQuery),
    responses((status = 200, body = Page<DiagramSummary>), (status = 400, body = ErrorBody), MemberErrors))]
async fn diagrams(
    State(service): State<Service>,
    Member { project, .. }: Member,
    page: PageParams,
) -> Result<Response> {
    service.list(page, move |read| read.diagram_summaries(project)).await
}

/// Every diagram with its features.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/all/", tag = "Diagrams", params(ProjectPath),
    responses((status = 200, body = [WithGeojson<GeojsonCollection<DiagramProperties>, Diagram>]), MemberErrors))]
async fn all_diagrams(State(service): State<Service>, Member { project, .. }: Member) -> Result<Response> {
    service.find_all_diagrams(project, move |read| read.diagrams(&DiagramFilter::InProject(project))).await
}

/// Every diagram without its features.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/all/details/", tag = "Diagrams", params(ProjectPath),
    responses((status = 200, body = Vec<Diagram>), MemberErrors))]
async fn all_diagram_details(State(service): State<Service>, Member { project, .. }: Member) -> Result<Response> {
    service.find("project", move |read| read.diagram_details(&DiagramFilter::InProject(project)).map(Some)).await
}

/// A diagram with its features.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/{diagramid}/", tag = "Diagrams", params(ProjectPath, DiagramPath),
    responses((status = 200, body = WithGeojson<GeojsonCollection<DiagramProperties>, Diagram>), MemberErrors))]
async fn diagram(
    State(service): State<Service>,
    credentials: Credentials,
    at: Result<PathIds<DiagramPath>>,
) -> Result<Response> {
    service.find_small("diagram", &credentials, |read, project| {
        let PathIds(DiagramPath { diagramid }) = at?;
        Ok(read.diagrams(&DiagramFilter::One(project, diagramid))?.pop())
    })
}

/// Sets title, tags, dates and metadata of a diagram; what is absent stays.
#[utoipa::path(post, path = "/projects/{projectid}/diagrams/{diagramid}/", tag = "Diagrams", params(ProjectPath, DiagramPath),
    request_body = DiagramUpdate, responses((status = 200, body = Status), TaggerErrors))]
async fn update_diagram(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(DiagramPath { diagramid }): PathIds<DiagramPath>,
    update: Result<JsonBody<DiagramUpdate>>,
) -> Result<Response> {
    let JsonBody(update) = update.map_err(ApiError::with_status)?;
    update.check().map_err(|problem| ApiError::status(problem.to_string()))?;
    check_days(&update)?;
    let changed = service.write(move |write| {
        known(write, project, diagramid)?;
        let tags = update.tag_codes.as_deref().map(|codes| tags_named(write, project, TagReference::ByCode, codes));
        Ok(write.update_diagram(project, diagramid, &update, tags.transpose()?.as_deref())?)
    });
    changed.await?;
    answer(&Status { status: "The diagram was updated.".into() })
}

/// Days are shown as YYYY-MM-DD, which has no room for other years.
fn check_days(update: &DiagramUpdate) -> Result<()> {
    let days = [("start_date", update.start_date), ("end_date", update.end_date)];
    let beyond = days.into_iter().find(|(_, day)| day.is_some_and(|day| day.date().year() < 0));
    beyond.map_or(Ok(()), |(name, _)| Err(ApiError::status(format!("{name}: the year is less than 0"))))
}

/// The note of a diagram.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/{diagramid}/notes/", tag = "Diagrams",
    params(ProjectPath, DiagramPath), responses((status = 200, body = Note), MemberErrors))]
async fn notes(
    State(service): State<Service>,
    credentials: Credentials,
    at: Result<PathIds<DiagramPath>>,
) -> Result<Response> {
    service.find_small("diagram", &credentials, |read, project| {
        let PathIds(DiagramPath { diagramid }) = at?;
        Ok(read.diagram_note(project, diagramid)?)
    })
}

/// Replaces the note of a diagram.
#[utoipa::path(post, path = "/projects/{projectid}/diagrams/{diagramid}/notes/", tag = "Diagrams",
    params(ProjectPath, DiagramPath), request_body = NoteText, responses((status = 200, body = Note), WriterErrors))]
async fn set_notes(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(DiagramPath { diagramid }): PathIds<DiagramPath>,
    JsonBody(NoteText { notes }): JsonBody<NoteText>,
) -> Result<Response> {
    let note = service.write(move |write| {
        known(write, project, diagramid)?;
        Ok(write.set_diagram_note(project, diagramid, &notes)?)
    });
    answer(&note.await?.ok_or(ApiError::NotFound("diagram"))?)
}

/// A digest of when the diagram last changed.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/{diagramid}/changeid/", tag = "Diagrams",
    params(ProjectPath, DiagramPath), responses((status = 200, body = ChangeHash), MemberErrors))]
async fn change_id(
    State(service): State<Service>,
    credentials: Credentials,
    at: Result<PathIds<DiagramPath>>,
) -> Result<Response> {
    service.find_small("diagram", &credentials, |read, project| {
        let PathIds(DiagramPath { diagramid }) = at?;
        Ok(read.change_hash(project, diagramid)?)
    })
}

/// Puts diagrams into groups; a group that is there already gets exactly these.
#[utoipa::path(post, path = "/projects/{projectid}/diagrams/group/", tag = "Diagrams", params(ProjectPath),
    request_body = DiagramGroups, responses((status = 200, body = Status), WriterErrors))]
async fn group_diagrams(
    State(service): State<Service>,
    Member { project, .. }: Member,
    JsonBody(DiagramGroups { diagram_groups: groups }): JsonBody<DiagramGroups>,
) -> Result<Response> {
    if groups.iter().any(|group| group.group_name.trim().is_empty()) {
        return Err(ApiError::invalid("a group_name is empty"));
    }
    let grouped = service.write(move |write| {
        for &id in groups.iter().flat_map(|group| &group.diagrams) {
            known(write, project, id)?;
        }
        write.set_groups(project, &groups)?;
        Ok(groups.len())
    });
    answer(&Status { status: format!("Diagram groups set: {}.", grouped.await?) })
}

/// The same under another name.
#[utoipa::path(post, path = "/projects/{projectid}/diagrams/groups/", tag = "Diagrams", params(ProjectPath),
    request_body = DiagramGroups, responses((status = 200, body = Status), WriterErrors))]
async fn group_diagrams_alias(
    service: State<Service>,
    member: Member,
    groups: JsonBody<DiagramGroups>,
) -> Result<Response> {
    group_diagrams(service, member, groups).await
}

/// Refuses what is about a diagram that the project does not have.
pub fn known(write: &Writer, project: crate::service::store::ProjectKey, id: DiagramId) -> Result<()> {
    if write.has_diagram(project, id)? { Ok(()) } else { Err(ApiError::NotFound("diagram")) }
}

/// The ids of tags; refuses the request where one is not in the project.
pub fn tags_named(
    write: &Writer,
    project: crate::service::store::ProjectKey,
    named: TagReference,
    names: &[String],
) -> Result<Vec<String>> {
    write.tag_ids(project, named, names)?.map_err(|UnknownTag(unknown)| {
        ApiError::status(format!("The processing was unsuccessful because the tag {unknown:?} is not in the project."))
    })
}
