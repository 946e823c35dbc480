//! The effects of adding a drawing, computed from the land around it in the database.

use geodesign::costs::{Price, is_noticeable, price};
use geodesign::model::{
    CostOverride, DiagramId, DiagramKind, DrawingFault, DrawnFeatures, DrawnGeometry, EvaluatedPart, InvalidDiagram,
    InvalidDrawing, LandConflict, Preview, PreviewedDrawing, StudyArea, SystemId,
};
use geodesign_geometry::{Geometry, InvalidGeometry, MIN_SHARED, Measure, Region, SharedWithDrawing, total};

/// The land around a drawing, from the database.
pub struct Surroundings {
    /// Money per hectare or kilometre.
    pub system_cost: Option<f64>,
    pub study_area: Option<StudyArea>,
    /// The classes of the evaluation map of the system, each with its areas.
    pub evaluation: Vec<(String, Vec<Geometry>)>,
    /// The projects that it may conflict with.
    pub projects: Vec<ClaimedLand>,
}

/// A project with its geometries.
pub struct ClaimedLand {
    pub id: DiagramId,
    pub system: SystemId,
    pub description: String,
    pub geometries: Vec<Geometry>,
}

const SQUARE_METRES_PER_HECTARE: f64 = 10_000.0;

/// Returns the drawing if it can be added as it is, or else its faults.
pub fn drawn(drawing: &PreviewedDrawing) -> Result<DrawnFeatures, Vec<DrawingFault>> {
    let (mut geometries, mut faults) = (Vec::new(), Vec::new());
    for (index, feature) in drawing.geometry.features.iter().enumerate() {
        let mut fault = |reason: String, code: Option<&str>, position| {
            faults.push(DrawingFault { feature: Some(index), reason, code: code.map(str::to_owned), position });
        };
        match feature.geometry.0.as_ref().map(DrawnGeometry::new) {
            Some(Ok(geometry)) => geometries.push(geometry),
            Some(Err(problem @ InvalidDrawing::Geometry(_))) => {
                let InvalidDrawing::Geometry(found) = &problem else { continue };
                let crosses_itself = matches!(found, InvalidGeometry::CrossesItself { .. }).then_some("crosses_itself");
                fault(problem.to_string(), crosses_itself, found.position());
            }
            Some(Err(problem)) => fault(problem.to_string(), None, None),
            None => fault("it has no geometry; leave it out".into(), None, None),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let features = DrawnFeatures::from_geometries(geometries);
    let about_several = |feature: Option<usize>, problem: &InvalidDiagram| {
        let geometry = feature.map(|feature| features.features[feature].geometry.geometry());
        let position = geometry.and_then(|geometry| first_position(&geometry));
        vec![DrawingFault { feature, reason: problem.to_string(), code: None, position }]
    };
    if let Err(problem) = features.feature_type() {
        let feature = if let InvalidDiagram::MixedFeatureTypes { other, .. } = problem { Some(other) } else { None };
        return Err(about_several(feature, &problem));
    }
    if let Some((first, other)) = features.same_land() {
        return Err(about_several(Some(other), &InvalidDiagram::SameLand { first, other }));
    }
    Ok(features)
}

fn first_position(geometry: &Geometry) -> Option<[f64; 2]> {
    let mut first = None;
    geometry.for_each_shape(&mut |shape| first = first.or_else(|| shape.lon_lats().next()));
    first.map(|(longitude, latitude)| [longitude, latitude])
}

/// Returns the effects of adding a drawing without faults.
pub fn preview(drawn: &DrawnFeatures, kind: DiagramKind, surroundings: &Surroundings) -> Preview {
    let Surroundings { system_cost, study_area, evaluation, projects } = surroundings;
    let measure = drawn.measure();
    let Price { rate, cost, .. } =
        price(Some(kind), CostOverride::None, *system_cost, Some(measure).filter(|own| is_noticeable(*own)));
    let geometries: Vec<Geometry> = drawn.features.iter().map(|feature| feature.geometry.geometry()).collect();
    let claims: &[ClaimedLand] = if kind == DiagramKind::Project { projects } else { &[] };
    let lands: Vec<&[Geometry]> = claims.iter().map(|claim| claim.geometries.as_slice()).collect();
    let classes: Vec<&[Geometry]> = evaluation.iter().map(|(_, areas)| areas.as_slice()).collect();
    let shared = match SharedWithDrawing::of(&geometries, &lands, &classes) {
        Ok(shared) => shared,
        Err(too_much) => {
            let fault = DrawingFault { feature: None, reason: too_much.to_string(), code: None, position: None };
            return Preview { faults: vec![fault], ..Preview::default() };
        }
    };
    let evaluation = evaluation.iter().zip(shared.classes).map(|((areatype, areas), square_metres)| EvaluatedPart {
        areatype: areatype.clone(),
        area_ha: square_metres / SQUARE_METRES_PER_HECTARE,
        length_km: in_areas(drawn, &geometries, areas, Measure::kilometres),
        pieces: in_areas(drawn, &geometries, areas, |measure| measure.pieces as f64).round() as i64,
    });
    let evaluation = evaluation.collect();
    let claimed = claims.iter().zip(shared.lands).filter(|(_, square_metres)| *square_metres >= MIN_SHARED);
    let conflicts = claimed.map(|(claim, square_metres)| LandConflict {
        diagramid: claim.id,
        sysid: claim.system,
        description: Some(claim.description.clone()),
        area_ha: square_metres / SQUARE_METRES_PER_HECTARE,
    });
    let conflicts = conflicts.collect();
    let all = Some(shared.together).filter(|square_metres| *square_metres >= MIN_SHARED).unwrap_or_default();
    Preview {
        faults: Vec::new(),
        area_ha: Some(measure.hectares()),
        length_km: Some(measure.kilometres()),
        pieces: Some(measure.pieces as i64),
        rate,
        cost,
        share_outside: study_area.as_ref().map(|land| share_outside(drawn, land)),
        evaluation,
        conflicts_ha: Some(all / SQUARE_METRES_PER_HECTARE),
        conflicts,
        good_land: None,
    }
}

/// Returns the size of a geometry, in square metres, in metres or in points: a drawing has one of the three.
fn size(measure: Measure) -> f64 {
    measure.square_metres + measure.metres + measure.pieces as f64
}

fn share_outside(drawn: &DrawnFeatures, land: &StudyArea) -> f64 {
    let outside = drawn
        .features
        .iter()
        .map(|feature| size(feature.geometry.measure()) * land.share_outside(&feature.geometry).unwrap_or(1.0));
    let whole = size(drawn.measure());
    if whole > 0.0 { (total(outside) / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the size of lines or of points within areas.
fn in_areas(drawn: &DrawnFeatures, geometries: &[Geometry], areas: &[Geometry], size: fn(Measure) -> f64) -> f64 {
    if size(drawn.measure()) == 0.0 {
        return 0.0;
    }
    let Some(land) = Region::of(areas) else { return 0.0 };
    let features = drawn.features.iter().zip(geometries);
    total(features.map(|(feature, geometry)| size(feature.geometry.measure()) * land.shared_with(geometry).share))
}
