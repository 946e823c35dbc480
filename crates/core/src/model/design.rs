//! Change teams and their designs (syntheses), which are selections of diagrams; and their negotiations: the diagrams that teams
//! accepted and rejected while they merged their designs into one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::dates::{self, Date, DateTime};
use super::fields::JsonObject;
use super::ids::{DesignId, DiagramId, TeamId};
use crate::json::null_is_empty;

/// A change team of a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeTeam {
    pub id: TeamId,
    pub title: Option<String>,
    /// `#RRGGBB`; absent if none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The description of a design, and the time at which it was saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DesignDetails {
    pub id: DesignId,
    #[serde(default, deserialize_with = "dates::optional")]
    pub creationdate: Option<DateTime>,
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
    #[serde(deserialize_with = "null_is_empty")]
    pub synthesis: Vec<Design>,
}

/// A design and the diagrams in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DesignDiagramIds {
    /// The design.
    pub synthesisid: DesignId,
    #[serde(deserialize_with = "null_is_empty")]
    pub diagrams: Vec<DiagramId>,
}

/// The first and last day of a diagram in a design.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Period {
    #[serde(default, deserialize_with = "dates::optional")]
    pub start: Option<Date>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub end: Option<Date>,
    /// Same as the diagram's `undated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undated: Option<bool>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The diagrams of a design and their periods. In JSON the ids are text, since they are the keys of an object.
pub type Timeline = BTreeMap<DiagramId, Period>;

/// The response to a request for the timeline of a design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DesignTimeline {
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, Period>))]
    pub timeline: Timeline,
}

impl DesignTimeline {
    /// Returns the periods, without assumed dates.
    pub fn given(self) -> Timeline {
        let given = |(id, period): (DiagramId, Period)| match period {
            Period { undated: Some(true), extra, .. } => (id, Period { start: None, end: None, undated: None, extra }),
            period => (id, Period { undated: None, ..period }),
        };
        self.timeline.into_iter().map(given).collect()
    }
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

/// A negotiation between teams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NegotiationSession {
    pub session_id: String,
    /// The teams that negotiated.
    pub cteams: Option<Vec<TeamId>>,
    #[serde(default, deserialize_with = "null_is_empty")]
    pub moves: Vec<Move>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A decision about a diagram in a negotiation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Move {
    pub diagram: DiagramId,
    #[serde(rename = "move")]
    pub action: Option<String>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub timestamp: Option<DateTime>,
    /// A short reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}
