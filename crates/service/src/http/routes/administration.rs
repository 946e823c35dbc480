//! Settings of a project's administrators: teams, systems, maps, members, and open activities.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::NoContent;

use super::systems::{check_system, named_member};
use super::teams::check_team;
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Administrator, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::request::keyed::Keyed;
use crate::http::response::{Created, Json};
use crate::http::router::{CHANGED, Routes};
use crate::http::state::AppState;
use crate::setup::MAX_SYSTEMS;
use crate::store::{Geography, ProjectKey, Reader, StoreError, UserKey, Writer};
use geodesign::model::operations::{
    ACTIVITIES, ADD_MEMBERS, ADD_SYSTEM, ADD_TEAM, DELETE_SYSTEM, DELETE_TEAM, EDIT_PROJECT, EDIT_SYSTEM, EDIT_TEAM,
    GROUPS, InProject, InSystem, InTeam, OfMember, REMOVE_MEMBER, REMOVE_NAME, SET_ACTIVITIES, SET_BOUNDARIES,
    SET_CONSTRAINTS, SET_CONTEXT, SET_MEMBER, SET_SECOND_BOUNDARIES,
};
use geodesign::model::{
    Activities, ActivitiesEdit, AddedMembers, ChangeTeam, DiagramGroups, MemberRole, NewContext, NewMap, NewMember,
    NewMembers, ProjectEdit, ProjectInfo, Status, SystemDetailWithBothNames, SystemEdit, TeamEdit, Username,
};

pub fn routes() -> Routes {
    Routes::of("Administration")
        .operation(ADD_TEAM, add_team)
        .operation(EDIT_TEAM, edit_team)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(DELETE_TEAM, delete_team)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(ADD_SYSTEM, add_system)
        .operation(DELETE_SYSTEM, delete_system)
        .refuses(StatusCode::CONFLICT, "The system has diagrams, or had some")
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(EDIT_SYSTEM, edit_system)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(SET_BOUNDARIES, set_boundaries)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(SET_SECOND_BOUNDARIES, set_second_boundaries)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(SET_CONSTRAINTS, set_constraints)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(SET_CONTEXT, set_context)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .read(GROUPS, |read, member: Membership| Ok(DiagramGroups { diagram_groups: read.groups(member.project)? }))
        .operation(EDIT_PROJECT, edit_project)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(ADD_MEMBERS, add_members)
        .operation(SET_MEMBER, set_member)
        .operation(REMOVE_MEMBER, remove_member)
        .refuses(StatusCode::BAD_REQUEST, "The project would have no administrator")
        .operation(REMOVE_NAME, remove_name)
        .refuses(StatusCode::BAD_REQUEST, "The project would have no administrator")
        .read(ACTIVITIES, |read, member: Membership| Ok(read.activities(member.project)?))
        .operation(SET_ACTIVITIES, set_activities)
}

async fn add_team(
    administrator: Keyed<Administrator>,
    State(state): State<AppState>,
    JsonBody(team): JsonBody<TeamEdit>,
) -> Result<Created<ChangeTeam>> {
    team.check_new().map_err(ApiError::invalid)?;
    let limits = state.limits().clone();
    let added = state.add(administrator, move |write, administrator| {
        let project = administrator.project;
        members_named(write, project, "members", team.members.as_deref().unwrap_or_default())?;
        limits.project_teams().check_total("the project", write.teams(project)?.len() as u64, 1)?;
        let id = write.add_team(project, None, team.title.as_deref().unwrap_or_default())?;
        let added = write.edit_team(project, id, &TeamEdit { title: None, ..team.clone() })?;
        Ok(Created(Json::new(&added)?))
    });
    added.await
}

async fn edit_team(
    administrator: Administrator<InTeam>,
    State(state): State<AppState>,
    JsonBody(edit): JsonBody<TeamEdit>,
) -> Result<Json<ChangeTeam>> {
    edit.check().map_err(ApiError::invalid)?;
    let edited = state.write(administrator, move |write, administrator| {
        let (project, team) = (administrator.project, administrator.ids.cteamid);
        check_team(write, project, team)?;
        administrator.check_unchanged(None)?;
        members_named(write, project, "members", edit.members.as_deref().unwrap_or_default())?;
        Ok(write.edit_team(project, team, &edit)?)
    });
    Ok(Json::new(&edited.await?)?)
}

/// Returns the members whom a field of a body names. Refuses the name of anybody else.
pub fn members_named(read: &Reader, project: ProjectKey, field: &str, names: &[Username]) -> Result<Vec<UserKey>> {
    let named = |name: &Username| {
        let no_member = || ApiError::Invalid(format!("{field}: {:?} is not a member of the project", name.as_str()));
        read.member(project, name.as_str())?.ok_or_else(no_member)
    };
    names.iter().map(named).collect()
}

async fn delete_team(administrator: Administrator<InTeam>, State(state): State<AppState>) -> Result<NoContent> {
    let deleted = state.write(administrator, |write, administrator| {
        let (project, team) = (administrator.project, administrator.ids.cteamid);
        check_team(write, project, team)?;
        administrator.check_unchanged(None)?;
        Ok(write.remove_team(project, team)?)
    });
    deleted.await?;
    Ok(NoContent)
}

async fn add_system(
    administrator: Keyed<Administrator>,
    State(state): State<AppState>,
    JsonBody(system): JsonBody<SystemEdit>,
) -> Result<Created<SystemDetailWithBothNames>> {
    system.check_new().map_err(ApiError::invalid)?;
    let added = state.add(administrator, move |write, administrator| {
        let project = administrator.project;
        if write.systems(project)?.len() >= MAX_SYSTEMS {
            return Err(ApiError::Invalid(format!("the project has {MAX_SYSTEMS} systems, the most that it may have")));
        }
        let added = write.add_system("add_system", project, &system, None)?;
        Ok(Created(Json::new(&SystemDetailWithBothNames::from(added))?))
    });
    added.await
}

async fn delete_system(administrator: Administrator<InSystem>, State(state): State<AppState>) -> Result<NoContent> {
    let deleted = state.write(administrator, |write, administrator| {
        let (project, system) = (administrator.project, administrator.ids.sysid);
        check_system(write, project, system)?;
        administrator.check_unchanged(None)?;
        if !write.is_unused_system(system)? {
            return Err(ApiError::Conflict(format!(
                "system {system} has diagrams, or had some that the history can bring back; it stays"
            )));
        }
        Ok(write.remove_system(project, system)?)
    });
    deleted.await?;
    Ok(NoContent)
}

async fn edit_system(
    administrator: Administrator<InSystem>,
    State(state): State<AppState>,
    JsonBody(edit): JsonBody<SystemEdit>,
) -> Result<Json<SystemDetailWithBothNames>> {
    let edited = state.write(administrator, move |write, administrator| {
        let (project, system) = (administrator.project, administrator.ids.sysid);
        edit.check(Some(system)).map_err(ApiError::invalid)?;
        check_system(write, project, system)?;
        administrator.check_unchanged(None)?;
        Ok(write.edit_system("edit_system", project, system, &edit)?)
    });
    Ok(Json::new(&SystemDetailWithBothNames::from(edited.await?))?)
}

async fn set_boundaries(
    administrator: Administrator,
    State(state): State<AppState>,
    JsonBody(map): JsonBody<NewMap>,
) -> Result<Json<Status>> {
    set_geography(administrator, state, map, Geography::Boundaries).await
}

async fn set_second_boundaries(
    administrator: Administrator,
    State(state): State<AppState>,
    JsonBody(map): JsonBody<NewMap>,
) -> Result<Json<Status>> {
    set_geography(administrator, state, map, Geography::SecondBoundaries).await
}

async fn set_constraints(
    administrator: Administrator,
    State(state): State<AppState>,
    JsonBody(map): JsonBody<NewMap>,
) -> Result<Json<Status>> {
    set_geography(administrator, state, map, Geography::Constraints).await
}

async fn set_geography(
    administrator: Administrator,
    state: AppState,
    NewMap { geojson, description }: NewMap,
    role: Geography,
) -> Result<Json<Status>> {
    let checked = if role == Geography::Constraints { geojson.check_no_points() } else { geojson.check_areas() };
    checked.map_err(ApiError::invalid)?;
    let set = state.write(administrator, move |write, administrator| {
        administrator.check_unchanged(None)?;
        Ok(write.set_geography(administrator.project, role, &description, &geojson)?)
    });
    set.await?;
    map_was_set()
}

async fn set_context(
    administrator: Administrator,
    State(state): State<AppState>,
    JsonBody(NewContext { geojson, description }): JsonBody<NewContext>,
) -> Result<Json<Status>> {
    let context = geojson.with_kinds().map_err(ApiError::invalid)?;
    let set = state.write(administrator, move |write, administrator| {
        administrator.check_unchanged(None)?;
        Ok(write.set_context(administrator.project, &description, &context)?)
    });
    set.await?;
    map_was_set()
}

fn map_was_set() -> Result<Json<Status>> {
    Ok(Json::new(&Status { status: "The map was set.".into() })?)
}

async fn edit_project(
    administrator: Administrator<InProject>,
    State(state): State<AppState>,
    JsonBody(edit): JsonBody<ProjectEdit>,
) -> Result<Json<ProjectInfo>> {
    edit.check().map_err(ApiError::invalid)?;
    let edited = state.write(administrator, move |write, administrator| {
        administrator.check_unchanged(None)?;
        write.edit_project(administrator.project, &edit)?.ok_or(ApiError::NotFound("project"))
    });
    Ok(Json::new(&edited.await?)?)
}

async fn add_members(
    administrator: Keyed<Administrator>,
    State(state): State<AppState>,
    JsonBody(new): JsonBody<NewMembers>,
) -> Result<Created<AddedMembers>> {
    new.check().map_err(ApiError::invalid)?;
    let limits = state.limits().clone();
    let added = state.add(administrator, move |write, administrator| {
        let project = administrator.project;
        let by_operator = write.is_operator(administrator.user)?;
        let mut added = AddedMembers::default();
        for member in &new.members {
            add_person(write, project, by_operator, member, &mut added)?;
        }
        limits.project_teams().check_total("the project", write.teams(project)?.len() as u64, 0)?;
        Ok(Created(Json::new(&added)?))
    });
    added.await
}

/// Adds somebody to a project and a team, with a new account if need be. The operator alone gives an account back.
fn add_person(
    write: &Writer,
    project: ProjectKey,
    by_operator: bool,
    NewMember { username, team, administrator }: &NewMember,
    added: &mut AddedMembers,
) -> Result<()> {
    let is_new = !write.has_account(username)?;
    let user = match write.add_user_unless_removed(username) {
        Ok(Some(user)) => user,
        Ok(None) if by_operator => write.add_user(username)?,
        Ok(None) => {
            return Err(ApiError::Invalid(format!(
                "the operator of the service removed {username}; choose another name"
            )));
        }
        Err(StoreError::Input(problem)) => return Err(ApiError::Invalid(problem.to_string())),
        Err(error) => return Err(error.into()),
    };
    // The name may have been written in another form.
    let username: Username = write.name_of(user)?.parse().map_err(|_| NO_USER)?;
    let is_member = write.member(project, username.as_str())?.is_some();
    if !is_member || (*administrator && !write.is_administrator(project, user)?) {
        join(write, project, user, *administrator, by_operator)?;
    }
    if let Some(title) = team {
        let team = write.team_titled(project, title)?;
        let mut members = write.team_members(team)?;
        members.push(username.clone());
        write.set_team_members(project, team, &members)?;
    }
    added.added.extend((!is_member).then(|| username.clone()));
    added.accounts.extend(is_new.then_some(username));
    Ok(())
}

/// Makes a user a member of a project, unless a card of another project would end.
fn join(write: &Writer, project: ProjectKey, user: UserKey, administrator: bool, by_operator: bool) -> Result<()> {
    if !by_operator && write.has_card_of_others(project, user)? {
        return Err(CARD_OF_OTHERS);
    }
    write.note_whose_account(project, user, by_operator)?;
    Ok(write.add_member(project, user, administrator)?)
}

async fn set_member(
    caller: Administrator<OfMember>,
    State(state): State<AppState>,
    JsonBody(MemberRole { administrator }): JsonBody<MemberRole>,
) -> Result<Json<Status>> {
    let set = state.write(caller, move |write, caller| {
        let (project, name) = (caller.project, &caller.ids.username);
        let username: Username = name.parse().map_err(|_| NO_USER)?;
        let user = write.user(&username).map_err(|_| NO_USER)?;
        if !administrator {
            if write.is_administrator(project, user)? {
                check_is_not_operator(write, &caller, user)?;
            }
            check_remaining(write, project, name)?;
        }
        let by_operator = write.is_operator(caller.user)?;
        join(write, project, user, administrator, by_operator)
    });
    set.await?;
    let role = if administrator { "an administrator" } else { "a member" };
    Ok(Json::new(&Status { status: format!("The user is {role} of the project.") })?)
}

/// Does not list users: an administrator of one project need not know them.
const NO_USER: ApiError =
    ApiError::Forbidden("The service has no user of that name. Its operator adds users and gives them tokens.");

const CARD_OF_OTHERS: ApiError = ApiError::Forbidden(
    "Ask the operator of the service to add this user, because that cancels a card from another project.",
);

/// Refuses to take the project away from the operator, who is responsible for all accounts and projects.
fn check_is_not_operator(read: &Reader, caller: &Membership<OfMember>, user: UserKey) -> Result<()> {
    const REFUSAL: ApiError = ApiError::Forbidden(
        "Ask the operator of the service to leave the project: only the operator can change the operator's membership.",
    );
    if read.is_operator(user)? && !read.is_operator(caller.user)? { Err(REFUSAL) } else { Ok(()) }
}

/// Refuses to leave a project without an administrator.
fn check_remaining(read: &Reader, project: ProjectKey, leaving: &str) -> Result<()> {
    let member = read.member(project, leaving)?;
    let is_administrator = member.map(|member| read.is_administrator(project, member)).transpose()?.unwrap_or_default();
    if is_administrator && read.count_administrators(project)? <= 1 {
        return Err(ApiError::invalid(
            "the project would have no administrator; make another member an administrator first",
        ));
    }
    Ok(())
}

async fn remove_member(caller: Administrator<OfMember>, State(state): State<AppState>) -> Result<NoContent> {
    let removed = state.write(caller, |write, caller| {
        let (user, username) = named_member(write, caller.project, &caller.ids.username)?;
        check_is_not_operator(write, &caller, user)?;
        check_remaining(write, caller.project, username.as_str())?;
        Ok(write.remove_member(caller.project, &username)?)
    });
    removed.await?;
    Ok(NoContent)
}

async fn remove_name(caller: Administrator<OfMember>, State(state): State<AppState>) -> Result<NoContent> {
    const OF_OTHERS_TOO: ApiError = ApiError::Forbidden(
        "Ask the operator of the service to remove this name: the person is in other projects too, did not come with yours, or runs the service.",
    );
    const NOBODY: ApiError = ApiError::Forbidden("No current or former member or author of the project has that name.");
    let removed = state.write(caller, |write, caller| {
        let project = caller.project;
        let person = write.person(project, &caller.ids.username)?.ok_or(NOBODY)?;
        let username = caller.ids.username.parse().map_err(|_| NOBODY)?;
        if !write.is_of_this_project_alone(project, person)? {
            return Err(OF_OTHERS_TOO);
        }
        check_remaining(write, project, &caller.ids.username)?;
        Ok(write.remove_name(project, person, &username)?)
    });
    removed.await?;
    Ok(NoContent)
}

async fn set_activities(
    administrator: Administrator,
    State(state): State<AppState>,
    JsonBody(edit): JsonBody<ActivitiesEdit>,
) -> Result<Json<Activities>> {
    edit.check().map_err(ApiError::invalid)?;
    let set = state.write(administrator, move |write, administrator| {
        write.set_activities(administrator.project, &edit)?;
        Ok(write.activities(administrator.project)?)
    });
    Ok(Json::new(&set.await?)?)
}
