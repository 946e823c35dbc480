//! Change teams and their designs.

use axum::extract::{FromRef, FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::Response;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::systems::SystemPath;
use crate::model::{
    ChangeTeam, DesignDetails, DesignId, DesignProperties, DesignTimeline, DiagramIds, EsriFeature, GeojsonCollection,
    Synthesis, TeamId, TeamMembers,
};
use crate::service::http::auth::{Credentials, Member, ProjectPath};
use crate::service::http::error::{ApiError, ErrorBody, MemberErrors, Result};
use crate::service::http::extract::{PageParams, PathIds};
use crate::service::http::paging::{Page, PageQuery};
use crate::service::http::state::Service;
use crate::service::store::{DiagramFilter, ProjectKey, Reader};

pub fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::new()
        .routes(routes!(teams))
        .routes(routes!(designs))
        .routes(routes!(latest_design_details))
        .routes(routes!(team_members))
        .routes(routes!(design))
        .routes(routes!(design_details))
        .routes(routes!(design_diagram_ids))
        .routes(routes!(design_timeline))
        .routes(routes!(design_esri))
        .routes(routes!(design_system_projects))
}

/// A team of the caller's project.
struct Team {
    id: TeamId,
}

/// A design of a team of the caller's project.
struct TeamDesign {
    project: ProjectKey,
    details: DesignDetails,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct TeamPath {
    #[param(inline)]
    cteamid: TeamId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct DesignPath {
    #[param(inline)]
    synthesisid: DesignId,
}

impl<S: Send + Sync> FromRequestParts<S> for Team
where
    Service: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let credentials = Credentials::from_request_parts(parts, state).await?;
        let at = PathIds::from_request_parts(parts, state).await;
        Service::from_ref(state).look_up(|read| {
            let Member { project, .. } = credentials.member(read)?;
            let PathIds(TeamPath { cteamid: id }) = at?;
            if read.has_team(project, id)? { Ok(Team { id }) } else { Err(ApiError::NotFound("change team")) }
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TeamDesign
where
    Service: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Team { id: team } = Team::from_request_parts(parts, state).await?;
        let Member { project, .. } = Member::from_request_parts(parts, state).await?;
        let PathIds(DesignPath { synthesisid }) = PathIds::from_request_parts(parts, state).await?;
        let details = Service::from_ref(state).read(move |read| read.design(team, &synthesisid)).await?;
        details.map(|details| TeamDesign { project, details }).ok_or_else(|| ApiError::NotFound("design"))
    }
}

/// The change teams.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/", tag = "Change teams",
    params(ProjectPath, PageQuery), responses((status = 200, body = Page<ChangeTeam>), (status = 400, body = ErrorBody), MemberErrors))]
async fn teams(State(service): State<Service>, Member { project, .. }: Member, page: PageParams) -> Result<Response> {
    service.list(page, move |read| read.teams(project)).await
}

/// The designs that a team saved, oldest first.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/", tag = "Change teams",
    params(ProjectPath, TeamPath), responses((status = 200, body = Synthesis), MemberErrors))]
async fn designs(State(service): State<Service>, team: Team) -> Result<Response> {
    service.find("change team", move |read| Ok(Some(Synthesis { synthesis: read.designs(team.id)? }))).await
}

/// What the latest design of a team is called and when it was saved.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/details/", tag = "Change teams",
    params(ProjectPath, TeamPath), responses((status = 200, body = DesignDetails), MemberErrors))]
async fn latest_design_details(State(service): State<Service>, team: Team) -> Result<Response> {
    service.find("design", move |read| Ok(read.designs(team.id)?.pop().map(|design| design.details))).await
}

/// The members of a team.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/members/", tag = "Change teams",
    params(ProjectPath, TeamPath), responses((status = 200, body = TeamMembers), MemberErrors))]
async fn team_members(State(service): State<Service>, team: Team) -> Result<Response> {
    service.find("change team", move |read| Ok(Some(TeamMembers { members: read.team_members(team.id)? }))).await
}

/// What a design is called and when it was saved.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/{synthesisid}/details/", tag = "Change teams",
    params(ProjectPath, TeamPath, DesignPath), responses((status = 200, body = DesignDetails), MemberErrors))]
async fn design_details(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    service.find("design", move |_| Ok(Some(design.details))).await
}

/// The ids of the diagrams in a design.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/{synthesisid}/diagrams/", tag = "Change teams",
    params(ProjectPath, TeamPath, DesignPath), responses((status = 200, body = DiagramIds), MemberErrors))]
async fn design_diagram_ids(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    let ids = move |read: &Reader| Ok(Some(DiagramIds { diagrams: read.design_diagram_ids(&design.details.id)? }));
    service.find("design", ids).await
}

/// When the diagrams of a design start and end.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/{synthesisid}/timeline/", tag = "Change teams",
    params(ProjectPath, TeamPath, DesignPath), responses((status = 200, body = DesignTimeline), MemberErrors))]
async fn design_timeline(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    service.find("design", move |read| Ok(Some(DesignTimeline { timeline: read.timeline(&design.details.id)? }))).await
}

/// The features of a design.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/{synthesisid}/", tag = "Change teams",
    params(ProjectPath, TeamPath, DesignPath), responses((status = 200, body = GeojsonCollection<DesignProperties>), MemberErrors))]
async fn design(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    let which = DiagramFilter::InDesign { design: design.details.id, projects_of: None };
    service.find("design", move |read| read.design_features(&which).map(Some)).await
}

/// The features of a design as feature-JSON.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/{synthesisid}/esri/", tag = "Change teams",
    params(ProjectPath, TeamPath, DesignPath), responses((status = 200, body = [EsriFeature<DesignProperties>]), MemberErrors))]
async fn design_esri(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    let which = DiagramFilter::InDesign { design: design.details.id, projects_of: None };
    service.find("design", move |read| read.design_esri(&which).map(Some)).await
}

/// The features of a design's projects in a system.
#[utoipa::path(get, path = "/projects/{projectid}/cteams/{cteamid}/{synthesisid}/systems/{sysid}/projects/", tag = "Change teams",
    params(ProjectPath, TeamPath, DesignPath, SystemPath), responses((status = 200, body = GeojsonCollection<DesignProperties>), MemberErrors))]
async fn design_system_projects(
    State(service): State<Service>,
    TeamDesign { project, details }: TeamDesign,
    PathIds(SystemPath { sysid }): PathIds<SystemPath>,
) -> Result<Response> {
    let which = DiagramFilter::InDesign { design: details.id, projects_of: Some(sysid) };
    let features = service.find("system", move |read| {
        let known = read.has_system(project, sysid)?;
        known.then(|| read.design_features(&which)).transpose()
    });
    features.await
}
