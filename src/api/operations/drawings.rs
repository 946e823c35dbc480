//! Drawings: new diagrams, one by one or from the rows of a table.

use pyo3::prelude::*;

use crate::api::project::{AsyncProject, Project};
use crate::api::project_parts::{AsyncDiagram, Diagram};
use crate::convert::arguments::{Arg, BuildingData, Duplicates, OnError, given_design};
use crate::convert::errors::Result;
use crate::convert::geometries::{AboutDiagram, Features, UncheckedShapes};
use crate::convert::row_diagrams::{DateSource, DiagramColumns, FeatureSource, RowDiagrams, UploadReport};
use crate::convert::to_python::Json;
use crate::engine::logging;
use crate::engine::operations::{making, operations};
use crate::engine::progress::Progress;
use geodesign::costs::{AtAreaRate, CountedLand, RateUnit};
use geodesign::model::{
    DesignReference, DiagramKind, FeatureType, FundingType, OnConstraints, Preview, SystemId, UtcMillis,
};
use geodesign::named::SKIP_DUPLICATES;
use geodesign_client as client;
use geodesign_client::{
    DiagramHandle, FeatureOutside, GivenDesign, NewDiagram, Outside, SystemReference, TeamReference,
};

making! { Project / AsyncProject of client::Project:
    /// Adds a diagram to a system.
    ///
    /// A geometry completely outside the study area is refused: its axes are probably swapped, or it belongs elsewhere. The study
    /// area is the land of the project's boundaries or, without boundaries, within its bounds; the first call requests them.
    ///
    /// Args:
    ///     system: The system: the object, its id, name or tag, or the unique start of its name.
    ///     geometry: Polygons, lines or points: a GeoDataFrame or GeoSeries (reprojected to WGS 84 from its CRS), a shapely geometry,
    ///         anything with `__geo_interface__` or an Arrow stream, GeoJSON as a dict or string, or the path of a file that
    ///         GeoPandas reads. All its features are one diagram. The only attributes sent are storeys and heights, in metres above the
    ///         ground: `volume_information` (a dict with `min_height` and `max_height`), or `min_height` and `max_height`
    ///         themselves. A feature with a `max_height` alone stands on the ground. Positions up to 1e-9 degrees beyond longitude ±180 or
    ///         latitude ±90 are moved to that limit.
    ///     title: The diagram's title.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     feature_type: `"polygon"`, `"line"` or `"point"`. Default: the type of the geometry.
    ///     start_date: The first day of the diagram, as `Diagram.update` takes it.
    ///     end_date: The last day. A single date stands for both; without any, the diagram is undated.
    ///     building_data: A dict, such as one with `storeys_above_ground` and `storeys_below_ground`, whole numbers from which floors are
    ///         counted. Default: these attributes of the geometry.
    ///     outside: For a feature completely outside the study area, `"refuse"`, or `"allow"` to add it. If a feature is partly outside, a
    ///         warning gives the share.
    ///
    /// Returns:
    ///     The `Diagram`. A warning gives its size and share on constraints, land where nothing can change.
    ///
    /// Raises:
    ///     InputError: No CRS; several types of geometries; two points at one place; an empty, unclosed or self-crossing geometry, one with NaN or outside the
    ///         range of longitude and latitude, one outside the study area; features that cover the same land, which would be priced twice;
    ///         heights that are not numbers. It names the features; nothing was added. Or the project has no system of that name; it lists
    ///         the systems.
    ///     ApiError: The project refuses drawings on constraints (400).
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> ring = [(-74.15, 40.57), (-74.14, 40.57), (-74.14, 40.58), (-74.15, 40.57)]
    ///     >>> garden = project.add_diagram("Water", {"type": "Polygon", "coordinates": [ring]}, title="Rain garden")
    ///     >>> garden.system.name
    ///     'Water'
    ///     >>> trees = {"type": "MultiPoint", "coordinates": [(-74.15, 40.57), (-74.14, 40.57)]}
    ///     >>> planted = project.add_diagram("Green infrastructure", trees, title="Two trees")
    ///     >>> project.costs(diagrams=[planted]).diagrams[0]["pieces"]
    ///     2
    #[pyo3(
        signature = (system, geometry, *, title, kind=Arg(DiagramKind::Project), funding=Arg(FundingType::Public), feature_type=None, start_date=None, end_date=None, building_data=None, outside=Arg(Outside::Refuse)),
        text_signature = "($self, system, geometry, *, title, kind='project', funding='public', feature_type=None, start_date=None, end_date=None, building_data=None, outside='refuse')"
    )]
    fn add_diagram(
        system: SystemReference, geometry: Features, title: String, kind: DiagramKind, funding: FundingType,
        feature_type: Option<FeatureType>, start_date: Option<UtcMillis>, end_date: Option<UtcMillis>,
        building_data: Option<BuildingData>, outside: Outside,
    ) -> one Diagram / AsyncDiagram = |project| {
        let building_data = building_data.map(|BuildingData(data)| data);
        let dates = (start_date, end_date);
        let about = AboutDiagram { title, kind, funding, feature_type, outside, dates, building_data };
        let diagram = geometry.into_diagram(about)?;
        check_place(&project, &diagram).await?;
        let system = project.find_system(&system).await?;
        let added = project.send_diagram(system, &diagram).await?;
        warn_on_constraints(std::iter::once(Ok(("the geometry".to_owned(), added.constraints))))?;
        Ok::<_, PyErr>(DiagramHandle::new(project, added.diagram_id.into()))
    };
}

operations! { Project / AsyncProject of client::Project:
    /// Previews the effects of adding a drawing to a system. Nothing is written.
    ///
    /// Other services may not have this operation. Areas are geodesic, and edges geodesics, as in `compare()`.
    ///
    /// Args:
    ///     system: The system: the object, its id, name or tag, or the unique start of its name.
    ///     geometry: Polygons, lines or points, as `add_diagram` takes them.
    ///     kind: `"project"` or `"policy"`. A policy claims no land, so it has no conflicts.
    ///     team: Look for conflicts with this team's latest design, or with its `design`. Default: with the user's selection.
    ///     design: Look for conflicts with this design: the object, its id, its title or its title's unique start.
    ///     land: The land that counts: `"all"`, or `"inside"` for the part of the drawing inside the study area.
    ///     building_data: A dict with storeys, as for `add_diagram`.
    ///
    /// Returns:
    ///     A `Preview` dict: `faults` (dicts with `feature`, `reason`, `code` and `position`; if there are any, all else is None or empty, unless
    ///     the code is `on_constraints`), `area_ha`, `length_km`, `pieces` (the number of points), `rate`, `cost` (None if the system has no
    ///     rate), `share_outside` (of the study area, from 0 to 1), `evaluation` (dicts with `areatype`, `area_ha`, `length_km` and `pieces`,
    ///     one for each class of the system's evaluation map), `conflicts_ha` (land that projects also claim, each place once), `conflicts`
    ///     (dicts with `diagramid`, `sysid`, `description` and `area_ha`), `good_land` (dicts with `sysid`, `area_ha` and `impact` for the
    ///     other systems on whose capable, suitable or feasible land a project lies; empty if the system has no impacts, None if the maps
    ///     are too large to compare) and `constraints` (`area_ha`, `length_km`, `pieces` and `share` on land where nothing can change; None
    ///     if the project has no constraints), `floor_m2` (None without storeys) and, if the system has some, `quantities`: amounts by name, None if
    ///     unknown. With `land="inside"` also `outside_ha`, `outside_km`, `outside_pieces` and `outside_note`,
    ///     which do not count.
    ///
    /// Raises:
    ///     InputError: No CRS, or a source without geometries; or the project has no such system, team or design; it lists them.
    ///     ApiError: For `land="inside"`, the project has no boundaries (400).
    ///     NotFoundError: The project has no such system or design, or the service has no previews.
    ///     RateLimitedError: The user has more requests at the same time than the service's limits allow.
    ///
    /// Examples:
    ///     >>> ring = [(-74.15, 40.57), (-74.14, 40.57), (-74.14, 40.58), (-74.15, 40.57)]
    ///     >>> preview = project.preview("Water", {"type": "Polygon", "coordinates": [ring]})
    ///     >>> round(preview["area_ha"], 1), preview["share_outside"], preview["faults"]
    ///     (47.0, 0.0, [])
    ///     >>> [part["areatype"] for part in preview["evaluation"]]
    ///     ['red', 'yellow', 'green']
    #[pyo3(
        signature = (system, geometry, *, kind=Arg(DiagramKind::Project), team=None, design=None, land=Arg(CountedLand::All), building_data=None),
        text_signature = "($self, system, geometry, *, kind='project', team=None, design=None, land='all', building_data=None)"
    )]
    fn preview(
        system: SystemReference, geometry: UncheckedShapes, kind: DiagramKind, team: Option<TeamReference>,
        design: Option<GivenDesign>, land: CountedLand, building_data: Option<BuildingData>,
    ) -> Json<Preview> = |project| {
        let design = match given_design(team, design) {
            Some(design) => {
                let (cteamid, synthesisid) = project.find_design(&design).await?;
                Some(DesignReference { cteamid, synthesisid })
            }
            None => None,
        };
        let drawing = geometry.into_drawing(kind, design, land, building_data.map(|BuildingData(data)| data));
        Ok(Json(project.preview(system, &drawing).await?))
    };

    /// Adds one diagram for each row of a frame or a file, several at once.
    ///
    /// Every row is checked before the first is sent, and an error names all rows that cannot be sent. Each row then succeeds or
    /// fails independently of the others.
    ///
    /// Args:
    ///     system: The system: the object, its id, name or tag, or the unique start of its name.
    ///     frame: A GeoDataFrame (reprojected to WGS 84 from its CRS), the path of a file of up to 256 MiB
    ///         (GeoPackage, GeoJSON, Shapefile, FlatGeobuf, GeoParquet, KML or GML; also reprojected), or anything that
    ///         `add_diagram` takes, with heights as there. The columns `storeys_above_ground` and `storeys_below_ground`, or `building_data`, are
    ///         sent, too.
    ///     title: The name of the column with the titles.
    ///     kind: `"project"`, `"policy"`, or the name of a column with these values.
    ///     funding: `"public"`, `"public_private"`, `"private"`, `"budgeted"`, or the name of a column with these values.
    ///     feature_type: `"polygon"`, `"line"`, `"point"`, or the name of a column with these values. Default: the type of each geometry.
    ///     start_date: The first day: a date for all rows, or the name of a column. A row is undated if its cell is empty.
    ///     end_date: The last day, in the same form. A single date stands for both.
    ///     layer: The layer of a file that has several.
    ///     outside: For rows completely outside the study area, `"refuse"`, or `"allow"` to add them. If rows are
    ///         partly outside, a warning gives the share.
    ///     duplicates: For rows with the same geometry as a diagram of the system, `"warn"` to name them, or `"skip"` to leave them out,
    ///         such as the rows of a frame that was partly sent before.
    ///     on_error: For rows that cannot be sent, `"raise"` an error, or `"skip"` them and send the others.
    ///     dry_run: True to check everything without sending it.
    ///     progress: True to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     A list of `UploadedRow` dicts in the order of the rows: `position` (from 0), `row` (the label in the index), `title`,
    ///     `diagram_id` (for a skipped row, the id of the existing diagram) and `grid_location` (None if it
    ///     failed, and after a dry run), `error` (None if there is none) and `constraints` (the part on land where nothing can change, as in
    ///     `preview()`; None if it was not added, or the project has no constraints). To send the rest again:
    ///     `frame.iloc[[row["position"] for row in report if row["diagram_id"] is None]]`.
    ///
    /// Raises:
    ///     InputError: Rows that cannot be sent, as for `add_diagram`; it names up to 20 of them and counts the others, and has all
    ///         of them as `rows`, which are `UploadedRow` dicts. Or the
    ///         project has no such system; it lists the systems. Or a file that cannot be read, or has several layers. Nothing
    ///         was added.
    ///
    /// Examples:
    ///     >>> frame = project.study_area.boundaries().to_geopandas()
    ///     >>> checked = project.add_diagrams("Green infrastructure", frame, title="bname", kind="policy", dry_run=True)
    ///     >>> frame.to_file("districts.gpkg")
    ///     >>> report = project.add_diagrams("Green infrastructure", "districts.gpkg", title="bname", kind="policy")
    ///     >>> report[0]["title"], report[0]["error"]
    ///     ('Staten Island', None)
    #[pyo3(
        signature = (system, frame, *, title, kind="project".to_owned(), funding="public".to_owned(), feature_type=None, start_date=None, end_date=None, layer=None, outside=Arg(Outside::Refuse), duplicates=Arg(Duplicates::Warn), on_error=Arg(OnError::Raise), dry_run=false, progress=None),
        text_signature = "($self, system, frame, *, title, kind='project', funding='public', feature_type=None, start_date=None, end_date=None, layer=None, outside='refuse', duplicates='warn', on_error='raise', dry_run=False, progress=None)"
    )]
    fn add_diagrams(
        system: SystemReference, frame: FeatureSource, title: String, kind: String, funding: String,
        feature_type: Option<String>, start_date: Option<DateSource>, end_date: Option<DateSource>, layer: Option<String>, outside: Outside,
        duplicates: Duplicates, on_error: OnError, dry_run: bool, progress: Option<bool>,
    ) -> UploadReport = |project| {
        let progress = Progress::new("diagrams", progress)?;
        let columns = DiagramColumns { title, kind, funding, feature_type, start_date, end_date };
        let mut rows = RowDiagrams::read(&frame, layer.as_deref(), &columns, outside)?;
        if rows.is_empty() {
            return Ok(rows.report(Vec::new()));
        }
        let system = check_rows(&project, &system, &mut rows, on_error).await?;
        review(&project, system, &mut rows, duplicates).await?;
        if dry_run {
            return Ok(rows.report(Vec::new()));
        }
        let outcomes = project.send_diagrams(system, std::mem::take(&mut rows.diagrams), &progress).await?;
        let parts = outcomes.iter().map(|added| added.as_ref().ok().and_then(|added| added.constraints));
        warn_on_constraints(parts.enumerate().map(|(diagram, part)| Ok((rows.name(diagram)?, part))))?;
        Ok(rows.report(outcomes))
    };
}

/// The system, after the checks of the rows that need the service. An error names all bad rows.
async fn check_rows(
    project: &client::Project,
    system: &SystemReference,
    rows: &mut RowDiagrams,
    on_error: OnError,
) -> Result<SystemId> {
    let ask = async {
        let system = project.find_listed_system(system).await?;
        Ok((system, project.features_outside(&rows.diagrams).await?))
    };
    let (system, outside) = match ask.await {
        Ok(answers) => answers,
        Err(error @ client::Error::Input(_)) => return Err(error.into()),
        Err(error) => {
            // Errors in the rows are known without the service, too.
            rows.check()?;
            return Err(error.into());
        }
    };
    let mut partly = Vec::new();
    for FeatureOutside { diagram, share, problem, .. } in &outside {
        match problem {
            Some(problem) => rows.add_problem(*diagram, &problem.to_string())?,
            None => partly.push(Ok((rows.name(*diagram)?, *share))),
        }
    }
    rows.drop_unsent();
    if on_error == OnError::Raise {
        rows.check()?;
    }
    warn_partly_outside(partly.into_iter())?;
    Ok(system)
}

/// Warns of probable mistakes: diagrams that the system already has, and lines or points at a rate per hectare.
async fn review(
    project: &client::Project,
    system: SystemId,
    rows: &mut RowDiagrams,
    duplicates: Duplicates,
) -> Result<()> {
    let same = match project.same_diagrams(system, &rows.diagrams).await {
        Ok(same) => same,
        // A failed check is no reason to stop an upload.
        Err(_) if duplicates == Duplicates::Warn => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut named = Vec::new();
    for (diagram, ids) in same.iter().enumerate().filter(|(_, ids)| !ids.is_empty()) {
        if duplicates == Duplicates::Skip {
            rows.set_same(diagram, ids[0]);
        } else {
            let ids: Vec<_> = ids.iter().map(ToString::to_string).collect();
            named.push(format!("{} (diagram {})", rows.name(diagram)?, ids.join(", ")));
        }
    }
    rows.drop_unsent();
    if !named.is_empty() {
        let listed = listed(&named);
        warn(&format!(
            "the system has diagrams of the same geometry; {SKIP_DUPLICATES} leaves these rows out: {listed}"
        ))?;
    }
    let projects_of = |feature_type| -> Vec<usize> {
        let is_one = |NewDiagram { kind, drawn, .. }: &NewDiagram| {
            *kind == DiagramKind::Project && drawn.featuretype == feature_type
        };
        (0..rows.diagrams.len()).filter(|diagram| is_one(&rows.diagrams[*diagram])).collect()
    };
    let of_types = [(FeatureType::Line, RateUnit::Kilometre), (FeatureType::Point, RateUnit::Piece)];
    let found = of_types.map(|(feature_type, unit)| (projects_of(feature_type), unit));
    let is_priced = found.iter().any(|(diagrams, _)| !diagrams.is_empty())
        && project.system(system).await.is_ok_and(|system| system.cost.is_some_and(|rate| rate != 0.0));
    for (diagrams, unit) in found.into_iter().filter(|(diagrams, _)| is_priced && !diagrams.is_empty()) {
        let names = diagrams.iter().map(|diagram| rows.name(*diagram)).collect::<PyResult<Vec<_>>>()?;
        warn(&format!("{}: {}", AtAreaRate { count: diagrams.len() as i64, unit }, listed(&names)))?;
    }
    Ok(())
}

/// Refuses a diagram outside the study area, and warns of features that are partly outside, with their shares.
pub async fn check_place(project: &client::Project, diagram: &NewDiagram) -> Result<()> {
    let partly = project.check_place(diagram).await?;
    let one = diagram.drawn.geometry.features.len() == 1;
    let feature =
        |outside: &FeatureOutside| if one { "the geometry".to_owned() } else { format!("feature {}", outside.feature) };
    Ok(warn_partly_outside(partly.iter().map(|outside| Ok((feature(outside), outside.share))))?)
}

fn warn_partly_outside(outside: impl Iterator<Item = PyResult<(String, f64)>>) -> PyResult<()> {
    let named = |(name, share): (String, f64)| match share * 100.0 {
        percent if percent < 1.0 => format!("{name} (less than 1 %)"),
        percent => format!("{name} ({percent:.0} %)"),
    };
    let named = outside.map(|outside| outside.map(named)).collect::<PyResult<Vec<_>>>()?;
    if named.is_empty() { Ok(()) } else { warn(&format!("partly outside the study area: {}", listed(&named))) }
}

/// Warns of diagrams on land where nothing can change.
fn warn_on_constraints(added: impl Iterator<Item = PyResult<(String, Option<OnConstraints>)>>) -> PyResult<()> {
    let named = |(name, part): (String, Option<OnConstraints>)| {
        part.filter(OnConstraints::is_any).map(|part| format!("{name}: {part}"))
    };
    let named = added.filter_map(|added| added.map(named).transpose()).collect::<PyResult<Vec<_>>>()?;
    let message = "on constraints, land where nothing can change";
    if named.is_empty() { Ok(()) } else { warn(&format!("{message} ({})", listed(&named))) }
}

/// Names, up to a readable number.
fn listed(names: &[String]) -> String {
    const MAX_NAMED: usize = 20;
    let more = names.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names[..names.len().min(MAX_NAMED)].join(", "))
}

fn warn(message: &str) -> PyResult<()> {
    Python::attach(|py| logging::warn(py, message))
}
