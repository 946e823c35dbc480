//! Change teams, their designs and their negotiations.

use axum::extract::State;

use super::systems::check_system;
use crate::model::operations::{
    BOARD_TIMELINE, DESIGN, DESIGN_DETAILS, DESIGN_DIAGRAM_IDS, DESIGN_ESRI, DESIGN_SYSTEM_PROJECTS, DESIGN_TIMELINE,
    DESIGNS, InDesign, InDesignSystem, InTeam, LATEST_DESIGN_DETAILS, NEGOTIATION_LOGS, OnBoard, TEAM_MEMBERS, TEAMS,
};
use crate::model::{
    BoardTimeline, ChangeTeam, DesignDetails, DesignDiagramIds, DesignProperties, DesignTimeline, EsriFeature,
    GeojsonCollection, NegotiationLogs, ObjectText, Synthesis, TeamId, TeamMembers,
};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::Member;
use crate::service::http::request::extract::PageParams;
use crate::service::http::response::respond::{Json, List, PageResponse};
use crate::service::http::router::Routes;
use crate::service::http::state::AppState;
use crate::service::store::{DiagramFilter, ProjectKey, Reader};

pub fn routes() -> Routes {
    Routes::of("Change teams")
        .operation(NEGOTIATION_LOGS, negotiation_logs)
        .operation(TEAMS, teams)
        .operation(DESIGNS, designs)
        .operation(LATEST_DESIGN_DETAILS, latest_design_details)
        .operation(TEAM_MEMBERS, team_members)
        .operation(DESIGN, design)
        .operation(DESIGN_DETAILS, design_details)
        .operation(DESIGN_DIAGRAM_IDS, design_diagram_ids)
        .operation(DESIGN_TIMELINE, design_timeline)
        .operation(BOARD_TIMELINE, board_timeline)
        .operation(DESIGN_ESRI, design_esri)
        .operation(DESIGN_SYSTEM_PROJECTS, design_system_projects)
}

type DesignFeatures = GeojsonCollection<DesignProperties<ObjectText>>;

async fn negotiation_logs(member: Member, State(state): State<AppState>) -> Result<Json<NegotiationLogs>> {
    state
        .read(member, |read, member| Ok(NegotiationLogs { all_negotiations: read.negotiations(member.project)? }))
        .await
}

async fn teams(member: Member, State(state): State<AppState>, page: PageParams) -> Result<PageResponse<ChangeTeam>> {
    state.read_page(member, page, |read, member| Ok(read.teams(member.project)?)).await
}

async fn designs(member: Member<InTeam>, State(state): State<AppState>) -> Result<Json<Synthesis>> {
    state
        .read(member, |read, member| {
            check_team(read, member.project, member.ids.cteamid)?;
            Ok(Synthesis { synthesis: read.designs(member.project, member.ids.cteamid)? })
        })
        .await
}

async fn latest_design_details(member: Member<InTeam>, State(state): State<AppState>) -> Result<Json<DesignDetails>> {
    state
        .read(member, |read, member| {
            check_team(read, member.project, member.ids.cteamid)?;
            let latest = read.designs(member.project, member.ids.cteamid)?.pop().ok_or(NO_DESIGN)?;
            Ok(latest.details)
        })
        .await
}

async fn team_members(member: Member<InTeam>, State(state): State<AppState>) -> Result<Json<TeamMembers>> {
    state
        .read(member, |read, member| {
            check_team(read, member.project, member.ids.cteamid)?;
            Ok(TeamMembers { members: read.team_members(member.ids.cteamid)? })
        })
        .await
}

async fn design(member: Member<InDesign>, State(state): State<AppState>) -> Result<Json<DesignFeatures>> {
    state
        .read_large(member, |read, member| {
            let design = design_of_team(read, member.project, member.ids)?;
            Ok(read.design_features(&DiagramFilter::InDesign { design: design.id, projects_of: None })?)
        })
        .await
}

async fn design_details(member: Member<InDesign>, State(state): State<AppState>) -> Result<Json<DesignDetails>> {
    state.read(member, |read, member| design_of_team(read, member.project, member.ids)).await
}

async fn design_diagram_ids(member: Member<InDesign>, State(state): State<AppState>) -> Result<Json<DesignDiagramIds>> {
    state
        .read(member, |read, member| {
            let design = design_of_team(read, member.project, member.ids)?;
            Ok(DesignDiagramIds { diagrams: read.design_diagram_ids(&design.id)?, synthesisid: design.id })
        })
        .await
}

async fn design_timeline(member: Member<InDesign>, State(state): State<AppState>) -> Result<Json<DesignTimeline>> {
    state
        .read(member, |read, member| {
            let design = design_of_team(read, member.project, member.ids)?;
            Ok(DesignTimeline { timeline: read.timeline(&design.id)? })
        })
        .await
}

async fn board_timeline(member: Member<OnBoard>, State(state): State<AppState>) -> Result<Json<BoardTimeline>> {
    state.read(member, |read, member| Ok(BoardTimeline { timeline_data: read.board_timeline(member.project)? })).await
}

async fn design_esri(
    member: Member<InDesign>,
    State(state): State<AppState>,
) -> Result<Json<List<EsriFeature<DesignProperties<ObjectText>>>>> {
    state
        .read_large(member, |read, member| {
            let design = design_of_team(read, member.project, member.ids)?;
            Ok(List(read.design_esri(&DiagramFilter::InDesign { design: design.id, projects_of: None })?))
        })
        .await
}

async fn design_system_projects(
    member: Member<InDesignSystem>,
    State(state): State<AppState>,
) -> Result<Json<DesignFeatures>> {
    state
        .read_large(member, |read, member| {
            let InDesignSystem { projectid, cteamid, synthesisid, sysid } = member.ids;
            let design = design_of_team(read, member.project, InDesign { projectid, cteamid, synthesisid })?;
            check_system(read, member.project, sysid)?;
            Ok(read.design_features(&DiagramFilter::InDesign { design: design.id, projects_of: Some(sysid) })?)
        })
        .await
}

/// Refuses a request about a team that the project does not have.
fn check_team(read: &Reader, project: ProjectKey, team: TeamId) -> Result<()> {
    if read.has_team(project, team)? { Ok(()) } else { Err(ApiError::NotFound("change team")) }
}

/// A design of a team of the project.
fn design_of_team(read: &Reader, project: ProjectKey, ids: InDesign) -> Result<DesignDetails> {
    check_team(read, project, ids.cteamid)?;
    read.design(project, ids.cteamid, &ids.synthesisid)?.ok_or(NO_DESIGN)
}

const NO_DESIGN: ApiError = ApiError::NotFound("design");
