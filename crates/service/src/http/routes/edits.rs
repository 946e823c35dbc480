//! Changes from the room: members change their diagrams, selections and votes, and teams their designs and negotiations.

use std::collections::BTreeSet;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::NoContent;

use super::administration::members_named;
use super::constraints::check_geometry;
use super::diagrams::{NO_DIAGRAM, check_diagram, check_own_diagram};
use super::systems::{check_system, named_member};
use super::teams::{NO_DESIGN, check_team, design_of_team};
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::request::keyed::Keyed;
use crate::http::response::{Created, Json};
use crate::http::router::{CHANGED, NO_NAMES, Routes};
use crate::http::state::AppState;
use crate::store::Reader;
use geodesign::model::operations::{
    ADD_MOVE, BEGIN_NEGOTIATION, CHANGE_SELECTION, DELETE_DESIGN, EDIT_DESIGN, EDIT_DIAGRAM, InDesign, InDiagram,
    InNegotiation, InTeam, OfMember, ProjectPathIds, SAVE_DESIGN, SET_SELECTION, SET_VOTE, VOTES, WITHDRAW_VOTE,
};
use geodesign::model::{
    Ballot, ChangeHash, DesignDetails, DesignEdit, DiagramEdit, DiagramId, DiagramIds, Move, NegotiationSession,
    NewDesign, NewMove, NewNegotiation, NewSelection, SelectionChange, Status, TeamId, Votes,
};

pub fn routes() -> Routes {
    Routes::of("Room")
        .operation(EDIT_DIAGRAM, edit_diagram)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(VOTES, votes)
        .refuses(StatusCode::FORBIDDEN, NO_NAMES)
        .operation(SET_VOTE, set_vote)
        .operation(WITHDRAW_VOTE, withdraw_vote)
        .operation(SET_SELECTION, set_selection)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(CHANGE_SELECTION, change_selection)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(SAVE_DESIGN, save_design)
        .operation(EDIT_DESIGN, edit_design)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(DELETE_DESIGN, delete_design)
        .refuses(StatusCode::PRECONDITION_FAILED, CHANGED)
        .operation(BEGIN_NEGOTIATION, begin_negotiation)
        .operation(ADD_MOVE, add_move)
}

async fn edit_diagram(
    member: Member<InDiagram>,
    State(state): State<AppState>,
    JsonBody(edit): JsonBody<DiagramEdit>,
) -> Result<Json<ChangeHash>> {
    edit_own_diagram(member, state, |member| member.ids.diagramid, edit).await
}

/// Changes the given values of one of the member's own diagrams.
pub async fn edit_own_diagram<Ids: ProjectPathIds>(
    member: Member<Ids>,
    state: AppState,
    diagram: impl Fn(&Membership<Ids>) -> DiagramId + Send + 'static,
    edit: DiagramEdit,
) -> Result<Json<ChangeHash>> {
    edit.check().map_err(ApiError::invalid)?;
    check_geometry(&state, &member, edit.geometry.clone()).await?;
    let edited = state.write_within_quota(member, move |write, member| {
        let (project, id) = (member.project, diagram(&member));
        check_own_diagram(write, &member, id)?;
        let changeid = write.change_hash(project, id)?.ok_or(NO_DIAGRAM)?;
        member.check_unchanged(Some(&changeid.changehash))?;
        edit.sysid.map_or(Ok(()), |system| check_system(write, project, system))?;
        write.edit_diagram(project, id, &edit)?;
        write.change_hash(project, id)?.ok_or(NO_DIAGRAM)
    });
    Ok(Json::new(&edited.await?)?)
}

async fn votes(member: Member, State(state): State<AppState>) -> Result<Json<Votes>> {
    let votes = |read: &Reader, member: Membership| {
        member.check_shows_names()?;
        Ok(read.votes_shown_to(member.project, member.user)?)
    };
    state.read(member.of_reader(), votes).await
}

async fn set_vote(
    member: Member<InDiagram>,
    State(state): State<AppState>,
    JsonBody(ballot): JsonBody<Ballot>,
) -> Result<Json<Status>> {
    ballot.check().map_err(ApiError::invalid)?;
    let voted = state.write(member, move |write, member| {
        check_diagram(write, member.project, member.ids.diagramid)?;
        Ok(write.set_vote(member.project, member.user, member.ids.diagramid, &ballot)?)
    });
    voted.await?;
    Ok(Json::new(&Status { status: "The vote was cast.".into() })?)
}

async fn withdraw_vote(member: Member<InDiagram>, State(state): State<AppState>) -> Result<NoContent> {
    let withdrawn = state.write(member, |write, member| {
        check_diagram(write, member.project, member.ids.diagramid)?;
        Ok(write.withdraw_vote(member.project, member.user, member.ids.diagramid)?)
    });
    if withdrawn.await? { Ok(NoContent) } else { Err(ApiError::NotFound("vote")) }
}

async fn set_selection(
    member: Member<OfMember>,
    State(state): State<AppState>,
    JsonBody(NewSelection { diagrams }): JsonBody<NewSelection>,
) -> Result<Json<DiagramIds>> {
    change_selected(member, state, move |_| diagrams.clone()).await
}

async fn change_selection(
    member: Member<OfMember>,
    State(state): State<AppState>,
    JsonBody(SelectionChange { add, remove }): JsonBody<SelectionChange>,
) -> Result<Json<DiagramIds>> {
    change_selected(member, state, move |selected| with_change(selected, &add, &remove)).await
}

/// Returns diagrams with those to add and without those to remove.
fn with_change(diagrams: Vec<DiagramId>, add: &[DiagramId], remove: &[DiagramId]) -> Vec<DiagramId> {
    let removed: BTreeSet<_> = remove.iter().collect();
    let mut seen = BTreeSet::new();
    let all = diagrams.into_iter().chain(add.iter().copied());
    all.filter(|id| !removed.contains(id) && seen.insert(*id)).collect()
}

async fn change_selected(
    member: Member<OfMember>,
    state: AppState,
    change: impl Fn(Vec<DiagramId>) -> Vec<DiagramId> + Send + 'static,
) -> Result<Json<DiagramIds>> {
    let selected = state.write(member, move |write, caller| {
        const REFUSAL: &str = "Only an administrator of the project may select for another member.";
        let project = caller.project;
        let (member, username) = named_member(write, project, &caller.ids.username)?;
        caller.check_own(write, member == caller.user, REFUSAL)?;
        caller.check_unchanged(None)?;
        let diagrams = change(write.selected_ids(project, member)?);
        check_diagrams(write, &caller, &diagrams)?;
        write.set_selection(project, &username, &diagrams)?;
        Ok(DiagramIds { diagrams: write.selected_ids(project, member)? })
    });
    Ok(Json::new(&selected.await?)?)
}

/// Refuses a body that names a diagram which the project does not have.
fn check_diagrams<Ids>(read: &Reader, member: &Membership<Ids>, diagrams: &[DiagramId]) -> Result<()> {
    for &id in diagrams {
        if !read.has_diagram(member.project, id)? {
            return Err(ApiError::Invalid(format!("the project has no diagram {id}; nothing was changed")));
        }
    }
    Ok(())
}

async fn save_design(
    member: Keyed<Member<InTeam>>,
    State(state): State<AppState>,
    JsonBody(new): JsonBody<NewDesign>,
) -> Result<Created<DesignDetails>> {
    new.check().map_err(ApiError::invalid)?;
    let limits = state.limits().clone();
    let saved = state.add(member, move |write, member| {
        let (project, team) = (member.project, member.ids.cteamid);
        check_design_of(write, &member, team)?;
        let diagrams = diagrams_of(write, &member, &new)?;
        limits.project_designs().check_total("the project", write.count_designs(project)?, 1)?;
        let id = write.add_design(project, team, &new.description, &diagrams)?;
        Ok(Created(Json::new(&write.design(project, team, &id)?.ok_or(NO_DESIGN)?)?))
    });
    saved.await
}

/// Returns the diagrams of a new design: those that it begins with, plus those to add, minus those to remove.
fn diagrams_of(read: &Reader, member: &Membership<InTeam>, new: &NewDesign) -> Result<Vec<DiagramId>> {
    let NewDesign { description: _, diagrams, members, synthesisid, add, remove } = new;
    let project = member.project;
    let mut all = Vec::new();
    if let Some(design) = synthesisid {
        if !read.has_design(project, design)? {
            return Err(ApiError::Invalid(format!("synthesisid: the project has no design {design}")));
        }
        all.extend(read.design_diagram_ids(design)?);
    }
    for user in members_named(read, project, "members", members)? {
        all.extend(read.selected_ids(project, user)?);
    }
    all.extend(diagrams);
    if let Some(missing) = remove.iter().find(|id| !all.contains(id)) {
        return Err(ApiError::Invalid(format!("remove: diagram {missing} is not in the new design")));
    }
    let all = with_change(all, add, remove);
    check_diagrams(read, member, &all)?;
    Ok(all)
}

/// Refuses a user who is neither in the team nor an administrator.
fn check_design_of<Ids>(read: &Reader, member: &Membership<Ids>, team: TeamId) -> Result<()> {
    const REFUSAL: &str = "Only a member of the team or an administrator of the project may do this.";
    check_team(read, member.project, team)?;
    member.check_own(read, read.is_in_team(team, member.user)?, REFUSAL)
}

async fn edit_design(
    member: Member<InDesign>,
    State(state): State<AppState>,
    JsonBody(edit): JsonBody<DesignEdit>,
) -> Result<Json<DesignDetails>> {
    edit.check().map_err(ApiError::invalid)?;
    let edited = state.write(member, move |write, member| {
        let InDesign { cteamid: team, synthesisid: id, .. } = &member.ids;
        check_design_of(write, &member, *team)?;
        let design = design_of_team(write, member.project, member.ids.clone())?;
        member.check_unchanged(None)?;
        let Some(title) = &edit.description else { return Ok(design) };
        write.rename_design(member.project, *team, id, title)?;
        design_of_team(write, member.project, member.ids.clone())
    });
    Ok(Json::new(&edited.await?)?)
}

async fn delete_design(member: Member<InDesign>, State(state): State<AppState>) -> Result<NoContent> {
    let deleted = state.write(member, |write, member| {
        let team = member.ids.cteamid;
        check_design_of(write, &member, team)?;
        let design = design_of_team(write, member.project, member.ids.clone())?;
        member.check_unchanged(None)?;
        Ok(write.remove_design(member.project, team, &design.id)?)
    });
    deleted.await?;
    Ok(NoContent)
}

async fn begin_negotiation(
    member: Keyed<Member>,
    State(state): State<AppState>,
    JsonBody(new): JsonBody<NewNegotiation>,
) -> Result<Created<NegotiationSession>> {
    new.check().map_err(ApiError::invalid)?;
    let limits = state.limits().clone();
    let begun = state.add(member, move |write, member| {
        check_negotiator(write, &member, &new.cteams)?;
        limits.project_negotiations().check_total("the project", write.count_in("negotiations", member.project)?, 1)?;
        Ok(Created(Json::new(&write.begin_negotiation(member.project, &new.cteams)?)?))
    });
    begun.await
}

async fn add_move(
    member: Keyed<Member<InNegotiation>>,
    State(state): State<AppState>,
    JsonBody(new): JsonBody<NewMove>,
) -> Result<Created<Move>> {
    new.check().map_err(ApiError::invalid)?;
    let limits = state.limits().clone();
    let added = state.add(member, move |write, member| {
        let session = write.negotiation(member.project, &member.ids.session_id)?;
        let mut session = session.ok_or(ApiError::NotFound("negotiation"))?;
        check_negotiator(write, &member, session.cteams.as_deref().unwrap_or_default())?;
        check_diagrams(write, &member, &[new.diagram])?;
        limits.negotiation_moves().check_total("the negotiation", session.moves.len() as u64, 1)?;
        Ok(Created(Json::new(&write.add_move(member.project, &mut session, &new)?)?))
    });
    added.await
}

/// Refuses a user who is in none of the teams and not an administrator.
fn check_negotiator<Ids>(read: &Reader, member: &Membership<Ids>, teams: &[TeamId]) -> Result<()> {
    const REFUSAL: &str = "Only a member of one of the teams or an administrator of the project may do this.";
    let mut is_in_one = false;
    for &team in teams {
        if !read.has_team(member.project, team)? {
            return Err(ApiError::Invalid(format!("cteams: the project has no change team {team}")));
        }
        is_in_one |= read.is_in_team(team, member.user)?;
    }
    member.check_own(read, is_in_one, REFUSAL)
}
