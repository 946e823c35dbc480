//! Numbers: some services write them as text; this one writes whole ones as integers.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Serializer;
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// Deserializes an integer, or text of one in its shortest form.
pub fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    deserializer.deserialize_any(IntegerVisitor)
}

struct IntegerVisitor;

impl Visitor<'_> for IntegerVisitor {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(i64::EXPECTED)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<i64, E> {
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<i64, E> {
        NumberVisitor(PhantomData).visit_u64(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<i64, E> {
        NumberVisitor(PhantomData).visit_f64(number)
    }

    /// Other forms, such as `007`, are rejected: a resource has only one address, and ids are part of it.
    fn visit_str<E: Error>(self, text: &str) -> Result<i64, E> {
        let number = text.parse().ok().filter(|number: &i64| number.to_string() == text);
        number.ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

/// Deserializes an optional field, with `#[serde(default)]`: a number or text of one. Absent, `null` and empty text are `None`.
pub fn optional_number<'de, D: Deserializer<'de>, N: Number>(deserializer: D) -> Result<Option<N>, D::Error> {
    Option::<NumberOrText<N>>::deserialize(deserializer).map(|number| number.and_then(|NumberOrText(number)| number))
}

/// Deserializes an integer, also one that is written as 3.0, but not text.
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

/// Serializes a number, or an optional one. In text such as JSON a whole number is an integer (`1`, not `1.0`), since programs
/// with strict types read it into one. Elsewhere, as in Python objects, it stays a floating-point number.
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
pub trait Number: FromStr + Sized {
    const EXPECTED: &'static str;
    fn from_i64(number: i64) -> Option<Self>;
    fn from_f64(number: f64) -> Option<Self>;
}

impl Number for i64 {
    const EXPECTED: &'static str = "an integer, or text that holds one";
    fn from_i64(number: i64) -> Option<Self> {
        Some(number)
    }
    fn from_f64(number: f64) -> Option<Self> {
        let is_exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
        is_exact.then_some(number as i64)
    }
}

impl Number for f64 {
    const EXPECTED: &'static str = "a number, or text that holds one";
    fn from_i64(number: i64) -> Option<Self> {
        Some(number as f64)
    }
    fn from_f64(number: f64) -> Option<Self> {
        Some(number)
    }
}

struct NumberOrText<N>(Option<N>);

impl<'de, N: Number> Deserialize<'de> for NumberOrText<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrTextVisitor(PhantomData))
    }
}

struct NumberOrTextVisitor<N>(PhantomData<N>);

impl<N: Number> Visitor<'_> for NumberOrTextVisitor<N> {
    type Value = NumberOrText<N>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(N::EXPECTED)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        NumberVisitor(self.0).visit_i64(number).map(|number| NumberOrText(Some(number)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        NumberVisitor(self.0).visit_u64(number).map(|number| NumberOrText(Some(number)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        NumberVisitor(self.0).visit_f64(number).map(|number| NumberOrText(Some(number)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        match text.trim() {
            "" => Ok(NumberOrText(None)),
            _ => NumberVisitor(self.0).visit_str(text).map(|number| NumberOrText(Some(number))),
        }
    }
}

struct NumberVisitor<N>(PhantomData<N>);

impl<N: Number> Visitor<'_> for NumberVisitor<N> {
    type Value = N;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(N::EXPECTED)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<N, E> {
        N::from_i64(number).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<N, E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => self.visit_f64(number as f64),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<N, E> {
        N::from_f64(number).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Float(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<N, E> {
        text.trim().parse().map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

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
