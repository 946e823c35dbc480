//! Systems, their maps, and what members selected in them.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::model::{
    AreaFeaturesSchema, DiagramIds, DiagramKind, Evaluated, EvaluationFeatures, EvaluationFeaturesSchema,
    EvaluationProperties, GeojsonCollection, ImpactFeatures, SelectionProperties, Status, SystemDetail, SystemId,
    SystemItem, WithGeojson,
};
use crate::service::http::auth::{Credentials, Member, ProjectPath};
use crate::service::http::error::{ApiError, ErrorBody, MemberErrors, Result, WriterErrors};
use crate::service::http::extract::{JsonBody, PageParams, PathIds};
use crate::service::http::paging::{Page, PageQuery};
use crate::service::http::respond::answer;
use crate::service::http::state::Service;
use crate::service::store::{self, DiagramFilter, ProjectKey, UserKey, Writer};

pub fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::new()
        .routes(routes!(systems))
        .routes(routes!(system))
        .routes(routes!(system_diagram_ids))
        .routes(routes!(evaluation))
        .routes(routes!(set_evaluation))
        .routes(routes!(set_evaluation_of_member))
        .routes(routes!(set_impact))
        .routes(routes!(set_impact_of_member))
        .routes(routes!(selection_in_system))
        .routes(routes!(selected_projects))
        .routes(routes!(selected_policies))
        .routes(routes!(selection))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct SystemPath {
    #[param(inline)]
    pub sysid: SystemId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct MemberPath {
    /// A member of the project.
    #[param(min_length = 1, example = "amara.okafor")]
    username: String,
}

/// The systems.
#[utoipa::path(get, path = "/projects/{projectid}/systems/", tag = "Systems",
    params(ProjectPath, PageQuery), responses((status = 200, body = Page<SystemItem>), (status = 400, body = ErrorBody), MemberErrors))]
async fn systems(State(service): State<Service>, Member { project, .. }: Member, page: PageParams) -> Result<Response> {
    service.list(page, move |read| read.systems(project)).await
}

/// A system with its cost, budget and land.
#[utoipa::path(get, path = "/projects/{projectid}/systems/{sysid}/", tag = "Systems",
    params(ProjectPath, SystemPath), responses((status = 200, body = SystemDetail), MemberErrors))]
async fn system(
    State(service): State<Service>,
    credentials: Credentials,
    at: Result<PathIds<SystemPath>>,
) -> Result<Response> {
    service.find_small("system", &credentials, |read, project| {
        let PathIds(SystemPath { sysid }) = at?;
        Ok(read.system(project, sysid)?)
    })
}

/// The ids of the diagrams in a system.
#[utoipa::path(get, path = "/projects/{projectid}/systems/{sysid}/diagrams/", tag = "Systems",
    params(ProjectPath, SystemPath), responses((status = 200, body = DiagramIds), MemberErrors))]
async fn system_diagram_ids(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(SystemPath { sysid }): PathIds<SystemPath>,
) -> Result<Response> {
    let ids = service.find("system", move |read| {
        let known = read.has_system(project, sysid)?;
        known.then(|| Ok(DiagramIds { diagrams: read.system_diagram_ids(sysid)? })).transpose()
    });
    ids.await
}

/// The evaluation map: where the system is wanted, and where not.
#[utoipa::path(get, path = "/projects/{projectid}/systems/{sysid}/evaluation/", tag = "Systems",
    params(ProjectPath, SystemPath), responses((status = 200, body = WithGeojson<GeojsonCollection<EvaluationProperties>, Evaluated>), MemberErrors))]
async fn evaluation(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(SystemPath { sysid }): PathIds<SystemPath>,
) -> Result<Response> {
    service.find("system", move |read| read.evaluation(project, sysid)).await
}

/// What a member selected in a system.
#[utoipa::path(get, path = "/projects/{projectid}/systems/{sysid}/{username}/diagrams/", tag = "Selections",
    params(ProjectPath, SystemPath, MemberPath), responses((status = 200, body = GeojsonCollection<SelectionProperties>),
        (status = 403, description = "Not a member of the project", body = ErrorBody), MemberErrors))]
async fn selection_in_system(
    service: State<Service>,
    member: Member,
    PathIds(system): PathIds<SystemPath>,
    username: PathIds<MemberPath>,
) -> Result<Response> {
    selected(service, member, username, Some(system), None).await
}

/// The projects among what a member selected in a system.
#[utoipa::path(get, path = "/projects/{projectid}/systems/{sysid}/{username}/diagrams/projects/", tag = "Selections",
    params(ProjectPath, SystemPath, MemberPath), responses((status = 200, body = GeojsonCollection<SelectionProperties>),
        (status = 403, description = "Not a member of the project", body = ErrorBody), MemberErrors))]
async fn selected_projects(
    service: State<Service>,
    member: Member,
    PathIds(system): PathIds<SystemPath>,
    username: PathIds<MemberPath>,
) -> Result<Response> {
    selected(service, member, username, Some(system), Some(DiagramKind::Project)).await
}

/// The policies among what a member selected in a system.
#[utoipa::path(get, path = "/projects/{projectid}/systems/{sysid}/{username}/diagrams/policies/", tag = "Selections",
    params(ProjectPath, SystemPath, MemberPath), responses((status = 200, body = GeojsonCollection<SelectionProperties>),
        (status = 403, description = "Not a member of the project", body = ErrorBody), MemberErrors))]
async fn selected_policies(
    service: State<Service>,
    member: Member,
    PathIds(system): PathIds<SystemPath>,
    username: PathIds<MemberPath>,
) -> Result<Response> {
    selected(service, member, username, Some(system), Some(DiagramKind::Policy)).await
}

/// What a member selected, in all systems.
#[utoipa::path(get, path = "/projects/{projectid}/members/{username}/diagrams/", tag = "Selections",
    params(ProjectPath, MemberPath), responses((status = 200, body = GeojsonCollection<SelectionProperties>),
        (status = 403, description = "Not a member of the project", body = ErrorBody), MemberErrors))]
async fn selection(service: State<Service>, member: Member, username: PathIds<MemberPath>) -> Result<Response> {
    selected(service, member, username, None, None).await
}

async fn selected(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(MemberPath { username }): PathIds<MemberPath>,
    system: Option<SystemPath>,
    kind: Option<DiagramKind>,
) -> Result<Response> {
    let system = system.map(|system| system.sysid);
    let member = known_member(&service, project, &username)?;
    let which = DiagramFilter::Selected { project, member, system, kind };
    let features = service.find("system", move |read| {
        let known = system.map_or(Ok(true), |sysid| read.has_system(project, sysid))?;
        known.then(|| read.selection_features(&which)).transpose()
    });
    features.await
}

/// Sets the evaluation map of a system.
#[utoipa::path(post, path = "/projects/{projectid}/systems/{sysid}/e/map/json/", tag = "Systems",
    params(ProjectPath, SystemPath), request_body = EvaluationFeaturesSchema, responses((status = 200, body = Status), WriterErrors))]
async fn set_evaluation(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(SystemPath { sysid }): PathIds<SystemPath>,
    JsonBody(map): JsonBody<EvaluationFeatures>,
) -> Result<Response> {
    map.check().map_err(|problem| ApiError::invalid(problem.to_string()))?;
    set_map(service, move |write| write.set_evaluation(project, sysid, &map.colored())).await
}

/// Sets the evaluation map of a system, in the name of a member.
#[utoipa::path(post, path = "/projects/{projectid}/systems/{sysid}/e/map/json/{username}/", tag = "Systems",
    params(ProjectPath, SystemPath, MemberPath), request_body = EvaluationFeaturesSchema,
    responses((status = 200, body = Status), (status = 403, description = "Not a member of the project", body = ErrorBody),
        WriterErrors))]
async fn set_evaluation_of_member(
    service: State<Service>,
    member: Member,
    system: PathIds<SystemPath>,
    PathIds(MemberPath { username }): PathIds<MemberPath>,
    map: JsonBody<EvaluationFeatures>,
) -> Result<Response> {
    known_member(&service, member.project, &username)?;
    set_evaluation(service, member, system, map).await
}

/// Sets the impact map of a system.
#[utoipa::path(post, path = "/projects/{projectid}/systems/{sysid}/i/map/json/", tag = "Systems",
    params(ProjectPath, SystemPath), request_body = AreaFeaturesSchema, responses((status = 200, body = Status), WriterErrors))]
async fn set_impact(
    State(service): State<Service>,
    Member { project, .. }: Member,
    PathIds(SystemPath { sysid }): PathIds<SystemPath>,
    JsonBody(map): JsonBody<ImpactFeatures>,
) -> Result<Response> {
    map.check_areas().map_err(|problem| ApiError::invalid(problem.to_string()))?;
    set_map(service, move |write| write.set_impact(project, sysid, &map)).await
}

/// Sets the impact map of a system, in the name of a member.
#[utoipa::path(post, path = "/projects/{projectid}/systems/{sysid}/i/map/json/{username}/", tag = "Systems",
    params(ProjectPath, SystemPath, MemberPath), request_body = AreaFeaturesSchema,
    responses((status = 200, body = Status), (status = 403, description = "Not a member of the project", body = ErrorBody),
        WriterErrors))]
async fn set_impact_of_member(
    service: State<Service>,
    member: Member,
    system: PathIds<SystemPath>,
    PathIds(MemberPath { username }): PathIds<MemberPath>,
    map: JsonBody<ImpactFeatures>,
) -> Result<Response> {
    known_member(&service, member.project, &username)?;
    set_impact(service, member, system, map).await
}

fn known_member(service: &Service, project: ProjectKey, username: &str) -> Result<UserKey> {
    let member = service.look_up(|read| Ok(read.member(project, username)?))?;
    member.ok_or(ApiError::Forbidden("That user is not a member of the project."))
}

async fn set_map(
    service: Service,
    set: impl FnOnce(&Writer) -> store::Result<bool> + Send + 'static,
) -> Result<Response> {
    match service.write(move |write| Ok(set(write)?)).await? {
        true => answer(&Status { status: "The map was set.".into() }),
        false => Err(ApiError::NotFound("system")),
    }
}
