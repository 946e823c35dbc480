//! Tags: labels for diagrams, the same in all systems of a project.

use serde::{Deserialize, Serialize};

use super::ids::DiagramId;
use super::json_object::JsonObject;

/// A tag of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tag {
    /// A UUID.
    pub id: String,
    #[serde(default)]
    pub tag: Option<String>,
    #[serde(default)]
    pub slug: Option<String>,
    /// A short code; may be empty.
    #[serde(default)]
    pub code: Option<String>,
    /// The diagrams that have the tag.
    #[serde(default)]
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
    /// May be empty. Without `|`, which separates codes in the field `tag_codes` of a diagram.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(pattern = "^[^|]*$"))]
    pub code: String,
}

impl NewTag {
    /// Checks what the types of the fields leave open.
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

/// Why a tag cannot be created.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTag {
    #[error("tag is empty; give the tag a name")]
    NoName,
    #[error("code {0:?} contains |, which separates codes; leave it out")]
    CodeWithSeparator(String),
}
