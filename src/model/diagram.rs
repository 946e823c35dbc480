//! Diagrams: the projects and policies that members draw in a system.

use serde::{Deserialize, Deserializer, Serialize};

use super::dates::UtcMillis;
use super::dates::{self, Date, DateTime};
use super::ids::{DiagramId, SystemId};
use super::invalid_diagram::{InvalidDiagram, check_title};
use super::json_object::JsonObject;
use super::numbers::{integer_if_whole, integers_only, optional_number};

/// A diagram in the list of a project's diagrams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiagramSummary {
    pub id: DiagramId,
    #[serde(default)]
    pub worlddescription: Option<String>,
    #[serde(default)]
    pub author: Option<String>,
    /// In UTC, without time zone, with fractional seconds.
    #[serde(default, deserialize_with = "dates::optional")]
    pub created_at: Option<DateTime>,
    #[serde(default, deserialize_with = "optional_number")]
    pub rank: Option<i64>,
    pub sysid: SystemId,
    #[serde(flatten)]
    pub extra: JsonObject,
}

// Objects with any fields are of type `O`.
/// The fields of a diagram, without its geometries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagram<O = JsonObject> {
    pub sysid: SystemId,
    #[serde(default, deserialize_with = "optional_number")]
    pub rank: Option<i64>,
    pub id: DiagramId,
    #[serde(default)]
    pub description: Option<String>,
    /// `project` or `policy`.
    #[serde(default, rename = "type")]
    pub kind: Option<String>,
    /// Kilometres.
    #[serde(default, deserialize_with = "optional_number", serialize_with = "integer_if_whole")]
    pub length: Option<f64>,
    /// Square metres.
    #[serde(default, deserialize_with = "optional_number", serialize_with = "integer_if_whole")]
    pub area: Option<f64>,
    #[serde(default)]
    pub fundingtype: Option<String>,
    /// The cost of the diagram in place of that of its system; 0 means none.
    #[serde(default, deserialize_with = "optional_number", serialize_with = "integer_if_whole")]
    pub cost_override: Option<f64>,
    /// `total` for the cost of the whole diagram; any other text for a cost per hectare.
    #[serde(default)]
    pub cost_override_type: Option<String>,
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub building_data: Option<O>,
    #[serde(default)]
    pub notes: Option<String>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub created_at: Option<DateTime>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub start_date: Option<Date>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub end_date: Option<Date>,
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<JsonObject>))]
    pub additional_metadata: Option<O>,
    /// The codes of the diagram's tags, separated by `|`.
    #[serde(default)]
    pub tag_codes: Option<String>,
    /// The address of an external diagram's geometries as FlatGeobuf; empty for other diagrams.
    #[serde(default)]
    pub flat_geobuf_url: Option<String>,
    /// The address of an external diagram's geometries in another format; empty for other diagrams.
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
    /// A rule or an incentive: it costs nothing unless its cost override is a total.
    Policy,
}

impl DiagramKind {
    pub fn name(self) -> &'static str {
        match self {
            DiagramKind::Project => "project",
            DiagramKind::Policy => "policy",
        }
    }

    /// From a diagram's `type` or a feature's `areatype`, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        [DiagramKind::Project, DiagramKind::Policy]
            .into_iter()
            .find(|kind| name.trim().eq_ignore_ascii_case(kind.name()))
    }
}

/// The cost of a diagram in place of that of its system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CostOverride {
    None,
    /// The cost of the whole diagram.
    Total(f64),
    /// The cost per hectare, or per kilometre of a diagram that has only lines.
    PerHectare(f64),
}

impl CostOverride {
    /// From the fields `cost_override` and `cost_override_type`: 0 means none, `total` is the whole amount, any other type means per
    /// hectare.
    ///
    /// ```
    /// use geodesign::model::CostOverride;
    ///
    /// assert_eq!(CostOverride::from_wire(2500.0, "total"), CostOverride::Total(2500.0));
    /// assert_eq!(CostOverride::from_wire(0.0, "total"), CostOverride::None);
    /// ```
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Note {
    /// The id of the diagram, as text.
    #[serde(default)]
    pub id: serde_json::Value,
    #[serde(default)]
    pub notes: Option<String>,
}

/// A digest of the time of a diagram's last change. Where it differs from an earlier one, the diagram has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeHash {
    pub changehash: String,
}

// The metadata are of type `O`.
/// A bulk update of a diagram. Fields that are absent stay unchanged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiagramUpdate<O = JsonObject> {
    #[cfg_attr(feature = "openapi", schema(value_type = JsonObject))]
    pub additional_metadata: O,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag_codes: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_date: Option<UtcMillis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_date: Option<UtcMillis>,
}

impl<O> DiagramUpdate<O> {
    /// Checks what the types of the fields leave open.
    pub fn check(&self) -> Result<(), InvalidDiagram> {
        if let Some(title) = &self.title {
            check_title(title)?;
        }
        match (self.start_date, self.end_date) {
            (Some(start), Some(end)) if start > end => Err(InvalidDiagram::EndBeforeStart { start, end }),
            _ => Ok(()),
        }
    }
}

/// A named group of diagrams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiagramGroup {
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub group_name: String,
    #[serde(deserialize_with = "ids_only")]
    pub diagrams: Vec<DiagramId>,
}

/// Ids that are integers, never text.
fn ids_only<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<DiagramId>, D::Error> {
    Ok(integers_only(deserializer)?.into_iter().map(DiagramId).collect())
}

/// The address of a diagram's thumbnail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ThumbnailJob {
    #[serde(default)]
    pub message: Option<String>,
    /// `/api/v1/projects/<projectid>/diagrams/<diagramid>/thumbnail/<jobid>/`
    pub results_url: String,
}

/// The addresses of the thumbnails of all diagrams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ThumbnailJobs {
    #[serde(default)]
    pub message: Option<String>,
    pub results_url: Vec<String>,
}
