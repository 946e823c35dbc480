//! Diagrams, what members and teams selected of them, changes of them, and their thumbnails.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use crate::client::{self, SystemReference};
use crate::model::{DesignDetails, DesignId, DiagramId, DiagramKind, DiagramUpdate, TeamId, Username, UtcMillis};
use crate::python::api::features::FeatureCollection;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::arguments::{DiagramIds, Groups, Metadata, selection_kind};
use crate::python::convert::results::Image;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;
use crate::python::engine::progress::Progress;

operations! { Project / AsyncProject of client::Project:
    #[doc = summary!(ALL_DIAGRAMS)]
    ///
    /// One row per feature, and one row for each diagram without features.
    ///
    /// Each row has the diagram's fields beside the feature's own; if both have a field of the same name, the diagram's value is
    /// used. What a service sent in a form that cannot be read, such as the date 2024-13-45, is left out of its row; a `UserWarning` says
    /// of how many, and `problems()` of the collection names them.
    ///
    /// Args:
    ///     strict: Whether such a row is an error. Default: only if the client is strict.
    ///
    /// Returns:
    ///     A `FeatureCollection`. Its columns are the same for every project: ids are integers, `area` (m²) and `length` (km)
    ///     floats, dates timestamps, free-form objects JSON text.
    ///
    /// Raises:
    ///     DecodeError: A response that is no list of diagrams; a diagram without an id; with `strict=True`, any row that cannot
    ///         be read, has a wrong value, or belongs to a system that the project does not list.
    ///
    /// Examples:
    ///     >>> len({feature["properties"]["diagramid"] for feature in project.diagrams()})
    ///     180
    #[pyo3(signature = (*, strict=false))]
    fn diagrams(strict: bool) -> FeatureCollection = |project| {
        Ok(if strict { project.strictly() } else { project }.diagrams().await?.into())
    };

    /// The diagrams that a member selected.
    ///
    /// Args:
    ///     username: A member of the project.
    ///     system: A system's id, name or tag. Default: all systems.
    ///     kind: `"project"` or `"policy"`, within a system. Default: both.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: `kind` without `system`, neither of the two kinds, or no system of that name.
    ///     PermissionDeniedError: The user is not a member of the project.
    ///
    /// Examples:
    ///     >>> len(project.selection("amara.okafor")) > 0
    ///     True
    #[pyo3(signature = (username, system=None, kind=None))]
    fn selection(
        username: Username, system: Option<SystemReference>, kind: Option<DiagramKind>,
    ) -> FeatureCollection = |project| {
        let system = match system {
            Some(system) => Some(project.find_system(&system).await?),
            None => None,
        };
        Ok(project.selection(&username, selection_kind(system, kind)?).await?.into())
    };

    #[doc = summary!(UPDATE_DIAGRAM)]
    ///
    /// What is not given stays as it is. The service replaces metadata with every update; to keep them, they are read and sent again.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     additional_metadata: A dict with any content; it replaces the diagram's metadata. Default: they stay.
    ///     title: The diagram's title.
    ///     tag_codes: The codes of all tags that the diagram then has.
    ///     start_date: A datetime, a date (its midnight), or text of either; without a time zone they are in UTC, as dates that
    ///         the service shows. Sent to the millisecond.
    ///     end_date: The same; not before `start_date`.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: Something that is no date, an end before the start, an empty title; nothing was changed.
    ///     BadRequestError: A tag is not in the project; nothing was changed.
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> import datetime
    ///     >>> project.update_diagram(1001, additional_metadata={"phase": 1}, start_date=datetime.date(2030, 1, 1))
    ///     'The diagram was updated.'
    ///     >>> project.update_diagram(1001, end_date="2035-12-31")
    ///     'The diagram was updated.'
    ///     >>> project.diagram(1001).metadata["additional_metadata"]
    ///     {'phase': 1}
    #[pyo3(signature = (id, *, additional_metadata=None, title=None, tag_codes=None, start_date=None, end_date=None))]
    fn update_diagram(
        id: DiagramId, additional_metadata: Option<Metadata>, title: Option<String>, tag_codes: Option<Vec<String>>,
        start_date: Option<UtcMillis>, end_date: Option<UtcMillis>,
    ) -> String = |project| {
        let update = DiagramUpdate { title, tag_codes, start_date, end_date, ..DiagramUpdate::default() };
        Ok(match additional_metadata {
            Some(Metadata(additional_metadata)) => {
                project.update_diagram(id, &DiagramUpdate { additional_metadata, ..update }).await?
            }
            None => project.update_diagram_but_metadata(id, update).await?,
        })
    };

    #[doc = summary!(SET_NOTES)]
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

    #[doc = summary!(GROUP_DIAGRAMS)]
    ///
    /// Other groups stay as they are.
    ///
    /// Args:
    ///     groups: A dict from group name to diagram ids.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such diagram; nothing was changed.
    ///
    /// Examples:
    ///     >>> project.group_diagrams({"East Shore": [1001, 1002], "North Shore": [1040]})
    ///     'Diagram groups set: 2.'
    fn group_diagrams(groups: Groups) -> String = |project| Ok(project.group_diagrams(groups.0).await?);

    /// The change ids of many diagrams, requested concurrently.
    ///
    /// Args:
    ///     ids: Diagram ids. Default: all diagrams.
    ///
    /// Returns:
    ///     A dict from diagram id to change id.
    ///
    /// Raises:
    ///     NotFoundError: The project does not have one of the diagrams.
    ///
    /// Examples:
    ///     >>> sorted(project.diagram_change_ids([1001, 1002]))
    ///     [1001, 1002]
    #[pyo3(signature = (ids=None))]
    fn diagram_change_ids(ids: Option<DiagramIds>) -> Json<BTreeMap<DiagramId, String>> = |project| {
        Ok(Json(project.diagram_change_ids(ids.map(|ids| ids.0)).await?))
    };

    #[doc = summary!(DESIGN_DETAILS)]
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
    ///     progress: Whether to show a progress bar, which needs tqdm. Default: in a notebook or a terminal.
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
}
