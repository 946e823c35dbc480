//! The land of diagrams: hectares that pairs have in common, and hectares on each class of evaluation maps.

use std::collections::{BTreeMap, BTreeSet};

use geodesign::model::{ClassedLand, DiagramId, LandInClass, LandOfDiagrams, LandQuestion, SystemId};
use geodesign_geometry::{Geometry, LandInClasses, Lands, MIN_SHARED, Measure, TooMuch, inside};

/// A diagram with its geometries, or without any if they are elsewhere.
pub struct DiagramLand {
    pub system: SystemId,
    pub geometries: Vec<Geometry>,
}

/// The classes of an evaluation map in order, each with its areas.
pub type EvaluationMap = Vec<(String, Vec<Geometry>)>;

/// Answers a question about these diagrams. None of them may be missing.
pub fn land_of(
    question: &LandQuestion,
    diagrams: &BTreeMap<DiagramId, DiagramLand>,
    maps: &BTreeMap<SystemId, EvaluationMap>,
    boundaries: &[Geometry],
) -> Result<LandOfDiagrams, TooMuch> {
    let (outside, mut classed) = (outside(&question.classes_of, diagrams, boundaries)?, BTreeMap::new());
    let inside = if question.land.is_all() { None } else { Some(inside_of(diagrams, boundaries)?) };
    let diagrams = inside.as_ref().unwrap_or(diagrams);
    for (system, map) in maps.iter().filter(|(_, map)| !map.is_empty()) {
        let of_system = |id: &&DiagramId| diagrams[*id].system == *system;
        let ids = each_once(question.classes_of.iter().filter(of_system));
        classed.extend(ids.iter().copied().zip(in_classes(&ids, diagrams, map)?));
    }
    let classes = question.classes_of.iter().map(|id| {
        let land = match classed.get(id) {
            Some(land) => ClassedLand::clone(land),
            None => ClassedLand::without_map(*id, area(&diagrams[id])?),
        };
        Ok(ClassedLand { outside_study_area_ha: outside.get(id).copied(), ..land })
    });
    let classes = classes.collect::<Result<_, _>>()?;
    Ok(LandOfDiagrams { shared_ha: shared(&question.pairs, diagrams)?, classes })
}

/// Returns the parts of diagrams inside the study area.
fn inside_of(
    diagrams: &BTreeMap<DiagramId, DiagramLand>,
    boundaries: &[Geometry],
) -> Result<BTreeMap<DiagramId, DiagramLand>, TooMuch> {
    let whole: Vec<Geometry> =
        diagrams.values().map(|diagram| Geometry::Collection(diagram.geometries.clone())).collect();
    let parts = inside(&whole.iter().collect::<Vec<_>>(), boundaries)?;
    let cut = diagrams
        .iter()
        .zip(parts)
        .map(|((id, diagram), part)| (*id, DiagramLand { system: diagram.system, geometries: vec![part.geometry] }));
    Ok(cut.collect())
}

fn shared(pairs: &[[DiagramId; 2]], diagrams: &BTreeMap<DiagramId, DiagramLand>) -> Result<Vec<f64>, TooMuch> {
    let rows = each_once(pairs.iter().flatten());
    let lands = lands(&rows, diagrams, &[])?;
    let row = |id: &DiagramId| rows.binary_search(id).unwrap_or_default();
    let pairs: Vec<[usize; 2]> = pairs.iter().map(|[one, other]| [row(one), row(other)]).collect();
    let areas = lands.shared_square_metres(&pairs);
    Ok(areas.into_iter().map(|area| if area >= MIN_SHARED { hectares(area) } else { 0.0 }).collect())
}

fn in_classes(
    ids: &[DiagramId],
    diagrams: &BTreeMap<DiagramId, DiagramLand>,
    map: &EvaluationMap,
) -> Result<Vec<ClassedLand>, TooMuch> {
    let areas: Vec<&Geometry> = map.iter().flat_map(|(_, areas)| areas).collect();
    let class_of: Vec<usize> = (0..).zip(map).flat_map(|(class, (_, areas))| vec![class; areas.len()]).collect();
    let lands = lands(ids, diagrams, &areas)?;
    let found = lands.in_classes(&lands.square_metres()[..ids.len()], &class_of, map.len());
    let land = |(id, LandInClasses { all, classes, outside }): (&DiagramId, LandInClasses)| {
        let classes = map.iter().zip(classes);
        let classes = classes.map(|((name, _), area)| LandInClass { areatype: name.clone(), area_ha: hectares(area) });
        let evaluation = Some(classes.collect());
        ClassedLand { evaluation, outside_ha: Some(hectares(outside)), ..ClassedLand::without_map(*id, hectares(all)) }
    };
    Ok(ids.iter().zip(found).map(land).collect())
}

/// Returns the hectares of each diagram outside the study area's boundaries, or nothing if there are no boundaries.
fn outside(
    ids: &[DiagramId],
    diagrams: &BTreeMap<DiagramId, DiagramLand>,
    boundaries: &[Geometry],
) -> Result<BTreeMap<DiagramId, f64>, TooMuch> {
    if boundaries.is_empty() {
        return Ok(BTreeMap::new());
    }
    let (ids, areas) = (each_once(ids.iter()), boundaries.iter().collect::<Vec<_>>());
    let lands = lands(&ids, diagrams, &areas)?;
    let found = lands.in_classes(&lands.square_metres()[..ids.len()], &vec![0; areas.len()], 1);
    Ok(ids.into_iter().zip(found.into_iter().map(|land| hectares(land.outside))).collect())
}

fn area(diagram: &DiagramLand) -> Result<f64, TooMuch> {
    let geometry = Geometry::Collection(diagram.geometries.clone());
    let lands = Lands::of([Some(&geometry)], usize::MAX)?;
    Ok(lands.square_metres().into_iter().map(hectares).sum())
}

/// Returns a row for each diagram, and then one for each area of a map.
fn lands(ids: &[DiagramId], diagrams: &BTreeMap<DiagramId, DiagramLand>, map: &[&Geometry]) -> Result<Lands, TooMuch> {
    let own: Vec<Geometry> = ids.iter().map(|id| Geometry::Collection(diagrams[id].geometries.clone())).collect();
    Lands::of(own.iter().chain(map.iter().copied()).map(Some), own.len())
}

/// Returns the ids in order, each once.
fn each_once<'i>(ids: impl Iterator<Item = &'i DiagramId>) -> Vec<DiagramId> {
    ids.copied().collect::<BTreeSet<_>>().into_iter().collect()
}

fn hectares(square_metres: f64) -> f64 {
    Measure { square_metres, ..Measure::default() }.hectares()
}
