//! Tags of a project and of its diagrams.

use pyo3::prelude::*;

use crate::client;
use crate::model::{DiagramId, Tag, Uuid};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::arguments::NewTags;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    /// The project's tags.
    ///
    /// Returns:
    ///     A list of `Tag` dicts: `id` (a UUID), `tag`, `slug`, `code` (may be empty), `diagrams` (a list of diagram ids).
    ///
    /// Examples:
    ///     >>> sorted(tag["code"] for tag in project.tags())[:3]
    ///     ['', 'AH', 'BD']
    fn tags() -> Json<Vec<Tag>> = |project| Ok(Json(project.tags().await?));

    /// Adds tags to the project.
    ///
    /// Args:
    ///     tags: Dicts with `tag` and `code`, or names alone. A code contains no `|`, and no two tags have the same code.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: An empty name, or a code with `|`; nothing was sent.
    ///     ApiError: Another tag has that code (409).
    ///
    /// Examples:
    ///     >>> project.create_tags([{"tag": "Quick win", "code": "QW"}])
    ///     'Tags created: 1.'
    fn create_tags(tags: NewTags) -> String = |project| Ok(project.create_tags(tags.0).await?);

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

    /// Replaces the tags of a diagram.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     ids: The UUIDs of the tags.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     BadRequestError: A tag is not in the project; nothing was changed.
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.set_diagram_tags(1002, [tag["id"] for tag in project.diagram_tags(1002)])
    ///     'Tags assigned to the diagram: 3.'
    fn set_diagram_tags(id: DiagramId, ids: Vec<Uuid>) -> String = |project| Ok(project.set_diagram_tags(id, &ids).await?);

    /// Replaces the tags of a diagram by the tags with these codes.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     codes: The codes of the tags.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     BadRequestError: No tag of the project has one of the codes; nothing was changed.
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.set_diagram_tag_codes(1002, project.diagram_tag_codes(1002))
    ///     'Tags assigned to the diagram: 3.'
    fn set_diagram_tag_codes(id: DiagramId, codes: Vec<String>) -> String = |project| {
        Ok(project.set_diagram_tag_codes(id, &codes).await?)
    };
}
