//! Numbers that may arrive as text.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use super::DiagramId;

/// An integer, or text that holds one.
pub fn integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    deserializer.deserialize_any(IdVisitor)
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
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

    /// One writing for each id: an address of a resource is the only one that it has.
    fn visit_str<E: Error>(self, text: &str) -> Result<i64, E> {
        let number = text.parse().ok().filter(|number: &i64| number.to_string() == text);
        number.ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

/// A number, text that holds one, or nothing: absent, `null` and empty text are `None`.
pub fn optional_number<'de, D: Deserializer<'de>, N: Number>(deserializer: D) -> Result<Option<N>, D::Error> {
    Option::<Lenient<N>>::deserialize(deserializer).map(|number| number.and_then(|Lenient(number)| number))
}

/// A whole number, also one that is written as 3.0; never text.
pub fn integer_only<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    whole_number(&serde_json::Number::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The same, or nothing.
pub fn optional_whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    let number = Option::<serde_json::Number>::deserialize(deserializer)?;
    number.map(|number| whole_number(&number)).transpose().map_err(D::Error::custom)
}

/// Ids that are whole numbers, never text.
pub fn whole_ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<DiagramId>, D::Error> {
    let numbers = Vec::<serde_json::Number>::deserialize(deserializer)?;
    numbers.iter().map(|number| whole_number(number).map(DiagramId)).collect::<Result<_, _>>().map_err(D::Error::custom)
}

fn whole_number(number: &serde_json::Number) -> Result<i64, String> {
    let whole = number.as_i64().or_else(|| i64::from_f64(number.as_f64()?));
    whole.ok_or_else(|| format!("{number} is not a whole number"))
}

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
        let whole = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
        whole.then_some(number as i64)
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

struct Lenient<N>(Option<N>);

impl<'de, N: Number> Deserialize<'de> for Lenient<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LenientVisitor(PhantomData))
    }
}

struct LenientVisitor<N>(PhantomData<N>);

impl<N: Number> Visitor<'_> for LenientVisitor<N> {
    type Value = Lenient<N>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(N::EXPECTED)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        NumberVisitor(self.0).visit_i64(number).map(|number| Lenient(Some(number)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        NumberVisitor(self.0).visit_u64(number).map(|number| Lenient(Some(number)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        NumberVisitor(self.0).visit_f64(number).map(|number| Lenient(Some(number)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        match text.trim() {
            "" => Ok(Lenient(None)),
            _ => NumberVisitor(self.0).visit_str(text).map(|number| Lenient(Some(number))),
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
    fn an_id_may_arrive_as_text_where_it_parses() {
        assert_eq!(serde_json::from_str::<DiagramId>("\"17\"").unwrap(), DiagramId(17));
        assert_eq!(serde_json::from_str::<DiagramId>("17").unwrap(), DiagramId(17));
        for not_an_id in ["\"x\"", "1.5", "null", "[]", "\"\""] {
            assert!(serde_json::from_str::<DiagramId>(not_an_id).is_err(), "{not_an_id}");
        }
    }

    #[test]
    fn a_missing_an_empty_and_a_null_number_are_none() {
        for area in ["", r#","area":null"#, r#","area":"""#] {
            let diagram: Diagram = serde_json::from_str(&format!(r#"{{"id":1,"sysid":2{area}}}"#)).unwrap();
            assert_eq!(diagram.area, None);
        }
        let diagram: Diagram = serde_json::from_str(r#"{"id":1,"sysid":2,"area":"12.5","rank":3}"#).unwrap();
        assert_eq!((diagram.area, diagram.rank), (Some(12.5), Some(3)));
    }
}
