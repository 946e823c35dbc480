//! Dates and date-times that keep the text they were read from, so that they are written exactly as they were read.
//!
//! Date-times of the service have no time zone and are in UTC. One that is written with an offset is converted to UTC.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, civil};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value and the text that it was read from, which is written again verbatim. Two are equal if their values are.
#[derive(Debug, Clone)]
pub struct Verbatim<T> {
    value: T,
    text: String,
}

/// A calendar date, written `YYYY-MM-DD`. It can also be read from a date-time, whose time is then left out of the value.
///
/// ```
/// let date: geodesign::model::Date = "2026-03-02".parse()?;
/// assert_eq!((date.year(), date.month()), (2026, 3));
/// # Ok::<(), geodesign::model::DateError>(())
/// ```
pub type Date = Verbatim<civil::Date>;
/// A date-time in UTC, written with `T` or a space between date and time, with or without fractional seconds.
pub type DateTime = Verbatim<civil::DateTime>;

/// Values that [`Verbatim`] can read from text.
pub trait FromText: Sized {
    /// Expected form of the text, for error messages.
    const EXPECTED: &'static str;
    fn from_text(text: &str) -> Result<Self, jiff::Error>;
}

/// The reason why a text is not a date or date-time.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{text:?} is not {expected}")]
pub struct DateError {
    text: String,
    expected: &'static str,
    source: Option<jiff::Error>,
}

impl FromText for civil::DateTime {
    const EXPECTED: &'static str = "a date-time such as 2026-03-02T09:30:00.5 or 2026-03-02 09:30:00";

    fn from_text(text: &str) -> Result<Self, jiff::Error> {
        // Tried first, because the parser of `civil::DateTime` would ignore an offset.
        match text.parse::<Timestamp>() {
            Ok(timestamp) => Ok(TimeZone::UTC.to_datetime(timestamp)),
            Err(_) => text.parse(),
        }
    }
}

impl FromText for civil::Date {
    const EXPECTED: &'static str = "a date such as 2026-03-02";

    fn from_text(text: &str) -> Result<Self, jiff::Error> {
        match text.len() {
            10 => text.parse(),
            _ => civil::DateTime::from_text(text).map(|date_time| date_time.date()),
        }
    }
}

impl<T: FromText> FromStr for Verbatim<T> {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let text = text.to_owned();
        match T::from_text(&text) {
            Ok(value) => Ok(Verbatim { value, text }),
            Err(source) => Err(DateError { text, expected: T::EXPECTED, source: Some(source) }),
        }
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

impl<'de, T: FromText> Deserialize<'de> for Verbatim<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A point in time in UTC with milliseconds, in the years from 0000 to 9999, which dates in responses can express. In bulk updates
/// of diagrams it is written `YYYY-MM-DDTHH:mm:ss.sssZ`; years of six digits (`+002030`) are read too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcMillis(civil::DateTime);

impl UtcMillis {
    /// The point in time without its microseconds and nanoseconds.
    pub fn new(timestamp: Timestamp) -> Result<Self, DateError> {
        let date_time = TimeZone::UTC.to_datetime(timestamp);
        let error = |expected, source| DateError { text: timestamp.to_string(), expected, source };
        let millis = date_time.with().microsecond(0).nanosecond(0).build();
        let millis = millis.map_err(|source| error(MOMENT, Some(source)))?;
        if has_four_digits(millis.year()) { Ok(UtcMillis(millis)) } else { Err(error(YEARS, None)) }
    }

    /// Midnight in UTC.
    pub fn midnight(day: civil::Date) -> Self {
        UtcMillis(day.to_datetime(civil::Time::midnight()))
    }

    /// The date-time in UTC, without a zone.
    pub fn utc(self) -> civil::DateTime {
        self.0
    }

    /// The day in UTC.
    pub fn date(self) -> civil::Date {
        self.0.date()
    }
}

impl fmt::Display for UtcMillis {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (date, time) = (self.0.date(), self.0.time());
        write!(f, "{:04}", date.year())?;
        write!(f, "-{:02}-{:02}T{:02}:", date.month(), date.day(), time.hour())?;
        write!(f, "{:02}:{:02}.{:03}Z", time.minute(), time.second(), time.millisecond())
    }
}

impl FromStr for UtcMillis {
    type Err = DateError;

    fn from_str(text: &str) -> Result<Self, DateError> {
        let error = |expected, source| DateError { text: text.to_owned(), expected, source };
        let signed = text.starts_with(['+', '-']);
        let form = if signed { "+000000-00-00T00:00:00.000Z" } else { "0000-00-00T00:00:00.000Z" };
        let digits_or_same = |(index, (given, form)): (usize, (char, char))| match form {
            '0' => given.is_ascii_digit(),
            _ => given == form || index == 0,
        };
        if text.chars().count() != form.len() || !text.chars().zip(form.chars()).enumerate().all(digits_or_same) {
            return Err(error(MOMENT, None));
        }
        if signed && !text.starts_with("+00") {
            return Err(error(YEARS, None));
        }
        // The parser takes a leap second for the second before it.
        if text[text.len() - "00.000Z".len()..].starts_with("60") {
            return Err(error(SECONDS, None));
        }
        let date_time = text.trim_end_matches('Z');
        // ISO 8601 and ECMAScript have two forms of midnight; this one is at the end of the day.
        let moment: civil::DateTime = match date_time.strip_suffix("T24:00:00.000") {
            Some(day) => day.parse::<civil::Date>().and_then(|day| day.tomorrow()).map(Into::into),
            None => date_time.parse(),
        }
        .map_err(|source| error(MOMENT, Some(source)))?;
        if has_four_digits(moment.year()) { Ok(UtcMillis(moment)) } else { Err(error(YEARS, None)) }
    }
}

const MOMENT: &str = "a date-time of the form YYYY-MM-DDTHH:mm:ss.sssZ, 24 or 27 characters";
const YEARS: &str = "a date-time that the service can keep: years go from 0000 to 9999";
const SECONDS: &str = "a date-time in UTC without leap seconds: seconds go from 00 to 59";

fn has_four_digits(year: i16) -> bool {
    (0..=9999).contains(&year)
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

/// The moment of an ISO 8601 date-time or date. Without a zone it is in UTC, and a date is its midnight.
pub fn moment(text: &str) -> Option<Timestamp> {
    let naive = || {
        let moment = match text.len() {
            10 => text.parse::<civil::Date>().ok()?.to_datetime(civil::Time::midnight()),
            // The parser would accept a date-time whose time cannot be read.
            _ => text.parse::<civil::DateTime>().ok().filter(|_| text.contains(':'))?,
        };
        moment.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    };
    text.parse().ok().or_else(naive)
}

/// The day to take from a text that has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayOf {
    First,
    Last,
}

/// The moment in a cell of a table or a file: a date or a date-time, a year or a month by its first or last day, or the first or last day
/// of an interval of ISO 8601 (`2030/2035`, `2030-05-01/P2Y`). A date-time in another zone keeps the day of its own clock, even if UTC has
/// another day.
pub fn moment_in_table(text: &str, day_of: DayOf) -> Option<Timestamp> {
    // GDAL writes days into CSV this way.
    if let [_, _, _, _, b'/', _, _, b'/', _, _, ..] = text.as_bytes() {
        return moment_in_table(&text.replacen('/', "-", 2), day_of);
    }
    if let Some((first, last)) = text.split_once('/') {
        let is_span = |text: &str| text.starts_with('P');
        let start = |text| moment_in_table(text, DayOf::First).filter(|_| !is_span(text));
        return match (day_of, is_span(first), is_span(last)) {
            (DayOf::First, false, _) => start(first).filter(|_| is_span(last) || start(last).is_some()),
            (DayOf::Last, _, false) => {
                moment_in_table(last, DayOf::Last).filter(|_| is_span(first) || start(first).is_some())
            }
            // An interval of whole days ends before the moment that it reaches.
            (DayOf::Last, false, true) => {
                let end = at_midnight(civil_day(start(first)?).checked_add(last.parse::<Span>().ok()?).ok()?)?;
                Some(if end > start(first)? { at_midnight(civil_day(end).yesterday().ok()?)? } else { end })
            }
            (DayOf::First, true, false) => {
                let last = civil_day(moment_in_table(last, DayOf::Last)?);
                at_midnight(last.tomorrow().ok()?.checked_sub(first.parse::<Span>().ok()?).ok()?)
            }
            _ => None,
        };
    }
    let digits: Vec<Option<i16>> = text.split('-').map(|part| part.parse().ok()).collect();
    let month = match (text.len(), digits.as_slice()) {
        (4, [Some(year)]) => match day_of {
            DayOf::First => civil::Date::new(*year, 1, 1),
            DayOf::Last => civil::Date::new(*year, 12, 31),
        },
        (7, [Some(year), Some(month)]) => civil::Date::new(*year, i8::try_from(*month).ok()?, 1)
            .map(|first| if day_of == DayOf::First { first } else { first.last_of_month() }),
        _ => {
            let moment = moment(text)?;
            let own = text.get(..10).and_then(|day| day.parse::<civil::Date>().ok());
            let clock = || text.get(..19).and_then(|clock| clock.parse::<civil::DateTime>().ok());
            return match own.filter(|day| *day != civil_day(moment)).and_then(|_| clock()) {
                Some(clock) => clock.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp()),
                None => Some(moment),
            };
        }
    };
    at_midnight(month.ok()?)
}

fn civil_day(moment: Timestamp) -> civil::Date {
    TimeZone::UTC.to_datetime(moment).date()
}

fn at_midnight(day: civil::Date) -> Option<Timestamp> {
    day.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

/// Returns the same moment in UTC, without zone.
pub fn utc_date_time(text: &str) -> Option<civil::DateTime> {
    moment(text).map(|moment| TimeZone::UTC.to_datetime(moment))
}

/// Deserializes an optional field, with `#[serde(default)]`: absent, `null` and empty text are `None`.
pub fn optional<'de, D: Deserializer<'de>, T: FromText>(deserializer: D) -> Result<Option<Verbatim<T>>, D::Error> {
    match Option::<String>::deserialize(deserializer)?.as_deref() {
        None | Some("") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(serde::de::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_a_month_or_an_interval_in_a_table_has_a_first_and_a_last_day() {
        for (text, first, last) in [
            ("2030", "2030-01-01", "2030-12-31"),
            ("2028-02", "2028-02-01", "2028-02-29"),
            ("2030/2035", "2030-01-01", "2035-12-31"),
            ("2030/05/01 00:00:00", "2030-05-01", "2030-05-01"),
            ("2030-05-01/2031-04-30", "2030-05-01", "2031-04-30"),
            ("2030-05-01/P2Y", "2030-05-01", "2032-04-30"),
            ("P1M/2030-05-31", "2030-05-01", "2030-05-31"),
            ("2030-05-01T00:00:00+02:00", "2030-05-01", "2030-05-01"),
            ("2030-05-01 23:30:00-05:00", "2030-05-01", "2030-05-01"),
        ] {
            let day = |day_of| moment_in_table(text, day_of).map(|moment| civil_day(moment).to_string());
            assert_eq!(
                (day(DayOf::First).as_deref(), day(DayOf::Last).as_deref()),
                (Some(first), Some(last)),
                "{text}"
            );
        }
        for text in ["", "soon", "203", "2030-13", "2030/soon", "../2030", "P1Y/P1Y", "P2Y"] {
            assert_eq!(
                (moment_in_table(text, DayOf::First), moment_in_table(text, DayOf::Last)),
                (None, None),
                "{text}"
            );
        }
        let noon = "2030-05-01T12:00:00+02:00";
        assert_eq!(moment_in_table(noon, DayOf::First), moment(noon));
    }

    #[test]
    fn a_date_time_with_t_or_a_space_is_written_exactly_as_it_was_read() {
        for text in ["2026-03-02T09:30:00.482193", "2026-03-02 09:30:00", "2026-03-02T09:30:00"] {
            let at: DateTime = text.parse().unwrap();
            assert_eq!(at.date(), civil::date(2026, 3, 2));
            assert_eq!(serde_json::to_string(&at).unwrap(), format!("\"{text}\""));
        }
    }

    #[test]
    fn a_date_time_with_an_offset_is_converted_to_utc() {
        let east: DateTime = "2026-03-02T01:30:00+02:00".parse().unwrap();
        let utc: DateTime = "2026-03-01T23:30:00Z".parse().unwrap();
        assert_eq!(east, utc);
    }

    #[test]
    fn the_error_for_a_text_that_is_no_date_quotes_it() {
        for text in ["tomorrow", "2026-13-01", "2026-02-30", "20260302x"] {
            let error = text.parse::<Date>().unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn utc_millis_has_one_form_of_24_or_27_characters() {
        for text in ["2030-01-01T00:00:00.000Z", "0000-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"] {
            let millis: UtcMillis = text.parse().unwrap();
            assert_eq!(millis.to_string(), text);
        }
        let expanded: UtcMillis = "+002030-01-01T00:00:00.000Z".parse().unwrap();
        assert_eq!(expanded, UtcMillis::midnight(civil::date(2030, 1, 1)));
        for text in ["2030-01-01", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00.000+01", "2030-13-01T00:00:00.000Z", ""]
        {
            assert!(text.parse::<UtcMillis>().is_err(), "{text}");
        }
    }

    #[test]
    fn midnight_at_the_end_of_a_day_is_that_of_the_next_day() {
        for text in ["2029-12-31T24:00:00.000Z", "+002029-12-31T24:00:00.000Z"] {
            assert_eq!(text.parse::<UtcMillis>().unwrap(), UtcMillis::midnight(civil::date(2030, 1, 1)));
        }
        assert!("2029-12-31T24:00:00.001Z".parse::<UtcMillis>().is_err());
    }

    #[test]
    fn a_year_that_needs_more_than_four_digits_and_a_leap_second_are_refused_with_the_reason() {
        for (text, reason) in [
            ("-000001-02-28T12:00:00.500Z", "0000 to 9999"),
            ("+010000-01-01T00:00:00.000Z", "0000 to 9999"),
            ("9999-12-31T24:00:00.000Z", "is not a date-time"),
            ("2016-12-31T23:59:60.000Z", "00 to 59"),
        ] {
            let error = text.parse::<UtcMillis>().unwrap_err().to_string();
            assert!(error.contains(text) && error.contains(reason), "{error}");
        }
        let before: Timestamp = "-000001-02-28T12:00:00Z".parse().unwrap();
        assert!(UtcMillis::new(before).unwrap_err().to_string().contains("0000 to 9999"));
    }
}
