//! What `Project` and `AsyncProject` write, from one list.

use pyo3::prelude::*;

use super::project::{AsyncProject, Project};
use crate::client;
use crate::model::{
    AddedDiagram, DiagramId, DiagramUpdate, ExternalDiagram, JsonObject, LayerId, NewLayer, SystemId, Username,
    UtcMillis, Uuid,
};
use crate::python::convert::arguments::{
    Groups, JsonObjectArgument, NewTags, Nothing, cost_kind, layer_kind, server_kind,
};
use crate::python::convert::geometries::{Columns, Features, diagram_kind, feature_type, funding_type};
use crate::python::convert::to_python::Json;
use crate::python::convert::uploads::{UploadReport, upload};
use crate::python::engine::operations::operations;
use crate::python::engine::progress::Progress;

operations! { Project / AsyncProject of client::Project:
    /// Adds stakeholders.
    ///
    /// Args:
    ///     names: What they are called. Those who are there already are not added again.
    ///
    /// Returns:
    ///     What the service says: how many were created and added.
    ///
    /// Raises:
    ///     InputError: A name is empty; nothing was sent.
    ///
    /// Examples:
    ///     >>> project.add_stakeholders(["Oyster growers"])
    ///     'Stakeholders created and added: 1.'
    fn add_stakeholders(names: Vec<String>) -> String = |project| Ok(project.add_stakeholders(&names).await?);

    /// Replaces the plugins of the project.
    ///
    /// Args:
    ///     ids: Their UUIDs.
    ///
    /// Returns:
    ///     What the service says: how many were added.
    ///
    /// Raises:
    ///     InputError: One is no UUID; nothing was sent.
    ///
    /// Examples:
    ///     >>> project.set_plugins([plugin["id"] for plugin in project.plugins()])
    ///     'Plugins added: 3.'
    fn set_plugins(ids: Vec<Uuid>) -> String = |project| Ok(project.set_plugins(&ids).await?);

    /// Shows a map of another server over or under the study area.
    ///
    /// Args:
    ///     url: Its address; https.
    ///     server_type: `esri`, `eorg`, `mapserver`, `geoserver`, `mapcentia-gc2` or `other`.
    ///     layer_type: `WMS`, `XYZ`, `esri-basemap`, `esri-tilelayer`, `esri-dynamicmaplayer`, `esri-imagemaplayer` or
    ///         `esri-featurelayer`, in any case.
    ///     layer_name: Its name on that server.
    ///     display_name: Its name here. Default: the layer's name.
    ///     attribution: Whose data it is.
    ///     additional_metadata: A dict of your own.
    ///
    /// Returns:
    ///     What the service says.
    ///
    /// Raises:
    ///     InputError: Another kind of server or layer, or an address that is not https; nothing was sent.
    ///
    /// Examples:
    ///     >>> message = project.add_layer(
    ///     ...     "https://tiles.example.org/{z}/{x}/{y}.png", server_type="other", layer_type="XYZ", layer_name="Relief"
    ///     ... )
    ///     >>> project.layers()[-1]["display_name"]
    ///     'Relief'
    #[pyo3(
        signature = (url, *, server_type, layer_type, layer_name, display_name=None, attribution="".to_owned(), additional_metadata=None),
        text_signature = "($self, url, *, server_type, layer_type, layer_name, display_name=None, attribution='', additional_metadata=None)"
    )]
    fn add_layer(
        url: String, server_type: String, layer_type: String, layer_name: String, display_name: Option<String>,
        attribution: String, additional_metadata: Option<JsonObjectArgument>,
    ) -> String = |project| {
        let additional_metadata = additional_metadata.map(|JsonObjectArgument(metadata)| metadata).or_else(|| Some(JsonObject::new()));
        let layer = NewLayer {
            server_type: server_kind(&server_type)?,
            layer_type: layer_kind(&layer_type)?,
            url,
            display_name: display_name.unwrap_or_else(|| layer_name.clone()),
            layer_name,
            attribution,
            additional_metadata,
        };
        Ok(project.add_layer(&layer).await?)
    };

    /// Removes an external layer. For administrators of the project.
    ///
    /// Args:
    ///     id: The layer's id.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such layer.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.delete_layer(project.layers()[-1]["id"])
    fn delete_layer(id: LayerId) -> Nothing = |project| {
        project.delete_layer(id).await?;
        Ok(Nothing)
    };

    /// Adds tags to the project.
    ///
    /// Args:
    ///     tags: Dicts with `tag` and `code`, or names alone. A code has no `|`, and no two tags have the same.
    ///
    /// Returns:
    ///     What the service says.
    ///
    /// Raises:
    ///     InputError: An empty name, or a code with `|`; nothing was sent.
    ///     ApiError: Another tag has that code (409).
    ///
    /// Examples:
    ///     >>> project.create_tags([{"tag": "Quick win", "code": "QW"}])
    ///     'Tags created: 1.'
    fn create_tags(tags: NewTags) -> String = |project| Ok(project.create_tags(tags.0).await?);

    /// Sets title, tags, dates and metadata of a diagram. What is not given stays as it is, but for the metadata.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     additional_metadata: A dict of your own; it replaces what is there.
    ///     title: What the diagram is called.
    ///     tag_codes: The codes of the tags that it is to carry; no others stay.
    ///     start_date: An aware datetime, a date (midnight in UTC), or text of either. Sent to the millisecond.
    ///     end_date: The same; not before `start_date`.
    ///
    /// Returns:
    ///     What the service says.
    ///
    /// Raises:
    ///     InputError: A datetime without a time zone, an end before the start, an empty title; nothing was sent.
    ///     BadRequestError: A tag is not in the project; nothing was changed.
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> import datetime
    ///     >>> project.update_diagram(1001, additional_metadata={"phase": 1}, start_date=datetime.date(2030, 1, 1))
    ///     'The diagram was updated.'
    #[pyo3(signature = (id, *, additional_metadata, title=None, tag_codes=None, start_date=None, end_date=None))]
    fn update_diagram(
        id: DiagramId, additional_metadata: JsonObjectArgument, title: Option<String>, tag_codes: Option<Vec<String>>,
        start_date: Option<UtcMillis>, end_date: Option<UtcMillis>,
    ) -> String = |project| {
        let additional_metadata = additional_metadata.0;
        let update = DiagramUpdate { additional_metadata, title, tag_codes, start_date, end_date };
        Ok(project.update_diagram(id, &update).await?)
    };

    /// Makes these tags those of a diagram; no others stay.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     ids: The UUIDs of the tags.
    ///
    /// Returns:
    ///     What the service says.
    ///
    /// Raises:
    ///     BadRequestError: A tag is not in the project; nothing was changed.
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.set_diagram_tags(1002, [tag["id"] for tag in project.diagram_tags(1002)])
    ///     'Tags assigned to the diagram: 3.'
    fn set_diagram_tags(id: DiagramId, ids: Vec<Uuid>) -> String = |project| Ok(project.set_diagram_tags(id, &ids).await?);

    /// Makes the tags of these codes those of a diagram; no others stay.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     codes: The codes of the tags.
    ///
    /// Returns:
    ///     What the service says.
    ///
    /// Raises:
    ///     BadRequestError: A code is of no tag in the project; nothing was changed.
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.set_diagram_tag_codes(1002, project.diagram_tag_codes(1002))
    ///     'Tags assigned to the diagram: 3.'
    fn set_diagram_tag_codes(id: DiagramId, codes: Vec<String>) -> String = |project| {
        Ok(project.set_diagram_tag_codes(id, &codes).await?)
    };

    /// Replaces the note of a diagram.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     text: The note.
    ///
    /// Returns:
    ///     The note as the service has stored it.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.set_diagram_notes(1003, "Ask the harbour first.")
    ///     'Ask the harbour first.'
    fn set_diagram_notes(id: DiagramId, text: String) -> String = |project| Ok(project.set_diagram_notes(id, text).await?);

    /// Puts diagrams into named groups. Each group then has exactly its diagrams; other groups stay.
    ///
    /// Args:
    ///     groups: A dict from group name to diagram ids.
    ///
    /// Returns:
    ///     What the service says.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram; nothing was changed.
    ///
    /// Examples:
    ///     >>> project.group_diagrams({"East Shore": [1001, 1002], "North Shore": [1040]})
    ///     'Diagram groups set: 2.'
    fn group_diagrams(groups: Groups) -> String = |project| Ok(project.group_diagrams(groups.0).await?);

    /// Adds a diagram to a system.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     geometry: Lines or polygons: a GeoDataFrame or GeoSeries (reprojected to WGS 84 from its CRS), a shapely geometry,
    ///         anything with `__geo_interface__` or an Arrow stream, GeoJSON as a dict or as text. All its features are
    ///         one diagram; their attributes are not sent.
    ///     title: What the diagram is called.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     feature_type: `"polygon"` or `"line"`. Default: what the geometry is.
    ///
    /// Returns:
    ///     An `AddedDiagram` dict: `diagram_id` (text, as the service has it), `grid_location`, `status`.
    ///
    /// Raises:
    ///     InputError: No CRS; lines among polygons; points; an empty, unclosed or self-crossing geometry, one with NaN or
    ///         beyond the degrees of Earth. It names the feature; nothing was sent.
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> ring = [(-74.15, 40.57), (-74.14, 40.57), (-74.14, 40.58), (-74.15, 40.57)]
    ///     >>> added = project.add_diagram(1, {"type": "Polygon", "coordinates": [ring]}, title="Rain garden")
    ///     >>> added["grid_location"]
    ///     'A21'
    #[pyo3(
        signature = (sysid, geometry, *, title, kind="project".to_owned(), funding="public".to_owned(), feature_type=None),
        text_signature = "($self, sysid, geometry, *, title, kind='project', funding='public', feature_type=None)"
    )]
    fn add_diagram(
        sysid: SystemId, geometry: Features, title: String, kind: String, funding: String, feature_type: Option<String>,
    ) -> Json<AddedDiagram> = |project| {
        let diagram = geometry.into_diagram(title, &kind, &funding, feature_type.as_deref())?;
        Ok(Json(project.add_diagram(sysid, &diagram).await?))
    };

    /// Adds one diagram for each row of a frame, several at once.
    ///
    /// Every row is checked before the first is sent. Each then succeeds or fails for itself.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     frame: A GeoDataFrame (reprojected to WGS 84 from its CRS), or whatever `add_diagram` takes.
    ///     title: The name of the column with the titles.
    ///     kind: `"project"`, `"policy"`, or the name of a column that says so.
    ///     funding: `"public"`, `"public_private"`, `"private"`, `"budgeted"`, or the name of a column that says so.
    ///     feature_type: `"polygon"`, `"line"`, or the name of a column that says so. Default: what each geometry is.
    ///     progress: Whether a bar shows how far it is. Default: where a notebook or a terminal shows it, with tqdm.
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
        let rows = frame.into_diagrams(&Columns { title, kind, funding, feature_type })?;
        upload(project, sysid, rows, Progress::new("diagrams", progress)?).await
    };

    /// Adds a diagram whose geography lies in a file elsewhere.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     url: The address of the file.
    ///     title: What the diagram is called.
    ///     layer_type: `fgb-layer` (FlatGeobuf), `cogs` (Cloud Optimized GeoTIFF), or another that the service knows.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     feature_type: `"polygon"` or `"line"`.
    ///     cost: A whole number; `cost_type` says of what.
    ///     cost_type: `"total"`, or `"unit"` for a cost per hectare.
    ///     additional_metadata: A dict of your own.
    ///
    /// Returns:
    ///     An `AddedDiagram` dict.
    ///
    /// Raises:
    ///     InputError: No address, an unknown name, a cost without its type; nothing was sent.
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> added = project.add_external_diagram(
    ///     ...     3, "https://data.example.org/parks.fgb", title="Parks", layer_type="fgb-layer", cost=12, cost_type="unit"
    ///     ... )
    ///     >>> project.diagram(added["diagram_id"]).metadata["cost_override_type"]
    ///     'per hectare.'
    #[pyo3(
        signature = (sysid, url, *, title, layer_type, kind="project".to_owned(), funding="public".to_owned(), feature_type="polygon".to_owned(), cost=None, cost_type=None, additional_metadata=None),
        text_signature = "($self, sysid, url, *, title, layer_type, kind='project', funding='public', feature_type='polygon', cost=None, cost_type=None, additional_metadata=None)"
    )]
    fn add_external_diagram(
        sysid: SystemId, url: String, title: String, layer_type: String, kind: String, funding: String, feature_type: String,
        cost: Option<i64>, cost_type: Option<String>, additional_metadata: Option<JsonObjectArgument>,
    ) -> Json<AddedDiagram> = |project| {
        let diagram = ExternalDiagram {
            url,
            layer_type,
            featuretype: self::feature_type(&feature_type)?,
            description: title,
            fundingtype: funding_type(&funding)?,
            additional_metadata: additional_metadata.map(|JsonObjectArgument(metadata)| metadata),
            cost,
            cost_type: cost_type.as_deref().map(cost_kind).transpose()?,
        };
        Ok(Json(project.add_external_diagram(sysid, diagram_kind(&kind)?, &diagram).await?))
    };

    /// Sets the evaluation map of a system: where it is wanted, and where not.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     features: Polygons, as `add_diagram` takes them, each with an `areatype`: from `green3` (feasible) over `green2`,
    ///         `green`, `yellow` and `red2` to `red`. A `color` (`#RRGGBB`) may stand beside it.
    ///     username: The member in whose name it is set. Default: the user's own.
    ///
    /// Returns:
    ///     What the service says.
    ///
    /// Raises:
    ///     InputError: A feature without `areatype`, or a geometry that cannot be sent; nothing was sent.
    ///     NotFoundError: The project has no such system.
    ///     PermissionDeniedError: The user named is not a member of the project.
    ///
    /// Examples:
    ///     >>> project.set_evaluation(1, project.evaluation(1).to_geopandas())
    ///     'The map was set.'
    #[pyo3(signature = (sysid, features, username=None))]
    fn set_evaluation(sysid: SystemId, features: Features, username: Option<Username>) -> String = |project| {
        Ok(project.set_evaluation(sysid, &features.into_evaluation()?, username.as_ref()).await?)
    };

    /// Sets the impact map of a system.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     features: Polygons, as `add_diagram` takes them, with whatever attributes they have.
    ///     username: The member in whose name it is set. Default: the user's own.
    ///
    /// Returns:
    ///     What the service says.
    ///
    /// Raises:
    ///     InputError: A geometry that cannot be sent; nothing was sent.
    ///     NotFoundError: The project has no such system.
    ///     PermissionDeniedError: The user named is not a member of the project.
    ///
    /// Examples:
    ///     >>> project.set_impact(1, project.evaluation(1).to_geopandas())
    ///     'The map was set.'
    #[pyo3(signature = (sysid, features, username=None))]
    fn set_impact(sysid: SystemId, features: Features, username: Option<Username>) -> String = |project| {
        Ok(project.set_impact(sysid, &features.into_map()?, username.as_ref()).await?)
    };
}
