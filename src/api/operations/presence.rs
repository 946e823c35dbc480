//! Outlines of drawings in progress.

use pyo3::prelude::*;

use crate::api::project::{AsyncProject, Project};
use crate::engine::operations::operations;
use geodesign::model::{Center, Outline};
use geodesign_client as client;

operations! { Project / AsyncProject of client::Project:
    #[doc = summary!(SHOW_OUTLINE)]
    ///
    /// Send it again while the drawing goes on. The service passes on two outlines of a member per second and keeps none.
    ///
    /// Args:
    ///     outline: At most 200 points: longitude and latitude in degrees. None ends the drawing.
    ///
    /// Returns:
    ///     False if the others do not see it: the project shows no drawings (`workshop.set_activities(drawings_shown=True)`), or
    ///     you do not listen to its events.
    ///
    /// Raises:
    ///     InputError: Too many points, or one that is not on Earth; nothing was sent.
    ///     PermissionDeniedError: The user is a guest, or drawing is closed.
    ///
    /// Examples:
    ///     >>> project.show_outline([(-74.1, 40.6), (-74.0, 40.6)])
    ///     False
    fn show_outline(outline: Option<Vec<Center>>) -> bool = |project| {
        let outline = outline.map(|points| points.iter().map(|point| [point.longitude, point.latitude]).collect());
        Ok(project.show_outline(&Outline { outline }).await?)
    };
}
