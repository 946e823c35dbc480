//! Change teams and the designs (syntheses) that they negotiate out of diagrams.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::dates::{self, Date, DateTime};
use super::{DesignId, DiagramId, JsonObject, TeamId};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct ChangeTeam {
    pub id: TeamId,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// What a design is called and when it was saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct DesignDetails {
    pub id: DesignId,
    #[serde(default, deserialize_with = "dates::optional")]
    pub creationdate: Option<DateTime>,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A design in the list of a team's designs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Design {
    pub cteamid: TeamId,
    #[serde(flatten)]
    pub details: DesignDetails,
}

/// The designs of a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Synthesis {
    pub synthesis: Vec<Design>,
}

/// When a diagram of a design starts and ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Period {
    #[serde(default, deserialize_with = "dates::optional")]
    pub start: Option<Date>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub end: Option<Date>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The timeline of a design: its diagrams and their periods. The ids are keys of a JSON object, and so text on the wire.
pub type Timeline = BTreeMap<DiagramId, Period>;

/// When the diagrams of a design start and end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct DesignTimeline {
    #[cfg_attr(feature = "service", schema(value_type = BTreeMap<String, Period>))]
    pub timeline: Timeline,
}
