//! Projects and what belongs to them as a whole.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::model::{
    Boundaries, Constraints, GeojsonCollection, JsonObject, LinkedProjectCreation, Members, Message, NegotiationLogs,
    NewProject, Plugin, ProjectBounds, ProjectCenter, ProjectCreation, ProjectInfo, Stakeholders, Uuid, WithGeojson,
};
use crate::service::http::auth::{Caller, Credentials, Member, ProjectPath};
use crate::service::http::error::{ApiError, CallerErrors, ErrorBody, MemberErrors, Result, WriterErrors};
use crate::service::http::extract::{JsonBody, PageParams};
use crate::service::http::paging::{Page, PageQuery};
use crate::service::http::respond::answer;
use crate::service::http::state::Service;
use crate::service::store::Geography;

pub fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::new()
        .routes(routes!(projects))
        .routes(routes!(latest_project))
        .routes(routes!(create_project))
        .routes(routes!(create_linked_project))
        .routes(routes!(project))
        .routes(routes!(members))
        .routes(routes!(stakeholders, add_stakeholders))
        .routes(routes!(bounds))
        .routes(routes!(center))
        .routes(routes!(plugins, set_plugins))
        .routes(routes!(negotiation_logs))
        .routes(routes!(boundaries))
        .routes(routes!(second_boundaries))
        .routes(routes!(constraints))
}

/// The projects of which the user is a member, oldest first.
#[utoipa::path(get, path = "/projects/", tag = "Projects", params(PageQuery),
    responses((status = 200, body = Page<ProjectInfo>), (status = 400, body = ErrorBody), MemberErrors))]
async fn projects(State(service): State<Service>, Caller { user }: Caller, page: PageParams) -> Result<Response> {
    service.list(page, move |read| read.projects(user)).await
}

/// The user's most recently created project, in a list; an empty one where there is none.
#[utoipa::path(get, path = "/projects/latest/", tag = "Projects", responses((status = 200, body = Vec<ProjectInfo>), CallerErrors))]
async fn latest_project(State(service): State<Service>, Caller { user }: Caller) -> Result<Response> {
    service.find("project", move |read| Ok(Some(read.projects(user)?.pop().into_iter().collect::<Vec<_>>()))).await
}

/// Creates a project; its creator becomes its administrator.
#[utoipa::path(post, path = "/projects/create/", tag = "Projects", request_body = ProjectCreation,
    responses((status = 201, body = Message), (status = 403, description = "Unknown creation code", body = ErrorBody),
        (status = 400, body = ErrorBody), (status = 413, body = ErrorBody), CallerErrors))]
async fn create_project(
    service: State<Service>,
    caller: Caller,
    JsonBody(ProjectCreation { creation_code, project }): JsonBody<ProjectCreation>,
) -> Result<Response> {
    create(service, caller, project, move |read| match read.has_creation_code(&creation_code)? {
        true => Ok("none"),
        false => Err(ApiError::Forbidden("The creation code is not valid.")),
    })
    .await
}

/// Creates a project that is linked to one of the companion planning platform.
#[utoipa::path(post, path = "/projects/create-igc-project/", tag = "Projects", request_body = LinkedProjectCreation,
    responses((status = 201, body = Message), (status = 403, description = "Unknown linked project", body = ErrorBody),
        (status = 400, body = ErrorBody), (status = 413, body = ErrorBody), CallerErrors))]
async fn create_linked_project(
    service: State<Service>,
    caller: Caller,
    JsonBody(LinkedProjectCreation { gpl_project_id, project }): JsonBody<LinkedProjectCreation>,
) -> Result<Response> {
    create(service, caller, project, move |read| match read.has_linked_project(&gpl_project_id)? {
        true => Ok("igc"),
        false => Err(ApiError::Forbidden("The gpl_project_id is not valid.")),
    })
    .await
}

async fn create(
    State(service): State<Service>,
    Caller { user }: Caller,
    project: NewProject,
    permit: impl FnOnce(&crate::service::store::Reader) -> Result<&'static str> + Send + 'static,
) -> Result<Response> {
    let id = service.write(move |write| {
        let connection = permit(write)?;
        project.check().map_err(|problem| ApiError::invalid(problem.to_string()))?;
        Ok(write.create_project(&project, user, connection)?)
    });
    let message = format!("The project was created; its id is {}.", id.await?);
    Ok((StatusCode::CREATED, answer(&Message { message })?).into_response())
}

/// Title, description and start date.
#[utoipa::path(get, path = "/projects/{projectid}/", tag = "Projects", params(ProjectPath),
    responses((status = 200, body = ProjectInfo), MemberErrors))]
async fn project(State(service): State<Service>, credentials: Credentials) -> Result<Response> {
    service.find_small("project", &credentials, |read, project| Ok(read.project(project)?))
}

/// The users who take part.
#[utoipa::path(get, path = "/projects/{projectid}/members/", tag = "Projects", params(ProjectPath),
    responses((status = 200, body = Members), MemberErrors))]
async fn members(State(service): State<Service>, Member { project, .. }: Member) -> Result<Response> {
    service.find("project", move |read| Ok(Some(Members { members: read.members(project)? }))).await
}

/// Those whose interests the project weighs.
#[utoipa::path(get, path = "/projects/{projectid}/stakeholders/", tag = "Projects", params(ProjectPath),
    responses((status = 200, body = Stakeholders), MemberErrors))]
async fn stakeholders(State(service): State<Service>, Member { project, .. }: Member) -> Result<Response> {
    service.find("project", move |read| Ok(Some(Stakeholders { stakeholders: read.stakeholders(project)? }))).await
}

/// Adds stakeholders by their names; those who are there already stay one.
#[utoipa::path(post, path = "/projects/{projectid}/stakeholders/", tag = "Projects", params(ProjectPath),
    request_body = Vec<String>, responses((status = 200, body = Message), WriterErrors))]
async fn add_stakeholders(
    State(service): State<Service>,
    Member { project, .. }: Member,
    JsonBody(names): JsonBody<Vec<String>>,
) -> Result<Response> {
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(ApiError::invalid("a stakeholder's name is empty"));
    }
    let added = service.write(move |write| Ok(write.add_stakeholders(project, &names)?)).await?;
    answer(&Message { message: format!("Stakeholders created and added: {added}.") })
}

/// `west,south,east,north` of the study area in degrees.
#[utoipa::path(get, path = "/projects/{projectid}/bounds/", tag = "Projects", params(ProjectPath),
    responses((status = 200, body = ProjectBounds), MemberErrors))]
async fn bounds(State(service): State<Service>, credentials: Credentials) -> Result<Response> {
    service.find_small("project", &credentials, |read, project| {
        Ok(read.bounds(project)?.map(|bounds| ProjectBounds { bounds }))
    })
}

/// `longitude,latitude` in degrees.
#[utoipa::path(get, path = "/projects/{projectid}/center/", tag = "Projects", params(ProjectPath),
    responses((status = 200, body = ProjectCenter), MemberErrors))]
async fn center(State(service): State<Service>, credentials: Credentials) -> Result<Response> {
    service.find_small("project", &credentials, |read, project| {
        Ok(read.center(project)?.map(|center| ProjectCenter { center }))
    })
}

/// The extensions that the project uses.
#[utoipa::path(get, path = "/projects/{projectid}/plugins/", tag = "Projects", params(ProjectPath, PageQuery),
    responses((status = 200, body = Page<Plugin>), (status = 400, body = ErrorBody), MemberErrors))]
async fn plugins(State(service): State<Service>, Member { project, .. }: Member, page: PageParams) -> Result<Response> {
    service.list(page, move |read| read.plugins(project)).await
}

/// Replaces the plugins of the project.
#[utoipa::path(post, path = "/projects/{projectid}/plugins/", tag = "Projects", params(ProjectPath),
    request_body = Vec<Uuid>, responses((status = 200, body = Message), WriterErrors))]
async fn set_plugins(
    State(service): State<Service>,
    Member { project, .. }: Member,
    JsonBody(plugins): JsonBody<Vec<Uuid>>,
) -> Result<Response> {
    let added = service.write(move |write| Ok(write.set_plugins(project, &plugins)?)).await?;
    answer(&Message { message: format!("Plugins added: {added}.") })
}

/// What change teams accepted and rejected, session by session.
#[utoipa::path(get, path = "/projects/{projectid}/negotiation_logs/", tag = "Change teams", params(ProjectPath),
    responses((status = 200, body = NegotiationLogs), MemberErrors))]
async fn negotiation_logs(State(service): State<Service>, Member { project, .. }: Member) -> Result<Response> {
    service
        .find("project", move |read| Ok(Some(NegotiationLogs { all_negotiations: read.negotiations(project)? })))
        .await
}

/// The outline of the study area.
#[utoipa::path(get, path = "/projects/{projectid}/boundaries/", tag = "Projects", params(ProjectPath),
    responses((status = 200, body = WithGeojson<GeojsonCollection<JsonObject>, Boundaries>), MemberErrors))]
async fn boundaries(service: State<Service>, member: Member) -> Result<Response> {
    geography(service, member, Geography::Boundaries).await
}

/// The second outline.
#[utoipa::path(get, path = "/projects/{projectid}/secondboundaries/", tag = "Projects", params(ProjectPath),
    responses((status = 200, body = WithGeojson<GeojsonCollection<JsonObject>, Boundaries>), MemberErrors))]
async fn second_boundaries(service: State<Service>, member: Member) -> Result<Response> {
    geography(service, member, Geography::SecondBoundaries).await
}

/// Land that cannot change.
#[utoipa::path(get, path = "/projects/{projectid}/constraints/", tag = "Projects", params(ProjectPath),
    responses((status = 200, body = WithGeojson<GeojsonCollection<JsonObject>, Constraints>), MemberErrors))]
async fn constraints(service: State<Service>, member: Member) -> Result<Response> {
    geography(service, member, Geography::Constraints).await
}

async fn geography(
    State(service): State<Service>,
    Member { project, .. }: Member,
    role: Geography,
) -> Result<Response> {
    service.find(role.name(), move |read| read.geography(project, role).map(Some)).await
}
