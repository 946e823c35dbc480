//! Tags, and which diagrams carry them.

use axum::extract::State;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::diagrams::{DiagramPath, known, tags_named};
use crate::model::{NewTags, Status, Tag, Uuid};
use crate::service::http::auth::{Member, ProjectPath};
use crate::service::http::error::{ApiError, ErrorBody, MemberErrors, Result, TaggerErrors, WriterErrors};
use crate::service::http::extract::{JsonBody, PageParams, PathIds};
use crate::service::http::paging::{Page, PageQuery};
use crate::service::http::respond::answer;
use crate::service::http::state::Service;
use crate::service::store::TagReference;

pub fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::new()
        .routes(routes!(tags))
        .routes(routes!(create_tags))
        .routes(routes!(diagram_tags, set_diagram_tags))
        .routes(routes!(diagram_tag_codes, set_diagram_tag_codes))
}

/// The tags of the project, with the diagrams that carry them.
#[utoipa::path(get, path = "/projects/{projectid}/tags/", tag = "Tags", params(ProjectPath, PageQuery),
    responses((status = 200, body = Page<Tag>), (status = 400, body = ErrorBody), MemberErrors))]
async fn tags(State(service): State<Service>, Member { project, .. }: Member, page: PageParams) -> Result<Response> {
    service.list(page, move |read| read.tags(project)).await
}

/// Adds tags; those that are there already, by name and code, stay one.
#[utoipa::path(post, path = "/projects/{projectid}/tags/create/", tag = "Tags", params(ProjectPath),
    request_body = NewTags, responses((status = 200, body = Status), WriterErrors))]
async fn create_tags(
    State(service): State<Service>,
    Member { project, .. }: Member,
    JsonBody(NewTags { tags }): JsonBody<NewTags>,
) -> Result<Response> {
    for (at, tag) in tags.iter().enumerate() {
        tag.check().map_err(|problem| ApiError::invalid(format!("tags[{at}]: {problem}")))?;
    }
    let added = service.write(move |write| {
        if let Some(code) = write.taken_code(project, &tags)? {
            return Err(ApiError::Conflict(format!("The code {code:?} belongs to another tag of the project.")));
        }
        Ok(write.add_tags(project, &tags)?)
    });
    answer(&Status { status: format!("Tags created: {}.", added.await?) })
}

/// The tags that a diagram carries.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/{diagramid}/tags/", tag = "Tags", params(ProjectPath, DiagramPath),
    responses((status = 200, body = Vec<Tag>), MemberErrors))]
async fn diagram_tags(service: State<Service>, member: Member, path: PathIds<DiagramPath>) -> Result<Response> {
    tags_of_diagram(service, member, path).await
}

/// The tags that a diagram carries, for their codes.
#[utoipa::path(get, path = "/projects/{projectid}/diagrams/{diagramid}/tags/codes/", tag = "Tags",
    params(ProjectPath, DiagramPath), responses((status = 200, body = Vec<Tag>), MemberErrors))]
async fn diagram_tag_codes(service: State<Service>, member: Member, path: PathIds<DiagramPath>) -> Result<Response> {
    tags_of_diagram(service, member, path).await
}

async fn tags_of_diagram(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(DiagramPath { diagramid }): PathIds<DiagramPath>,
) -> Result<Response> {
    let tags = service.find("diagram", move |read| {
        let known = read.has_diagram(project, diagramid)?;
        known.then(|| read.diagram_tags(diagramid)).transpose()
    });
    tags.await
}

/// Makes these tags, by their ids, those of a diagram.
#[utoipa::path(post, path = "/projects/{projectid}/diagrams/{diagramid}/tags/", tag = "Tags", params(ProjectPath, DiagramPath),
    request_body = Vec<Uuid>, responses((status = 200, body = Status), TaggerErrors))]
async fn set_diagram_tags(
    service: State<Service>,
    member: Member,
    path: PathIds<DiagramPath>,
    ids: Result<JsonBody<Vec<Uuid>>>,
) -> Result<Response> {
    let JsonBody(ids) = ids.map_err(ApiError::with_status)?;
    let ids = ids.iter().map(|id| id.as_str().to_owned()).collect();
    assign(service, member, path, TagReference::ById, ids).await
}

/// Makes these tags, by their codes, those of a diagram.
#[utoipa::path(post, path = "/projects/{projectid}/diagrams/{diagramid}/tags/codes/", tag = "Tags",
    params(ProjectPath, DiagramPath), request_body = Vec<String>, responses((status = 200, body = Status), TaggerErrors))]
async fn set_diagram_tag_codes(
    service: State<Service>,
    member: Member,
    path: PathIds<DiagramPath>,
    codes: Result<JsonBody<Vec<String>>>,
) -> Result<Response> {
    let JsonBody(codes) = codes.map_err(ApiError::with_status)?;
    assign(service, member, path, TagReference::ByCode, codes).await
}

async fn assign(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(DiagramPath { diagramid }): PathIds<DiagramPath>,
    named: TagReference,
    names: Vec<String>,
) -> Result<Response> {
    let assigned = service.write(move |write| {
        known(write, project, diagramid)?;
        let tags = tags_named(write, project, named, &names)?;
        write.set_diagram_tags(project, diagramid, &tags)?;
        Ok(tags.len())
    });
    answer(&Status { status: format!("Tags assigned to the diagram: {}.", assigned.await?) })
}
