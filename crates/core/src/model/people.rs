//! Access for people, as request bodies and their responses: accounts and their tokens, guests by a link, walk-ins by a joining code.

use serde::{Deserialize, Serialize};

use super::dates::{DateTime, UtcMillis};
use super::fields::JsonObject;
use super::ids::{ProjectId, SecretId, TeamId, Username};
use crate::json::objects;

/// An account of the service, as its operator sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UserAccount {
    pub username: Username,
    /// Projects that the user is a member of.
    pub projects: Vec<ProjectId>,
    /// Projects that the user administers.
    pub administers: Vec<ProjectId>,
    /// True if the account was withdrawn. Authors from an archive have such accounts too.
    pub withdrawn: bool,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The account that a request's token belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OwnAccount {
    pub username: Username,
}

/// An account to add or to restore.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewUser {
    pub username: Username,
}

/// People to add to a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewMembers {
    #[serde(deserialize_with = "objects")]
    pub members: Vec<NewMember>,
}

/// A person to add to a project, or to one more of its teams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewMember {
    pub username: Username,
    /// The title of a change team, which is added if the project has none of that title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub team: Option<String>,
    /// True makes the person an administrator of the project. A member who already is one stays one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub administrator: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl NewMembers {
    pub fn check(&self) -> Result<(), NoTeamTitle> {
        let is_empty = |member: &&NewMember| member.team.as_ref().is_some_and(|title| title.trim().is_empty());
        self.members.iter().find(is_empty).map_or(Ok(()), |member| Err(NoTeamTitle(member.username.clone())))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the team of {0} has no title; leave it out, or give the title")]
pub struct NoTeamTitle(Username);

/// The people who were not members of the project before, and those who had no account.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AddedMembers {
    pub added: Vec<Username>,
    pub accounts: Vec<Username>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Information about a token. The token itself is shown only once, when it is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TokenInfo {
    pub id: SecretId,
    pub username: Username,
    /// UTC, like the other times.
    pub issued_at: DateTime,
    pub expires_at: DateTime,
    /// Null if it was not used, or if the time is unknown.
    pub last_used_at: Option<DateTime>,
    /// True if it is on a card, which the next card of the same user replaces.
    pub on_card: bool,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A token to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewUserToken {
    pub username: Username,
    /// Time at which the token ends. Without it, the token is valid for the time set by the service's operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<UtcMillis>,
    /// True if it is printed on a card, which `tokens` then shows. Tokens on earlier cards stay valid until they are withdrawn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub on_card: bool,
}

/// A card's token to be made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewCard {
    /// Time at which the token ends. Without it, the token is valid for the time set by the service's operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<UtcMillis>,
}

/// A new token. It cannot be shown again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct IssuedToken {
    pub id: SecretId,
    pub username: Username,
    pub token: String,
    /// The code on a card, to type in place of the card's link. Only cards have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// UTC
    pub expires_at: DateTime,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// The code that a member types from a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TypedCode {
    /// The card's code; upper and lower case, spaces and dashes do not matter.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub code: String,
}

/// The member whose card has a code, and the card's token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CardHolder {
    pub username: Username,
    pub token: String,
    /// UTC
    pub expires_at: DateTime,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A link with which guests read a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct GuestLink {
    pub id: SecretId,
    /// Recipients of the link.
    pub title: String,
    /// True if its guests see the names of members and authors.
    pub names: bool,
    /// UTC, like the other times.
    pub created_at: DateTime,
    pub expires_at: DateTime,
    /// Null if it was not used, or if the time is unknown.
    pub last_used_at: Option<DateTime>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A link for guests to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewGuestLink {
    /// Recipients of the link.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub title: String,
    /// True if its guests see the names of members and authors.
    #[serde(default)]
    pub names: bool,
    pub expires_at: UtcMillis,
}

/// A new link for guests. Its token cannot be shown again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NewGuest {
    #[serde(flatten)]
    pub link: GuestLink,
    pub token: String,
    /// Path to open in a browser, below the address of the service. The token is in the part that browsers do not send.
    pub path: String,
}

/// A project's walk-ins, and the state of its joining code.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WalkIns {
    /// True if there is a joining code that is valid now.
    pub open: bool,
    /// Time at which the code ends, or ended; null if there never was one.
    pub closes_at: Option<DateTime>,
    /// True if an administrator admits each walk-in.
    pub by_hand: bool,
    /// The team that walk-ins join; null for none.
    pub cteamid: Option<TeamId>,
    /// Number of people admitted with the current code.
    pub admitted: u64,
    /// People waiting to be admitted, in order of arrival.
    pub waiting: Vec<WaitingWalkIn>,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A person waiting to be admitted to a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WaitingWalkIn {
    pub username: Username,
    /// UTC
    pub asked_at: DateTime,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// A change that opens a project to walk-ins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WalkInsEdit {
    /// Time at which the joining code ends.
    pub closes_at: UtcMillis,
    /// True if an administrator admits each walk-in.
    #[serde(default)]
    pub by_hand: bool,
    /// The team of walk-ins. Without it, they join no team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cteamid: Option<TeamId>,
}

/// The joining code of a project. It cannot be shown again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JoiningCode {
    pub code: String,
    /// UTC
    pub closes_at: DateTime,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Admission of a person who is waiting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Admission {
    /// A team in place of the joining code's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cteamid: Option<TeamId>,
}

/// A request to walk in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WalkIn {
    /// The joining code; upper and lower case, spaces and dashes do not matter.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub code: String,
    /// The name that others will see.
    pub username: Username,
}

/// Response to a request to walk in. The token cannot be shown again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WalkedIn {
    pub username: Username,
    pub projectid: ProjectId,
    pub token: String,
    /// UTC
    pub expires_at: DateTime,
    /// False while an administrator has to admit the user: until then, requests with the token get 403.
    pub admitted: bool,
    #[serde(flatten)]
    pub extra: JsonObject,
}

/// Reasons why a link for guests cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("title is empty; say who the link is for")]
pub struct UntitledLink;

impl NewGuestLink {
    pub fn check(&self) -> Result<(), UntitledLink> {
        if self.title.trim().is_empty() { Err(UntitledLink) } else { Ok(()) }
    }
}
