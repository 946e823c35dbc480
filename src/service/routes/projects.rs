//! Projects and what belongs to them as a whole.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use super::{PageOf, Service};
use crate::model::{Members, NegotiationLogs, ProjectBounds, ProjectCenter, Stakeholders};
use crate::service::auth::{Caller, Member};
use crate::service::error::Result;
use crate::service::store::Geography;

pub fn routes() -> Router<Service> {
    Router::new()
        .route("/projects/", get(projects))
        .route("/projects/latest/", get(latest))
        .route("/projects/{projectid}/", get(project))
        .route("/projects/{projectid}/members/", get(members))
        .route("/projects/{projectid}/stakeholders/", get(stakeholders))
        .route("/projects/{projectid}/bounds/", get(bounds))
        .route("/projects/{projectid}/center/", get(center))
        .route("/projects/{projectid}/plugins/", get(plugins))
        .route("/projects/{projectid}/data_layers/", get(layers))
        .route("/projects/{projectid}/negotiation_logs/", get(negotiation_logs))
        .route("/projects/{projectid}/boundaries/", get(boundaries))
        .route("/projects/{projectid}/secondboundaries/", get(second_boundaries))
        .route("/projects/{projectid}/constraints/", get(constraints))
}

async fn projects(State(service): State<Service>, Caller { user }: Caller, page: PageOf) -> Result<Response> {
    service.list(page, move |read| read.projects(user)).await
}

async fn latest(State(service): State<Service>, Caller { user }: Caller) -> Result<Response> {
    service.find("project", move |read| Ok(Some(read.projects(user)?.pop().into_iter().collect::<Vec<_>>()))).await
}

async fn project(State(service): State<Service>, Member { project }: Member) -> Result<Response> {
    service.find("project", move |read| read.project(project)).await
}

async fn members(State(service): State<Service>, Member { project }: Member) -> Result<Response> {
    service.find("project", move |read| Ok(Some(Members { members: read.members(project)? }))).await
}

async fn stakeholders(State(service): State<Service>, Member { project }: Member) -> Result<Response> {
    service.find("project", move |read| Ok(Some(Stakeholders { stakeholders: read.stakeholders(project)? }))).await
}

async fn bounds(State(service): State<Service>, Member { project }: Member) -> Result<Response> {
    service.find("project", move |read| Ok(read.bounds(project)?.map(|bounds| ProjectBounds { bounds }))).await
}

async fn center(State(service): State<Service>, Member { project }: Member) -> Result<Response> {
    service.find("project", move |read| Ok(read.center(project)?.map(|center| ProjectCenter { center }))).await
}

async fn plugins(State(service): State<Service>, Member { project }: Member, page: PageOf) -> Result<Response> {
    service.list(page, move |read| read.plugins(project)).await
}

async fn layers(State(service): State<Service>, Member { project }: Member, page: PageOf) -> Result<Response> {
    service.list(page, move |read| read.layers(project)).await
}

async fn negotiation_logs(State(service): State<Service>, Member { project }: Member) -> Result<Response> {
    service
        .find("project", move |read| Ok(Some(NegotiationLogs { all_negotiations: read.negotiations(project)? })))
        .await
}

async fn boundaries(service: State<Service>, member: Member) -> Result<Response> {
    geography(service, member, Geography::Boundaries).await
}

async fn second_boundaries(service: State<Service>, member: Member) -> Result<Response> {
    geography(service, member, Geography::SecondBoundaries).await
}

async fn constraints(service: State<Service>, member: Member) -> Result<Response> {
    geography(service, member, Geography::Constraints).await
}

async fn geography(State(service): State<Service>, Member { project }: Member, role: Geography) -> Result<Response> {
    service.find(role.name(), move |read| read.geography(project, role)).await
}
