//! Change teams and their designs (syntheses), which are selections of diagrams.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::dates::{self, Date, DateTime};
use super::ids::{DesignId, DiagramId, TeamId};
use super::json_object::JsonObject;

/// A change team of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeTeam {
    pub id: TeamId,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The description of a design, and when it was saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Design {
    pub cteamid: TeamId,
    #[serde(flatten)]
    pub details: DesignDetails,
}

/// The designs of a team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Synthesis {
    pub synthesis: Vec<Design>,
}

/// A design and the diagrams in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DesignDiagramIds {
    /// The design.
    pub synthesisid: DesignId,
    pub diagrams: Vec<DiagramId>,
}

/// The first and last day of a diagram in a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Period {
    #[serde(default, deserialize_with = "dates::optional")]
    pub start: Option<Date>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub end: Option<Date>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The diagrams of a design and their periods. In JSON the ids are text, since they are the keys of an object.
pub type Timeline = BTreeMap<DiagramId, Period>;

/// The answer to a request for the timeline of a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DesignTimeline {
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, Period>))]
    pub timeline: Timeline,
}

/// The first and last day of a diagram, in the timeline of a design board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BoardPeriod {
    pub id: DiagramId,
    pub start: Date,
    pub end: Date,
}

/// The diagrams that have dates, as programs with design boards read them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BoardTimeline {
    pub timeline_data: Vec<BoardPeriod>,
}
