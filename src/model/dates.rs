//! Dates and date-times, each with the text it arrived in, so that decoding and encoding lose nothing.
//!
//! The wire's date-times have no zone; where one is written all the same, the value is its time in UTC.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use jiff::civil;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value together with the text that it was read from. Equality is that of the value.
#[derive(Debug, Clone)]
pub struct AsWritten<T> {
    value: T,
    text: String,
}

/// A calendar date, written `YYYY-MM-DD`. A date-time is taken too, for its date.
pub type Date = AsWritten<civil::Date>;
/// A date-time, written with `T` or a space in the middle, with or without a fraction.
pub type DateTime = AsWritten<civil::DateTime>;

pub trait FromWritten: Sized {
    const EXPECTED: &'static str;
    fn from_written(text: &str) -> Option<Self>;
}

impl FromWritten for civil::DateTime {
    const EXPECTED: &'static str = "a date-time such as 2026-03-02T09:30:00.5 or 2026-03-02 09:30:00";

    fn from_written(text: &str) -> Option<Self> {
        let zoned = || text.parse::<jiff::Timestamp>().ok().map(|at| jiff::tz::TimeZone::UTC.to_datetime(at));
        // A zone must not be dropped in silence: the zoned reading comes first.
        zoned().or_else(|| text.parse().ok())
    }
}

impl FromWritten for civil::Date {
    const EXPECTED: &'static str = "a date such as 2026-03-02";

    fn from_written(text: &str) -> Option<Self> {
        match text.len() {
            10 => text.parse().ok(),
            _ => civil::DateTime::from_written(text).map(|at| at.date()),
        }
    }
}

impl<T: FromWritten> FromStr for AsWritten<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        T::from_written(text)
            .map(|value| AsWritten { value, text: text.to_owned() })
            .ok_or_else(|| format!("{text:?} is not {}", T::EXPECTED))
    }
}

impl<T> Deref for AsWritten<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> fmt::Display for AsWritten<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T: PartialEq> PartialEq for AsWritten<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T> Serialize for AsWritten<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de, T: FromWritten> Deserialize<'de> for AsWritten<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// For optional fields: absent, `null` and empty text are `None`.
pub fn optional<'de, D: Deserializer<'de>, T: FromWritten>(deserializer: D) -> Result<Option<AsWritten<T>>, D::Error> {
    match Option::<String>::deserialize(deserializer)?.as_deref() {
        None | Some("") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_wire_are_read_and_written_back_to_the_letter() {
        for text in ["2026-03-02T09:30:00.482193", "2026-03-02 09:30:00", "2026-03-02T09:30:00"] {
            let at: DateTime = text.parse().unwrap();
            assert_eq!(at.date(), civil::date(2026, 3, 2));
            assert_eq!(serde_json::to_string(&at).unwrap(), format!("\"{text}\""));
        }
    }

    #[test]
    fn a_zone_is_honoured() {
        let east: DateTime = "2026-03-02T01:30:00+02:00".parse().unwrap();
        let utc: DateTime = "2026-03-01T23:30:00Z".parse().unwrap();
        assert_eq!(east, utc);
    }

    #[test]
    fn what_is_no_date_says_so() {
        for text in ["tomorrow", "2026-13-01", "2026-02-30", "20260302x"] {
            let error = text.parse::<Date>().unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }
}
