//! Projects with their members, stakeholders and plugins.

use serde::{Deserialize, Serialize};

use super::dates::{self, Date};
use super::ids::{ProjectId, Username};
use super::json_object::JsonObject;

/// The fields of a geodesign project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Project))]
pub struct ProjectInfo {
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

/// A user who is a member of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Member {
    pub username: Username,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A person or group whose interests a project considers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Stakeholder {
    /// A UUID.
    pub id: String,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// An extension of the service that a project uses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Plugin {
    /// A UUID.
    pub id: String,
    #[serde(default)]
    pub description: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}
