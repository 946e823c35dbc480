//! Systems: their diagrams, their evaluation and impact maps, and the diagrams that members selected.

use axum::extract::State;

use crate::blocking;
use crate::model::operations::{
    EVALUATION, InSystem, OfMember, OfMemberInSystem, SELECTED_POLICIES, SELECTED_PROJECTS, SELECTION,
    SELECTION_IN_SYSTEM, SET_EVALUATION, SET_EVALUATION_OF_MEMBER, SET_IMPACT, SET_IMPACT_OF_MEMBER, SYSTEM,
    SYSTEM_DIAGRAM_IDS, SYSTEMS,
};
use crate::model::{
    AreaFeaturesBody, DiagramIds, DiagramKind, DrawnGeometry, Evaluated, EvaluationFeaturesBody, EvaluationProperties,
    EvaluationText, GeojsonCollection, ObjectText, SelectionProperties, Status, SystemDetailWithBothNames, SystemId,
    SystemItemWithBothNames, WithGeojson,
};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::{Member, Membership};
use crate::service::http::request::extract::{JsonBody, PageParams};
use crate::service::http::response::respond::{Json, PageResponse};
use crate::service::http::router::Routes;
use crate::service::http::state::AppState;
use crate::service::store::{DiagramFilter, ProjectKey, Reader, StoreError, UserKey, Writer};

pub fn routes() -> Routes {
    Routes::of("Systems")
        .operation(SYSTEMS, systems)
        .operation(SYSTEM, system)
        .operation(SYSTEM_DIAGRAM_IDS, system_diagram_ids)
        .operation(EVALUATION, evaluation)
        .merge(map_routes())
        .merge(selection_routes())
}

async fn systems(
    member: Member,
    State(state): State<AppState>,
    page: PageParams,
) -> Result<PageResponse<SystemItemWithBothNames>> {
    state
        .read_page(member, page, |read, member| {
            Ok(read
                .listed_systems(member.project)?
                .into_iter()
                .map(|listed| (listed.item, listed.extra).into())
                .collect())
        })
        .await
}

async fn system(member: Member<InSystem>, State(state): State<AppState>) -> Result<Json<SystemDetailWithBothNames>> {
    state.read_small(member, |read, member| {
        let system = read.system(member.project, member.ids.sysid)?.ok_or(NO_SYSTEM)?;
        Ok(SystemDetailWithBothNames::from(system))
    })
}

async fn system_diagram_ids(member: Member<InSystem>, State(state): State<AppState>) -> Result<Json<DiagramIds>> {
    state
        .read(member, |read, member| {
            check_system(read, member.project, member.ids.sysid)?;
            Ok(DiagramIds { diagrams: read.system_diagram_ids(member.project, member.ids.sysid)? })
        })
        .await
}

async fn evaluation(
    member: Member<InSystem>,
    State(state): State<AppState>,
) -> Result<Json<WithGeojson<GeojsonCollection<EvaluationProperties>, Evaluated>>> {
    // The store keeps the features as text.
    let evaluation =
        state.read_large(member, |read, member| read.evaluation(member.project, member.ids.sysid)?.ok_or(NO_SYSTEM));
    Ok(evaluation.await?.described_as())
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

pub fn selection_routes() -> Routes {
    Routes::of("Selections")
        .operation(SELECTION_IN_SYSTEM, selection_in_system)
        .operation(SELECTED_PROJECTS, selected_projects)
        .operation(SELECTED_POLICIES, selected_policies)
        .operation(SELECTION, selection)
}

type Selection = GeojsonCollection<SelectionProperties>;

async fn selection(member: Member<OfMember>, State(state): State<AppState>) -> Result<Json<Selection>> {
    state
        .read(member, |read, caller| {
            let member = member_named(read, caller.project, &caller.ids.username)?;
            let selected = DiagramFilter::Selected { project: caller.project, member, system: None, kind: None };
            Ok(read.selection_features(&selected)?)
        })
        .await
}

async fn selection_in_system(
    member: Member<OfMemberInSystem>,
    State(state): State<AppState>,
) -> Result<Json<Selection>> {
    selected_in_system(member, state, None).await
}

async fn selected_projects(member: Member<OfMemberInSystem>, State(state): State<AppState>) -> Result<Json<Selection>> {
    selected_in_system(member, state, Some(DiagramKind::Project)).await
}

async fn selected_policies(member: Member<OfMemberInSystem>, State(state): State<AppState>) -> Result<Json<Selection>> {
    selected_in_system(member, state, Some(DiagramKind::Policy)).await
}

/// The diagrams of one kind, or of both.
async fn selected_in_system(
    member: Member<OfMemberInSystem>,
    state: AppState,
    kind: Option<DiagramKind>,
) -> Result<Json<Selection>> {
    state
        .read(member, move |read, caller| {
            let (project, system) = (caller.project, caller.ids.sysid);
            let member = member_named(read, project, &caller.ids.username)?;
            check_system(read, project, system)?;
            Ok(read.selection_features(&DiagramFilter::Selected { project, member, system: Some(system), kind })?)
        })
        .await
}

/// The member of that name; refuses a request about another user.
pub fn member_named(read: &Reader, project: ProjectKey, username: &str) -> Result<UserKey> {
    read.member(project, username)?.ok_or(ApiError::Forbidden("That user is not a member of the project."))
}
