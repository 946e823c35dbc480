//! The history of a project: who changed what.

use serde::{Deserialize, Serialize};

use super::dates::DateTime;
use super::ids::{EntryId, Username};
use super::json_object::JsonObject;

/// A change of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryEntry {
    /// Counts the changes of the project.
    pub id: EntryId,
    /// UTC, without a zone.
    pub time: DateTime,
    /// Who made the change; null for the operator of the service.
    pub username: Option<Username>,
    /// The operation that made it, such as `add_project`, `set_notes` or `undo`.
    pub operation: String,
    /// What was changed, such as `diagram 1002`; null for the project as a whole.
    pub subject: Option<String>,
    /// What there was before, in short.
    pub before: Option<String>,
    /// What there was afterwards, in short.
    pub after: Option<String>,
    /// Whether the state before the change can be restored.
    pub can_be_undone: bool,
    #[serde(flatten)]
    pub extra: JsonObject,
}
