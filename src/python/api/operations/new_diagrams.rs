//! Adding diagrams to systems.

use pyo3::prelude::*;

use crate::client;
use crate::model::{AddedDiagram, CostType, DiagramKind, ExternalDiagram, FeatureType, FundingType, SystemId};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::arguments::Metadata;
use crate::python::convert::geometries::{DiagramColumns, Features};
use crate::python::convert::to_python::Json;
use crate::python::convert::upload_report::UploadReport;
use crate::python::engine::operations::operations;
use crate::python::engine::progress::Progress;

operations! { Project / AsyncProject of client::Project:
    /// Adds a diagram to a system.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     geometry: Lines or polygons: a GeoDataFrame or GeoSeries (reprojected to WGS 84 from its CRS), a shapely geometry,
    ///         anything with `__geo_interface__` or an Arrow stream, GeoJSON as a dict or as text. All its features are
    ///         one diagram. Of their attributes the heights are sent, in metres above the ground: `volume_information` (a
    ///         dict with `min_height` and `max_height`), or `min_height` and `max_height` themselves. A feature with a
    ///         `max_height` alone stands on the ground.
    ///     title: The diagram's title.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     feature_type: `"polygon"` or `"line"`. Default: the type of the geometry.
    ///
    /// Returns:
    ///     An `AddedDiagram` dict: `diagram_id` (text, as the service has it), `grid_location`, `status`.
    ///
    /// Raises:
    ///     InputError: No CRS; lines among polygons; points; an empty, unclosed or self-crossing geometry, one with NaN or
    ///         beyond the degrees of Earth; heights that are no numbers. It names the feature; nothing was sent.
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> ring = [(-74.15, 40.57), (-74.14, 40.57), (-74.14, 40.58), (-74.15, 40.57)]
    ///     >>> added = project.add_diagram(1, {"type": "Polygon", "coordinates": [ring]}, title="Rain garden")
    ///     >>> added["grid_location"]
    ///     'A21'
    #[pyo3(
        signature = (sysid, geometry, *, title, kind=DiagramKind::Project, funding=FundingType::Public, feature_type=None),
        text_signature = "($self, sysid, geometry, *, title, kind='project', funding='public', feature_type=None)"
    )]
    fn add_diagram(
        sysid: SystemId, geometry: Features, title: String, kind: DiagramKind, funding: FundingType,
        feature_type: Option<FeatureType>,
    ) -> Json<AddedDiagram> = |project| {
        let diagram = geometry.into_diagram(title, kind, funding, feature_type)?;
        Ok(Json(project.add_diagram(sysid, &diagram).await?))
    };

    /// Adds one diagram for each row of a frame, several at once.
    ///
    /// Every row is checked before the first is sent. Each then succeeds or fails independently of the others.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     frame: A GeoDataFrame (reprojected to WGS 84 from its CRS), or anything that `add_diagram` takes, with heights as
    ///         there.
    ///     title: The name of the column with the titles.
    ///     kind: `"project"`, `"policy"`, or the name of a column with these values.
    ///     funding: `"public"`, `"public_private"`, `"private"`, `"budgeted"`, or the name of a column with these values.
    ///     feature_type: `"polygon"`, `"line"`, or the name of a column with these values. Default: the type of each geometry.
    ///     progress: Whether to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
    ///
    /// Returns:
    ///     A list of `UploadedRow` dicts in the order of the rows: `row` (the label in the index), `title`, `diagram_id` and
    ///     `grid_location` (None where it failed), `error` (None where it was created). To send the rest again:
    ///     `frame.loc[[row["row"] for row in report if row["error"]]]`.
    ///
    /// Raises:
    ///     InputError: A row that cannot be sent, as for `add_diagram`; it names the row, and nothing was sent.
    ///
    /// Examples:
    ///     >>> frame = project.boundaries().to_geopandas()
    ///     >>> report = project.add_diagrams(2, frame, title="bname", kind="policy")
    ///     >>> report[0]["grid_location"], report[0]["error"]
    ///     ('B17', None)
    #[pyo3(
        signature = (sysid, frame, *, title, kind="project".to_owned(), funding="public".to_owned(), feature_type=None, progress=None),
        text_signature = "($self, sysid, frame, *, title, kind='project', funding='public', feature_type=None, progress=None)"
    )]
    fn add_diagrams(
        sysid: SystemId, frame: Features, title: String, kind: String, funding: String, feature_type: Option<String>,
        progress: Option<bool>,
    ) -> UploadReport = |project| {
        let rows = frame.into_diagrams(&DiagramColumns { title, kind, funding, feature_type })?;
        let (rows, diagrams): (Vec<_>, Vec<_>) =
            rows.into_iter().map(|row| ((row.label, row.title), row.diagram)).unzip();
        let outcomes = project.add_diagrams(sysid, diagrams, &Progress::new("diagrams", progress)?).await?;
        Ok(UploadReport::new(rows, outcomes))
    };

    /// Adds a diagram whose geometry is in a file on another server.
    ///
    /// Args:
    ///     sysid: The system's id.
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
    ///     InputError: An empty address, an unknown name, or a cost without `cost_type`; nothing was sent.
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> added = project.add_external_diagram(
    ///     ...     3, "https://data.example.org/parks.fgb", title="Parks", layer_type="fgb-layer", cost=12, cost_type="unit"
    ///     ... )
    ///     >>> project.diagram(added["diagram_id"]).metadata["cost_override_type"]
    ///     'per hectare.'
    #[pyo3(
        signature = (sysid, url, *, title, layer_type, kind=DiagramKind::Project, funding=FundingType::Public, feature_type=FeatureType::Polygon, cost=None, cost_type=None, additional_metadata=None),
        text_signature = "($self, sysid, url, *, title, layer_type, kind='project', funding='public', feature_type='polygon', cost=None, cost_type=None, additional_metadata=None)"
    )]
    fn add_external_diagram(
        sysid: SystemId, url: String, title: String, layer_type: String, kind: DiagramKind, funding: FundingType,
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
        Ok(Json(project.add_external_diagram(sysid, kind, &diagram).await?))
    };
}
