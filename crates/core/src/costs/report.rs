//! The report: a row for each diagram, summed to a row for each system, summed to the total; also as Arrow tables, whose columns are
//! the fields of the rows in the same order.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diagram_facts::{
    AROUND_THE_EARTH, DiagramFacts, OpenedFiles, count_rows_inside, geometry_problem, measure_all, read_diagrams,
};
use super::inside::{CountedLand, OutsideLand, counted};
use super::quantities::{Amounts, Floor, SystemAmount, amounts, sums, targets};
use super::rules::{AreaSource, AtAreaRate, Price, RateSource, RateUnit, price};
use crate::features::{FeatureCollection, ListedSystems, SystemLabel};
use crate::model::{CostOverride, DesignId, DiagramKind, ProjectInfo, SystemDetail, TeamId};
use geodesign_geometry::{Geometry, InvalidGeometry, Measure, Measured, SQUARE_METRES_PER_HECTARE, TooMuch, total};

/// Costs of diagrams and their origin. Money is in the project's currency. Unknown figures are `None`, and are counted.
#[derive(Debug, Clone)]
pub struct CostReport {
    /// One row for each system of the project, even if none of its diagrams is priced.
    pub systems: Vec<SystemCost>,
    /// One row for each priced diagram.
    pub diagrams: Vec<DiagramCost>,
    /// True if the geometries were [checked](Self::check).
    pub checked: bool,
    /// The features of all diagrams of the project, priced or not.
    pub features: FeatureCollection,
    /// Subject of the report, for titles of pictures and pages.
    pub subject: ReportSubject,
}

/// Cost of a system's priced diagrams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SystemCost {
    pub sysid: i64,
    pub name: String,
    pub color: Option<String>,
    /// The number of priced diagrams: projects and policies.
    pub diagrams: i64,
    /// The number of priced projects. A diagram of unknown kind counts as a project.
    pub projects: i64,
    /// The number of priced policies.
    pub policies: i64,
    /// Hectares of all diagrams whose area is known, policies included.
    pub area_ha: f64,
    /// Kilometres of lines in all diagrams whose length is known, policies included.
    pub length_km: f64,
    /// The number of points in all diagrams, policies included.
    #[serde(default)]
    pub pieces: i64,
    /// The sum of all known costs, in the project's currency.
    pub cost: f64,
    /// The number of diagrams whose cost is unknown, and therefore not part of `cost`.
    pub unpriced: i64,
    /// The number of diagrams that the system should set a rate for and does not: their cost is null or 0.
    pub without_rate: i64,
    /// The number of lines, without any area, that are priced per kilometre at the rate per hectare.
    pub lines_at_area_rate: i64,
    /// The number of diagrams of points only that are priced by the piece at the rate per hectare.
    #[serde(default)]
    pub points_at_area_rate: i64,
    /// The budget in the project's currency; `None` if the service has none, or 0, which means none.
    pub budget: Option<f64>,
    /// `budget` − `cost`; negative if the system is over budget.
    pub budget_left: Option<f64>,
    /// True if the budget is kept. `None` without a budget, without diagrams, or if an unknown cost may decide.
    pub budget_met: Option<bool>,
    /// Hectares that the system covers today.
    pub current_ha: Option<f64>,
    /// Hectares that the system should cover. `None` if the service has no target, or 0, which means none.
    pub target_ha: Option<f64>,
    /// `target_ha` − `current_ha` − `area_ha`, or 0 if the target is met.
    pub target_left_ha: Option<f64>,
    /// True if `current_ha` and `area_ha` together reach `target_ha`. `None` if there is no target, or if an unknown area may decide.
    pub target_met: Option<bool>,
    /// Square metres of floor of all projects whose storeys and area are known, above the ground and below.
    #[serde(default)]
    pub floor_m2: f64,
    /// Its quantities, such as homes, by name. Absent without any.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub quantities: BTreeMap<String, SystemAmount>,
}

/// Cost of a diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiagramCost {
    pub diagramid: i64,
    /// The id of the diagram's system, which the project may not list.
    pub sysid: Option<i64>,
    pub description: Option<String>,
    /// `None` if the service gives no kind; the diagram is then priced as a project.
    pub kind: Option<DiagramKind>,
    /// Hectares; `None` if unknown.
    pub area_ha: Option<f64>,
    /// The origin of `area_ha`, `length_km` and `pieces`.
    pub area_source: AreaSource,
    /// The service's own figures as it wrote them, with their units, such as `120000 m²`. `None` if they were not used.
    pub area_figure: Option<String>,
    /// The reason why area and length are unknown; `None` if they are known.
    pub area_problem: Option<String>,
    /// Kilometres of lines; `None` if unknown.
    pub length_km: Option<f64>,
    /// The number of points; `None` if unknown.
    #[serde(default)]
    pub pieces: Option<i64>,
    /// Money per hectare; per kilometre if `area_ha` is 0, and for each piece if `length_km` is 0, too. `None` if the cost does not follow
    /// from a rate, or if the system that should set the rate has none.
    pub rate: Option<f64>,
    pub rate_source: RateSource,
    /// Cost in the project's currency. `None` if it is unknown: there is no rate, the area is unknown, or a value of the diagram is wrong
    /// or could not be read.
    pub cost: Option<f64>,
    /// The reason why the cost is unknown; `None` if it is known.
    pub cost_problem: Option<String>,
    /// The reason why the geometry is not valid, so that area and cost may be wrong. `None` if it is valid, or was not
    /// [checked](CostReport::check).
    pub geometry_problem: Option<String>,
    /// The reason why an external diagram's file could not be opened. `None` if it was opened, or not tried.
    pub file_problem: Option<String>,
    /// Square metres of floor above the ground: its area on each storey. `None` if its storeys or its area are unknown; 0 for policies,
    /// lines and points.
    #[serde(default)]
    pub floor_above_m2: Option<f64>,
    /// Square metres of floor below the ground.
    #[serde(default)]
    pub floor_below_m2: Option<f64>,
    /// Amounts of its system's quantities, such as homes, by name; null if an amount is unknown. Absent if the system has none.
    #[serde(default, skip_serializing_if = "Amounts::is_empty")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub quantities: Amounts,
    /// The part outside the study area, if only land inside counts.
    #[serde(flatten)]
    pub outside: Option<OutsideLand>,
}

impl DiagramCost {
    /// True if the diagram is priced by its system's rate, and the system has none: its cost is null or 0.
    pub fn is_without_rate(&self) -> bool {
        self.rate_source == RateSource::System && self.rate.unwrap_or(0.0) == 0.0
    }

    /// The unit that its rate is for.
    pub fn unit(&self) -> RateUnit {
        let outside = self.outside.as_ref();
        let outside_ha = outside.and_then(|outside| outside.outside_ha).unwrap_or(0.0);
        let outside_km = outside.and_then(|outside| outside.outside_km).unwrap_or(0.0);
        match (self.area_ha, self.length_km) {
            (Some(0.0), Some(0.0)) if outside_ha == 0.0 && outside_km == 0.0 && self.has_points() => RateUnit::Piece,
            (Some(0.0), _) if outside_ha == 0.0 => RateUnit::Kilometre,
            _ => RateUnit::Hectare,
        }
    }

    fn has_points(&self) -> bool {
        let outside = self.outside.as_ref().and_then(|outside| outside.outside_pieces);
        self.pieces.unwrap_or(0) + outside.unwrap_or(0) > 0
    }

    /// True if the rate of its system, which is per hectare, prices it by another unit. Overrides do not count: they may be per this unit.
    pub fn is_at_area_rate_per(&self, unit: RateUnit) -> bool {
        self.rate_source == RateSource::System && self.unit() == unit && self.rate.is_some_and(|rate| rate != 0.0)
    }

    /// Its size that counts; unknown sizes are 0.
    pub(super) fn counted(&self) -> Measure {
        let [area, length] = [self.area_ha, self.length_km].map(Option::unwrap_or_default);
        let pieces = self.pieces.unwrap_or_default().unsigned_abs();
        Measure { pieces, ..Measure::from_wire(area * SQUARE_METRES_PER_HECTARE, length) }
    }

    /// The quantity that its rate multiplies: hectares, kilometres or pieces. `None` if it is unknown.
    pub fn extent(&self) -> Option<f64> {
        match self.unit() {
            RateUnit::Hectare => self.area_ha,
            RateUnit::Kilometre => self.length_km,
            RateUnit::Piece => self.pieces.map(|pieces| pieces as f64),
        }
    }
}

impl CostReport {
    /// Prices all diagrams of a project, or only those with the `selected` ids.
    pub fn new(
        systems: &[SystemDetail],
        diagrams: &FeatureCollection,
        selected: Option<&HashSet<i64>>,
    ) -> Result<Self, CostError> {
        CostReport::with_files(systems, diagrams, selected, &OpenedFiles::new())
    }

    /// Like [`new`](Self::new); diagrams without a geometry are priced by the content of their files.
    pub fn with_files(
        systems: &[SystemDetail],
        diagrams: &FeatureCollection,
        selected: Option<&HashSet<i64>>,
        files: &OpenedFiles,
    ) -> Result<Self, CostError> {
        CostReport::within(None, systems, diagrams, selected, files)
    }

    /// Does the same. If a study area is given, only land inside counts.
    pub fn within(
        study_area: Option<&[Geometry]>,
        systems: &[SystemDetail],
        diagrams: &FeatureCollection,
        selected: Option<&HashSet<i64>>,
        files: &OpenedFiles,
    ) -> Result<Self, CostError> {
        let features = diagrams.clone().with_labels(systems.iter().map(SystemLabel::from));
        let mut facts = read_diagrams(diagrams);
        if let Some(selected) = selected {
            check_all_exist(selected, &facts)?;
            facts.retain(|diagram| selected.contains(&diagram.id));
        }
        measure_all(&mut facts, diagrams);
        if let Some(study_area) = study_area {
            count_rows_inside(&mut facts, diagrams, study_area)?;
        }
        let land = if study_area.is_some() { CountedLand::Inside } else { CountedLand::All };
        let (systems, diagrams) = price_all(systems, facts, files, land);
        let subject = ReportSubject { land, ..ReportSubject::default() };
        Ok(CostReport { systems, diagrams, checked: false, features, subject })
    }

    /// Returns the same report with its subject.
    pub fn with_subject(self, subject: ReportSubject) -> Self {
        CostReport { subject: ReportSubject { land: self.subject.land, ..subject }, ..self }
    }

    /// The land that counts.
    pub fn land(&self) -> CountedLand {
        self.subject.land
    }

    /// The number of diagrams that lie partly or completely outside the study area, where only land inside counts.
    pub fn outside(&self) -> i64 {
        let is_outside = |land: &OutsideLand| land.outside_ha.is_some() && land.outside_note.is_some();
        self.diagrams.iter().filter(|diagram| diagram.outside.as_ref().is_some_and(is_outside)).count() as i64
    }

    /// The number of diagrams that count as a whole because they could not be cut at the study area.
    pub fn uncut(&self) -> i64 {
        let is_uncut = |land: &OutsideLand| land.outside_ha.is_none() && land.outside_note.is_some();
        self.diagrams.iter().filter(|diagram| diagram.outside.as_ref().is_some_and(is_uncut)).count() as i64
    }

    /// The cost of all systems together: the sum of all known costs.
    pub fn total(&self) -> f64 {
        total(self.systems.iter().map(|system| system.cost))
    }

    /// The number of diagrams whose cost is unknown, and therefore not part of the [total](Self::total).
    pub fn unpriced(&self) -> i64 {
        self.diagrams.iter().filter(|diagram| diagram.cost.is_none()).count() as i64
    }

    /// The diagrams without a cost because one of their values is wrong or could not be read.
    pub fn bad_rows(&self) -> impl Iterator<Item = &DiagramCost> {
        self.diagrams.iter().filter(|diagram| diagram.rate_source == RateSource::Unknown)
    }

    /// The number of external diagrams whose file could not be opened.
    pub fn unopened(&self) -> i64 {
        self.diagrams.iter().filter(|diagram| diagram.file_problem.is_some()).count() as i64
    }

    /// The number of diagrams whose system should set the rate and has none: their cost is null or 0.
    pub fn without_rate(&self) -> i64 {
        self.systems.iter().map(|system| system.without_rate).sum()
    }

    /// The number of lines, without any area, that are priced per kilometre at their systems' rates per hectare.
    pub fn lines_at_area_rate(&self) -> i64 {
        self.systems.iter().map(|system| system.lines_at_area_rate).sum()
    }

    /// The number of diagrams of points only that are priced by the piece at their systems' rates per hectare.
    pub fn points_at_area_rate(&self) -> i64 {
        self.systems.iter().map(|system| system.points_at_area_rate).sum()
    }

    /// True if a system's diagrams have points: then tables have a column for their number.
    pub fn has_points(&self) -> bool {
        self.systems.iter().any(|system| system.pieces > 0)
    }

    /// The diagrams of lines only and those of points only that are priced at rates per hectare, if any.
    pub fn at_area_rates(&self) -> impl Iterator<Item = AtAreaRate> {
        AtAreaRate::of(self.lines_at_area_rate(), self.points_at_area_rate())
    }
}

/// The rows of the systems and of the diagrams.
fn price_all(
    systems: &[SystemDetail],
    diagrams: Vec<DiagramFacts>,
    files: &OpenedFiles,
    land: CountedLand,
) -> (Vec<SystemCost>, Vec<DiagramCost>) {
    let by_id: HashMap<i64, &SystemDetail> = systems.iter().map(|system| (system.item.id.0, system)).collect();
    let listed = ListedSystems::new(by_id.keys().copied());
    let priced = diagrams.into_iter().map(|diagram| {
        let unlisted = listed.problem_of(diagram.system);
        price_diagram(diagram, &by_id, unlisted, files, land)
    });
    let diagrams: Vec<DiagramCost> = priced.collect();
    (sum_systems(systems.iter().map(SystemAims::of), &diagrams), diagrams)
}

/// The report as a service sends it: without features, with all sums. Unknown figures are null, and are counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CostFigures {
    #[serde(flatten)]
    pub subject: ReportSubject,
    /// The sum of all known costs, in the project's currency.
    pub total: f64,
    /// The number of diagrams whose cost is unknown, and therefore not part of `total`.
    pub unpriced: i64,
    /// The number of diagrams whose system should set the rate and has none: their cost is null or 0.
    pub without_rate: i64,
    /// The number of lines, without any area, that are priced per kilometre at their systems' rates per hectare.
    pub lines_at_area_rate: i64,
    /// The number of diagrams of points only that are priced by the piece at their systems' rates per hectare.
    #[serde(default)]
    pub points_at_area_rate: i64,
    /// One row for each system of the project, even if none of its diagrams is priced.
    pub systems: Vec<SystemCost>,
    /// One row for each priced diagram.
    pub diagrams: Vec<DiagramCost>,
}

impl CostFigures {
    /// Prices these diagrams. The files of external ones are not opened.
    pub fn new(systems: &[SystemDetail], diagrams: Vec<DiagramFacts>, subject: ReportSubject) -> Self {
        let (systems, diagrams) = price_all(systems, diagrams, &OpenedFiles::new(), subject.land);
        CostFigures {
            subject,
            total: total(systems.iter().map(|system| system.cost)),
            unpriced: diagrams.iter().filter(|diagram| diagram.cost.is_none()).count() as i64,
            without_rate: systems.iter().map(|system| system.without_rate).sum(),
            lines_at_area_rate: systems.iter().map(|system| system.lines_at_area_rate).sum(),
            points_at_area_rate: systems.iter().map(|system| system.points_at_area_rate).sum(),
            systems,
            diagrams,
        }
    }
}

fn check_all_exist(selected: &HashSet<i64>, diagrams: &[DiagramFacts]) -> Result<(), CostError> {
    let known: HashSet<i64> = diagrams.iter().map(|diagram| diagram.id).collect();
    let mut unknown: Vec<i64> = selected.difference(&known).copied().collect();
    unknown.sort_unstable();
    if unknown.is_empty() { Ok(()) } else { Err(CostError::UnknownDiagrams(unknown)) }
}

fn price_diagram(
    diagram: DiagramFacts,
    systems: &HashMap<i64, &SystemDetail>,
    unlisted: Option<String>,
    files: &OpenedFiles,
    land: CountedLand,
) -> DiagramCost {
    let system = diagram.system.and_then(|id| systems.get(&id));
    let (file, file_problem) = match files.get(&diagram.id) {
        Some(Ok(file)) => (Some(file), None),
        Some(Err(problem)) => (None, Some(problem.clone())),
        None => (None, None),
    };
    let in_file = file.map_or(Measured::Nothing, |file| file.measured);
    let (whole, area_source) = match (diagram.measured, in_file, service_measure(&diagram)) {
        _ if diagram.area_problem.is_some() => (None, AreaSource::Unknown),
        (Measured::Known(measure), ..) => (Some(measure), AreaSource::Geometry),
        (Measured::Nothing, Measured::Known(measure), _) => (Some(measure), AreaSource::External),
        (Measured::Nothing, Measured::Nothing, Some(figures)) => (Some(figures), AreaSource::Service),
        _ => (None, AreaSource::Unknown),
    };
    let no_figures = || match in_file {
        Measured::AroundTheEarth => AROUND_THE_EARTH,
        _ => "it has no geometry here, and its service gives no area",
    };
    let outside = match area_source {
        AreaSource::Geometry => diagram.outside,
        AreaSource::External => file.and_then(|file| file.outside),
        AreaSource::Service | AreaSource::Unknown => None,
    };
    let measure = whole.map(|whole| outside.map_or(whole, |outside| counted(whole, outside)));
    let area_problem = measure.is_none().then(|| diagram.area_problem.unwrap_or_else(no_figures).to_owned());
    let area_figure = (area_source == AreaSource::Service).then(|| service_figure(&diagram));
    let wrong = match system {
        None => diagram.problem.clone().or(unlisted),
        Some(_) => diagram.problem.clone().or_else(|| unit_problem(diagram.cost_override, whole)),
    };
    let system_cost = system.and_then(|system| system.cost);
    let Price { rate, rate_source, cost } = price(diagram.kind, diagram.cost_override, system_cost, measure);
    // A row that is partly wrong gets no amount.
    let (rate, rate_source, cost) = match wrong {
        Some(_) => (None, RateSource::Unknown, None),
        None => (rate, rate_source, cost),
    };
    let floor = Floor::of(diagram.kind, diagram.storeys, measure);
    let cost_problem = wrong.or_else(|| unpriced_because(cost, rate, area_problem.as_deref()));
    DiagramCost {
        diagramid: diagram.id,
        sysid: diagram.system,
        description: diagram.description,
        kind: diagram.kind,
        area_ha: measure.map(|measure| measure.hectares()),
        area_source,
        area_figure,
        area_problem,
        length_km: measure.map(|measure| measure.kilometres()),
        pieces: measure.map(|measure| measure.pieces as i64),
        rate,
        rate_source,
        cost,
        cost_problem,
        geometry_problem: file.and_then(|file| file.geometry_problem.clone()),
        file_problem,
        floor_above_m2: floor.map(|floor| floor.above_m2),
        floor_below_m2: floor.map(|floor| floor.below_m2),
        quantities: system.map(|system| amounts(&system.quantities, diagram.kind, floor, measure)).unwrap_or_default(),
        outside: (land == CountedLand::Inside).then(|| OutsideLand::of(whole, outside, rate_source)),
    }
}

/// Returns the reason why a cost is unknown although the diagram has no problem.
pub(super) fn unpriced_because(cost: Option<f64>, rate: Option<f64>, area_problem: Option<&str>) -> Option<String> {
    match (cost, rate) {
        (Some(_), _) => None,
        (None, None) => Some("its system has no cost per hectare".to_owned()),
        (None, Some(_)) => Some(format!("its area is not known: {}", area_problem.unwrap_or_default())),
    }
}

/// The problem with an override per kilometre if the diagram covers land, or per piece if it has land or lines.
fn unit_problem(cost_override: CostOverride, measure: Option<Measure>) -> Option<String> {
    let Measure { square_metres, metres, .. } = measure?;
    let shape = if square_metres > 0.0 { "an area" } else { "lines" };
    let unit = match cost_override {
        CostOverride::PerKilometre(_) if square_metres > 0.0 => "kilometre",
        CostOverride::PerPiece(_) if square_metres > 0.0 || metres > 0.0 => "piece",
        _ => return None,
    };
    Some(format!("cost_override_type is per {unit}, and the diagram has {shape}"))
}

/// Returns the service's figures as it wrote them.
fn service_figure(diagram: &DiagramFacts) -> String {
    let figures = [(diagram.service_area, "m²"), (diagram.service_length, "km")];
    let known = figures.iter().filter_map(|(figure, unit)| figure.filter(|figure| *figure > 0.0).zip(Some(*unit)));
    known.map(|(figure, unit)| format!("{figure} {unit}")).collect::<Vec<_>>().join(", ")
}

/// The service's own figures. `None` if both are missing or 0: a service that does not know the size of a diagram, because
/// its geometries are in a file elsewhere, writes 0.
fn service_measure(diagram: &DiagramFacts) -> Option<Measure> {
    let [area, length] = [diagram.service_area, diagram.service_length].map(|figure| figure.unwrap_or(0.0));
    (area > 0.0 || length > 0.0).then(|| Measure::from_wire(area, length))
}

/// Figures that a system's sums are compared with.
pub(super) struct SystemAims {
    pub sysid: i64,
    pub name: String,
    pub color: Option<String>,
    pub budget: Option<f64>,
    pub current_ha: Option<f64>,
    pub target_ha: Option<f64>,
    /// Targets of its quantities, by name.
    pub targets: BTreeMap<String, Option<f64>>,
}

impl SystemAims {
    fn of(system: &SystemDetail) -> Self {
        SystemAims {
            sysid: system.item.id.0,
            name: system.item.name.clone(),
            color: system.item.color.clone(),
            budget: system.budget,
            current_ha: system.current_ha,
            target_ha: system.target_ha,
            targets: targets(&system.quantities),
        }
    }
}

pub(super) fn sum_systems(systems: impl Iterator<Item = SystemAims>, diagrams: &[DiagramCost]) -> Vec<SystemCost> {
    let mut by_system: HashMap<i64, Vec<&DiagramCost>> = HashMap::new();
    for diagram in diagrams {
        if let Some(system) = diagram.sysid {
            by_system.entry(system).or_default().push(diagram);
        }
    }
    let own = |sysid: i64| by_system.get(&sysid).map_or([].as_slice(), Vec::as_slice);
    systems.map(|system| sum_system(own(system.sysid), system)).collect()
}

fn sum_system(own: &[&DiagramCost], system: SystemAims) -> SystemCost {
    let (policies, projects): (Vec<&DiagramCost>, Vec<&DiagramCost>) =
        own.iter().partition(|diagram| diagram.kind == Some(DiagramKind::Policy));
    let cost = total(own.iter().filter_map(|diagram| diagram.cost));
    let area_ha = total(own.iter().filter_map(|diagram| diagram.area_ha));
    let budget = system.budget.filter(|budget| *budget != 0.0);
    let target_ha = system.target_ha.filter(|target| *target != 0.0);
    let target_left_ha = target_ha.map(|target| target - system.current_ha.unwrap_or(0.0) - area_ha);
    let unpriced = own.iter().filter(|diagram| diagram.cost.is_none()).count() as i64;
    let is_measured = own.iter().all(|diagram| diagram.area_ha.is_some());
    let at_area_rate_per = |unit| own.iter().filter(|diagram| diagram.is_at_area_rate_per(unit)).count() as i64;
    SystemCost {
        sysid: system.sysid,
        name: system.name,
        color: system.color,
        diagrams: own.len() as i64,
        projects: projects.len() as i64,
        policies: policies.len() as i64,
        area_ha,
        length_km: total(own.iter().filter_map(|diagram| diagram.length_km)),
        pieces: own.iter().filter_map(|diagram| diagram.pieces).sum(),
        cost,
        unpriced,
        without_rate: own.iter().filter(|diagram| diagram.is_without_rate()).count() as i64,
        lines_at_area_rate: at_area_rate_per(RateUnit::Kilometre),
        points_at_area_rate: at_area_rate_per(RateUnit::Piece),
        budget,
        budget_left: budget.map(|budget| budget - cost),
        budget_met: budget.and_then(|budget| is_budget_met(budget, cost, own.len() as i64, unpriced)),
        current_ha: system.current_ha,
        target_ha,
        target_left_ha: target_left_ha.map(|left| left.max(0.0)),
        target_met: target_left_ha.map(|left| left <= 0.0).filter(|is_met| *is_met || is_measured),
        floor_m2: total(own.iter().filter_map(|diagram| Some(diagram.floor_above_m2? + diagram.floor_below_m2?))),
        quantities: sums(&system.targets, &own.iter().map(|diagram| &diagram.quantities).collect::<Vec<_>>()),
    }
}

/// True if diagrams keep a budget. `None` without diagrams, since planning nothing neither keeps nor breaks it, or if costs are unknown.
fn is_budget_met(budget: f64, cost: f64, diagrams: i64, unpriced: i64) -> Option<bool> {
    match cost > budget {
        true => Some(false),
        false => (diagrams > 0 && unpriced == 0).then_some(true),
    }
}

impl CostReport {
    /// Returns the same report with the [problems](crate::features::FeatureCollection::geometry_problems) of the geometries. Looking for
    /// them takes longer than pricing.
    pub fn check(mut self) -> Self {
        let mut faults: HashMap<i64, Vec<InvalidGeometry>> = HashMap::new();
        for problem in self.features.geometry_problems() {
            if let Some(id) = problem.diagram_id {
                faults.entry(id).or_default().push(problem.fault);
            }
        }
        for diagram in &mut self.diagrams {
            if let Some(faults) = faults.get(&diagram.diagramid) {
                diagram.geometry_problem = geometry_problem(faults);
            }
        }
        self.checked = true;
        self
    }

    /// The number of diagrams whose geometry is not valid; `None` if the geometries were not [checked](Self::check).
    pub fn invalid(&self) -> Option<i64> {
        let invalid = self.diagrams.iter().filter(|diagram| diagram.geometry_problem.is_some());
        self.checked.then(|| invalid.count() as i64)
    }
}

/// After the titles of reports on land inside the study area.
const INSIDE: &str = " – inside the study area";

/// The project, and the selection of diagrams that was priced. Unknown names are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReportSubject {
    /// The title of the project.
    pub project: Option<String>,
    /// The selection, such as `Conservation, Design 1` or `Selection of amara.okafor`. `None` if all diagrams of the project were priced.
    pub selection: Option<String>,
    /// The project's currency, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The land that counts; `all` if it is missing.
    #[serde(default, skip_serializing_if = "CountedLand::is_all")]
    pub land: CountedLand,
}

impl ReportSubject {
    /// A project as a whole.
    pub fn of_project(info: Option<ProjectInfo>) -> Self {
        let (title, currency) = info.map(|info| (info.projecttitle, info.currency)).unwrap_or_default();
        ReportSubject { project: known(title), selection: None, currency: known(currency), ..ReportSubject::default() }
    }

    /// A project member's selection.
    pub fn selected_by(self, member: impl fmt::Display) -> Self {
        ReportSubject { selection: Some(format!("Selection of {member}")), ..self }
    }

    /// A design of the project, by the title of the team and the description of the design. Ids stand in for unknown names.
    pub fn in_design(
        self,
        (team, title): (TeamId, Option<String>),
        (design, description): (&DesignId, Option<String>),
    ) -> Self {
        let team = known(title).unwrap_or_else(|| format!("Team {team}"));
        let design = known(description).unwrap_or_else(|| format!("design {design}"));
        ReportSubject { selection: Some(format!("{team}, {design}")), ..self }
    }

    /// One line for the top of a picture or page. `None` if nothing is known.
    pub fn title(&self) -> Option<String> {
        let parts: Vec<&str> = [&self.project, &self.selection].into_iter().flatten().map(String::as_str).collect();
        let land = if self.land.is_all() { "" } else { INSIDE };
        (!parts.is_empty()).then(|| format!("{}{land}", parts.join(": ")))
    }
}

/// Returns the name unless it is blank.
fn known(name: Option<String>) -> Option<String> {
    name.filter(|name| !name.trim().is_empty())
}

/// Diagrams that cannot be priced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CostError {
    #[error("the project has no diagram {}; project.diagrams(fields=\"summary\") lists its diagrams", Ids(.0))]
    UnknownDiagrams(Vec<i64>),
    #[error(
        "the project has no boundaries, so no land is inside its study area: draw or upload its boundaries, or count all land"
    )]
    NoStudyArea,
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
}

/// The first ids of a list, and the number of the others.
struct Ids<'i>(&'i [i64]);

impl fmt::Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        const MAX_SHOWN: usize = 20;
        for (index, id) in self.0.iter().take(MAX_SHOWN).enumerate() {
            write!(f, "{}{id}", if index == 0 { "" } else { ", " })?;
        }
        match self.0.len().saturating_sub(MAX_SHOWN) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

impl CostReport {
    /// One row per system, with the columns of [`SystemCost`](super::SystemCost).
    pub fn systems_table(&self) -> RecordBatch {
        table(&[
            ("sysid", integers(self.systems.iter().map(|row| row.sysid))),
            ("name", texts(self.systems.iter().map(|row| Some(&row.name)))),
            ("color", texts(self.systems.iter().map(|row| row.color.as_ref()))),
            ("diagrams", integers(self.systems.iter().map(|row| row.diagrams))),
            ("projects", integers(self.systems.iter().map(|row| row.projects))),
            ("policies", integers(self.systems.iter().map(|row| row.policies))),
            ("area_ha", numbers(self.systems.iter().map(|row| Some(row.area_ha)))),
            ("length_km", numbers(self.systems.iter().map(|row| Some(row.length_km)))),
            ("pieces", integers(self.systems.iter().map(|row| row.pieces))),
            ("cost", numbers(self.systems.iter().map(|row| Some(row.cost)))),
            ("unpriced", integers(self.systems.iter().map(|row| row.unpriced))),
            ("without_rate", integers(self.systems.iter().map(|row| row.without_rate))),
            ("lines_at_area_rate", integers(self.systems.iter().map(|row| row.lines_at_area_rate))),
            ("points_at_area_rate", integers(self.systems.iter().map(|row| row.points_at_area_rate))),
            ("budget", numbers(self.systems.iter().map(|row| row.budget))),
            ("budget_left", numbers(self.systems.iter().map(|row| row.budget_left))),
            ("budget_met", booleans(self.systems.iter().map(|row| row.budget_met))),
            ("current_ha", numbers(self.systems.iter().map(|row| row.current_ha))),
            ("target_ha", numbers(self.systems.iter().map(|row| row.target_ha))),
            ("target_left_ha", numbers(self.systems.iter().map(|row| row.target_left_ha))),
            ("target_met", booleans(self.systems.iter().map(|row| row.target_met))),
            ("floor_m2", numbers(self.systems.iter().map(|row| Some(row.floor_m2)))),
        ])
    }

    /// A column for each quantity of a system: its name, such as `quantity_homes`, and the amount of each diagram.
    pub fn quantity_columns(&self) -> Vec<(String, Vec<Option<f64>>)> {
        let names: BTreeSet<&String> = self.diagrams.iter().flat_map(|row| row.quantities.keys()).collect();
        let amounts = |name| self.diagrams.iter().map(|row| row.quantities.get(name).copied().flatten()).collect();
        names.into_iter().map(|name| (format!("quantity_{name}"), amounts(name))).collect()
    }

    /// One row per diagram, with the columns of [`DiagramCost`](super::DiagramCost).
    ///
    /// Those of quantities follow, `quantity_homes` for homes, and those of [`OutsideLand`] if only land inside the study area counts.
    pub fn diagrams_table(&self) -> RecordBatch {
        let mut columns = vec![
            ("diagramid", integers(self.diagrams.iter().map(|row| row.diagramid))),
            ("sysid", optional_integers(self.diagrams.iter().map(|row| row.sysid))),
            ("description", texts(self.diagrams.iter().map(|row| row.description.as_ref()))),
            ("kind", texts(self.diagrams.iter().map(|row| row.kind.map(DiagramKind::name)))),
            ("area_ha", numbers(self.diagrams.iter().map(|row| row.area_ha))),
            ("area_source", texts(self.diagrams.iter().map(|row| serialized_name(&row.area_source)))),
            ("area_figure", texts(self.diagrams.iter().map(|row| row.area_figure.as_ref()))),
            ("area_problem", texts(self.diagrams.iter().map(|row| row.area_problem.as_ref()))),
            ("length_km", numbers(self.diagrams.iter().map(|row| row.length_km))),
            ("pieces", optional_integers(self.diagrams.iter().map(|row| row.pieces))),
            ("rate", numbers(self.diagrams.iter().map(|row| row.rate))),
            ("rate_source", texts(self.diagrams.iter().map(|row| serialized_name(&row.rate_source)))),
            ("cost", numbers(self.diagrams.iter().map(|row| row.cost))),
            ("cost_problem", texts(self.diagrams.iter().map(|row| row.cost_problem.as_ref()))),
            ("geometry_problem", texts(self.diagrams.iter().map(|row| row.geometry_problem.as_ref()))),
            ("file_problem", texts(self.diagrams.iter().map(|row| row.file_problem.as_ref()))),
            ("floor_above_m2", numbers(self.diagrams.iter().map(|row| row.floor_above_m2))),
            ("floor_below_m2", numbers(self.diagrams.iter().map(|row| row.floor_below_m2))),
        ];
        let of_quantities = self.quantity_columns();
        columns.extend(of_quantities.iter().map(|(name, amounts)| (name.as_str(), numbers(amounts.iter().copied()))));
        if self.land() == CountedLand::Inside {
            let outside = || self.diagrams.iter().map(|row| row.outside.as_ref());
            columns.extend([
                ("outside_ha", numbers(outside().map(|land| land?.outside_ha))),
                ("outside_km", numbers(outside().map(|land| land?.outside_km))),
                ("outside_pieces", optional_integers(outside().map(|land| land?.outside_pieces))),
                ("outside_note", texts(outside().map(|land| land?.outside_note.as_ref()))),
            ]);
        }
        table(&columns)
    }
}

fn table(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    let nullable = columns.iter().map(|(name, column)| (*name, Arc::clone(column), true));
    RecordBatch::try_from_iter_with_nullable(nullable).expect("every column has a value for every row")
}

fn integers(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn optional_integers(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<Int64Array>())
}

fn numbers(values: impl Iterator<Item = Option<f64>>) -> ArrayRef {
    Arc::new(values.collect::<Float64Array>())
}

fn booleans(values: impl Iterator<Item = Option<bool>>) -> ArrayRef {
    Arc::new(values.collect::<BooleanArray>())
}

fn texts(values: impl Iterator<Item = Option<impl AsRef<str>>>) -> ArrayRef {
    Arc::new(values.collect::<StringArray>())
}

/// Returns the name of an enum's variant in JSON: the tables have the same texts as the dicts in Python.
fn serialized_name(source: &impl Serialize) -> Option<String> {
    match serde_json::to_value(source) {
        Ok(Value::String(name)) => Some(name),
        _ => None,
    }
}
