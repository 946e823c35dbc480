//! Costs of diagrams, by the same rules as the client's report.

use axum::extract::State;

use super::systems::member_named;
use super::teams::design_of_team;
use crate::http::error::Result;
use crate::http::request::auth::{Member, Membership};
use crate::http::response::Json;
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::store::{DiagramFilter, ProjectKey, Reader};
use geodesign::costs::{CostFigures, ReportSubject};
use geodesign::model::operations::{COSTS, DESIGN_COSTS, InDesign, MEMBER_COSTS, OfMember, ProjectPathIds};

pub fn routes() -> Routes {
    Routes::of("Costs")
        .operation(COSTS, costs)
        .operation(DESIGN_COSTS, costs_of_design)
        .operation(MEMBER_COSTS, costs_of_member)
}

async fn costs(member: Member, state: State<AppState>) -> Result<Json<CostFigures>> {
    respond(member, state, |read, member| {
        Ok((DiagramFilter::InProject(member.project), subject_of_project(read, member.project)?))
    })
    .await
}

async fn costs_of_member(caller: Member<OfMember>, state: State<AppState>) -> Result<Json<CostFigures>> {
    respond(caller, state, |read, caller| {
        let (project, name) = (caller.project, &caller.ids.username);
        let member = member_named(read, project, name)?;
        let selected = DiagramFilter::Selected { project, member, system: None, kind: None };
        Ok((selected, subject_of_project(read, project)?.selected_by(name)))
    })
    .await
}

async fn costs_of_design(member: Member<InDesign>, state: State<AppState>) -> Result<Json<CostFigures>> {
    respond(member, state, |read, Membership { project, ids, .. }| {
        let (project, team) = (*project, ids.cteamid);
        let design = design_of_team(read, project, ids.clone())?;
        let title = read.teams(project)?.into_iter().find(|item| item.id == team).and_then(|item| item.title);
        let subject = subject_of_project(read, project)?.in_design((team, title), (&design.id, design.description));
        Ok((DiagramFilter::InDesign { design: design.id, projects_of: None }, subject))
    })
    .await
}

fn subject_of_project(read: &Reader, project: ProjectKey) -> Result<ReportSubject> {
    let info = read.project(project)?;
    Ok(ReportSubject::of_project(info))
}

/// The diagrams to price, and their subject for titles.
type Priced = (DiagramFilter, ReportSubject);

/// Prices diagrams. All members get the same figures, whose size grows with the number of diagrams.
async fn respond<Ids: ProjectPathIds>(
    member: Member<Ids>,
    State(state): State<AppState>,
    choose: fn(&Reader, &Membership<Ids>) -> Result<Priced>,
) -> Result<Json<CostFigures>> {
    let figures = move |read: &Reader, member: Membership<Ids>| {
        let (diagrams, subject) = choose(read, &member)?;
        let facts = read.cost_facts(member.project, &diagrams)?;
        Ok(CostFigures::new(&read.systems(member.project)?, facts, subject))
    };
    state.read(member.of_whole_project(), figures).await
}
