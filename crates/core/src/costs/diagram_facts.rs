//! Facts that pricing needs about each diagram: from the table of its features, and from an external diagram's file.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::{Array, Float64Array, Int64Array, RecordBatch, StringArray};

use crate::features::{FeatureCollection, RowProblem, fault_of};
use crate::model::{Bounds, CostOverride, Diagram, DiagramKind, ObjectText, Storeys};
use geodesign_geometry::{Geometry, InvalidGeometry, Measure, Measured, TooMuch, inside, read_wkb};

/// Facts that pricing needs about a diagram.
pub struct DiagramFacts {
    pub id: i64,
    /// The id of its system.
    pub system: Option<i64>,
    pub description: Option<String>,
    pub kind: Option<DiagramKind>,
    pub cost_override: CostOverride,
    /// Storeys of its buildings; `None` if nobody said.
    pub storeys: Option<Storeys>,
    /// Area and length of its geometry; nothing before [`measure_all`].
    pub measured: Measured,
    /// The reason why its geometry has no reliable area and length.
    pub area_problem: Option<&'static str>,
    /// The part of `measured` outside the study area, which does not count. `None` if all of it counts, or before [`count_inside`].
    pub outside: Option<Measure>,
    /// The service's own figure for the area, in square metres.
    pub service_area: Option<f64>,
    /// The service's own figure for the length, in kilometres.
    pub service_length: Option<f64>,
    /// The reason why its cost is unknown: a row lacks a value, or has a wrong one.
    pub problem: Option<String>,
    /// Rows of its features in the table.
    rows: Vec<usize>,
}

/// The facts of all diagrams, not measured yet, in the order of their first rows. Rows without a diagram id are
/// skipped.
pub fn read_diagrams(features: &FeatureCollection) -> Vec<DiagramFacts> {
    let table = features.table();
    let problems = problems_by_diagram(features.row_problems());
    let columns = DiagramColumns::of(&table.properties);
    let mut diagrams: Vec<DiagramFacts> = Vec::new();
    let mut index_by_id = HashMap::new();
    for row in 0..table.geometries.len() {
        let Some(id) = integer(columns.id, row) else { continue };
        let index = *index_by_id.entry(id).or_insert_with(|| {
            diagrams.push(DiagramFacts { problem: problems.get(&id).cloned(), ..columns.facts(id, row) });
            diagrams.len() - 1
        });
        let diagram = &mut diagrams[index];
        diagram.kind = diagram.kind.or_else(|| text(columns.area_type, row).and_then(DiagramKind::from_name));
        diagram.rows.push(row);
    }
    diagrams
}

/// Returns the row problems of each diagram that affect its cost: the first one, and the number of others.
fn problems_by_diagram(problems: &[RowProblem]) -> HashMap<i64, String> {
    let mut by_diagram: HashMap<i64, Vec<&str>> = HashMap::new();
    for RowProblem { diagram_id, reason, .. } in problems.iter().filter(|problem| problem.is_about_price) {
        if let Some(id) = diagram_id {
            by_diagram.entry(*id).or_default().push(reason);
        }
    }
    let joined = |reasons: Vec<&str>| match reasons.len() {
        1 => reasons[0].to_owned(),
        count => format!("{} (and {} more)", reasons[0], count - 1),
    };
    by_diagram.into_iter().map(|(id, reasons)| (id, joined(reasons))).collect()
}

/// Measures the diagrams, unless their rows were measured when they were parsed. A diagram's features are summed in the order of its rows.
pub fn measure_all(diagrams: &mut [DiagramFacts], features: &FeatureCollection) {
    let table = features.table();
    let geometry_of = |row: &usize| table.geometries.get(*row).and_then(read_wkb);
    let may_have_metres = features.bounds().is_some_and(|bounds| !is_in_degrees(bounds));
    let measure_row = |row: &usize| match &table.measures {
        Some(measures) => measures[*row],
        None => geometry_of(row).map_or(Measured::Nothing, |geometry| Measured::of(&geometry)),
    };
    for diagram in diagrams {
        for measured in diagram.rows.iter().map(measure_row) {
            diagram.measured += measured;
        }
        let geometries = || diagram.rows.iter().filter_map(geometry_of);
        let in_degrees = !may_have_metres || geometries().all(|geometry| is_all_in_degrees(&geometry));
        diagram.area_problem = area_problem(diagram.measured, in_degrees);
    }
}

/// Counts only the parts of diagrams inside the study area. `geometries` has those of each diagram.
pub fn count_inside(
    diagrams: &mut [DiagramFacts],
    geometries: &[Vec<Geometry>],
    study_area: &[Geometry],
) -> Result<(), TooMuch> {
    let is_cut = |diagram: &DiagramFacts| diagram.area_problem.is_none() && diagram.measured != Measured::Nothing;
    let cut: Vec<(&mut DiagramFacts, &Vec<Geometry>)> =
        diagrams.iter_mut().zip(geometries).filter(|(diagram, _)| is_cut(diagram)).collect();
    let all: Vec<&Geometry> = cut.iter().flat_map(|(_, own)| *own).collect();
    let mut found = inside(&all, study_area)?.into_iter();
    for (diagram, own) in cut {
        diagram.outside = Some(sum_of(found.by_ref().take(own.len()).map(|part| part.outside)));
    }
    Ok(())
}

/// Does the same for the rows of a table.
pub fn count_rows_inside(
    diagrams: &mut [DiagramFacts],
    features: &FeatureCollection,
    study_area: &[Geometry],
) -> Result<(), TooMuch> {
    let geometries = &features.table().geometries;
    let of_diagram = |diagram: &DiagramFacts| {
        diagram.rows.iter().filter_map(|row| geometries.get(*row).and_then(read_wkb)).collect()
    };
    let geometries: Vec<Vec<Geometry>> = diagrams.iter().map(of_diagram).collect();
    count_inside(diagrams, &geometries, study_area)
}

fn sum_of(measures: impl Iterator<Item = Measure>) -> Measure {
    let mut sum = Measure::default();
    measures.for_each(|measure| sum += measure);
    sum
}

/// Returns the reason why area and length are not reliable.
fn area_problem(measured: Measured, in_degrees: bool) -> Option<&'static str> {
    match measured {
        Measured::Nothing => None,
        _ if !in_degrees => {
            Some("its positions are not longitude and latitude in degrees: perhaps they are metres of another CRS")
        }
        Measured::AroundTheEarth => Some(AROUND_THE_EARTH),
        Measured::Known(measure) if is_noticeable(measure) => None,
        Measured::Known(_) => Some("its shapes have neither area nor length"),
    }
}

/// True if a measure is more than a drawing mistake or rounding.
pub fn is_noticeable(measure: Measure) -> bool {
    has_size(measure) || measure.pieces > 0
}

/// True if a measure's area or length is more than a drawing mistake or rounding.
pub fn has_size(measure: Measure) -> bool {
    measure.square_metres.max(measure.metres) > SMALLEST
}

/// Geometry of a feature, or its measure if pricing needs nothing else.
#[derive(Debug, Clone)]
pub enum FeatureSize {
    /// Result of [`reliable_measure`]: the geometry need not be read again.
    Known(Measure),
    /// `None` for a feature without a geometry.
    Geometry(Option<Geometry>),
}

/// Returns a geometry's area and length if pricing needs nothing else; `None` for points, positions in metres, shapes without a size, and shapes
/// around the whole Earth.
pub fn reliable_measure(geometry: &Geometry) -> Option<Measure> {
    match Measured::of(geometry) {
        Measured::Known(measure) if has_size(measure) && is_all_in_degrees(geometry) => Some(measure),
        _ => None,
    }
}

impl DiagramFacts {
    /// The facts of a diagram that is not in a table, with the geometries of its features in their order. `kind_of_features` applies if the
    /// diagram has no kind.
    pub fn of(diagram: &Diagram<ObjectText>, kind_of_features: Option<DiagramKind>, features: &[FeatureSize]) -> Self {
        let mut measured = Measured::Nothing;
        for feature in features {
            measured += match feature {
                FeatureSize::Known(measure) => Measured::Known(*measure),
                FeatureSize::Geometry(geometry) => geometry.as_ref().map_or(Measured::Nothing, Measured::of),
            };
        }
        let geometries = || {
            features.iter().filter_map(|feature| match feature {
                FeatureSize::Geometry(geometry) => geometry.as_ref(),
                FeatureSize::Known(_) => None,
            })
        };
        let kind = diagram.cost_override_type.as_deref().unwrap_or_default();
        let (cost_override, problem) = match CostOverride::from_wire(diagram.cost_override.unwrap_or(0.0), kind) {
            Ok(cost_override) => (cost_override, None),
            Err(problem) => (CostOverride::None, Some(problem.to_string())),
        };
        DiagramFacts {
            id: diagram.id.0,
            system: Some(diagram.sysid.0),
            description: diagram.description.clone(),
            kind: diagram.kind.as_deref().and_then(DiagramKind::from_name).or(kind_of_features),
            cost_override,
            storeys: diagram.building_data.as_ref().and_then(|data| Storeys::in_text(data.text())),
            measured,
            area_problem: area_problem(measured, geometries().all(is_all_in_degrees)),
            outside: None,
            service_area: diagram.area,
            service_length: diagram.length,
            problem,
            rows: Vec::new(),
        }
    }
}

pub const AROUND_THE_EARTH: &str = "one of its polygons goes around the whole Earth";
/// Smallest measure that counts, in square metres or metres. Anything smaller is a drawing mistake or rounding.
const SMALLEST: f64 = 1e-3;

/// True if the bounds are in degrees. Longitudes may run from 0 to 360.
fn is_in_degrees(bounds: Bounds) -> bool {
    let Bounds { west, south, east, north } = bounds;
    west.abs().max(east.abs()) <= 360.0 && south.abs().max(north.abs()) <= 90.0 + 1e-9
}

fn is_all_in_degrees(geometry: &Geometry) -> bool {
    let mut is_all = true;
    geometry.for_each_shape(&mut |shape| is_all &= Bounds::around(shape.lon_lats()).is_none_or(is_in_degrees));
    is_all
}

/// The columns that pricing reads. A column that is missing, or has another type than documented, is read as null.
struct DiagramColumns<'t> {
    id: Option<&'t Int64Array>,
    system: Option<&'t Int64Array>,
    description: Option<&'t StringArray>,
    kind: Option<&'t StringArray>,
    area_type: Option<&'t StringArray>,
    cost_override: Option<&'t Float64Array>,
    cost_override_type: Option<&'t StringArray>,
    building_data: Option<&'t StringArray>,
    area: Option<&'t Float64Array>,
    length: Option<&'t Float64Array>,
}

impl<'t> DiagramColumns<'t> {
    fn of(properties: &'t RecordBatch) -> Self {
        let integers = |name| properties.column_by_name(name)?.as_primitive_opt();
        let numbers = |name| properties.column_by_name(name)?.as_primitive_opt();
        let texts = |name| properties.column_by_name(name)?.as_string_opt();
        DiagramColumns {
            id: integers("diagramid"),
            system: integers("sysid"),
            description: texts("description"),
            kind: texts("type"),
            area_type: texts("areatype"),
            cost_override: numbers("cost_override"),
            cost_override_type: texts("cost_override_type"),
            building_data: texts("building_data"),
            area: numbers("area"),
            length: numbers("length"),
        }
    }

    fn facts(&self, id: i64, row: usize) -> DiagramFacts {
        let amount = number(self.cost_override, row).unwrap_or(0.0);
        DiagramFacts {
            id,
            system: integer(self.system, row),
            description: text(self.description, row).map(str::to_owned),
            kind: text(self.kind, row).and_then(DiagramKind::from_name),
            cost_override: CostOverride::from_wire(amount, text(self.cost_override_type, row).unwrap_or_default())
                // The collection names it as a problem.
                .unwrap_or(CostOverride::None),
            storeys: text(self.building_data, row).and_then(Storeys::in_text),
            measured: Measured::Nothing,
            area_problem: None,
            outside: None,
            service_area: number(self.area, row),
            service_length: number(self.length, row),
            problem: None,
            rows: Vec::new(),
        }
    }
}

fn integer(column: Option<&Int64Array>, row: usize) -> Option<i64> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

fn number(column: Option<&Float64Array>, row: usize) -> Option<f64> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

fn text(column: Option<&StringArray>, row: usize) -> Option<&str> {
    column.filter(|column| column.is_valid(row)).map(|column| column.value(row))
}

/// Contents of external diagrams' files, or the reasons why they could not be opened, by diagram id.
pub type OpenedFiles = HashMap<i64, Result<OpenedFile, String>>;

/// Content of an external diagram's file.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedFile {
    /// Area and length of all its geometries together.
    pub measured: Measured,
    /// The part of `measured` outside the study area, which does not count; `None` if all of it counts.
    pub outside: Option<Measure>,
    /// The reason why a geometry is not valid; `None` if all are valid, or if they were not checked.
    pub geometry_problem: Option<String>,
}

impl OpenedFile {
    /// A file with these geometries, which are in longitude and latitude.
    pub fn new(geometries: &[Geometry], check: bool) -> Self {
        let mut measured = Measured::Nothing;
        geometries.iter().for_each(|geometry| measured += Measured::of(geometry));
        let faults = geometries.iter().filter(|_| check).filter_map(fault_of);
        let geometry_problem = geometry_problem(&faults.collect::<Vec<InvalidGeometry>>());
        OpenedFile { measured, outside: None, geometry_problem }
    }

    /// Counts only the parts of the same geometries inside the study area.
    pub fn counted_inside(self, geometries: &[Geometry], study_area: &[Geometry]) -> Result<Self, TooMuch> {
        let found = inside(&geometries.iter().collect::<Vec<_>>(), study_area)?;
        Ok(OpenedFile { outside: Some(sum_of(found.into_iter().map(|part| part.outside))), ..self })
    }
}

/// Returns the first fault among a diagram's features, and the number of other features with a fault.
pub fn geometry_problem(faults: &[InvalidGeometry]) -> Option<String> {
    let (first, others) = faults.split_first()?;
    match others.len() {
        0 => Some(first.to_string()),
        1 => Some(format!("{first} (and 1 other feature)")),
        count => Some(format!("{first} (and {count} other features)")),
    }
}
