//! Systems, their evaluation maps and what members selected in them.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;

use super::{At, PageOf, Service};
use crate::model::{DiagramIds, DiagramKind, SystemId};
use crate::service::auth::Member;
use crate::service::error::{Refusal, Result};
use crate::service::store::Diagrams;

pub fn routes() -> Router<Service> {
    Router::new()
        .route("/projects/{projectid}/systems/", get(systems))
        .route("/projects/{projectid}/systems/{sysid}/", get(system))
        .route("/projects/{projectid}/systems/{sysid}/diagrams/", get(diagram_ids))
        .route("/projects/{projectid}/systems/{sysid}/evaluation/", get(evaluation))
        .route("/projects/{projectid}/systems/{sysid}/{username}/diagrams/", get(selected))
        .route("/projects/{projectid}/systems/{sysid}/{username}/diagrams/projects/", get(selected_projects))
        .route("/projects/{projectid}/systems/{sysid}/{username}/diagrams/policies/", get(selected_policies))
        .route("/projects/{projectid}/members/{username}/diagrams/", get(selected_everywhere))
}

#[derive(Deserialize)]
struct SystemPath {
    sysid: SystemId,
}

#[derive(Deserialize)]
struct SelectionPath {
    /// Absent where the selection is wanted across systems.
    sysid: Option<SystemId>,
    username: String,
}

async fn systems(State(service): State<Service>, Member { project }: Member, page: PageOf) -> Result<Response> {
    service.list(page, move |read| read.systems(project)).await
}

async fn system(
    State(service): State<Service>,
    Member { project }: Member,
    At(SystemPath { sysid }): At<SystemPath>,
) -> Result<Response> {
    service.find("system", move |read| read.system(project, sysid)).await
}

async fn diagram_ids(
    State(service): State<Service>,
    Member { project }: Member,
    At(SystemPath { sysid }): At<SystemPath>,
) -> Result<Response> {
    let ids = service.find("system", move |read| {
        let known = read.has_system(project, sysid)?;
        known.then(|| Ok(DiagramIds { diagrams: read.system_diagram_ids(sysid)? })).transpose()
    });
    ids.await
}

async fn evaluation(
    State(service): State<Service>,
    Member { project }: Member,
    At(SystemPath { sysid }): At<SystemPath>,
) -> Result<Response> {
    service.find("system", move |read| read.evaluation(project, sysid)).await
}

async fn selected(service: State<Service>, member: Member, path: At<SelectionPath>) -> Result<Response> {
    selection(service, member, path, None).await
}

async fn selected_projects(service: State<Service>, member: Member, path: At<SelectionPath>) -> Result<Response> {
    selection(service, member, path, Some(DiagramKind::Project)).await
}

async fn selected_policies(service: State<Service>, member: Member, path: At<SelectionPath>) -> Result<Response> {
    selection(service, member, path, Some(DiagramKind::Policy)).await
}

async fn selected_everywhere(service: State<Service>, member: Member, path: At<SelectionPath>) -> Result<Response> {
    selection(service, member, path, None).await
}

async fn selection(
    State(service): State<Service>,
    Member { project }: Member,
    At(SelectionPath { sysid, username }): At<SelectionPath>,
    kind: Option<DiagramKind>,
) -> Result<Response> {
    let member = service.read(move |read| read.member(project, &username)).await?;
    let member = member.ok_or(Refusal::Forbidden("That user is not a member of the project."))?;
    let which = Diagrams::Selected { project, member, system: sysid, kind };
    let features = service.find("system", move |read| {
        let known = sysid.map_or(Ok(true), |sysid| read.has_system(project, sysid))?;
        known.then(|| read.selection(&which)).transpose()
    });
    features.await
}
