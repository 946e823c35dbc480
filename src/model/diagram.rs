//! Diagrams: the projects and policies that members sketch inside a system.

use serde::{Deserialize, Serialize};

use super::dates::{self, Date, DateTime};
use super::numbers::{optional_number, whole_ids};
use super::{DiagramId, JsonObject, SystemId, UtcMillis, check_title};

/// A diagram in the list of a project's diagrams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct DiagramSummary {
    pub id: DiagramId,
    #[serde(default)]
    pub worlddescription: Option<String>,
    #[serde(default)]
    pub author: Option<String>,
    /// Without zone, with a fraction.
    #[serde(default, deserialize_with = "dates::optional")]
    pub created_at: Option<DateTime>,
    #[serde(default, deserialize_with = "optional_number")]
    pub rank: Option<i64>,
    pub sysid: SystemId,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Everything about a diagram but its geography.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Diagram {
    pub sysid: SystemId,
    #[serde(default, deserialize_with = "optional_number")]
    pub rank: Option<i64>,
    pub id: DiagramId,
    #[serde(default)]
    pub description: Option<String>,
    /// `project` or `policy`; see [`DiagramKind`].
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Kilometres.
    #[serde(default, deserialize_with = "optional_number")]
    pub length: Option<f64>,
    /// Square metres.
    #[serde(default, deserialize_with = "optional_number")]
    pub area: Option<f64>,
    #[serde(default)]
    pub fundingtype: Option<String>,
    /// See [`CostOverride`].
    #[serde(default, deserialize_with = "optional_number")]
    pub cost_override: Option<f64>,
    #[serde(default)]
    pub cost_override_type: Option<String>,
    #[serde(default)]
    pub building_data: Option<JsonObject>,
    #[serde(default)]
    pub notes: Option<String>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub created_at: Option<DateTime>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub start_date: Option<Date>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub end_date: Option<Date>,
    #[serde(default)]
    pub additional_metadata: Option<JsonObject>,
    /// The codes of the diagram's tags, with `|` between them.
    #[serde(default)]
    pub tag_codes: Option<String>,
    /// Where the geometry of an external diagram lies, as FlatGeobuf; empty for others.
    #[serde(default)]
    pub flat_geobuf_url: Option<String>,
    /// Where the geometry of an external diagram lies in another format; empty for others.
    #[serde(default)]
    pub external_geometries: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// What a diagram proposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiagramKind {
    /// Something is built: it has a cost.
    Project,
    /// A rule or an incentive: it costs nothing unless it has a total.
    Policy,
}

impl DiagramKind {
    pub fn name(self) -> &'static str {
        match self {
            DiagramKind::Project => "project",
            DiagramKind::Policy => "policy",
        }
    }

    /// From a diagram's `type` or a feature's `areatype`, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        [DiagramKind::Project, DiagramKind::Policy]
            .into_iter()
            .find(|kind| name.trim().eq_ignore_ascii_case(kind.name()))
    }
}

/// A price of a diagram's own, in place of its system's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CostOverride {
    None,
    /// The whole amount.
    Total(f64),
    /// A rate per hectare, or per kilometre of a diagram that has lines only.
    PerHectare(f64),
}

impl CostOverride {
    /// From the wire: 0 means none, `total` is the whole amount, any other type is per hectare.
    pub fn from_wire(amount: f64, kind: &str) -> Self {
        match amount {
            0.0 => CostOverride::None,
            _ if kind.trim().eq_ignore_ascii_case("total") => CostOverride::Total(amount),
            _ => CostOverride::PerHectare(amount),
        }
    }
}

/// The note of a diagram.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Note {
    /// The diagram, as text.
    #[serde(default)]
    pub id: serde_json::Value,
    #[serde(default)]
    pub notes: Option<String>,
}

/// A digest of when a diagram last changed; compare it with an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct ChangeHash {
    pub changehash: String,
}

/// What the bulk update of a diagram sets; what is `None` stays as it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct DiagramUpdate {
    pub additional_metadata: JsonObject,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag_codes: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<UtcMillis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_date: Option<UtcMillis>,
}

impl DiagramUpdate {
    /// What is wrong with it that its types do not say.
    pub fn check(&self) -> Result<(), String> {
        if let Some(title) = &self.title {
            check_title(title)?;
        }
        match (self.start_date, self.end_date) {
            (Some(start), Some(end)) if start > end => Err(format!("start_date {start} is after end_date {end}")),
            _ => Ok(()),
        }
    }
}

/// Diagrams under one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct DiagramGroup {
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub group_name: String,
    #[serde(deserialize_with = "whole_ids")]
    pub diagrams: Vec<DiagramId>,
}

/// Where the thumbnail of a diagram is to be had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct ThumbnailJob {
    #[serde(default)]
    pub message: Option<String>,
    /// `/api/v1/projects/<projectid>/diagrams/<diagramid>/thumbnail/<jobid>/`
    pub results_url: String,
}

/// Where the thumbnails of all diagrams are to be had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct ThumbnailJobs {
    #[serde(default)]
    pub message: Option<String>,
    pub results_url: Vec<String>,
}
