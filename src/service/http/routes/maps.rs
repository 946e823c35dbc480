//! Setting the evaluation and impact maps of systems.

use axum::extract::State;

use super::selections::member_named;
use super::systems::NO_SYSTEM;
use crate::blocking;
use crate::model::operations::{
    InSystem, OfMemberInSystem, SET_EVALUATION, SET_EVALUATION_OF_MEMBER, SET_IMPACT, SET_IMPACT_OF_MEMBER,
};
use crate::model::{
    AreaFeaturesBody, DrawnGeometry, EvaluationFeaturesBody, EvaluationText, GeojsonCollection, ObjectText, Status,
    SystemId,
};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::{Member, Membership};
use crate::service::http::request::extract::JsonBody;
use crate::service::http::response::respond::Json;
use crate::service::http::routing::Routes;
use crate::service::http::state::AppState;
use crate::service::store::{ProjectKey, Reader, StoreError, Writer};

pub fn routes() -> Routes {
    Routes::of("Systems")
        .operation(SET_EVALUATION, set_evaluation)
        .operation(SET_EVALUATION_OF_MEMBER, set_evaluation_of_member)
        .operation(SET_IMPACT, set_impact)
        .operation(SET_IMPACT_OF_MEMBER, set_impact_of_member)
}

async fn set_evaluation(
    member: Member<InSystem>,
    State(state): State<AppState>,
    JsonBody(EvaluationFeaturesBody(map)): JsonBody<EvaluationFeaturesBody>,
) -> Result<Json<Status>> {
    let map = colored_text(map).await?;
    let set = state.write_within_quota(member, move |write, member| {
        write_evaluation(write, member.project, member.ids.sysid, &map, None)
    });
    set.await?;
    respond_set()
}

async fn set_evaluation_of_member(
    member: Member<OfMemberInSystem>,
    State(state): State<AppState>,
    JsonBody(EvaluationFeaturesBody(map)): JsonBody<EvaluationFeaturesBody>,
) -> Result<Json<Status>> {
    let map = colored_text(map).await?;
    let set = state.write_within_quota(member, move |write, caller| {
        check_name(write, &caller)?;
        write_evaluation(write, caller.project, caller.ids.sysid, &map, Some(&caller.ids.username))
    });
    set.await?;
    respond_set()
}

async fn set_impact(
    member: Member<InSystem>,
    State(state): State<AppState>,
    JsonBody(AreaFeaturesBody(map)): JsonBody<AreaFeaturesBody>,
) -> Result<Json<Status>> {
    let map = areas_text(map).await?;
    let set = state.write_within_quota(member, move |write, member| {
        write_impact(write, member.project, member.ids.sysid, &map, None)
    });
    set.await?;
    respond_set()
}

async fn set_impact_of_member(
    member: Member<OfMemberInSystem>,
    State(state): State<AppState>,
    JsonBody(AreaFeaturesBody(map)): JsonBody<AreaFeaturesBody>,
) -> Result<Json<Status>> {
    let map = areas_text(map).await?;
    let set = state.write_within_quota(member, move |write, caller| {
        check_name(write, &caller)?;
        write_impact(write, caller.project, caller.ids.sysid, &map, Some(&caller.ids.username))
    });
    set.await?;
    respond_set()
}

type EvaluationMap = GeojsonCollection<EvaluationText, DrawnGeometry>;
type ImpactMap = GeojsonCollection<Option<ObjectText>, DrawnGeometry>;

/// The text of an evaluation map as it is stored, made before the transaction: there is one writer at a time.
async fn colored_text(map: EvaluationMap) -> Result<String> {
    blocking::run(move || map.to_colored_text()).await?.map_err(ApiError::invalid)
}

/// The text of an impact map as it is stored.
async fn areas_text(map: ImpactMap) -> Result<String> {
    map.check_areas().map_err(ApiError::invalid)?;
    let text = blocking::run(move || serde_json::to_string(&map)).await?;
    Ok(text.map_err(StoreError::content)?)
}

/// A member writes in the member's own name only, an administrator in that of every member.
fn check_name(read: &Reader, caller: &Membership<OfMemberInSystem>) -> Result<()> {
    let member = member_named(read, caller.project, &caller.ids.username)?;
    if member == caller.user || read.is_administrator(caller.project, caller.user)? {
        return Ok(());
    }
    Err(ApiError::Forbidden("Only an administrator of the project may write in the name of another member."))
}

fn write_evaluation(
    write: &Writer,
    project: ProjectKey,
    system: SystemId,
    map: &str,
    in_name_of: Option<&str>,
) -> Result<()> {
    if write.set_evaluation(project, system, map, in_name_of)? { Ok(()) } else { Err(NO_SYSTEM) }
}

fn write_impact(
    write: &Writer,
    project: ProjectKey,
    system: SystemId,
    map: &str,
    in_name_of: Option<&str>,
) -> Result<()> {
    if write.set_impact(project, system, map, in_name_of)? { Ok(()) } else { Err(NO_SYSTEM) }
}

fn respond_set() -> Result<Json<Status>> {
    Ok(Json::new(&Status { status: "The map was set.".into() })?)
}
