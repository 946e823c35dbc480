//! A new token, and what else a member needs to join.

use serde::Serialize;

use crate::model::Username;

/// What a member needs to join.
#[derive(Serialize)]
pub struct MemberToken {
    pub username: Username,
    /// The API root of the service, where it is known.
    #[serde(rename = "address", skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    pub token: String,
}
