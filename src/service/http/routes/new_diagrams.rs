//! Adding diagrams to systems.

use axum::extract::State;

use super::systems::check_system;
use crate::geometry::Measure;
use crate::model::operations::{ADD_EXTERNAL_POLICY, ADD_EXTERNAL_PROJECT, ADD_POLICY, ADD_PROJECT, InSystem};
use crate::model::{
    AddedDiagram, CostType, DiagramId, DiagramKind, DrawnDiagram, ExternalDiagram, JsonObject, ObjectText,
    VolumeInformation,
};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::Member;
use crate::service::http::request::extract::JsonBody;
use crate::service::http::response::respond::Json;
use crate::service::http::routing::Routes;
use crate::service::http::state::AppState;
use crate::service::store::{DiagramContent, GridLocation};

pub fn routes() -> Routes {
    Routes::of("Drawing")
        .operation(ADD_PROJECT, add_project)
        .operation(ADD_POLICY, add_policy)
        .operation(ADD_EXTERNAL_PROJECT, add_external_project)
        .operation(ADD_EXTERNAL_POLICY, add_external_policy)
}

async fn add_project(
    member: Member<InSystem>,
    State(state): State<AppState>,
    JsonBody(drawn): JsonBody<DrawnDiagram>,
) -> Result<Json<AddedDiagram>> {
    add_drawn(member, state, drawn, DiagramKind::Project).await
}

async fn add_policy(
    member: Member<InSystem>,
    State(state): State<AppState>,
    JsonBody(drawn): JsonBody<DrawnDiagram>,
) -> Result<Json<AddedDiagram>> {
    add_drawn(member, state, drawn, DiagramKind::Policy).await
}

async fn add_external_project(
    member: Member<InSystem>,
    State(state): State<AppState>,
    JsonBody(external): JsonBody<ExternalDiagram<ObjectText>>,
) -> Result<Json<AddedDiagram>> {
    add_external(member, state, external, DiagramKind::Project).await
}

async fn add_external_policy(
    member: Member<InSystem>,
    State(state): State<AppState>,
    JsonBody(external): JsonBody<ExternalDiagram<ObjectText>>,
) -> Result<Json<AddedDiagram>> {
    add_external(member, state, external, DiagramKind::Policy).await
}

async fn add_drawn(
    member: Member<InSystem>,
    state: AppState,
    drawn: DrawnDiagram,
    kind: DiagramKind,
) -> Result<Json<AddedDiagram>> {
    drawn.check().map_err(ApiError::invalid)?;
    // Before the transaction: there is one writer at a time.
    let measure = drawn.geometry.measure();
    let added = state.write_within_quota(member, move |write, member| {
        check_system(write, member.project, member.ids.sysid)?;
        let features = drawn.geometry.features.iter().map(|feature| {
            let volume = feature.properties.unwrap_or_default().volume_information.unwrap_or_default();
            (volume, feature.geometry.text())
        });
        let diagram = DiagramContent {
            system: member.ids.sysid,
            author: member.user,
            kind,
            title: &drawn.description,
            funding: drawn.fundingtype.name(),
            measure,
            cost_override: 0.0,
            cost_override_type: "",
            additional_metadata: ObjectText::default(),
            flat_geobuf_url: "",
            external_geometries: "",
            feature_type: drawn.featuretype,
            features: features.collect::<Vec<(VolumeInformation, &str)>>(),
        };
        Ok(write.add_diagram(member.project, diagram)?)
    });
    respond_added(added.await?)
}

async fn add_external(
    member: Member<InSystem>,
    state: AppState,
    external: ExternalDiagram<ObjectText>,
    kind: DiagramKind,
) -> Result<Json<AddedDiagram>> {
    external.check().map_err(ApiError::invalid)?;
    let added = state.write_within_quota(member, move |write, member| {
        check_system(write, member.project, member.ids.sysid)?;
        let is_flatgeobuf = external.layer_type.eq_ignore_ascii_case(ExternalDiagram::FLATGEOBUF);
        let (flat_geobuf_url, external_geometries) =
            if is_flatgeobuf { (external.url.as_str(), "") } else { ("", external.url.as_str()) };
        let diagram = DiagramContent {
            system: member.ids.sysid,
            author: member.user,
            kind,
            title: &external.description,
            funding: external.fundingtype.name(),
            measure: Measure::default(),
            cost_override: external.cost.unwrap_or_default() as f64,
            cost_override_type: external.cost_type.map_or("", CostType::override_name),
            additional_metadata: external.additional_metadata.clone().unwrap_or_default(),
            flat_geobuf_url,
            external_geometries,
            feature_type: external.featuretype,
            features: Vec::new(),
        };
        Ok(write.add_diagram(member.project, diagram)?)
    });
    respond_added(added.await?)
}

fn respond_added((diagram_id, location): (DiagramId, GridLocation)) -> Result<Json<AddedDiagram>> {
    let GridLocation { name: grid_location, .. } = location;
    let status = format!("The diagram was added at {grid_location}.");
    Ok(Json::new(&AddedDiagram {
        diagram_id,
        grid_location: Some(grid_location),
        status: Some(status),
        extra: JsonObject::new(),
    })?)
}
