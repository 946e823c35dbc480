//! Identifiers. Each is a type of its own, so that the compiler rejects a diagram's id where a system's is expected.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::fields;

/// The reason why a text is not an identifier of some type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {what}: {rule}")]
pub struct InvalidId {
    text: String,
    what: &'static str,
    rule: &'static str,
}

macro_rules! integer_ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(#[serde(deserialize_with = "fields::integer")] pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

integer_ids! {
    /// The id of a diagram, unique in the service.
    DiagramId
    /// The id of a system, unique in the service.
    SystemId
    /// The id of a change team, unique in the service.
    TeamId
    /// The id of an external data layer, unique in the service.
    LayerId
    /// The id of an entry in the history of a project, unique in the project.
    EntryId
}

/// An id as services write it: as text, or as a number if it consists of digits.
#[derive(Deserialize)]
struct WrittenId(#[serde(deserialize_with = "fields::text_or_number")] String);

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident from $written:literal: $what:literal, $valid:expr, $rule:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = $written)]
        pub struct $name(String);

        impl TryFrom<WrittenId> for $name {
            type Error = InvalidId;

            fn try_from(written: WrittenId) -> Result<Self, InvalidId> {
                written.0.parse()
            }
        }

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let valid: fn(&str) -> bool = $valid;
                if valid(text) {
                    Ok($name(text.to_owned()))
                } else {
                    Err(InvalidId { text: text.to_owned(), what: $what, rule: $rule })
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

text_ids! {
    /// The id of a project: 16 letters and digits.
    ProjectId from "WrittenId": "project id",
        |text| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "it has 16 letters and digits";
    /// The id of a design (synthesis) of a change team: 16 characters.
    DesignId from "WrittenId": "design id",
        |text| text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'),
        "it has 16 letters, digits, '-' or '_'";
    /// A UUID, as text.
    Uuid from "WrittenId": "UUID",
        |text| text.len() == 36 && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        }),
        "it has 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12";
    /// Id by which a token or a link for guests is withdrawn: the beginning of its SHA-256.
    SecretId from "String": "id of a token",
        |text| text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        "it has 16 hexadecimal digits";
    /// The name of a user.
    Username from "String": "user name",
        |text| !text.is_empty() && text.len() <= 150 && text != "." && text != ".." && !text.chars().any(char::is_control),
        "it has 1 to 150 characters, no control characters, and is not '.' or '..'";
}
