//! The effects of adding a drawing, computed from the land around it in the database.

use geodesign::costs::{Floor, OutsideLand, Price, amounts, counted, is_noticeable, price};
use geodesign::model::{
    CostOverride, DiagramId, DiagramKind, DrawingFault, DrawnFeatures, DrawnGeometry, EvaluatedPart, InvalidDiagram,
    InvalidDrawing, LandConflict, OnConstraints, Preview, PreviewedDrawing, Quantities, Storeys, StudyArea, SystemId,
    check_drawn,
};
use geodesign_geometry::{
    Geometry, InvalidGeometry, MIN_SHARED, Measure, Region, SQUARE_METRES_PER_HECTARE, SharedWithDrawing, TooMuch,
    inside, total,
};

/// The land around a drawing, from the database.
pub struct Surroundings {
    /// Money per hectare or kilometre.
    pub system_cost: Option<f64>,
    /// Quantities that the system's projects bring.
    pub quantities: Quantities,
    pub study_area: Option<StudyArea>,
    /// The polygons of the study area, if only land inside counts.
    pub boundaries: Vec<Geometry>,
    /// The classes of the evaluation map of the system, each with its areas.
    pub evaluation: Vec<(String, Vec<Geometry>)>,
    /// The projects that it may conflict with.
    pub projects: Vec<ClaimedLand>,
    /// The areas where nothing can change.
    pub constraints: Vec<Geometry>,
    /// True if drawings on constraints are refused.
    pub refuses: bool,
}

/// A project with its geometries.
pub struct ClaimedLand {
    pub id: DiagramId,
    pub system: SystemId,
    pub description: String,
    pub geometries: Vec<Geometry>,
}

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
        let position = match problem {
            InvalidDiagram::SamePlace(place) => Some(*place),
            _ => geometry.and_then(|geometry| first_position(&geometry)),
        };
        vec![DrawingFault { feature, reason: problem.to_string(), code: None, position }]
    };
    if let Err(problem) = check_drawn(&features) {
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
pub fn preview(drawn: &DrawnFeatures, asked: &PreviewedDrawing, surroundings: &Surroundings) -> Preview {
    compared(drawn, asked, surroundings).unwrap_or_else(|too_much| {
        let fault = DrawingFault { feature: None, reason: too_much.to_string(), code: None, position: None };
        Preview { faults: vec![fault], ..Preview::default() }
    })
}

fn compared(
    drawn: &DrawnFeatures,
    &PreviewedDrawing { kind, land, ref building_data, .. }: &PreviewedDrawing,
    surroundings: &Surroundings,
) -> Result<Preview, TooMuch> {
    let Surroundings { system_cost, quantities, study_area, boundaries, .. } = surroundings;
    let Surroundings { evaluation, projects, constraints, refuses, .. } = surroundings;
    let whole: Vec<Geometry> = drawn.features.iter().map(|feature| feature.geometry.geometry()).collect();
    let on_constraints = OnConstraints::of(&whole, constraints)?;
    let refused = on_constraints.filter(|part| *refuses && part.is_any());
    let part = if land.is_all() { None } else { Some(part_inside(&whole, boundaries)?) };
    let (geometries, outside) = part.map_or((whole, None), |(inside, outside)| (inside, Some(outside)));
    let whole = drawn.measure();
    let measure = outside.map_or(whole, |outside| counted(whole, outside));
    let Price { rate, rate_source, cost } =
        price(Some(kind), CostOverride::None, *system_cost, is_noticeable(whole).then_some(measure));
    let storeys = building_data.as_ref().and_then(|data| Storeys::of(data).ok().flatten());
    let floor = Floor::of(Some(kind), storeys, Some(measure));
    let claims: &[ClaimedLand] = if kind == DiagramKind::Project { projects } else { &[] };
    let lands: Vec<&[Geometry]> = claims.iter().map(|claim| claim.geometries.as_slice()).collect();
    let classes: Vec<&[Geometry]> = evaluation.iter().map(|(_, areas)| areas.as_slice()).collect();
    let shared = SharedWithDrawing::of(&geometries, &lands, &classes)?;
    let evaluation = evaluation.iter().zip(shared.classes).map(|((areatype, areas), square_metres)| EvaluatedPart {
        areatype: areatype.clone(),
        area_ha: square_metres / SQUARE_METRES_PER_HECTARE,
        length_km: in_areas(measure, &geometries, areas, Measure::kilometres),
        pieces: in_areas(measure, &geometries, areas, |measure| measure.pieces as f64).round() as i64,
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
    Ok(Preview {
        faults: refused.map(|part| refusal(&part)).into_iter().collect(),
        area_ha: Some(measure.hectares()),
        floor_m2: floor.map(|floor| floor.above_m2 + floor.below_m2),
        quantities: amounts(quantities, Some(kind), floor, Some(measure)),
        length_km: Some(measure.kilometres()),
        pieces: Some(measure.pieces as i64),
        rate,
        cost,
        share_outside: study_area.as_ref().map(|land| share_outside(drawn, land)),
        evaluation,
        conflicts_ha: Some(all / SQUARE_METRES_PER_HECTARE),
        conflicts,
        good_land: None,
        constraints: on_constraints,
        outside: (!land.is_all()).then(|| OutsideLand::of(Some(whole), outside, rate_source)),
    })
}

/// Returns the parts of a drawing inside the study area, and the size of the parts outside.
fn part_inside(drawing: &[Geometry], boundaries: &[Geometry]) -> Result<(Vec<Geometry>, Measure), TooMuch> {
    let mut outside = Measure::default();
    let found = inside(&drawing.iter().collect::<Vec<_>>(), boundaries)?;
    found.iter().for_each(|part| outside += part.outside);
    Ok((found.into_iter().map(|part| part.geometry).collect(), outside))
}

fn refusal(part: &OnConstraints) -> DrawingFault {
    DrawingFault { feature: None, reason: part.refusal(), code: Some("on_constraints".to_owned()), position: None }
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
fn in_areas(measure: Measure, drawing: &[Geometry], areas: &[Geometry], size: fn(Measure) -> f64) -> f64 {
    if size(measure) == 0.0 {
        return 0.0;
    }
    let Some(land) = Region::of(areas) else { return 0.0 };
    let sizes = drawing.iter().map(|part| (part, size(Measure::of(part).unwrap_or_default())));
    // What is all outside the study area has no share of anything.
    total(sizes.filter(|(_, size)| *size > 0.0).map(|(part, size)| size * land.shared_with(part).share))
}
