//! Negotiations: the diagrams that teams accepted and rejected while they merged their designs into one.

use serde::{Deserialize, Serialize};

use super::dates::{self, DateTime};
use super::ids::{DiagramId, TeamId};
use super::json_object::JsonObject;

/// A negotiation between teams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NegotiationSession {
    pub session_id: String,
    /// The teams that negotiated.
    #[serde(default)]
    pub cteams: Option<Vec<TeamId>>,
    #[serde(default)]
    pub moves: Vec<Move>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A decision about a diagram in a negotiation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Move {
    pub diagram: DiagramId,
    #[serde(default, rename = "move")]
    pub action: Option<String>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub timestamp: Option<DateTime>,
    #[serde(flatten)]
    pub extra: JsonObject,
}
