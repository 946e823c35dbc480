//! Tags: labels that diagrams share across systems.

use serde::{Deserialize, Serialize};

use super::{DiagramId, Extra};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    pub extra: Extra,
}
