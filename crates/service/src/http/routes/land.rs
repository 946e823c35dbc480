//! The land that diagrams cover, computed in the service.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::State;

use super::costs::study_area;
use super::read_maps::{areas, classes};
use crate::http::error::{ApiError, Result};
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::response::Json;
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::land::{DiagramLand, EvaluationMap, land_of};
use crate::limits::{Limits, positions};
use crate::store::{DiagramFilter, Geography, InputError, ProjectKey, Reader, StoreError, SystemMap};
use geodesign::model::operations::LAND;
use geodesign::model::{DiagramId, LandOfDiagrams, LandQuestion, SystemId};

pub fn routes() -> Routes {
    Routes::of("Costs").operation(LAND, land)
}

async fn land(
    member: Member,
    State(state): State<AppState>,
    JsonBody(question): JsonBody<LandQuestion>,
) -> Result<Json<LandOfDiagrams>> {
    let limits = state.limits().clone();
    state.read(member, move |read, Membership { project, .. }| respond(read, project, &question, &limits)).await
}

fn respond(read: &Reader, project: ProjectKey, question: &LandQuestion, limits: &Limits) -> Result<LandOfDiagrams> {
    let asked: Vec<DiagramId> = question.pairs.iter().flatten().chain(&question.classes_of).copied().collect();
    let rows = read.land_of(&DiagramFilter::Among(project, asked.clone()), None)?;
    let mut vertices = BTreeMap::<DiagramId, usize>::new();
    for row in &rows {
        *vertices.entry(row.id).or_default() += row.text().map_or(0, |text| positions(text.as_bytes()));
    }
    if let Some(unknown) = asked.iter().find(|id| !vertices.contains_key(id)) {
        return Err(StoreError::from(InputError::UnknownDiagram(*unknown)).into());
    }
    let mut texts = BTreeMap::<SystemId, String>::new();
    let classed: BTreeSet<DiagramId> = question.classes_of.iter().copied().collect();
    let systems: BTreeSet<SystemId> =
        rows.iter().filter(|row| classed.contains(&row.id)).map(|row| row.system).collect();
    for system in systems {
        let map = read.system_map(project, system, SystemMap::Evaluation)?;
        texts.insert(system, map.map(|map| map.geojson.0).unwrap_or_default());
    }
    // Before anything of it is parsed.
    let of_diagrams: usize = asked.iter().map(|id| vertices[id]).sum();
    let boundaries = match question.classes_of.is_empty() && question.land.is_all() {
        true => String::new(),
        false => read.geography(project, Geography::Boundaries)?.geojson.0,
    };
    let of_maps: usize = texts.values().chain([&boundaries]).map(|text| positions(text.as_bytes())).sum();
    limits
        .preview_vertices()
        .check("the comparison, with each diagram counted as often as it is named,", of_diagrams + of_maps)?;

    let mut diagrams = BTreeMap::<DiagramId, DiagramLand>::new();
    for row in rows {
        let (system, geometry) = (row.system, row.geometry()?);
        let diagram = diagrams.entry(row.id).or_insert_with(|| DiagramLand { system, geometries: Vec::new() });
        diagram.geometries.extend(geometry);
    }
    let mut maps = BTreeMap::<SystemId, EvaluationMap>::new();
    for (system, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        maps.insert(system, classes(text)?);
    }
    let boundaries = match (boundaries.is_empty(), question.land.is_all()) {
        (true, _) => Vec::new(),
        (false, true) => areas(boundaries)?,
        (false, false) => study_area(boundaries)?,
    };
    land_of(question, &diagrams, &maps, &boundaries).map_err(|too_much| ApiError::Invalid(too_much.to_string()))
}
