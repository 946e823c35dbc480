//! The change id of a project.

use serde::{Deserialize, Serialize};

/// The answer to a request for the change id of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProjectChangeId {
    /// Where it differs from an earlier one, something that the project shows has changed.
    pub changeid: String,
}
