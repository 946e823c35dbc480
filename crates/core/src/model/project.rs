//! Projects with their members, stakeholders, plugins and tags.

use serde::{Deserialize, Serialize};

use super::dates::{self, Date};
use super::fields::{JsonObject, text_or_number};
use super::ids::{DiagramId, ProjectId, Username};
use super::merging::MergedArchive;
use crate::json::null_is_empty;

/// The fields of a geodesign project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Project))]
pub struct ProjectInfo {
    pub id: ProjectId,
    pub projecttitle: Option<String>,
    pub projectdesc: Option<String>,
    #[serde(default, deserialize_with = "dates::optional")]
    pub startdate: Option<Date>,
    pub projecttype: Option<String>,
    pub external_connection: Option<String>,
    /// The currency of rates, budgets and costs, such as `USD`. Absent if the project has none, and on services without this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The language of reports, cards and the wall, such as `pt-BR`. Absent if not set, and on other services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The land that counts in the room: `inside` for land inside the study area only. Absent if all land counts, and on other services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_land: Option<String>,
    /// `refuse` if drawings on the constraints are refused. Absent if their authors are warned, and on other services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawings_on_constraints: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl ProjectInfo {
    /// A project known only by its id.
    pub fn untitled(id: ProjectId) -> Self {
        ProjectInfo {
            id,
            projecttitle: None,
            projectdesc: None,
            startdate: None,
            projecttype: None,
            external_connection: None,
            currency: None,
            language: None,
            counted_land: None,
            drawings_on_constraints: None,
            extra: JsonObject::default(),
        }
    }
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Stakeholder {
    /// A UUID.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    pub name: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// An extension of the service that a project uses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Plugin {
    /// A UUID.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    pub description: Option<String>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The response to a request for the change id of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProjectChangeId {
    /// The change id. If it differs from an earlier one, something that the project shows has changed.
    pub changeid: String,
    /// The id of the service's database, which no other service has. It does not change with the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The archive that the project was loaded from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded_from: Option<LoadedFrom>,
    /// The archives of copies that were merged completely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedArchive>,
}

/// Origin of a project that a service loaded from an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LoadedFrom {
    /// The id of the service that the archive was read from, if it had one.
    pub service: Option<String>,
    /// The API root of that service.
    pub source: String,
    /// Time at which the archive was finished: ISO 8601, UTC.
    pub created_at: String,
    /// The change id of the project in the archive.
    pub changeid: Option<String>,
    /// True if the project has been changed since it was loaded.
    pub edited: bool,
}

/// A tag of a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tag {
    /// A UUID.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    pub tag: Option<String>,
    pub slug: Option<String>,
    /// A short code; may be empty.
    pub code: Option<String>,
    /// The diagrams that have the tag.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub diagrams: Vec<DiagramId>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A tag to be created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewTag {
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub tag: String,
    /// A short code without `|`, which separates codes in the field `tag_codes` of a diagram. It may be empty.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(pattern = "^[^|]*$"))]
    pub code: String,
}

impl NewTag {
    /// Checks the rules that the types of the fields do not express.
    pub fn check(&self) -> Result<(), InvalidTag> {
        if self.tag.trim().is_empty() {
            return Err(InvalidTag::NoName);
        }
        if self.code.contains('|') {
            return Err(InvalidTag::CodeWithSeparator(self.code.clone()));
        }
        Ok(())
    }
}

/// Reasons why a tag cannot be created.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTag {
    #[error("tag is empty; give the tag a name")]
    NoName,
    #[error("code {0:?} contains |, which separates codes; leave it out")]
    CodeWithSeparator(String),
}
