//! Diagrams and tags.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;

use super::{At, PageOf, Service};
use crate::model::DiagramId;
use crate::service::auth::Member;
use crate::service::error::Result;
use crate::service::store::Diagrams;

pub fn routes() -> Router<Service> {
    Router::new()
        .route("/projects/{projectid}/tags/", get(tags))
        .route("/projects/{projectid}/diagrams/", get(summaries))
        .route("/projects/{projectid}/diagrams/all/", get(all))
        .route("/projects/{projectid}/diagrams/all/details/", get(all_details))
        .route("/projects/{projectid}/diagrams/{diagramid}/", get(diagram))
        .route("/projects/{projectid}/diagrams/{diagramid}/tags/", get(diagram_tags))
        .route("/projects/{projectid}/diagrams/{diagramid}/tags/codes/", get(diagram_tags))
        .route("/projects/{projectid}/diagrams/{diagramid}/notes/", get(notes))
        .route("/projects/{projectid}/diagrams/{diagramid}/changeid/", get(change_id))
}

#[derive(Deserialize)]
struct DiagramPath {
    diagramid: DiagramId,
}

async fn tags(State(service): State<Service>, Member { project }: Member, page: PageOf) -> Result<Response> {
    service.list(page, move |read| read.tags(project)).await
}

async fn summaries(State(service): State<Service>, Member { project }: Member, page: PageOf) -> Result<Response> {
    service.list(page, move |read| read.diagram_summaries(project)).await
}

async fn all(State(service): State<Service>, Member { project }: Member) -> Result<Response> {
    service.find("project", move |read| read.diagrams(&Diagrams::Of(project)).map(Some)).await
}

async fn all_details(State(service): State<Service>, Member { project }: Member) -> Result<Response> {
    service.find("project", move |read| read.diagram_details(&Diagrams::Of(project)).map(Some)).await
}

async fn diagram(
    State(service): State<Service>,
    Member { project }: Member,
    At(DiagramPath { diagramid }): At<DiagramPath>,
) -> Result<Response> {
    service.find("diagram", move |read| Ok(read.diagrams(&Diagrams::One(project, diagramid))?.pop())).await
}

async fn diagram_tags(
    State(service): State<Service>,
    Member { project }: Member,
    At(DiagramPath { diagramid }): At<DiagramPath>,
) -> Result<Response> {
    let tags = service.find("diagram", move |read| {
        let known = read.has_diagram(project, diagramid)?;
        known.then(|| read.diagram_tags(diagramid)).transpose()
    });
    tags.await
}

async fn notes(
    State(service): State<Service>,
    Member { project }: Member,
    At(DiagramPath { diagramid }): At<DiagramPath>,
) -> Result<Response> {
    service.find("diagram", move |read| read.diagram_note(project, diagramid)).await
}

async fn change_id(
    State(service): State<Service>,
    Member { project }: Member,
    At(DiagramPath { diagramid }): At<DiagramPath>,
) -> Result<Response> {
    service.find("diagram", move |read| read.change_hash(project, diagramid)).await
}
