//! Thumbnails of diagrams.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use crate::client;
use crate::model::DiagramId;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::answers::Image;
use crate::python::convert::arguments::DiagramIds;
use crate::python::engine::operations::operations;
use crate::python::engine::progress::Progress;

operations! { Project / AsyncProject of client::Project:
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
