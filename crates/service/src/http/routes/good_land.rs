//! Good land of other systems under a drawing, for its preview.

use super::preview::classes;
use crate::http::error::Result;
use crate::limits::{Limits, positions};
use crate::store::{ProjectKey, Reader, SystemMap};
use geodesign::model::{DrawnFeatures, EvaluationClass, GoodLand, SystemDetail};
use geodesign_geometry::{Geometry, SharedWithDrawing};

/// Returns the other systems on whose good land a project lies, in their order. Without impacts of its own system, nothing is compared;
/// `None` if the maps are too large to compare while somebody draws.
pub fn good_land(
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
        GoodLand { sysid, area_ha: square_metres / 10_000.0, impact }
    });
    Ok(Some(found.filter(|land| land.area_ha > 0.0).collect()))
}
