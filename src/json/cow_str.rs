//! Strings of a JSON text, borrowed from it where that is possible.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};

/// A JSON string: borrowed from the JSON text where it holds no escapes, a copy where it does.
///
/// serde's own `Cow<str>` is always a copy where it is the key of a map.
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
