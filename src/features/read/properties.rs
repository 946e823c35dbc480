//! The members of a JSON object, with their values as JSON text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};

use crate::json::CowStr;
use crate::json::JsonText;

/// The properties of a feature or the fields of a diagram, in the order of the JSON text. A name may occur more than
/// once.
pub type Properties<'de> = Vec<(Cow<'de, str>, JsonText<'de>)>;

/// Reads the properties of a feature; `null` stands for no properties.
pub struct PropertiesSeed;

impl<'de> DeserializeSeed<'de> for PropertiesSeed {
    type Value = Properties<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for PropertiesSeed {
    type Value = Properties<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object or null")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut properties = Vec::with_capacity(map.size_hint().unwrap_or(16));
        while let Some((CowStr(name), value)) = map.next_entry()? {
            properties.push((name, value));
        }
        Ok(properties)
    }
}
