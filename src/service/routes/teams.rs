//! Change teams and their designs.

use axum::Router;
use axum::extract::{FromRef, FromRequestParts, State};
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;

use super::{At, PageOf, Service};
use crate::model::{DesignDetails, DesignId, DesignTimeline, DiagramIds, Synthesis, SystemId, TeamId, TeamMembers};
use crate::service::auth::Member;
use crate::service::error::{Refusal, Result};
use crate::service::store::{Diagrams, ProjectKey, Reader};

pub fn routes() -> Router<Service> {
    Router::new()
        .route("/projects/{projectid}/cteams/", get(teams))
        .route("/projects/{projectid}/cteams/{cteamid}/", get(designs))
        .route("/projects/{projectid}/cteams/{cteamid}/details/", get(latest_details))
        .route("/projects/{projectid}/cteams/{cteamid}/members/", get(members))
        .route("/projects/{projectid}/cteams/{cteamid}/{synthesisid}/", get(design))
        .route("/projects/{projectid}/cteams/{cteamid}/{synthesisid}/details/", get(details))
        .route("/projects/{projectid}/cteams/{cteamid}/{synthesisid}/diagrams/", get(diagram_ids))
        .route("/projects/{projectid}/cteams/{cteamid}/{synthesisid}/timeline/", get(timeline))
        .route("/projects/{projectid}/cteams/{cteamid}/{synthesisid}/esri/", get(esri))
        .route("/projects/{projectid}/cteams/{cteamid}/{synthesisid}/systems/{sysid}/projects/", get(system_projects))
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

#[derive(Deserialize)]
struct TeamPath {
    cteamid: TeamId,
}

#[derive(Deserialize)]
struct DesignPath {
    synthesisid: DesignId,
}

#[derive(Deserialize)]
struct SystemPath {
    sysid: SystemId,
}

impl<S: Send + Sync> FromRequestParts<S> for Team
where
    Service: FromRef<S>,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Member { project } = Member::from_request_parts(parts, state).await?;
        let At(TeamPath { cteamid: id }) = At::from_request_parts(parts, state).await?;
        let known = Service::from_ref(state).read(move |read| read.has_team(project, id)).await?;
        if known { Ok(Team { id }) } else { Err(Refusal::not_found("change team")) }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TeamDesign
where
    Service: FromRef<S>,
{
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Team { id: team } = Team::from_request_parts(parts, state).await?;
        let Member { project } = Member::from_request_parts(parts, state).await?;
        let At(DesignPath { synthesisid }) = At::from_request_parts(parts, state).await?;
        let details = Service::from_ref(state).read(move |read| read.design(team, &synthesisid)).await?;
        details.map(|details| TeamDesign { project, details }).ok_or_else(|| Refusal::not_found("design"))
    }
}

async fn teams(State(service): State<Service>, Member { project }: Member, page: PageOf) -> Result<Response> {
    service.list(page, move |read| read.teams(project)).await
}

async fn designs(State(service): State<Service>, team: Team) -> Result<Response> {
    service.find("change team", move |read| Ok(Some(Synthesis { synthesis: read.designs(team.id)? }))).await
}

async fn latest_details(State(service): State<Service>, team: Team) -> Result<Response> {
    service.find("design", move |read| Ok(read.designs(team.id)?.pop().map(|design| design.details))).await
}

async fn members(State(service): State<Service>, team: Team) -> Result<Response> {
    service.find("change team", move |read| Ok(Some(TeamMembers { members: read.team_members(team.id)? }))).await
}

async fn details(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    service.find("design", move |_| Ok(Some(design.details))).await
}

async fn diagram_ids(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    let ids = move |read: &Reader| Ok(Some(DiagramIds { diagrams: read.design_diagram_ids(&design.details.id)? }));
    service.find("design", ids).await
}

async fn timeline(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    service.find("design", move |read| Ok(Some(DesignTimeline { timeline: read.timeline(&design.details.id)? }))).await
}

async fn design(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    let which = Diagrams::InDesign { design: design.details.id, projects_of: None };
    service.find("design", move |read| read.design_features(&which).map(Some)).await
}

async fn esri(State(service): State<Service>, design: TeamDesign) -> Result<Response> {
    let which = Diagrams::InDesign { design: design.details.id, projects_of: None };
    service.find("design", move |read| read.design_esri(&which).map(Some)).await
}

async fn system_projects(
    State(service): State<Service>,
    TeamDesign { project, details }: TeamDesign,
    At(SystemPath { sysid }): At<SystemPath>,
) -> Result<Response> {
    let which = Diagrams::InDesign { design: details.id, projects_of: Some(sysid) };
    let features = service.find("system", move |read| {
        let known = read.has_system(project, sysid)?;
        known.then(|| read.design_features(&which)).transpose()
    });
    features.await
}
