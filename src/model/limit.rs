//! Limits of the service.

use serde::{Deserialize, Serialize};

use super::json_object::JsonObject;

/// How much of something the service accepts or does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Limit {
    /// The name by which an operator changes the limit.
    pub name: String,
    pub value: u64,
    /// What `value` counts, such as `bytes`, `characters` or `seconds`.
    pub unit: String,
    /// What is limited.
    pub description: String,
    #[serde(flatten)]
    pub extra: JsonObject,
}
