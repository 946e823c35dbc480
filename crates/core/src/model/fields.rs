//! Reads and writes fields: numbers, which some services write as text, and this one as integers if they are whole; enumerations, which are
//! text; and fields that a resource does not declare.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// A JSON object with any fields. As the flattened field `extra` of a resource it holds the fields that the resource does not
/// declare, and writes them again as they were read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonObject(pub Map<String, Value>);

impl JsonObject {
    pub fn new() -> Self {
        JsonObject::default()
    }
}

impl Deref for JsonObject {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for JsonObject {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// Deserializes an integer, or text of one in its shortest form. Other forms, such as `007`, are rejected: a resource has only one address,
/// and its ids are part of it.
pub fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let read = |text: &str| text.parse().ok().filter(|number: &i64| number.to_string() == text);
    deserializer.deserialize_any(NumberVisitor::<i64, i64>(read, PhantomData))
}

/// Deserializes an optional field, with `#[serde(default)]`: a number or text of one. Absent, `null` and empty text are `None`.
pub fn optional_number<'de, D: Deserializer<'de>, N: Number>(deserializer: D) -> Result<Option<N>, D::Error> {
    Option::<NumberOrText<N>>::deserialize(deserializer).map(|number| number.and_then(|NumberOrText(number)| number))
}

/// Deserializes an id that is text; it may be written as an integer.
pub fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_any(TextOrNumber)
}

struct TextOrNumber;

impl Visitor<'_> for TextOrNumber {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an id: text or an integer")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

/// Deserializes an integer; it may be written as `3.0`, but not as text.
pub fn integer_only<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    to_integer(&serde_json::Number::deserialize(deserializer)?)
}

/// [`integer_only`] for an optional field.
pub fn optional_integer_only<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let number = Option::<serde_json::Number>::deserialize(deserializer)?;
    number.map(|number| to_integer(&number)).transpose()
}

/// [`integer_only`] for a list.
pub fn integers_only<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i64>, D::Error> {
    let numbers = Vec::<serde_json::Number>::deserialize(deserializer)?;
    numbers.iter().map(to_integer).collect()
}

/// Serializes a number, or an optional one. In text such as JSON a whole number is an integer (`1`, not `1.0`), since strictly typed
/// programs expect one. Elsewhere, as in Python objects, it stays a floating-point number.
pub fn integer_if_whole<S: Serializer>(
    number: &(impl Copy + Into<Option<f64>>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match (*number).into() {
        None => serializer.serialize_none(),
        Some(number) => match i64::from_f64(number) {
            Some(whole) if serializer.is_human_readable() => serializer.serialize_i64(whole),
            _ => serializer.serialize_f64(number),
        },
    }
}

fn to_integer<E: Error>(number: &serde_json::Number) -> Result<i64, E> {
    let integer = number.as_i64().or_else(|| i64::from_f64(number.as_f64()?));
    integer.ok_or_else(|| E::custom(format!("{number} is not a whole number")))
}

/// Types that [`optional_number`] can read.
pub trait Number: FromStr {
    const EXPECTED: &'static str;
    fn from_i64(number: i64) -> Self;
    fn from_f64(number: f64) -> Option<Self>;
}

impl Number for i64 {
    const EXPECTED: &'static str = "an integer, or text that holds one";

    fn from_i64(number: i64) -> Self {
        number
    }

    fn from_f64(number: f64) -> Option<Self> {
        let is_exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
        is_exact.then_some(number as i64)
    }
}

impl Number for f64 {
    const EXPECTED: &'static str = "a number, or text that holds one";

    fn from_i64(number: i64) -> Self {
        number as f64
    }

    fn from_f64(number: f64) -> Option<Self> {
        Some(number)
    }
}

struct NumberOrText<N>(Option<N>);

impl<'de, N: Number> Deserialize<'de> for NumberOrText<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| match text.trim() {
            "" => Some(None),
            text => text.parse().ok().map(Some),
        };
        deserializer.deserialize_any(NumberVisitor(read, PhantomData::<N>)).map(NumberOrText)
    }
}

/// A visitor of numbers of type `N`, and of texts that the function reads.
struct NumberVisitor<N, R>(fn(&str) -> Option<R>, PhantomData<N>);

impl<N: Number, R: From<N>> Visitor<'_> for NumberVisitor<N, R> {
    type Value = R;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(N::EXPECTED)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<R, E> {
        Ok(N::from_i64(number).into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<R, E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => self.visit_f64(number as f64),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<R, E> {
        N::from_f64(number).map(R::from).ok_or_else(|| E::invalid_value(Unexpected::Float(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<R, E> {
        (self.0)(text).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// Implements serde for enumerations that are written as text: reading with `from_name`, writing with the named method. The text
/// completes the error "… is not".
macro_rules! string_enum {
    ($($name:ident: $written:ident, $expected:literal;)*) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.$written())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                $name::from_name(&name)
                    .ok_or_else(|| serde::de::Error::custom(format!(concat!("{:?} is not ", $expected), name)))
            }
        }
    )*};
}

pub(super) use string_enum;

#[cfg(test)]
mod tests {
    use crate::model::{Diagram, DiagramId};

    #[test]
    fn a_whole_area_is_written_as_an_integer_and_any_other_with_all_its_digits() {
        for area in ["0", "250000", "-3", "1234.5678901234567", "9007199254740992.0"] {
            let diagram: Diagram = serde_json::from_str(&format!(r#"{{"id":1,"sysid":2,"area":{area}}}"#)).unwrap();
            let written = serde_json::to_string(&diagram).unwrap();
            assert!(written.contains(&format!(r#""area":{area},"#)), "{written}");
        }
    }

    #[test]
    fn an_id_may_be_written_as_text() {
        assert_eq!(serde_json::from_str::<DiagramId>("\"17\"").unwrap(), DiagramId(17));
        assert_eq!(serde_json::from_str::<DiagramId>("17").unwrap(), DiagramId(17));
        for not_an_id in ["\"x\"", "1.5", "null", "[]", "\"\""] {
            assert!(serde_json::from_str::<DiagramId>(not_an_id).is_err(), "{not_an_id}");
        }
    }

    #[test]
    fn a_missing_number_an_empty_text_and_null_are_none() {
        for area in ["", r#","area":null"#, r#","area":"""#] {
            let diagram: Diagram = serde_json::from_str(&format!(r#"{{"id":1,"sysid":2{area}}}"#)).unwrap();
            assert_eq!(diagram.area, None);
        }
        let diagram: Diagram = serde_json::from_str(r#"{"id":1,"sysid":2,"area":"12.5","rank":3}"#).unwrap();
        assert_eq!((diagram.area, diagram.rank), (Some(12.5), Some(3)));
    }
}
