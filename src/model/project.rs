//! Projects and who and what belongs to them.

use serde::{Deserialize, Serialize};

use super::dates::{self, Date};
use super::{JsonObject, ProjectId, Username};

/// A geodesign project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Project {
    pub id: ProjectId,
    #[serde(default)]
    pub projecttitle: Option<String>,
    #[serde(default)]
    pub projectdesc: Option<String>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub startdate: Option<Date>,
    #[serde(default)]
    pub projecttype: Option<String>,
    #[serde(default)]
    pub external_connection: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A user who takes part in a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Member {
    pub username: Username,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Somebody whose interest the project weighs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Stakeholder {
    /// A UUID.
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// An extension that a project uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Plugin {
    /// A UUID.
    pub id: String,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}
