//! What is drawn: new diagrams, and the evaluation and impact maps of systems.

use pyo3::prelude::*;

use crate::client::{self, NewDiagram, Outside, SystemReference};
use crate::model::{
    AddedDiagram, CostType, DiagramKind, ExternalDiagram, FeatureType, FundingType, SystemId, Username,
};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::arguments::Metadata;
use crate::python::convert::geometries::Features;
use crate::python::convert::row_diagrams::{DiagramColumns, FeatureSource, RowDiagrams, RowLabel, UploadReport};
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;
use crate::python::engine::progress::Progress;

operations! { Project / AsyncProject of client::Project:
    /// Adds a diagram to a system.
    ///
    /// A geometry that lies wholly outside the study area is refused, because its axes are swapped or it belongs elsewhere; the
    /// first call asks the service for the bounds of the project.
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///     geometry: Lines or polygons: a GeoDataFrame or GeoSeries (reprojected to WGS 84 from its CRS), a shapely geometry,
    ///         anything with `__geo_interface__` or an Arrow stream, GeoJSON as a dict or as text, or the path of a file that
    ///         GeoPandas reads. All its features are one diagram. Of their attributes the heights are sent, in metres above the
    ///         ground: `volume_information` (a dict with `min_height` and `max_height`), or `min_height` and `max_height`
    ///         themselves. A feature with a `max_height` alone stands on the ground. Positions up to 1e-9 degrees beyond
    ///         longitude ±180 or latitude ±90 are set to that.
    ///     title: The diagram's title.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     feature_type: `"polygon"` or `"line"`. Default: the type of the geometry.
    ///     outside: What to do with a feature that lies wholly outside the study area: `"refuse"`, or `"allow"` to add it.
    ///
    /// Returns:
    ///     An `AddedDiagram` dict: `diagram_id`, `grid_location`, `status`.
    ///
    /// Raises:
    ///     InputError: No CRS; lines among polygons; points; an empty, unclosed or self-crossing geometry, one with NaN or
    ///         beyond the degrees of Earth, one outside the study area; heights that are no numbers. It names the features;
    ///         nothing was added. Or the project has no system of that name; it lists the systems.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> ring = [(-74.15, 40.57), (-74.14, 40.57), (-74.14, 40.58), (-74.15, 40.57)]
    ///     >>> added = project.add_diagram("Water", {"type": "Polygon", "coordinates": [ring]}, title="Rain garden")
    ///     >>> added["grid_location"]
    ///     'A21'
    #[pyo3(
        signature = (system, geometry, *, title, kind=DiagramKind::Project, funding=FundingType::Public, feature_type=None, outside=Outside::Refuse),
        text_signature = "($self, system, geometry, *, title, kind='project', funding='public', feature_type=None, outside='refuse')"
    )]
    fn add_diagram(
        system: SystemReference, geometry: Features, title: String, kind: DiagramKind, funding: FundingType,
        feature_type: Option<FeatureType>, outside: Outside,
    ) -> Json<AddedDiagram> = |project| {
        let diagram = geometry.into_diagram(title, kind, funding, feature_type, outside)?;
        Ok(Json(project.add_diagram(system, &diagram).await?))
    };

    /// Adds one diagram for each row of a frame or a file, several at once.
    ///
    /// Every row is checked before the first is sent, and an error names all rows that cannot be sent. Each row then succeeds or
    /// fails independently of the others.
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///     frame: A GeoDataFrame (reprojected to WGS 84 from its CRS), the path of a file that GeoPandas reads (GeoPackage,
    ///         GeoJSON, Shapefile, FlatGeobuf, GeoParquet, …; also reprojected), or anything that `add_diagram` takes, with
    ///         heights as there.
    ///     title: The name of the column with the titles.
    ///     kind: `"project"`, `"policy"`, or the name of a column with these values.
    ///     funding: `"public"`, `"public_private"`, `"private"`, `"budgeted"`, or the name of a column with these values.
    ///     feature_type: `"polygon"`, `"line"`, or the name of a column with these values. Default: the type of each geometry.
    ///     layer: The layer of a file that has several.
    ///     outside: What to do with rows that lie wholly outside the study area: `"refuse"`, or `"allow"` to add them.
    ///     dry_run: Whether only to check everything, and to send nothing.
    ///     progress: Whether to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     A list of `UploadedRow` dicts in the order of the rows: `row` (the label in the index), `title`, `diagram_id` and
    ///     `grid_location` (None where it failed, and after a dry run), `error` (None where nothing is wrong). To send the rest
    ///     again: `frame.loc[[row["row"] for row in report if row["error"]]]`.
    ///
    /// Raises:
    ///     InputError: Rows that cannot be sent, as for `add_diagram`; it names up to 20 of them and counts the others. Or the
    ///         project has no such system; it lists the systems. Or a file that cannot be read, or has several layers. Nothing
    ///         was added.
    ///
    /// Examples:
    ///     >>> frame = project.boundaries().to_geopandas()
    ///     >>> checked = project.add_diagrams("Green infrastructure", frame, title="bname", kind="policy", dry_run=True)
    ///     >>> frame.to_file("districts.gpkg")
    ///     >>> report = project.add_diagrams("Green infrastructure", "districts.gpkg", title="bname", kind="policy")
    ///     >>> report[0]["title"], report[0]["error"]
    ///     ('Staten Island', None)
    #[pyo3(
        signature = (system, frame, *, title, kind="project".to_owned(), funding="public".to_owned(), feature_type=None, layer=None, outside=Outside::Refuse, dry_run=false, progress=None),
        text_signature = "($self, system, frame, *, title, kind='project', funding='public', feature_type=None, layer=None, outside='refuse', dry_run=False, progress=None)"
    )]
    fn add_diagrams(
        system: SystemReference, frame: FeatureSource, title: String, kind: String, funding: String,
        feature_type: Option<String>, layer: Option<String>, outside: Outside, dry_run: bool, progress: Option<bool>,
    ) -> UploadReport = |project| {
        let progress = Progress::new("diagrams", progress)?;
        let columns = DiagramColumns { title, kind, funding, feature_type };
        let rows = RowDiagrams::read(&frame, layer.as_deref(), &columns, outside)?;
        if rows.total == 0 {
            return Ok(UploadReport::unsent(Vec::new()));
        }
        let (system, labels, diagrams) = checked(&project, &system, rows).await?;
        if dry_run {
            return Ok(UploadReport::unsent(labels));
        }
        let outcomes = project.send_diagrams(system, diagrams, &progress).await?;
        Ok(UploadReport::new(labels, outcomes))
    };

    /// Adds a diagram whose geometry is in a file on another server.
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///     url: The address of the file.
    ///     title: The diagram's title.
    ///     layer_type: `fgb-layer` (FlatGeobuf), `cogs` (Cloud Optimized GeoTIFF), or another format that the service supports.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     feature_type: `"polygon"` or `"line"`.
    ///     cost: A whole number, in the unit that `cost_type` names.
    ///     cost_type: `"total"`, or `"unit"` for a cost per hectare.
    ///     additional_metadata: A dict with any content.
    ///
    /// Returns:
    ///     An `AddedDiagram` dict.
    ///
    /// Raises:
    ///     InputError: An empty address, an unknown name, or a cost without `cost_type`; nothing was added.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> added = project.add_external_diagram(
    ///     ...     3, "https://data.example.org/parks.fgb", title="Parks", layer_type="fgb-layer", cost=12, cost_type="unit"
    ///     ... )
    ///     >>> project.diagram(added["diagram_id"]).metadata["cost_override_type"]
    ///     'per hectare.'
    #[pyo3(
        signature = (system, url, *, title, layer_type, kind=DiagramKind::Project, funding=FundingType::Public, feature_type=FeatureType::Polygon, cost=None, cost_type=None, additional_metadata=None),
        text_signature = "($self, system, url, *, title, layer_type, kind='project', funding='public', feature_type='polygon', cost=None, cost_type=None, additional_metadata=None)"
    )]
    fn add_external_diagram(
        system: SystemReference, url: String, title: String, layer_type: String, kind: DiagramKind, funding: FundingType,
        feature_type: FeatureType, cost: Option<i64>, cost_type: Option<CostType>, additional_metadata: Option<Metadata>,
    ) -> Json<AddedDiagram> = |project| {
        let diagram = ExternalDiagram {
            url,
            layer_type,
            featuretype: feature_type,
            description: title,
            fundingtype: funding,
            additional_metadata: additional_metadata.map(|Metadata(metadata)| metadata),
            cost,
            cost_type,
        };
        Ok(Json(project.add_external_diagram(system, kind, &diagram).await?))
    };

    #[doc = summary!(SET_EVALUATION)]
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///     features: Polygons, as `add_diagram` takes them, each with an `areatype`: from `green3` (feasible) over `green2`,
    ///         `green`, `yellow` and `red2` to `red`. They may have a `color` (`#RRGGBB`) too.
    ///     username: The member in whose name it is set. Default: the user's own.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: A feature without `areatype`, a geometry that cannot be sent, or no system of that name; nothing was sent.
    ///     NotFoundError: The project has no system with that id.
    ///     PermissionDeniedError: The user named is not a member of the project.
    ///
    /// Examples:
    ///     >>> project.set_evaluation(1, project.evaluation(1).to_geopandas())
    ///     'The map was set.'
    #[pyo3(signature = (system, features, username=None))]
    fn set_evaluation(system: SystemReference, features: Features, username: Option<Username>) -> String = |project| {
        let features = features.into_evaluation()?;
        let system = project.find_system(&system).await?;
        Ok(project.set_evaluation(system, &features, username.as_ref()).await?)
    };

    #[doc = summary!(SET_IMPACT)]
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///     features: Polygons, as `add_diagram` takes them, with any attributes.
    ///     username: The member in whose name it is set. Default: the user's own.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: A geometry that cannot be sent, or no system of that name; nothing was sent.
    ///     NotFoundError: The project has no system with that id.
    ///     PermissionDeniedError: The user named is not a member of the project.
    ///
    /// Examples:
    ///     >>> project.set_impact(1, project.evaluation(1).to_geopandas())
    ///     'The map was set.'
    #[pyo3(signature = (system, features, username=None))]
    fn set_impact(system: SystemReference, features: Features, username: Option<Username>) -> String = |project| {
        let features = features.into_map()?;
        let system = project.find_system(&system).await?;
        Ok(project.set_impact(system, &features, username.as_ref()).await?)
    };
}

/// The system and the diagrams, after the checks that need the service. An error names all bad rows.
async fn checked(
    project: &client::Project,
    system: &SystemReference,
    mut rows: RowDiagrams,
) -> PyResult<(SystemId, Vec<RowLabel>, Vec<NewDiagram>)> {
    let ask = async {
        let system = project.find_listed_system(system).await?;
        Ok((system, project.features_outside(&rows.diagrams).await?))
    };
    match ask.await {
        Ok((system, outside)) => {
            outside.iter().try_for_each(|outside| rows.add_problem(outside.diagram, &outside.problem))?;
            let (labels, diagrams) = rows.check()?;
            Ok((system, labels, diagrams))
        }
        // What is wrong with the rows is known without the service too.
        Err(error) if !rows.has_bad_rows() || matches!(error, client::Error::Input(_)) => Err(error.into()),
        Err(error) => Err(rows.check().err().unwrap_or_else(|| error.into())),
    }
}
