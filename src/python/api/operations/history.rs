//! The history of a project, and undoing changes.

use pyo3::prelude::*;

use crate::client;
use crate::model::{EntryId, HistoryEntry};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    #[doc = summary!(HISTORY)]
    ///
    /// How many changes are kept, and for how long, is among the limits of the service.
    ///
    /// Returns:
    ///     A list of `HistoryEntry` dicts: `id`, `time` (ISO 8601, UTC, without zone), `username` (None for the operator of the
    ///     service), `operation`, `subject` (such as `diagram 1002`), `before` and `after` (in short), `can_be_undone`.
    ///
    /// Raises:
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> note = project.set_diagram_notes(1005, "Ask the school first.")
    ///     >>> entry = project.history()[0]
    ///     >>> entry["username"], entry["operation"], entry["subject"], entry["after"]
    ///     ('admin', 'set_notes', 'diagram 1005', 'notes: Ask the school first.')
    fn history() -> Json<Vec<HistoryEntry>> = |project| Ok(Json(project.history().await?));

    #[doc = summary!(UNDO)]
    ///
    /// A diagram that was removed comes back with its id, and with its places in designs, groups and selections. Undoing is a
    /// change that can be undone in turn.
    ///
    /// Args:
    ///     entry: The `id` of an entry of `history()` that `can_be_undone`.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     NotFoundError: The history has no such entry.
    ///     ServiceError: The change cannot be undone (409).
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> note = project.set_diagram_notes(1006, "A mistake")
    ///     >>> message = project.undo(project.history()[0]["id"])
    ///     >>> "mistake" in project.diagram_notes(1006)
    ///     False
    fn undo(entry: EntryId) -> String = |project| Ok(project.undo(entry).await?);
}
