//! The change id of a project.

use serde::{Deserialize, Serialize};

/// One id for the state of a whole project. It is another after every change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct ProjectChangeId {
    pub changeid: String,
}
