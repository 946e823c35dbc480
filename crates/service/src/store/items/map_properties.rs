//! The properties of a map's features, found in one pass over its text: a program may have written millions.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A property with the types of its values.
#[derive(Debug, PartialEq, Eq)]
pub struct MapProperty {
    pub name: String,
    pub types: JsonTypes,
}

/// Types of JSON values. Null has none.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct JsonTypes {
    pub integer: bool,
    pub real: bool,
    pub boolean: bool,
    pub text: bool,
    /// Arrays and objects.
    pub nested: bool,
}

impl JsonTypes {
    fn add(&mut self, json: &str) {
        match json.as_bytes().first() {
            Some(b'"') => self.text = true,
            Some(b't' | b'f') => self.boolean = true,
            Some(b'[' | b'{') => self.nested = true,
            Some(b'-' | b'0'..=b'9') if json.contains(['.', 'e', 'E']) => self.real = true,
            Some(b'-' | b'0'..=b'9') => self.integer = true,
            _ => {}
        }
    }
}

#[derive(serde::Deserialize)]
struct Map<'t> {
    #[serde(borrow, default)]
    features: Vec<&'t RawValue>,
}

#[derive(serde::Deserialize)]
struct MapFeature<'t> {
    #[serde(borrow, default)]
    properties: Option<Members<'t>>,
}

/// The members of an object, in order.
struct Members<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for Members<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

#[derive(serde::Deserialize)]
struct Name<'t>(#[serde(borrow)] Cow<'t, str>);

/// Returns the members of an object as JSON text, in order; none if the text is not an object.
pub fn members(object: &str) -> Vec<(Cow<'_, str>, &RawValue)> {
    serde_json::from_str(object).map(|Members(members)| members).unwrap_or_default()
}

/// Returns the first `max` properties of a map, in the order of its features. `go_on` is called before each feature, and its error ends the
/// work. A map that cannot be read has no properties.
pub fn map_properties<E>(geojson: &str, max: usize, go_on: impl Fn() -> Result<(), E>) -> Result<Vec<MapProperty>, E> {
    let map: Map = serde_json::from_str(geojson).unwrap_or(Map { features: Vec::new() });
    let mut places = HashMap::<Cow<str>, usize>::new();
    let mut found = Vec::new();
    for feature in map.features {
        go_on()?;
        let Ok(MapFeature { properties: Some(Members(members)) }) = serde_json::from_str(feature.get()) else {
            continue;
        };
        for (name, value) in members {
            let place = match places.get(&name) {
                Some(place) => *place,
                None if found.len() == max => continue,
                None => {
                    found.push(MapProperty { name: name.clone().into_owned(), types: JsonTypes::default() });
                    places.insert(name, found.len() - 1);
                    found.len() - 1
                }
            };
            found[place].types.add(value.get());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = r#"{"type":"FeatureCollection","features":[
        {"properties":{"b":1,"a":null,"c":"x"}}, {"properties":null}, {}, 7, {"properties":{"b":2.5,"a":true,"é\n":[1],"c":"y"}}]}"#;

    fn found(max: usize) -> Vec<(String, JsonTypes)> {
        let properties = map_properties(MAP, max, || Ok::<_, ()>(())).unwrap();
        properties.into_iter().map(|property| (property.name, property.types)).collect()
    }

    #[test]
    fn properties_have_the_types_of_all_their_values() {
        let none = JsonTypes::default();
        let expected = [
            ("b", JsonTypes { integer: true, real: true, ..none }),
            ("a", JsonTypes { boolean: true, ..none }),
            ("c", JsonTypes { text: true, ..none }),
            ("é\n", JsonTypes { nested: true, ..none }),
        ];
        assert_eq!(found(200), expected.map(|(name, types)| (name.to_owned(), types)));
        assert_eq!(found(2).len(), 2);
    }

    #[test]
    fn a_map_that_cannot_be_read_has_no_properties() {
        for text in ["", "7", r#"{"features":null}"#] {
            assert_eq!(map_properties(text, 200, || Ok::<_, ()>(())), Ok(Vec::new()), "{text}");
        }
    }

    #[test]
    fn the_work_ends_when_it_is_told_to() {
        assert_eq!(map_properties(MAP, 200, || Err("late")), Err("late"));
    }
}
