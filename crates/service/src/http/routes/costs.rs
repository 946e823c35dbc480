//! Costs of diagrams, by the same rules as the client's report.

use std::collections::HashMap;

use axum::extract::State;

use super::systems::member_named;
use super::teams::design_of_team;
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::CostParams;
use crate::http::response::Json;
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::limits::{Limits, positions};
use crate::store::{DiagramFilter, Geography, ProjectKey, Reader, StoreError};
use geodesign::costs::{CostError, CostFigures, DiagramFacts, ReportSubject, count_inside};
use geodesign::features::{FeatureCollection, Layout};
use geodesign::model::operations::{COSTS, DESIGN_COSTS, InDesign, MEMBER_COSTS, OfMember, ProjectPathIds};
use geodesign_geometry::Geometry;

pub fn routes() -> Routes {
    Routes::of("Costs")
        .operation(COSTS, costs)
        .operation(DESIGN_COSTS, costs_of_design)
        .operation(MEMBER_COSTS, costs_of_member)
}

async fn costs(member: Member, state: State<AppState>, land: CostParams) -> Result<Json<CostFigures>> {
    respond(member, state, land, |read, member| {
        Ok((DiagramFilter::InProject(member.project), subject_of_project(read, member.project)?))
    })
    .await
}

async fn costs_of_member(
    caller: Member<OfMember>,
    state: State<AppState>,
    land: CostParams,
) -> Result<Json<CostFigures>> {
    respond(caller, state, land, |read, caller| {
        let (project, name) = (caller.project, &caller.ids.username);
        let member = member_named(read, project, name)?;
        let selected = DiagramFilter::Selected { project, member, system: None, kind: None };
        Ok((selected, subject_of_project(read, project)?.selected_by(name)))
    })
    .await
}

async fn costs_of_design(
    member: Member<InDesign>,
    state: State<AppState>,
    land: CostParams,
) -> Result<Json<CostFigures>> {
    respond(member, state, land, |read, Membership { project, ids, .. }| {
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
    CostParams(land): CostParams,
    choose: fn(&Reader, &Membership<Ids>) -> Result<Priced>,
) -> Result<Json<CostFigures>> {
    let limits = state.limits().clone();
    let variant = land.as_ref().map_or("refused", |land| land.name());
    let figures = move |read: &Reader, member: Membership<Ids>| {
        let (diagrams, subject) = choose(read, &member)?;
        let land = land?;
        let mut facts = read.cost_facts(member.project, &diagrams)?;
        if !land.is_all() {
            count_only_inside(read, member.project, &diagrams, &mut facts, &limits)?;
        }
        Ok(CostFigures::new(&read.systems(member.project)?, facts, ReportSubject { land, ..subject }))
    };
    state.read(member.of_whole_project().in_variant(variant), figures).await
}

/// Leaves out the parts of diagrams outside the study area.
fn count_only_inside(
    read: &Reader,
    project: ProjectKey,
    diagrams: &DiagramFilter,
    facts: &mut [DiagramFacts],
    limits: &Limits,
) -> Result<()> {
    let boundaries = read.geography(project, Geography::Boundaries)?.geojson.0;
    let rows = read.land_of(diagrams, None)?;
    // Before anything of it is parsed.
    let compared = rows.iter().filter_map(|row| row.text()).chain([&*boundaries]);
    let vertices = compared.map(|text| positions(text.as_bytes())).sum();
    limits.preview_vertices().check("the land to be cut at the study area", vertices)?;
    let study_area = study_area(boundaries)?;
    let mut by_diagram = HashMap::<i64, Vec<Geometry>>::new();
    for row in rows {
        by_diagram.entry(row.id.0).or_default().extend(row.geometry()?);
    }
    let geometries: Vec<_> = facts.iter().map(|facts| by_diagram.remove(&facts.id).unwrap_or_default()).collect();
    count_inside(facts, &geometries, &study_area).map_err(ApiError::invalid)
}

/// The polygons of the boundaries.
pub(super) fn study_area(boundaries: String) -> Result<Vec<Geometry>> {
    let map = FeatureCollection::from_json(boundaries, Layout::Collection).map_err(StoreError::content)?;
    if map.study_area().is_none() {
        return Err(ApiError::invalid(CostError::NoStudyArea));
    }
    Ok(map.geometries())
}
