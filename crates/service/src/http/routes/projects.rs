//! Projects, their layers, history and other shared content, and the limits of the service.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::NoContent;
use serde::Serialize;

use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Administrator, Caller, Member, Membership};
use crate::http::request::extract::{HistoryParams, JsonBody};
use crate::http::request::keyed::Keyed;
use crate::http::response::{Created, Json, List, PageResponse};
use crate::http::router::{NO_NAMES, Routes};
use crate::http::state::AppState;
use crate::store::{Geography, Reader, TagsToAdd, Undone, UserKey};
use geodesign::model::operations::{
    ADD_LAYER, ADD_STAKEHOLDERS, BOUNDARIES, BOUNDS, CENTER, CONSTRAINTS, CONTEXT, CREATE_LINKED_PROJECT,
    CREATE_PROJECT, DELETE_LAYER, HISTORY, InHistory, InLayer, LATEST_PROJECT, LAYERS, LIMITS, MEMBERS, PLUGINS,
    PROJECT, PROJECT_CHANGE_ID, PROJECTS, SECOND_BOUNDARIES, SET_PLUGINS, STAKEHOLDERS, UNDO,
};
use geodesign::model::{
    Boundaries, Constraints, Context, GeojsonCollection, HistoryEntry, JsonObject, Limit, LinkedProjectCreation,
    Members, Message, NewLayer, NewProject, ObjectText, ProjectBounds, ProjectCenter, ProjectChangeId, ProjectCreation,
    ProjectInfo, Stakeholders, Status, Uuid, WithGeojson, creation_message,
};

pub fn routes() -> Routes {
    Routes::of("Projects")
        .list(PROJECTS, |read, user: UserKey| Ok(read.projects(user)?))
        .read(LATEST_PROJECT, latest_project)
        .operation(CREATE_PROJECT, create_project)
        .refuses(StatusCode::FORBIDDEN, "The creation code is not valid")
        .operation(CREATE_LINKED_PROJECT, create_linked_project)
        .refuses(StatusCode::FORBIDDEN, "The linked project is unknown")
        .read(PROJECT, |read, member: Membership| read.project(member.project)?.ok_or(NO_PROJECT))
        .read(PROJECT_CHANGE_ID, change_id)
        .whole(MEMBERS, |read, member: Membership| {
            member.check_shows_names()?;
            Ok(Members { members: read.members(member.project)? })
        })
        .refuses(StatusCode::FORBIDDEN, NO_NAMES)
        .whole(STAKEHOLDERS, |read, member: Membership| {
            Ok(Stakeholders { stakeholders: read.stakeholders(member.project)? })
        })
        .operation(ADD_STAKEHOLDERS, add_stakeholders)
        .read(BOUNDS, bounds)
        .read(CENTER, center)
        .list(PLUGINS, |read, member: Membership| Ok(read.plugins(member.project)?))
        .operation(SET_PLUGINS, set_plugins)
        .operation(BOUNDARIES, boundaries)
        .operation(SECOND_BOUNDARIES, second_boundaries)
        .operation(CONSTRAINTS, constraints)
        .operation(CONTEXT, context)
        .merge(limit_routes())
        .merge(history_routes())
        .merge(layer_routes())
}

fn latest_project(read: &Reader, user: UserKey) -> Result<List<ProjectInfo>> {
    Ok(List(read.projects(user)?.pop().into_iter().collect()))
}

async fn create_project(
    caller: Keyed<Caller>,
    State(state): State<AppState>,
    JsonBody(ProjectCreation { creation_code, project }): JsonBody<ProjectCreation>,
) -> Result<Created<Message>> {
    const REFUSAL: ApiError = ApiError::Forbidden("The creation code is not valid.");
    let connection = move |read: &Reader, user| {
        // The operator needs none.
        let is_allowed =
            read.has_creation_code(&creation_code)? || creation_code.is_empty() && read.is_operator(user)?;
        if is_allowed { Ok("none") } else { Err(REFUSAL) }
    };
    create(caller, state, project, connection).await
}

async fn create_linked_project(
    caller: Keyed<Caller>,
    State(state): State<AppState>,
    JsonBody(LinkedProjectCreation { gpl_project_id, project }): JsonBody<LinkedProjectCreation>,
) -> Result<Created<Message>> {
    const REFUSAL: ApiError = ApiError::Forbidden("The gpl_project_id is not valid.");
    let connection =
        move |read: &Reader, _| if read.has_linked_project(&gpl_project_id)? { Ok("esri") } else { Err(REFUSAL) };
    create(caller, state, project, connection).await
}

/// Creates a project. `connection` gives the name of its external connection, or refuses the creation.
async fn create(
    caller: Keyed<Caller>,
    state: AppState,
    mut project: NewProject,
    connection: impl Fn(&Reader, UserKey) -> Result<&'static str> + Send + 'static,
) -> Result<Created<Message>> {
    // First, so that only users who may create a project learn what is wrong with it.
    state.look_up(caller.clone(), &connection)?;
    project.check().map_err(ApiError::invalid)?;
    let tags = TagsToAdd::prepare(std::mem::take(&mut project.tags))?.map_err(ApiError::invalid)?;
    let limits = state.limits().clone();
    let created = state.add(caller, move |write, user| {
        let connection = connection(write, user)?;
        check_plugins(write, &project.plugins)?;
        limits.user_projects().check_total("the user", write.count_administered_projects(user)?, 1)?;
        let id = write.create_project(&project, &tags, Some(user), connection)?;
        Ok(Created(Json::new(&creation_message(&id))?))
    });
    created.await
}

fn change_id(read: &Reader, member: Membership) -> Result<ProjectChangeId> {
    let version = read.project_version(member.project)?.ok_or(NO_PROJECT)?;
    let (service, loaded_from) = (Some(read.service_id()?), read.loaded_from(member.project)?);
    let merged = read.merged_archives(member.project)?;
    Ok(ProjectChangeId { changeid: version.changeid, service, loaded_from, merged })
}

async fn add_stakeholders(
    member: Keyed<Member>,
    State(state): State<AppState>,
    JsonBody(names): JsonBody<Vec<String>>,
) -> Result<Json<Message>> {
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(ApiError::invalid("a stakeholder's name is empty"));
    }
    let limits = state.limits().clone();
    let added = state.add(member, move |write, member| {
        let before = write.count_in("stakeholders", member.project)?;
        let added = write.add_stakeholders(member.project, &names)?;
        limits.project_stakeholders().check_total("the project", before, added as u64)?;
        Ok(Json::new(&Message { message: format!("Stakeholders created and added: {added}.") })?)
    });
    added.await
}

fn bounds(read: &Reader, member: Membership) -> Result<ProjectBounds> {
    Ok(ProjectBounds { bounds: Some(read.bounds(member.project)?.ok_or(NO_PROJECT)?) })
}

fn center(read: &Reader, member: Membership) -> Result<ProjectCenter> {
    Ok(ProjectCenter { center: Some(read.center(member.project)?.ok_or(NO_PROJECT)?) })
}

async fn set_plugins(
    member: Member,
    State(state): State<AppState>,
    JsonBody(List(plugins)): JsonBody<List<Uuid>>,
) -> Result<Json<Message>> {
    let added = state.write(member, move |write, member| {
        check_plugins(write, &plugins)?;
        Ok(write.set_plugins(member.project, &plugins)?)
    });
    Ok(Json::new(&Message { message: format!("Plugins added: {}.", added.await?) })?)
}

/// Refuses a request with a plugin that the service does not have.
fn check_plugins(read: &Reader, plugins: &[Uuid]) -> Result<()> {
    let unknown = read.unknown_plugin(plugins)?;
    unknown.map_or(Ok(()), |id| {
        Err(ApiError::invalid(format!("plugins: the service has no plugin {id}; ask its operator to add it")))
    })
}

/// A geography of a project: the features, and the resource that has them.
type Areas<Resource> = WithGeojson<GeojsonCollection<JsonObject>, Resource>;

async fn boundaries(member: Member, State(state): State<AppState>) -> Result<Json<Areas<Boundaries>>> {
    Ok(geography(member, state, Geography::Boundaries).await?.described_as())
}

async fn second_boundaries(member: Member, State(state): State<AppState>) -> Result<Json<Areas<Boundaries>>> {
    Ok(geography(member, state, Geography::SecondBoundaries).await?.described_as())
}

async fn constraints(member: Member, State(state): State<AppState>) -> Result<Json<Areas<Constraints>>> {
    Ok(geography(member, state, Geography::Constraints).await?.described_as())
}

async fn context(member: Member, State(state): State<AppState>) -> Result<Json<Areas<Context>>> {
    Ok(geography(member, state, Geography::Context).await?.described_as())
}

/// A geography, with its features as the text that the store keeps.
async fn geography(member: Member, state: AppState, role: Geography) -> Result<Json<impl Serialize>> {
    state.read(member.of_whole_project(), move |read, member| Ok(read.geography(member.project, role)?)).await
}

const NO_PROJECT: ApiError = ApiError::NotFound("project");

pub fn layer_routes() -> Routes {
    Routes::of("External data layers")
        .list(LAYERS, |read, member: Membership| Ok(read.layers(member.project)?))
        .operation(ADD_LAYER, add_layer)
        .operation(DELETE_LAYER, delete_layer)
}

async fn add_layer(
    member: Keyed<Member>,
    State(state): State<AppState>,
    JsonBody(layer): JsonBody<NewLayer<ObjectText>>,
) -> Result<Json<Message>> {
    if let Some(problem) = layer.url_problem() {
        let message = format!("External layers added: 0; {problem}.");
        return Ok(Json::new(&Message { message })?);
    }
    let limits = state.limits().clone();
    let added = state.add(member, move |write, member| {
        limits.project_layers().check_total("the project", write.count_in("layers", member.project)?, 1)?;
        let id = write.add_layer(member.project, &layer)?;
        Ok(Json::new(&Message { message: format!("External layers added: 1; its id is {id}.") })?)
    });
    added.await
}

async fn delete_layer(administrator: Administrator<InLayer>, State(state): State<AppState>) -> Result<NoContent> {
    let deleted = state.write(administrator, |write, administrator| {
        Ok(write.delete_layer(administrator.project, administrator.ids.layer_id)?)
    });
    if deleted.await? { Ok(NoContent) } else { Err(ApiError::NotFound("external layer")) }
}

pub fn history_routes() -> Routes {
    Routes::of("History")
        .operation(HISTORY, history)
        .refuses(StatusCode::FORBIDDEN, NO_NAMES)
        .operation(UNDO, undo)
        .refuses(StatusCode::CONFLICT, "The change cannot be undone")
}

async fn history(
    member: Member,
    State(state): State<AppState>,
    HistoryParams { wanted, page }: HistoryParams,
) -> Result<PageResponse<HistoryEntry>> {
    let entries = |read: &Reader, member: Membership| {
        member.check_shows_names()?;
        let wanted = wanted?;
        if read.is_administrator(member.project, member.user)? {
            return Ok(read.history(Some(member.project), &wanted)?);
        }
        Ok(read.history_for_member(member.project, member.user, &wanted)?)
    };
    state.read_page(member.uncached(), page, entries).await
}

async fn undo(administrator: Administrator<InHistory>, State(state): State<AppState>) -> Result<Json<Status>> {
    let undone = state.write(administrator, |write, administrator| {
        let entry = administrator.ids.entry;
        match write.undo(administrator.project, entry)? {
            Undone::Yes => Ok(entry),
            Undone::NoSuchEntry => Err(ApiError::NotFound("entry in the history")),
            Undone::Impossible => Err(ApiError::Conflict(format!(
                "Entry {entry} cannot be undone: only changes of diagrams, notes, evaluation maps and impact maps can."
            ))),
        }
    });
    Ok(Json::new(&Status { status: format!("Entry {} was undone.", undone.await?) })?)
}

pub fn limit_routes() -> Routes {
    Routes::of("Limits").operation(LIMITS, limits)
}

async fn limits(caller: Caller, State(state): State<AppState>) -> Result<Json<List<Limit>>> {
    let limits = state.limits().all();
    state.read(caller, |_, _| Ok(List(limits))).await
}
