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
pub struct Verbatim<T> {
    value: T,
    text: String,
}

/// A calendar date, written `YYYY-MM-DD`. A date-time is taken too, for its date.
pub type Date = Verbatim<civil::Date>;
/// A date-time, written with `T` or a space in the middle, with or without a fraction.
pub type DateTime = Verbatim<civil::DateTime>;

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

impl<T: FromWritten> FromStr for Verbatim<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        T::from_written(text)
            .map(|value| Verbatim { value, text: text.to_owned() })
            .ok_or_else(|| format!("{text:?} is not {}", T::EXPECTED))
    }
}

impl<T> Deref for Verbatim<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> fmt::Display for Verbatim<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T: PartialEq> PartialEq for Verbatim<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T> Serialize for Verbatim<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de, T: FromWritten> Deserialize<'de> for Verbatim<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A moment as the bulk update takes it: `YYYY-MM-DDTHH:mm:ss.sssZ`, or `±YYYYYY-…` for years of more than four digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcMillis(civil::DateTime);

impl UtcMillis {
    /// To the millisecond; what is finer is left out.
    pub fn new(at: jiff::Timestamp) -> Result<Self, String> {
        let at = jiff::tz::TimeZone::UTC.to_datetime(at);
        let at = at.with().microsecond(0).nanosecond(0).build().map_err(|problem| problem.to_string())?;
        Ok(UtcMillis(at))
    }

    /// Midnight in UTC.
    pub fn midnight(day: civil::Date) -> Self {
        UtcMillis(day.to_datetime(civil::Time::midnight()))
    }

    /// The day in UTC.
    pub fn date(self) -> civil::Date {
        self.0.date()
    }
}

impl fmt::Display for UtcMillis {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (date, time) = (self.0.date(), self.0.time());
        match date.year() {
            0.. => write!(f, "{:04}", date.year())?,
            _ => write!(f, "{:+07}", date.year())?,
        }
        write!(f, "-{:02}-{:02}T{:02}:", date.month(), date.day(), time.hour())?;
        write!(f, "{:02}:{:02}.{:03}Z", time.minute(), time.second(), time.millisecond())
    }
}

impl FromStr for UtcMillis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not a date-time of the form YYYY-MM-DDTHH:mm:ss.sssZ, 24 or 27 characters");
        let signed = text.starts_with(['+', '-']);
        let form = if signed { "+000000-00-00T00:00:00.000Z" } else { "0000-00-00T00:00:00.000Z" };
        let digits_or_same = |(at, (given, form)): (usize, (char, char))| match form {
            '0' => given.is_ascii_digit(),
            _ => given == form || at == 0,
        };
        if text.chars().count() != form.len() || !text.chars().zip(form.chars()).enumerate().all(digits_or_same) {
            return Err(wrong());
        }
        text.trim_end_matches('Z').parse().map(UtcMillis).map_err(|_| wrong())
    }
}

impl Serialize for UtcMillis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for UtcMillis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// For optional fields: absent, `null` and empty text are `None`.
pub fn optional<'de, D: Deserializer<'de>, T: FromWritten>(deserializer: D) -> Result<Option<Verbatim<T>>, D::Error> {
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

    #[test]
    fn an_instant_has_one_form_of_24_or_27_characters() {
        for text in ["2030-01-01T00:00:00.000Z", "0000-12-31T23:59:59.999Z", "-000001-02-28T12:00:00.500Z"] {
            let instant: UtcMillis = text.parse().unwrap();
            assert_eq!(instant.to_string(), text);
            assert!([24, 27].contains(&text.len()));
        }
        let expanded: UtcMillis = "+002030-01-01T00:00:00.000Z".parse().unwrap();
        assert_eq!(expanded, UtcMillis::midnight(civil::date(2030, 1, 1)));
        for text in ["2030-01-01", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00.000+01", "2030-13-01T00:00:00.000Z", ""]
        {
            assert!(text.parse::<UtcMillis>().is_err(), "{text}");
        }
    }
}
