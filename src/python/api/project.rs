//! `Project` and `AsyncProject`: every operation below a project, from one list.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::client::{AsyncClient, Client};
use super::costs::CostReport;
use super::features::FeatureCollection;
use crate::client;
use crate::model::Timeline;
use crate::model::{
    ChangeTeam, Design, DesignDetails, DesignId, Diagram, DiagramId, DiagramSummary, EsriFeature, Layer, Member,
    NegotiationSession, Plugin, ProjectInfo, Stakeholder, SystemDetail, SystemId, Tag, TeamId, Username,
};
use crate::python::convert::arguments::{DiagramIds, Image, cost_selection, selection_kind};
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;
use crate::python::engine::progress::Progress;

/// A project of the service, from `Client.project(id)`. It holds no data: every call asks the service.
///
/// Every operation raises `AuthenticationError` for a bad token, `NotFoundError` for an id that does not exist or a project of
/// which the user is no member, and `TransportError`, `RequestTimeoutError` or `DecodeError` where the answer does not arrive
/// or cannot be read.
#[pyclass(frozen, module = "pygeodesign")]
pub struct Project(client::Project);

/// A project of the service, from `AsyncClient.project(id)`: the operations of `Project`, awaited.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def teams(sandbox):
///     ...     project = sandbox.async_client().project("StatenIsland2050")
///     ...     return await project.teams()
///     >>> with Sandbox() as sandbox:
///     ...     len(asyncio.run(teams(sandbox)))
///     4
#[pyclass(frozen, module = "pygeodesign")]
pub struct AsyncProject(client::Project);

macro_rules! handle {
    ($class:ident of $client:ident) => {
        impl $class {
            pub fn new(project: client::Project) -> Self {
                $class(project)
            }

            pub(super) fn handle(&self) -> PyResult<client::Project> {
                Ok(self.0.clone())
            }
        }

        #[pymethods]
        impl $class {
            /// The project's id: 16 letters and digits.
            #[getter]
            fn id(&self) -> &str {
                self.0.id().as_str()
            }

            /// Over a client with the settings of the one that it came from: the token travels along.
            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
                let client = Bound::new(py, $client::from_config(self.0.client().config().clone())?)?;
                let arguments = (&client, self.0.id().as_str()).into_pyobject(py)?;
                Ok((client.get_type().getattr("project")?, arguments))
            }

            fn __repr__(&self) -> String {
                format!("<{} {} of {}>", stringify!($class), self.0.id(), self.0.client().root())
            }
        }
    };
}

handle! { Project of Client }
handle! { AsyncProject of AsyncClient }

operations! { Project / AsyncProject of client::Project:
    /// Title, description and start date of the project.
    ///
    /// Returns:
    ///     A `ProjectInfo` dict.
    ///
    /// Examples:
    ///     >>> project.info()["projecttitle"]
    ///     'Staten Island 2050'
    fn info() -> Json<ProjectInfo> = |project| Ok(Json(project.info().await?));

    /// The users who take part.
    ///
    /// Returns:
    ///     A list of dicts with `username`.
    ///
    /// Examples:
    ///     >>> project.members()[0]
    ///     {'username': 'admin'}
    fn members() -> Json<Vec<Member>> = |project| Ok(Json(project.members().await?));

    /// Those whose interests the project weighs.
    ///
    /// Returns:
    ///     A list of dicts with `id` (a UUID) and `name`.
    ///
    /// Examples:
    ///     >>> len(project.stakeholders())
    ///     8
    fn stakeholders() -> Json<Vec<Stakeholder>> = |project| Ok(Json(project.stakeholders().await?));

    /// The extensions that the project uses.
    ///
    /// Returns:
    ///     A list of dicts with `id` (a UUID) and `description`.
    ///
    /// Examples:
    ///     >>> len(project.plugins())
    ///     3
    fn plugins() -> Json<Vec<Plugin>> = |project| Ok(Json(project.plugins().await?));

    /// The external data layers: maps of other servers that the project shows.
    ///
    /// Returns:
    ///     A list of `Layer` dicts: `id`, `server_type`, `layer_type`, `url`, `layer_name`, `attribution`,
    ///     `display_name`, `additional_metadata`.
    ///
    /// Examples:
    ///     >>> [layer["layer_type"] for layer in project.layers()]
    ///     ['WMS', 'XYZ', 'esri-featurelayer', 'WMS']
    fn layers() -> Json<Vec<Layer>> = |project| Ok(Json(project.layers().await?));

    /// The project's tags.
    ///
    /// Returns:
    ///     A list of `Tag` dicts: `id` (a UUID), `tag`, `slug`, `code` (may be empty), `diagrams` (a list of diagram ids).
    ///
    /// Examples:
    ///     >>> sorted(tag["code"] for tag in project.tags())[:3]
    ///     ['', 'AH', 'BD']
    fn tags() -> Json<Vec<Tag>> = |project| Ok(Json(project.tags().await?));

    /// The edges of the study area.
    ///
    /// Returns:
    ///     West, south, east, north in degrees (WGS 84).
    ///
    /// Examples:
    ///     >>> west, south, east, north = project.bounds()
    ///     >>> west < east and south < north
    ///     True
    fn bounds() -> (f64, f64, f64, f64) = |project| {
        let bounds = project.bounds().await?;
        Ok((bounds.west, bounds.south, bounds.east, bounds.north))
    };

    /// The middle of the study area.
    ///
    /// Returns:
    ///     Longitude, latitude in degrees (WGS 84).
    ///
    /// Examples:
    ///     >>> [round(degrees, 2) for degrees in project.center()]
    ///     [-74.15, 40.57]
    fn center() -> (f64, f64) = |project| {
        let center = project.center().await?;
        Ok((center.longitude, center.latitude))
    };

    /// Land that cannot change, whatever a system proposes.
    ///
    /// Returns:
    ///     A `FeatureCollection`; its `metadata` has `description` and `area` (m²).
    ///
    /// Examples:
    ///     >>> len(project.constraints())
    ///     3
    fn constraints() -> FeatureCollection = |project| Ok(project.constraints().await?.into());

    /// The outline of the study area.
    ///
    /// Returns:
    ///     A `FeatureCollection`; its `metadata` has `description`, with the source.
    ///
    /// Examples:
    ///     >>> project.boundaries()["features"][0]["properties"]["bname"]
    ///     'Staten Island'
    fn boundaries() -> FeatureCollection = |project| Ok(project.boundaries().await?.into());

    /// The second outline, such as what lies around the study area.
    ///
    /// Returns:
    ///     A `FeatureCollection`; its `metadata` has `description`, with the source.
    ///
    /// Examples:
    ///     >>> len(project.second_boundaries())
    ///     5
    fn second_boundaries() -> FeatureCollection = |project| Ok(project.second_boundaries().await?.into());

    /// What teams accepted and rejected while they made one design of two.
    ///
    /// Returns:
    ///     A list of `NegotiationSession` dicts: `session_id`, `cteams` (team ids) and `moves`, a list of dicts with `diagram` (its id), `move` and
    ///     `timestamp` (ISO 8601, without zone).
    ///
    /// Examples:
    ///     >>> len(project.negotiation_logs())
    ///     3
    fn negotiation_logs() -> Json<Vec<NegotiationSession>> = |project| Ok(Json(project.negotiation_logs().await?));

    /// The systems by name and colour. `system(sysid)` has the figures of one.
    ///
    /// Returns:
    ///     A list of `System` dicts: `id`, `name`, `color` (`#RRGGBB`), `verbose_description`. The figures `tag`, `cost`,
    ///     `budget`, `current_ha` and `target_ha` are None where the service leaves them out of the list.
    ///
    /// Examples:
    ///     >>> project.systems()[0]["name"]
    ///     'Water'
    fn systems() -> Json<Vec<SystemDetail>> = |project| Ok(Json(project.systems().await?));

    /// One system with its figures.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A `SystemDetail` dict: `id`, `name`, `color` (`#RRGGBB`), `verbose_description`, `tag`, `cost` (per hectare, or per
    ///     kilometre of a diagram with lines only), `budget`, `current_ha` and `target_ha` (hectares).
    ///
    /// Raises:
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> project.system(1)["tag"]
    ///     'WAT'
    fn system(sysid: SystemId) -> Json<SystemDetail> = |project| Ok(Json(project.system(sysid).await?));

    /// The ids of a system's diagrams.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A list of ints.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> project.system_diagram_ids(1)[:3]
    ///     [1001, 1002, 1003]
    fn system_diagram_ids(sysid: SystemId) -> Json<Vec<DiagramId>> = |project| Ok(Json(project.system_diagram_ids(sysid).await?));

    /// The evaluation map of a system: where it is wanted, and where not.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A `FeatureCollection` with the properties `areatype` (`red` where change is least wanted, `green` where it is
    ///     most) and `color`; its `metadata` has `sysid`.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> sorted({feature["properties"]["areatype"] for feature in project.evaluation(1)})
    ///     ['green', 'red', 'yellow']
    fn evaluation(sysid: SystemId) -> FeatureCollection = |project| Ok(project.evaluation(sysid).await?.into());

    /// The diagrams in short.
    ///
    /// Returns:
    ///     A list of `DiagramSummary` dicts: `id`, `worlddescription`, `author`, `created_at` (ISO 8601, without zone), `rank`,
    ///     `sysid`.
    ///
    /// Examples:
    ///     >>> len(project.diagram_summaries())
    ///     180
    fn diagram_summaries() -> Json<Vec<DiagramSummary>> = |project| Ok(Json(project.diagram_summaries().await?));

    /// Everything about the diagrams but their geography.
    ///
    /// Returns:
    ///     A list of `Diagram` dicts; `area` is in m², `length` in km, dates are `YYYY-MM-DD`.
    ///
    /// Examples:
    ///     >>> project.diagram_details()[0]["id"]
    ///     1001
    fn diagram_details() -> Json<Vec<Diagram>> = |project| Ok(Json(project.diagram_details().await?));

    /// All diagrams with their geography: one row per feature, one also for a diagram without any.
    ///
    /// Each row has the diagram's fields beside the feature's own; where both have a field, the diagram's value stands.
    ///
    /// Returns:
    ///     A `FeatureCollection`. Its columns are the same for every project: ids are integers, `area` (m²) and `length` (km)
    ///     floats, dates timestamps, try_acquire-form objects JSON text.
    ///
    /// Examples:
    ///     >>> len({feature["properties"]["diagramid"] for feature in project.diagrams()})
    ///     180
    fn diagrams() -> FeatureCollection = |project| Ok(project.diagrams().await?.into());

    /// One diagram.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///
    /// Returns:
    ///     A `FeatureCollection` of its features; its `metadata` holds the diagram's own fields.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.diagram(1001).metadata["sysid"]
    ///     1
    fn diagram(id: DiagramId) -> FeatureCollection = |project| Ok(project.diagram(id).await?.into());

    /// The tags of a diagram.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///
    /// Returns:
    ///     A list of `Tag` dicts.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> all(1002 in tag["diagrams"] for tag in project.diagram_tags(1002))
    ///     True
    fn diagram_tags(id: DiagramId) -> Json<Vec<Tag>> = |project| Ok(Json(project.diagram_tags(id).await?));

    /// The codes of a diagram's tags.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///
    /// Returns:
    ///     A list of str.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.diagram_tag_codes(1002) == [tag["code"] for tag in project.diagram_tags(1002)]
    ///     True
    fn diagram_tag_codes(id: DiagramId) -> Vec<String> = |project| Ok(project.diagram_tag_codes(id).await?);

    /// The note of a diagram.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///
    /// Returns:
    ///     Text; empty where there is no note.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> isinstance(project.diagram_notes(1001), str)
    ///     True
    fn diagram_notes(id: DiagramId) -> String = |project| Ok(project.diagram_notes(id).await?);

    /// A digest of when a diagram last changed. Compare it with an earlier one.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///
    /// Returns:
    ///     Text.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.diagram_change_id(1001) == project.diagram_change_id(1001)
    ///     True
    fn diagram_change_id(id: DiagramId) -> String = |project| Ok(project.diagram_change_id(id).await?);

    /// The change ids of many diagrams, asked concurrently.
    ///
    /// Args:
    ///     ids: Diagram ids. Default: all diagrams.
    ///
    /// Returns:
    ///     A dict from diagram id to change id.
    ///
    /// Raises:
    ///     NotFoundError: The project lacks one of the diagrams.
    ///
    /// Examples:
    ///     >>> sorted(project.diagram_change_ids([1001, 1002]))
    ///     [1001, 1002]
    #[pyo3(signature = (ids=None))]
    fn diagram_change_ids(ids: Option<DiagramIds>) -> Json<BTreeMap<DiagramId, String>> = |project| {
        Ok(Json(project.diagram_change_ids(ids.map(|ids| ids.0)).await?))
    };

    /// The diagrams that a member selected.
    ///
    /// Args:
    ///     username: A member of the project.
    ///     system: A system's id. Default: all systems.
    ///     kind: `"project"` or `"policy"`, within a system. Default: both.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: `kind` without `system`, or neither of the two kinds.
    ///     PermissionDeniedError: The user is not a member of the project.
    ///
    /// Examples:
    ///     >>> len(project.selection("amara.okafor")) > 0
    ///     True
    #[pyo3(signature = (username, system=None, kind=None))]
    fn selection(username: Username, system: Option<SystemId>, kind: Option<String>) -> FeatureCollection = |project| {
        Ok(project.selection(&username, selection_kind(system, kind.as_deref())?).await?.into())
    };

    /// The change teams.
    ///
    /// Returns:
    ///     A list of dicts with `id` and `title`.
    ///
    /// Examples:
    ///     >>> [team["id"] for team in project.teams()]
    ///     [1, 2, 3, 4]
    fn teams() -> Json<Vec<ChangeTeam>> = |project| Ok(Json(project.teams().await?));

    /// The designs that a change team saved, oldest first.
    ///
    /// Args:
    ///     team: The team's id.
    ///
    /// Returns:
    ///     A list of `Design` dicts: `id` (16 characters), `cteamid`, `creationdate` (ISO 8601), `description`.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such team.
    ///
    /// Examples:
    ///     >>> len(project.designs(1))
    ///     3
    fn designs(team: TeamId) -> Json<Vec<Design>> = |project| Ok(Json(project.designs(team).await?));

    /// What a design is called and when it was saved.
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id. Default: the team's latest design.
    ///
    /// Returns:
    ///     A dict with `id`, `creationdate` (ISO 8601), `description`.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> project.design_details(1)["id"] == project.designs(1)[-1]["id"]
    ///     True
    #[pyo3(signature = (team, design=None))]
    fn design_details(team: TeamId, design: Option<DesignId>) -> Json<DesignDetails> = |project| {
        Ok(Json(project.design_details(team, design.as_ref()).await?))
    };

    /// The members of a change team.
    ///
    /// Args:
    ///     team: The team's id.
    ///
    /// Returns:
    ///     A list of user names.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such team.
    ///
    /// Examples:
    ///     >>> len(project.team_members(1))
    ///     3
    fn team_members(team: TeamId) -> Json<Vec<Username>> = |project| Ok(Json(project.team_members(team).await?));

    /// The features of a design.
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> len(project.design(1, design)) > 0
    ///     True
    fn design(team: TeamId, design: DesignId) -> FeatureCollection = |project| Ok(project.design(team, &design).await?.into());

    /// The features of a design as feature-JSON, for tools that read it. `FeatureCollection.from_esri` takes them.
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///
    /// Returns:
    ///     A list of `EsriFeature` dicts: `attributes`, and `geometry` with `rings` or `paths` and `spatialReference`.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> project.design_esri(1, design)[0]["geometry"]["spatialReference"]
    ///     {'wkid': 4326}
    fn design_esri(team: TeamId, design: DesignId) -> Json<Vec<EsriFeature>> = |project| {
        Ok(Json(project.design_esri(team, &design).await?))
    };

    /// The ids of the diagrams in a design.
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///
    /// Returns:
    ///     A list of ints.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> len(project.design_diagram_ids(1, design)) > 0
    ///     True
    fn design_diagram_ids(team: TeamId, design: DesignId) -> Json<Vec<DiagramId>> = |project| {
        Ok(Json(project.design_diagram_ids(team, &design).await?))
    };

    /// When the diagrams of a design start and end.
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///
    /// Returns:
    ///     A dict from diagram id to a dict with `start` and `end` (`YYYY-MM-DD`, or None).
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> sorted(project.design_timeline(1, design)) == project.design_diagram_ids(1, design)
    ///     True
    fn design_timeline(team: TeamId, design: DesignId) -> Json<Timeline> = |project| {
        Ok(Json(project.design_timeline(team, &design).await?))
    };

    /// The features of a design's projects in one system.
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team, design or system.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> {feature["properties"]["sysid"] for feature in project.design_system_projects(1, design, 3)}
    ///     {3}
    fn design_system_projects(team: TeamId, design: DesignId, sysid: SystemId) -> FeatureCollection = |project| {
        Ok(project.design_system_projects(team, &design, sysid).await?.into())
    };

    /// A picture of a diagram over the study area.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///
    /// Returns:
    ///     A PNG, as bytes. `IPython.display.Image` shows it.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.thumbnail(1001)[1:4]
    ///     b'PNG'
    fn thumbnail(id: DiagramId) -> Image = |project| Ok(Image(project.thumbnail(id).await?));

    /// Pictures of many diagrams, fetched several at once.
    ///
    /// Args:
    ///     ids: Diagram ids. Default: all diagrams.
    ///     progress: Whether a bar shows how far it is. Default: where a notebook or a terminal shows it, with tqdm.
    ///
    /// Returns:
    ///     A dict from diagram id to a PNG, as bytes.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> sorted(project.thumbnails([1001, 1002]))
    ///     [1001, 1002]
    #[pyo3(signature = (ids=None, progress=None))]
    fn thumbnails(ids: Option<DiagramIds>, progress: Option<bool>) -> BTreeMap<i64, Image> = |project| {
        let progress = Progress::new("thumbnails", progress)?;
        let images = project.thumbnails(ids.map(|ids| ids.0), &progress).await?;
        Ok(images.into_iter().map(|(id, png)| (id.0, Image(png))).collect())
    };

    /// What the diagrams cost, system by system.
    ///
    /// For each diagram, in this order: an override of type `total` is the cost; a policy costs nothing; the rate is the
    /// diagram's own where it has one, else its system's; a diagram that covers any area costs rate × hectares, one with
    /// lines only rate × kilometres. Area and length are geodesic on WGS 84 (Karney 2013), from the geometry; where there is
    /// none, the service's own figures stand in.
    ///
    /// Args:
    ///     member: Price what this member selected.
    ///     team: With `design`: price this team's design.
    ///     design: A design's id, with `team`.
    ///     diagrams: Price these diagram ids. Default of all four: every diagram.
    ///
    /// Returns:
    ///     A `CostReport`.
    ///
    /// Raises:
    ///     InputError: Several ways of choosing at once, or a diagram that the project does not have.
    ///     DecodeError: A diagram belongs to a system that the project does not list.
    ///
    /// Examples:
    ///     >>> report = project.costs(diagrams=[1001, 1002])
    ///     >>> report.total == sum(row["cost"] for row in report.diagrams)
    ///     True
    #[pyo3(signature = (*, member=None, team=None, design=None, diagrams=None))]
    fn costs(
        member: Option<Username>, team: Option<TeamId>, design: Option<DesignId>, diagrams: Option<DiagramIds>,
    ) -> CostReport = |project| {
        let selection = cost_selection(member, team, design, diagrams)?;
        Ok(project.costs(selection).await?.into())
    };
}
