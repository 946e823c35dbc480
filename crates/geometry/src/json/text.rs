//! JSON values kept as text, without a tree of values in between.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::value::RawValue;

use super::scanner::{JSON_TEXT, Scanner, Value};

/// A JSON value as text. Deserializing checks that the text is JSON; serializing writes the value that it represents.
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

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        transcode(&mut Scanner::over_valid(self.0), serializer)
    }
}

/// The next value of the scanned text. It can be serialized only once, since that moves the scanner on.
struct NextValue<'s, 't>(RefCell<&'s mut Scanner<'t>>);

impl Serialize for NextValue<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        transcode(&mut self.0.borrow_mut(), serializer)
    }
}

fn transcode<S: Serializer>(scanner: &mut Scanner, serializer: S) -> Result<S::Ok, S::Error> {
    match scanner.value().map_err(S::Error::custom)? {
        Value::Null => serializer.serialize_unit(),
        Value::Bool(value) => serializer.serialize_bool(value),
        Value::Positive(number) => serializer.serialize_u64(number),
        Value::Negative(number) => serializer.serialize_i64(number),
        Value::Float(number) => serializer.serialize_f64(number),
        Value::String(text) => serializer.serialize_str(&text),
        Value::Array => {
            let mut list = serializer.serialize_seq(None)?;
            let mut elements = scanner.elements();
            while elements.advance().map_err(S::Error::custom)? {
                match elements.scanner.take_lon_lat() {
                    Some(position) => list.serialize_element(&position)?,
                    None => list.serialize_element(&NextValue(RefCell::new(elements.scanner)))?,
                }
            }
            elements.finish().map_err(S::Error::custom)?;
            list.end()
        }
        Value::Object => {
            let mut map = serializer.serialize_map(None)?;
            let mut members = scanner.members();
            while members.advance().map_err(S::Error::custom)? {
                let key = members.scanner.string().map_err(S::Error::custom)?;
                members.scanner.take(b':').map_err(S::Error::custom)?;
                map.serialize_entry(&*key, &NextValue(RefCell::new(members.scanner)))?;
            }
            members.finish().map_err(S::Error::custom)?;
            map.end()
        }
    }
}

/// A JSON string: borrowed from the JSON text if it has no escapes, otherwise a copy.
///
/// serde's own `Cow<str>` is always a copy when it is the key of a map.
pub struct CowStr<'t>(pub Cow<'t, str>);

impl<'de> Deserialize<'de> for CowStr<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(CowStrVisitor)
    }
}

struct CowStrVisitor;

impl<'de> Visitor<'de> for CowStrVisitor {
    type Value = CowStr<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<CowStr<'de>, E> {
        Ok(CowStr(text.into()))
    }

    fn visit_str<E>(self, text: &str) -> Result<CowStr<'de>, E> {
        Ok(CowStr(text.to_owned().into()))
    }
}
