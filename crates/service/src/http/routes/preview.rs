//! Previews of drawings: the effects of adding one, without adding it.

use std::collections::HashMap;

use axum::extract::State;

use super::costs::study_area as boundaries_of;
use super::read_maps::{areas, classes};
use super::systems::NO_SYSTEM;
use super::teams::design_of_team;
use crate::http::error::Result;
use crate::http::request::auth::{Member, Membership};
use crate::http::request::extract::JsonBody;
use crate::http::response::Json;
use crate::http::router::Routes;
use crate::http::state::AppState;
use crate::limits::{Limits, positions};
use crate::preview::{ClaimedLand, Surroundings, drawn, preview};
use crate::store::{DiagramFilter, Geography, ProjectKey, Reader, StoreError, SystemMap};
use geodesign::features::{FeatureCollection, Layout};
use geodesign::model::operations::{InDesign, InSystem, PREVIEW};
use geodesign::model::{
    DiagramKind, DrawnFeatures, EvaluationClass, GoodLand, Preview, PreviewedDrawing, StudyArea, SystemDetail,
};
use geodesign_geometry::{Geometry, SQUARE_METRES_PER_HECTARE, SharedWithDrawing};

pub fn routes() -> Routes {
    Routes::of("Drawing").operation(PREVIEW, previewed)
}

async fn previewed(
    member: Member<InSystem>,
    State(state): State<AppState>,
    JsonBody(drawing): JsonBody<PreviewedDrawing>,
) -> Result<Json<Preview>> {
    let limits = state.limits().clone();
    state.read(member, move |read, member| respond(read, &member, &drawing, &limits)).await
}

fn respond(
    read: &Reader,
    member: &Membership<InSystem>,
    drawing: &PreviewedDrawing,
    limits: &Limits,
) -> Result<Preview> {
    let filter = filter(read, member, drawing)?;
    let system = read.system(member.project, member.ids.sysid)?.ok_or(NO_SYSTEM)?;
    let features = match drawn(drawing) {
        Ok(features) => features,
        Err(faults) => return Ok(Preview { faults, ..Preview::default() }),
    };
    let evaluation = read.system_map(member.project, member.ids.sysid, SystemMap::Evaluation)?;
    let evaluation = evaluation.ok_or(NO_SYSTEM)?.geojson.0;
    let claimed = read.land_of(&filter, Some(DiagramKind::Project))?;
    let [boundaries, constraints] = [Geography::Boundaries, Geography::Constraints]
        .map(|role| Ok::<_, StoreError>(read.geography(member.project, role)?.geojson.0));
    let (boundaries, constraints) = (boundaries?, constraints?);
    // Before anything of it is parsed: all of it is compared with the drawing.
    let compared = claimed.iter().filter_map(|row| row.text()).chain([&*evaluation, &boundaries, &constraints]);
    let vertices: usize = compared.map(|text| positions(text.as_bytes())).sum();
    let of_drawing: usize = features.features.iter().map(|feature| positions(feature.geometry.text().as_bytes())).sum();
    limits.preview_vertices().check("the drawing, with the maps and diagrams around it,", of_drawing + vertices)?;

    let inside = if drawing.land.is_all() { Vec::new() } else { boundaries_of(boundaries.clone())? };
    let boundaries = FeatureCollection::from_json(boundaries, Layout::Collection).ok();
    let study_area = boundaries.and_then(|boundaries| boundaries.study_area());
    let bounds = read.bounds(member.project)?;
    let mut projects: Vec<ClaimedLand> = Vec::new();
    let mut index_by_id = HashMap::new();
    for row in claimed {
        let index = *index_by_id.entry(row.id).or_insert_with(|| {
            let (id, system, description) = (row.id, row.system, row.description.clone());
            projects.push(ClaimedLand { id, system, description, geometries: Vec::new() });
            projects.len() - 1
        });
        projects[index].geometries.extend(row.geometry()?);
    }
    let surroundings = Surroundings {
        system_cost: system.cost,
        quantities: system.quantities.clone(),
        study_area: study_area.or_else(|| StudyArea::within_bounds(bounds?)),
        boundaries: inside,
        evaluation: classes(evaluation)?,
        projects,
        constraints: areas(constraints)?,
        refuses: read.refuses_drawings_on_constraints(member.project)?,
    };
    let good_land = match drawing.kind {
        DiagramKind::Project => good_land(read, member.project, &system, &features, limits)?,
        DiagramKind::Policy => Some(Vec::new()),
    };
    Ok(Preview { good_land, ..preview(&features, drawing, &surroundings) })
}

/// Returns the other systems on whose good land a project lies, in their order. Without impacts of its own system, nothing is compared;
/// `None` if the maps are too large to compare while somebody draws.
fn good_land(
    read: &Reader,
    project: ProjectKey,
    acting: &SystemDetail,
    drawn: &DrawnFeatures,
    limits: &Limits,
) -> Result<Option<Vec<GoodLand>>> {
    if acting.impacts.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let mut maps = Vec::new();
    for system in read.systems(project)?.into_iter().filter(|system| system.item.id != acting.item.id) {
        let map = read.system_map(project, system.item.id, SystemMap::Evaluation)?;
        maps.extend(map.map(|map| (system.item.id, map.geojson.0)));
    }
    let geometries: Vec<Geometry> = drawn.features.iter().map(|feature| feature.geometry.geometry()).collect();
    let texts = maps.iter().map(|(_, text)| text.as_str());
    let vertices: usize = texts.map(|text| positions(text.as_bytes())).sum();
    if limits.preview_vertices().check("the evaluation maps of other systems", vertices).is_err() {
        return Ok(None);
    }
    let mut lands = Vec::new();
    for (id, map) in maps {
        let good = classes(map)?.into_iter().filter(|(areatype, _)| EvaluationClass::is_good(areatype));
        lands.push((id, good.flat_map(|(_, areas)| areas).collect::<Vec<Geometry>>()));
    }
    let areas: Vec<&[Geometry]> = lands.iter().map(|(_, areas)| areas.as_slice()).collect();
    let Ok(shared) = SharedWithDrawing::of(&geometries, &[], &areas) else { return Ok(None) };
    let found = lands.iter().zip(shared.classes).map(|(&(sysid, _), square_metres)| {
        let impact = acting.impacts.get(&sysid).copied().unwrap_or_default();
        GoodLand { sysid, area_ha: square_metres / SQUARE_METRES_PER_HECTARE, impact }
    });
    Ok(Some(found.filter(|land| land.area_ha > 0.0).collect()))
}

/// The diagrams with which the drawing may conflict.
fn filter(read: &Reader, member: &Membership<InSystem>, drawing: &PreviewedDrawing) -> Result<DiagramFilter> {
    let Some(design) = drawing.design.clone() else {
        return Ok(DiagramFilter::Selected { project: member.project, member: member.user, system: None, kind: None });
    };
    let ids = InDesign::new(member.ids.projectid.clone(), design.cteamid, design.synthesisid);
    let design = design_of_team(read, member.project, ids)?.id;
    Ok(DiagramFilter::InDesign { design, projects_of: None })
}
