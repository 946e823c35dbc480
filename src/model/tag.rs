//! Tags: labels that diagrams share across systems.

use serde::{Deserialize, Serialize};

use super::{DiagramId, JsonObject};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
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
    /// The diagrams that carry the tag.
    #[serde(default)]
    pub diagrams: Vec<DiagramId>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A tag that is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct NewTag {
    #[cfg_attr(feature = "service", schema(min_length = 1))]
    pub tag: String,
    /// May be empty; `|` stands between codes elsewhere.
    #[serde(default)]
    #[cfg_attr(feature = "service", schema(pattern = "^[^|]*$"))]
    pub code: String,
}

impl NewTag {
    /// What is wrong with it that its types do not say.
    pub fn check(&self) -> Result<(), String> {
        if self.tag.trim().is_empty() {
            return Err("tag is empty; give the tag a name".into());
        }
        if self.code.contains('|') {
            return Err(format!("code {:?} holds a |, which stands between codes", self.code));
        }
        Ok(())
    }
}
