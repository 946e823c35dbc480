//! Change teams, their designs and their negotiations.

use axum::extract::State;
use axum::http::StatusCode;

use super::systems::check_system;
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Member, Membership};
use crate::http::response::{List, WholeResponse};
use crate::http::router::{NO_NAMES, Routes};
use crate::http::state::AppState;
use crate::store::{DiagramFilter, ProjectKey, Reader};
use geodesign::model::operations::{
    BOARD_TIMELINE, DESIGN, DESIGN_DETAILS, DESIGN_DIAGRAM_IDS, DESIGN_ESRI, DESIGN_SYSTEM_PROJECTS, DESIGN_TIMELINE,
    DESIGNS, InDesign, InDesignSystem, InTeam, LATEST_DESIGN_DETAILS, NEGOTIATION_LOGS, OnBoard, TEAM_MEMBERS, TEAMS,
};
use geodesign::model::{
    BoardTimeline, DesignDetails, DesignDiagramIds, DesignProperties, DesignTimeline, EsriFeature, GeojsonCollection,
    NegotiationLogs, ObjectText, Synthesis, TeamId, TeamMembers,
};

pub fn routes() -> Routes {
    Routes::of("Change teams")
        .whole(NEGOTIATION_LOGS, |read, member: Membership| {
            Ok(NegotiationLogs { all_negotiations: read.negotiations(member.project)? })
        })
        .list(TEAMS, |read, member: Membership| Ok(read.teams(member.project)?))
        .whole(DESIGNS, designs)
        .read(LATEST_DESIGN_DETAILS, latest_design_details)
        .whole(TEAM_MEMBERS, team_members)
        .refuses(StatusCode::FORBIDDEN, NO_NAMES)
        .operation(DESIGN, design)
        .read(DESIGN_DETAILS, |read, member: Membership<InDesign>| design_of_team(read, member.project, member.ids))
        .whole(DESIGN_DIAGRAM_IDS, design_diagram_ids)
        .read(DESIGN_TIMELINE, design_timeline)
        .read(BOARD_TIMELINE, |read, member: Membership<OnBoard>| {
            Ok(BoardTimeline { timeline_data: read.board_timeline(member.project)? })
        })
        .operation(DESIGN_ESRI, design_esri)
        .operation(DESIGN_SYSTEM_PROJECTS, design_system_projects)
}

type DesignFeatures = GeojsonCollection<DesignProperties<ObjectText>>;

fn designs(read: &Reader, member: Membership<InTeam>) -> Result<Synthesis> {
    check_team(read, member.project, member.ids.cteamid)?;
    Ok(Synthesis { synthesis: read.designs(member.project, member.ids.cteamid)? })
}

fn latest_design_details(read: &Reader, member: Membership<InTeam>) -> Result<DesignDetails> {
    check_team(read, member.project, member.ids.cteamid)?;
    let latest = read.designs(member.project, member.ids.cteamid)?.pop().ok_or(NO_DESIGN)?;
    Ok(latest.details)
}

fn team_members(read: &Reader, member: Membership<InTeam>) -> Result<TeamMembers> {
    member.check_shows_names()?;
    check_team(read, member.project, member.ids.cteamid)?;
    Ok(TeamMembers { members: read.team_members(member.ids.cteamid)? })
}

async fn design(member: Member<InDesign>, State(state): State<AppState>) -> Result<WholeResponse<DesignFeatures>> {
    state
        .read_whole(member.of_whole_project(), |read, member| {
            let design = design_of_team(read, member.project, member.ids)?;
            Ok(read.design_parts(&DiagramFilter::InDesign { design: design.id, projects_of: None })?)
        })
        .await
}

fn design_diagram_ids(read: &Reader, member: Membership<InDesign>) -> Result<DesignDiagramIds> {
    let design = design_of_team(read, member.project, member.ids)?;
    Ok(DesignDiagramIds { diagrams: read.design_diagram_ids(&design.id)?, synthesisid: design.id })
}

fn design_timeline(read: &Reader, member: Membership<InDesign>) -> Result<DesignTimeline> {
    let design = design_of_team(read, member.project, member.ids)?;
    Ok(DesignTimeline { timeline: read.timeline(&design.id)? })
}

async fn design_esri(
    member: Member<InDesign>,
    State(state): State<AppState>,
) -> Result<WholeResponse<List<EsriFeature<DesignProperties<ObjectText>>>>> {
    state
        .read_whole(member.of_whole_project(), |read, member| {
            let design = design_of_team(read, member.project, member.ids)?;
            Ok(List(read.design_esri(&DiagramFilter::InDesign { design: design.id, projects_of: None })?))
        })
        .await
}

async fn design_system_projects(
    member: Member<InDesignSystem>,
    State(state): State<AppState>,
) -> Result<WholeResponse<DesignFeatures>> {
    state
        .read_whole(member.of_whole_project(), |read, member| {
            let InDesignSystem { projectid, cteamid, synthesisid, sysid } = member.ids;
            let design = design_of_team(read, member.project, InDesign { projectid, cteamid, synthesisid })?;
            check_system(read, member.project, sysid)?;
            Ok(read.design_parts(&DiagramFilter::InDesign { design: design.id, projects_of: Some(sysid) })?)
        })
        .await
}

/// Refuses a request about a team that the project does not have.
pub fn check_team(read: &Reader, project: ProjectKey, team: TeamId) -> Result<()> {
    if read.has_team(project, team)? { Ok(()) } else { Err(ApiError::NotFound("change team")) }
}

/// A design of a team of the project.
pub fn design_of_team(read: &Reader, project: ProjectKey, ids: InDesign) -> Result<DesignDetails> {
    check_team(read, project, ids.cteamid)?;
    read.design(project, ids.cteamid, &ids.synthesisid)?.ok_or(NO_DESIGN)
}

pub const NO_DESIGN: ApiError = ApiError::NotFound("design");
