//! Operations of a diagram.

use pyo3::prelude::*;

use super::{AsyncDiagram, Diagram};
use crate::api::operations::drawings::check_place;
use crate::convert::arguments::{Arg, BuildingData, Metadata};
use crate::convert::external_frame::{ExternalFrame, check_libraries};
use crate::convert::geometries::{AboutDiagram, Features};
use crate::convert::results::{Image, Nothing};
use crate::engine::operations::operations;
use geodesign::model::{CostType, DiagramEdit, DiagramKind, DiagramUpdate, FundingType, UtcMillis};
use geodesign_client::{DiagramHandle, ExternalLimits, Outside, SystemReference};

operations! { Diagram / AsyncDiagram of DiagramHandle:
    #[doc = summary!(UPDATE_DIAGRAM)]
    ///
    /// Omitted arguments stay unchanged. The service replaces metadata with every update; to keep them, they are read and sent again.
    ///
    /// Args:
    ///     additional_metadata: A dict with any content; it replaces the diagram's metadata. Default: they stay.
    ///     title: The diagram's title.
    ///     tag_codes: The codes of all its tags after the update.
    ///     start_date: A datetime, a date (its midnight), or a string of either; without a time zone they are in UTC, like the service's
    ///         dates. Sent to the millisecond.
    ///     end_date: The same; not before `start_date`.
    ///
    /// Raises:
    ///     InputError: A value that is not a date, an end before the start, an empty title; nothing was changed.
    ///     BadRequestError: A tag is not in the project; nothing was changed.
    ///     InputError: The project has no diagram of that title, or several; it lists them.
    ///     NotFoundError: The project has no diagram of that id.
    ///
    /// Examples:
    ///     >>> import datetime
    ///     >>> diagram = project.diagram(1001)
    ///     >>> diagram.update(additional_metadata={"phase": 1}, start_date=datetime.date(2030, 1, 1))
    ///     >>> diagram.update(end_date="2035-12-31")
    ///     >>> project.diagram(1001)["additional_metadata"]
    ///     {'phase': 1}
    #[pyo3(signature = (*, additional_metadata=None, title=None, tag_codes=None, start_date=None, end_date=None))]
    fn update(
        additional_metadata: Option<Metadata>, title: Option<String>, tag_codes: Option<Vec<String>>,
        start_date: Option<UtcMillis>, end_date: Option<UtcMillis>,
    ) -> Nothing = |diagram| {
        let (project, id) = (diagram.project(), diagram.id().await?);
        let update = DiagramUpdate { title, tag_codes, start_date, end_date, ..DiagramUpdate::default() };
        match additional_metadata {
            Some(Metadata(additional_metadata)) => {
                project.update_diagram(id, &DiagramUpdate { additional_metadata, ..update }).await?
            }
            None => project.update_diagram_but_metadata(id, update).await?,
        };
        Ok(Nothing)
    };

    /// Changes the given fields of a diagram; all others stay unchanged. Members can change their own diagrams, administrators all.
    ///
    /// Undoing the entry in `Project.history()` restores the old values. Other services may not have this operation.
    ///
    /// Args:
    ///     title: The diagram's title.
    ///     geometry: A replacement for all features of the diagram, as for `Project.add_diagram`.
    ///     start_date: The first day, as for `update`. If the diagram has no days, a single one stands for both.
    ///     end_date: The last day.
    ///     undated: True to remove the days.
    ///     system: The id, name or tag of the system to move the diagram to. It gets the next free place there.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     cost: An amount of money instead of the system's cost; 0 for none.
    ///     cost_type: The kind of amount: `"total"`, or `"unit"` for a cost per hectare (per kilometre of a diagram with
    ///         lines only, for each point of one with points only).
    ///     building_data: A dict, such as one with `storeys_above_ground` and `storeys_below_ground`, whole numbers from which floors are counted.
    ///     outside: For a feature completely outside the study area, `"refuse"` or `"allow"`.
    ///     unless_changed_since: A change id of the diagram. If the diagram has a different one, somebody changed it meanwhile, and nothing is changed.
    ///
    /// Returns:
    ///     The diagram's new change id, as from `change_id`.
    ///
    /// Raises:
    ///     InputError: A geometry that `Project.add_diagram` refuses too, an end before the start, an empty title, a cost without `cost_type`;
    ///         nothing was changed. Or the project has no system of that name; it lists the systems.
    ///     PermissionDeniedError: The user neither added the diagram nor administers the project; or drawing is closed.
    ///     InputError: The project has no diagram of that title, or several; it lists them.
    ///     NotFoundError: The project has no diagram of that id.
    ///     ApiError: With `status_code` 412, the diagram's change id differs from `unless_changed_since`.
    ///
    /// Examples:
    ///     >>> changed = project.diagram(1004).edit(title="Oyster reef", cost=2.5e6, cost_type="total")
    ///     >>> project.costs(diagrams=[1004]).total
    ///     2500000.0
    #[pyo3(
        signature = (*, title=None, geometry=None, start_date=None, end_date=None, undated=false, system=None, kind=None, funding=None, cost=None, cost_type=None, building_data=None, outside=Arg(Outside::Refuse), unless_changed_since=None),
        text_signature = "($self, *, title=None, geometry=None, start_date=None, end_date=None, undated=False, system=None, kind=None, funding=None, cost=None, cost_type=None, building_data=None, outside='refuse', unless_changed_since=None)"
    )]
    fn edit(
        title: Option<String>, geometry: Option<Features>, start_date: Option<UtcMillis>,
        end_date: Option<UtcMillis>, undated: bool, system: Option<SystemReference>, kind: Option<DiagramKind>,
        funding: Option<FundingType>, cost: Option<f64>, cost_type: Option<CostType>, building_data: Option<BuildingData>,
        outside: Outside, unless_changed_since: Option<String>,
    ) -> String = |diagram| {
        let (project, id) = (diagram.project(), diagram.id().await?);
        let geometry = match geometry {
            Some(geometry) => {
                let kind = kind.unwrap_or(DiagramKind::Project);
                let title = title.clone().unwrap_or_else(|| id.to_string());
                let (funding, dates) = (FundingType::Public, (None, None));
                let about =
                    AboutDiagram { title, kind, funding, feature_type: None, outside, dates, building_data: None };
                let drawn = geometry.into_diagram(about)?;
                check_place(project, &drawn).await?;
                Some(drawn.drawn.geometry)
            }
            None => None,
        };
        let sysid = match system {
            Some(system) => Some(project.find_system(&system).await?),
            None => None,
        };
        let edit = DiagramEdit {
            title,
            start_date,
            end_date,
            undated,
            sysid,
            kind,
            fundingtype: funding,
            geometry,
            cost,
            cost_type,
            building_data: building_data.map(|BuildingData(data)| data),
        };
        Ok(project.edit_diagram(id, &edit, unless_changed_since.as_deref()).await?)
    };

    #[doc = summary!(SET_NOTES)]
    ///
    /// Args:
    ///     text: The note.
    ///
    /// Raises:
    ///     InputError: The project has no diagram of that title, or several; it lists them.
    ///     NotFoundError: The project has no diagram of that id.
    ///
    /// Examples:
    ///     >>> project.diagram(1003).set_notes("Ask the harbour first.")
    ///     >>> project.diagram(1003).notes()
    ///     'Ask the harbour first.'
    fn set_notes(text: String) -> Nothing = |diagram| {
        diagram.project().set_diagram_notes(diagram.id().await?, text).await?;
        Ok(Nothing)
    };

    #[doc = summary!(SET_VOTE)]
    ///
    /// Args:
    ///     vote: From -2 (strongly against) to 2 (strongly for).
    ///     comment: A short reason, which all members can read.
    ///
    /// Raises:
    ///     InputError: The vote is out of range; nothing was sent.
    ///     PermissionDeniedError: Selecting is closed.
    ///     InputError: The project has no diagram of that title, or several; it lists them.
    ///     NotFoundError: The project has no diagram of that id.
    ///
    /// Examples:
    ///     >>> project.diagram(1001).vote(2, "It keeps cellars dry.")
    #[pyo3(signature = (vote, comment="".to_owned()), text_signature = "($self, vote, comment='')")]
    fn vote(vote: i64, comment: String) -> Nothing = |diagram| {
        let (project, id) = (diagram.project(), diagram.id().await?);
        project.vote(id, vote, comment).await?;
        Ok(Nothing)
    };

    /// A picture of a diagram over the study area.
    ///
    /// Returns:
    ///     A PNG, as bytes. `IPython.display.Image` shows it.
    ///
    /// Raises:
    ///     InputError: The project has no diagram of that title, or several; it lists them.
    ///     NotFoundError: The project has no diagram of that id.
    ///
    /// Examples:
    ///     >>> project.diagram(1001).thumbnail()[1:4]
    ///     b'PNG'
    fn thumbnail() -> Image = |diagram| {
        Ok(Image(diagram.project().thumbnail(diagram.id().await?).await?))
    };

    /// Opens the FlatGeobuf file of an external diagram.
    ///
    /// The complete file is downloaded from its server, at the address that a member of the project entered. The token is not
    /// sent there, each redirect is checked like the address itself, and the client's proxy, authorities and time limits apply. A host whose
    /// name only the proxy knows is left to it.
    ///
    /// Args:
    ///     max_bytes: The largest file that is read. Default: 100 MB.
    ///     allow_private: True to allow a file on this machine or in a private network. Any member can enter such an address, so allow it
    ///         only if you trust all of them.
    ///
    /// Returns:
    ///     A GeoDataFrame in EPSG:4326 (reprojected from the file's CRS) with the columns of the file.
    ///
    /// Raises:
    ///     ExternalFileError: The address is not https or leads to a private network; there is no response; the file is too large, a
    ///         GeoTIFF, or not in FlatGeobuf; it has no CRS.
    ///     InputError: The diagram is not external; `max_bytes` is 0.
    ///     InputError: The project has no diagram of that title, or several; it lists them.
    ///     NotFoundError: The project has no diagram of that id.
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` installs both.
    ///
    /// Examples:
    ///     >>> from pygeodesign import ExternalFileError
    ///     >>> parks = project.system(3).add_external("https://127.0.0.1/parks.fgb", title="Parks", layer_type="fgb-layer")
    ///     >>> try:
    ///     ...     parks.external()
    ///     ... except ExternalFileError as error:
    ///     ...     print("private" in str(error))
    ///     True
    #[pyo3(signature = (*, max_bytes=100_000_000, allow_private=false))]
    fn external(max_bytes: usize, allow_private: bool) -> ExternalFrame = |diagram| {
        let (project, id) = (diagram.project(), diagram.id().await?);
        check_libraries()?;
        ExternalFrame::open(project.external_file(id, ExternalLimits { max_bytes, allow_private }).await?).await
    };
}
