//! Objects that must be objects: what serde derives for a struct also reads an array with the values of its fields.

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

/// Reads one struct with the deserializer inside, from an object only. Structs in its fields say so themselves, by [`object`] or
/// [`objects`].
pub struct ObjectOnly<D>(pub D);

/// For fields: a struct, or an `Option` of one, from an object only.
pub fn object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(ObjectOnly(deserializer))
}

/// For fields: a list of structs, each from an object only.
pub fn objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let objects = Vec::<Object<T>>::deserialize(deserializer)?;
    Ok(objects.into_iter().map(|Object(object)| object).collect())
}

struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Object)
    }
}

macro_rules! as_inside {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method(visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectOnly<D> {
    type Error = D::Error;

    as_inside! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_seq deserialize_map deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_option(OptionOfObject(visitor))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple(length, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple_struct(name, length, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }
}

/// A visitor of an `Option`, of which the value is to be an object.
struct OptionOfObject<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for OptionOfObject<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.0.expecting(f)
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(ObjectOnly(deserializer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Outer {
        #[serde(default, deserialize_with = "object")]
        one: Option<Inner>,
        #[serde(default, deserialize_with = "objects")]
        many: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    struct Inner {
        value: u8,
    }

    fn read(text: &str) -> Result<Outer, serde_json::Error> {
        Outer::deserialize(ObjectOnly(&mut serde_json::Deserializer::from_str(text)))
    }

    #[test]
    fn objects_are_read() {
        let outer = read(r#"{"one": {"value": 1}, "many": [{"value": 2}, {"value": 3}]}"#).unwrap();
        assert_eq!(outer.one.unwrap().value, 1);
        assert_eq!(outer.many.iter().map(|inner| inner.value).collect::<Vec<_>>(), [2, 3]);
        assert!(read(r#"{"one": null}"#).unwrap().one.is_none());
    }

    #[test]
    fn an_array_in_place_of_an_object_is_refused() {
        for text in [r#"[{"value": 1}, []]"#, r#"{"one": [1]}"#, r#"{"many": [[1]]}"#] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.starts_with("invalid type: sequence, expected struct"), "{text}: {error}");
        }
    }
}
