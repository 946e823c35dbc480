//! Adding diagrams to systems.

use axum::extract::State;
use axum::response::Response;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::systems::SystemPath;
use crate::geometry::Measure;
use crate::model::{
    AddedDiagram, CostType, DiagramId, DiagramKind, DrawnDiagram, ExternalDiagram, JsonObject, SystemId,
    VolumeInformation,
};
use crate::service::http::auth::{Member, ProjectPath};
use crate::service::http::error::{ApiError, Result, WriterErrors};
use crate::service::http::extract::{JsonBody, PathIds};
use crate::service::http::respond::answer;
use crate::service::http::state::Service;
use crate::service::store::{DiagramContent, GridLocation, ProjectKey, Writer};

pub fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::new()
        .routes(routes!(add_project))
        .routes(routes!(add_policy))
        .routes(routes!(add_external_project))
        .routes(routes!(add_external_policy))
}

/// Adds a drawn project to a system.
#[utoipa::path(post, path = "/projects/{projectid}/systems/{sysid}/add/project/", tag = "Drawing",
    params(ProjectPath, SystemPath), request_body = DrawnDiagram, responses((status = 200, body = AddedDiagram), WriterErrors))]
async fn add_project(
    service: State<Service>,
    member: Member,
    system: PathIds<SystemPath>,
    drawn: JsonBody<DrawnDiagram>,
) -> Result<Response> {
    add_drawn(service, member, system, drawn, DiagramKind::Project).await
}

/// Adds a drawn policy to a system.
#[utoipa::path(post, path = "/projects/{projectid}/systems/{sysid}/add/policy/", tag = "Drawing",
    params(ProjectPath, SystemPath), request_body = DrawnDiagram, responses((status = 200, body = AddedDiagram), WriterErrors))]
async fn add_policy(
    service: State<Service>,
    member: Member,
    system: PathIds<SystemPath>,
    drawn: JsonBody<DrawnDiagram>,
) -> Result<Response> {
    add_drawn(service, member, system, drawn, DiagramKind::Policy).await
}

/// Adds a project whose geography lies elsewhere to a system.
#[utoipa::path(post, path = "/projects/{projectid}/systems/{sysid}/add/external/project/", tag = "Drawing",
    params(ProjectPath, SystemPath), request_body = ExternalDiagram,
    responses((status = 200, body = AddedDiagram), WriterErrors))]
async fn add_external_project(
    service: State<Service>,
    member: Member,
    system: PathIds<SystemPath>,
    external: JsonBody<ExternalDiagram>,
) -> Result<Response> {
    add_external(service, member, system, external, DiagramKind::Project).await
}

/// Adds a policy whose geography lies elsewhere to a system.
#[utoipa::path(post, path = "/projects/{projectid}/systems/{sysid}/add/external/policy/", tag = "Drawing",
    params(ProjectPath, SystemPath), request_body = ExternalDiagram,
    responses((status = 200, body = AddedDiagram), WriterErrors))]
async fn add_external_policy(
    service: State<Service>,
    member: Member,
    system: PathIds<SystemPath>,
    external: JsonBody<ExternalDiagram>,
) -> Result<Response> {
    add_external(service, member, system, external, DiagramKind::Policy).await
}

async fn add_drawn(
    State(service): State<Service>,
    Member { project, user }: Member,
    PathIds(SystemPath { sysid }): PathIds<SystemPath>,
    JsonBody(drawn): JsonBody<DrawnDiagram>,
    kind: DiagramKind,
) -> Result<Response> {
    drawn.check().map_err(|problem| ApiError::invalid(problem.to_string()))?;
    // Before its turn to write: others wait for that.
    let measure = drawn.geometry.measure();
    let added = service.write(move |write| {
        in_system(write, project, sysid)?;
        let features = drawn.geometry.features.iter().map(|feature| {
            let volume = feature.properties.unwrap_or_default().volume_information.unwrap_or_default();
            (volume, feature.geometry.text())
        });
        let diagram = DiagramContent {
            system: sysid,
            author: user,
            kind,
            title: &drawn.description,
            funding: drawn.fundingtype.name(),
            measure,
            cost_override: 0.0,
            cost_override_type: "",
            additional_metadata: JsonObject::new(),
            flat_geobuf_url: "",
            external_geometries: "",
            features: features.collect::<Vec<(VolumeInformation, &str)>>(),
        };
        Ok(write.add_diagram(project, diagram)?)
    });
    added_at(added.await?)
}

async fn add_external(
    State(service): State<Service>,
    Member { project, user }: Member,
    PathIds(SystemPath { sysid }): PathIds<SystemPath>,
    JsonBody(external): JsonBody<ExternalDiagram>,
    kind: DiagramKind,
) -> Result<Response> {
    external.check().map_err(|problem| ApiError::invalid(problem.to_string()))?;
    let added = service.write(move |write| {
        in_system(write, project, sysid)?;
        let is_flatgeobuf = external.layer_type.eq_ignore_ascii_case(ExternalDiagram::FLATGEOBUF);
        let (flat_geobuf_url, external_geometries) =
            if is_flatgeobuf { (external.url.as_str(), "") } else { ("", external.url.as_str()) };
        let diagram = DiagramContent {
            system: sysid,
            author: user,
            kind,
            title: &external.description,
            funding: external.fundingtype.name(),
            measure: Measure::default(),
            cost_override: external.cost.unwrap_or_default() as f64,
            cost_override_type: external.cost_type.map_or("", CostType::override_name),
            additional_metadata: external.additional_metadata.clone().unwrap_or_default(),
            flat_geobuf_url,
            external_geometries,
            features: Vec::new(),
        };
        Ok(write.add_diagram(project, diagram)?)
    });
    added_at(added.await?)
}

fn in_system(write: &Writer, project: ProjectKey, system: SystemId) -> Result<()> {
    if write.has_system(project, system)? { Ok(()) } else { Err(ApiError::NotFound("system")) }
}

fn added_at((diagram_id, location): (DiagramId, GridLocation)) -> Result<Response> {
    let GridLocation { name: grid_location, .. } = location;
    let status = format!("The diagram was added at {grid_location}.");
    answer(&AddedDiagram {
        diagram_id,
        grid_location: Some(grid_location),
        status: Some(status),
        extra: JsonObject::new(),
    })
}
