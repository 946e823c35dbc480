//! The maps of a system.

use serde::{Deserialize, Serialize};

/// A map of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemMap {
    Evaluation,
    Impact,
}

impl SystemMap {
    /// Returns its name, which is also its column's.
    pub fn name(self) -> &'static str {
        match self {
            SystemMap::Evaluation => "evaluation",
            SystemMap::Impact => "impact",
        }
    }
}
