//! JSON values kept as the text that they are written in.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde_json::value::RawValue;

use super::scanner::JSON_TEXT;

/// A JSON value as its text. Deserializing checks that the text is JSON; serializing writes the value that the text stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JsonText<'t>(pub &'t str);

impl<'de: 't, 't> Deserialize<'de> for JsonText<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(JSON_TEXT, JsonTextVisitor)
    }
}

struct JsonTextVisitor;

impl<'de> Visitor<'de> for JsonTextVisitor {
    type Value = JsonText<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    /// Called by a [`Scanner`](super::Scanner).
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(JsonText(text))
    }

    /// Called by serde_json, whose type for the text of a value is [`RawValue`].
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| JsonText(raw.get()))
    }
}
