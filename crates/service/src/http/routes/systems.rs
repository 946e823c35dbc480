//! Systems: their diagrams, their evaluation and impact maps, and the diagrams that members selected.

use axum::extract::State;

use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::response::Json;
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::store::{DiagramFilter, ProjectKey, Reader, StoreError, SystemMap, UserKey};
use geodesign::model::operations::{
    EVALUATION, IMPACT, InSystem, OfMember, OfMemberInSystem, ProjectPathIds, SELECTED_POLICIES, SELECTED_PROJECTS,
    SELECTION, SELECTION_IN_SYSTEM, SET_EVALUATION, SET_EVALUATION_OF_MEMBER, SET_IMPACT, SET_IMPACT_OF_MEMBER, SYSTEM,
    SYSTEM_DIAGRAM_IDS, SYSTEMS,
};
use geodesign::model::{
    AreaFeaturesBody, DiagramIds, DiagramKind, DrawnGeometry, Evaluated, EvaluationFeaturesBody, EvaluationProperties,
    EvaluationText, GeojsonCollection, GeometryText, JsonObject, ObjectText, SelectionProperties, Status,
    SystemDetailWithBothNames, SystemId, Username, WithGeojson,
};

pub fn routes() -> Routes {
    Routes::of("Systems")
        .list(SYSTEMS, systems)
        .read(SYSTEM, system)
        .whole(SYSTEM_DIAGRAM_IDS, system_diagram_ids)
        .operation(EVALUATION, evaluation)
        .operation(IMPACT, impact)
        .merge(map_routes())
        .merge(selection_routes())
}

fn systems(read: &Reader, member: Membership) -> Result<Vec<SystemDetailWithBothNames>> {
    Ok(read.systems(member.project)?.into_iter().map(SystemDetailWithBothNames::from).collect())
}

fn system(read: &Reader, member: Membership<InSystem>) -> Result<SystemDetailWithBothNames> {
    let system = read.system(member.project, member.ids.sysid)?.ok_or(NO_SYSTEM)?;
    Ok(SystemDetailWithBothNames::from(system))
}

fn system_diagram_ids(read: &Reader, member: Membership<InSystem>) -> Result<DiagramIds> {
    check_system(read, member.project, member.ids.sysid)?;
    Ok(DiagramIds { diagrams: read.system_diagram_ids(member.project, member.ids.sysid)? })
}

async fn evaluation(
    member: Member<InSystem>,
    State(state): State<AppState>,
) -> Result<Json<WithGeojson<GeojsonCollection<EvaluationProperties>, Evaluated>>> {
    Ok(system_map(member, state, SystemMap::Evaluation).await?.described_as())
}

async fn impact(
    member: Member<InSystem>,
    State(state): State<AppState>,
) -> Result<Json<WithGeojson<GeojsonCollection<JsonObject>, Evaluated>>> {
    Ok(system_map(member, state, SystemMap::Impact).await?.described_as())
}

/// A map of a system, whose features the store keeps as text.
async fn system_map(
    member: Member<InSystem>,
    state: AppState,
    map: SystemMap,
) -> Result<Json<WithGeojson<GeometryText, Evaluated>>> {
    let read = state.read(member.of_whole_project(), move |read, member| {
        read.system_map(member.project, member.ids.sysid, map)?.ok_or(NO_SYSTEM)
    });
    read.await
}

/// Refuses a request about a system that the project does not have.
pub fn check_system(read: &Reader, project: ProjectKey, id: SystemId) -> Result<()> {
    if read.has_system(project, id)? { Ok(()) } else { Err(NO_SYSTEM) }
}

pub const NO_SYSTEM: ApiError = ApiError::NotFound("system");

pub fn map_routes() -> Routes {
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
    set_map(member, state, colored_text(map).await?, SystemMap::Evaluation, in_own_name).await
}

async fn set_evaluation_of_member(
    member: Member<OfMemberInSystem>,
    State(state): State<AppState>,
    JsonBody(EvaluationFeaturesBody(map)): JsonBody<EvaluationFeaturesBody>,
) -> Result<Json<Status>> {
    set_map(member, state, colored_text(map).await?, SystemMap::Evaluation, in_name_of_member).await
}

async fn set_impact(
    member: Member<InSystem>,
    State(state): State<AppState>,
    JsonBody(AreaFeaturesBody(map)): JsonBody<AreaFeaturesBody>,
) -> Result<Json<Status>> {
    set_map(member, state, areas_text(map).await?, SystemMap::Impact, in_own_name).await
}

async fn set_impact_of_member(
    member: Member<OfMemberInSystem>,
    State(state): State<AppState>,
    JsonBody(AreaFeaturesBody(map)): JsonBody<AreaFeaturesBody>,
) -> Result<Json<Status>> {
    set_map(member, state, areas_text(map).await?, SystemMap::Impact, in_name_of_member).await
}

/// The system of a map, and the member in whose name it is written.
type Target = (SystemId, Option<String>);

/// Writes a map of a system. `target` says which system, and in whose name, or refuses it.
async fn set_map<Ids: ProjectPathIds>(
    member: Member<Ids>,
    state: AppState,
    map: String,
    role: SystemMap,
    target: fn(&Reader, &Membership<Ids>) -> Result<Target>,
) -> Result<Json<Status>> {
    let written = state.write_within_quota(member, move |write, member| {
        let (system, name) = target(write, &member)?;
        if write.set_map(member.project, system, role, &map, name.as_deref())? { Ok(()) } else { Err(NO_SYSTEM) }
    });
    written.await?;
    Ok(Json::new(&Status { status: "The map was set.".into() })?)
}

fn in_own_name(_: &Reader, member: &Membership<InSystem>) -> Result<Target> {
    Ok((member.ids.sysid, None))
}

/// Refuses a member who writes in another member's name. Administrators may write in any member's name.
fn in_name_of_member(read: &Reader, caller: &Membership<OfMemberInSystem>) -> Result<Target> {
    let member = member_named(read, caller.project, &caller.ids.username)?;
    if member == caller.user || read.is_administrator(caller.project, caller.user)? {
        return Ok((caller.ids.sysid, Some(caller.ids.username.clone())));
    }
    Err(ApiError::Forbidden("Only an administrator of the project may write in the name of another member."))
}

type EvaluationMap = GeojsonCollection<EvaluationText, DrawnGeometry>;
type ImpactMap = GeojsonCollection<Option<ObjectText>, DrawnGeometry>;

/// The text of an evaluation map as it is stored, made before the transaction: there is one writer at a time.
async fn colored_text(map: EvaluationMap) -> Result<String> {
    gate::run(move || map.to_colored_text()).await?.map_err(ApiError::invalid)
}

/// The text of an impact map as it is stored.
async fn areas_text(map: ImpactMap) -> Result<String> {
    map.check_areas().map_err(ApiError::invalid)?;
    let text = gate::run(move || serde_json::to_string(&map)).await?;
    Ok(text.map_err(StoreError::content)?)
}

pub fn selection_routes() -> Routes {
    Routes::of("Selections")
        .whole(SELECTION_IN_SYSTEM, selection_in_system)
        .whole(SELECTED_PROJECTS, selected_projects)
        .whole(SELECTED_POLICIES, selected_policies)
        .whole(SELECTION, selection)
}

type Selection = GeojsonCollection<SelectionProperties>;

fn selection(read: &Reader, caller: Membership<OfMember>) -> Result<Selection> {
    let member = member_named(read, caller.project, &caller.ids.username)?;
    let selected = DiagramFilter::Selected { project: caller.project, member, system: None, kind: None };
    Ok(read.selection_features(&selected)?)
}

fn selection_in_system(read: &Reader, caller: Membership<OfMemberInSystem>) -> Result<Selection> {
    selected_in_system(read, &caller, None)
}

fn selected_projects(read: &Reader, caller: Membership<OfMemberInSystem>) -> Result<Selection> {
    selected_in_system(read, &caller, Some(DiagramKind::Project))
}

fn selected_policies(read: &Reader, caller: Membership<OfMemberInSystem>) -> Result<Selection> {
    selected_in_system(read, &caller, Some(DiagramKind::Policy))
}

/// The diagrams of one kind, or of both.
fn selected_in_system(
    read: &Reader,
    caller: &Membership<OfMemberInSystem>,
    kind: Option<DiagramKind>,
) -> Result<Selection> {
    let (project, system) = (caller.project, caller.ids.sysid);
    let member = member_named(read, project, &caller.ids.username)?;
    check_system(read, project, system)?;
    Ok(read.selection_features(&DiagramFilter::Selected { project, member, system: Some(system), kind })?)
}

/// The member of that name; refuses a request about another user.
pub fn member_named(read: &Reader, project: ProjectKey, username: &str) -> Result<UserKey> {
    read.member(project, username)?.ok_or(NOT_A_MEMBER)
}

/// The same, with the name.
pub fn named_member(read: &Reader, project: ProjectKey, username: &str) -> Result<(UserKey, Username)> {
    Ok((member_named(read, project, username)?, username.parse().map_err(|_| NOT_A_MEMBER)?))
}

const NOT_A_MEMBER: ApiError = ApiError::Forbidden("That user is not a member of the project.");
