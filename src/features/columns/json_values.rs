//! What the text of a JSON value stands for in a column of a given type. `null` stands for no value.

use std::borrow::Cow;

use jiff::civil::{Date, date};

use crate::model::DateTime;

/// Floats below 2^53 hold every integer exactly.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// A JSON value of another type than the column's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not {0}")]
pub struct UnexpectedValue(&'static str);

/// The integer that a JSON number, or a number written as text, stands for. An empty text stands for none.
#[inline]
pub fn integer(json: &str) -> Result<Option<i64>, UnexpectedValue> {
    const EXPECTED: UnexpectedValue = UnexpectedValue("an integer");
    let Some(text) = text(json)? else { return Ok(None) };
    match text.trim() {
        "" => Ok(None),
        text => match text.parse::<i64>() {
            Ok(integer) => Ok(Some(integer)),
            Err(_) => {
                let number: f64 = text.parse().map_err(|_| EXPECTED)?;
                let exact = number.fract() == 0.0 && number.abs() < MAX_EXACT_INTEGER;
                exact.then_some(Some(number as i64)).ok_or(EXPECTED)
            }
        },
    }
}

/// The float that a JSON number, or a number written as text, stands for. An empty text stands for none.
#[inline]
pub fn number(json: &str) -> Result<Option<f64>, UnexpectedValue> {
    const EXPECTED: UnexpectedValue = UnexpectedValue("a number");
    let Some(text) = text(json)? else { return Ok(None) };
    match text.trim() {
        "" => Ok(None),
        text => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Some).ok_or(EXPECTED),
    }
}

/// The microseconds from 1970-01-01 00:00 to a date or date-time without a time zone. An empty text stands for none.
#[inline]
pub fn timestamp(json: &str) -> Result<Option<i64>, UnexpectedValue> {
    const EXPECTED: UnexpectedValue = UnexpectedValue("a date or date-time such as 2026-03-02 or 2026-03-02T09:30:00");
    let Some(text) = text(json)? else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    let midnight = || text.parse().ok().map(|date: Date| date.at(0, 0, 0, 0));
    let date_time = if text.len() == 10 { midnight() } else { text.parse::<DateTime>().ok().map(|at| *at) };
    let since_epoch = date_time.ok_or(EXPECTED)?.duration_since(date(1970, 1, 1).at(0, 0, 0, 0));
    i64::try_from(since_epoch.as_micros()).map(Some).map_err(|_| EXPECTED)
}

/// The content of a JSON string, or the JSON text of any other value.
#[inline]
pub fn text(json: &str) -> Result<Option<Cow<'_, str>>, UnexpectedValue> {
    match json.as_bytes() {
        b"null" => Ok(None),
        [b'"', inner @ .., b'"'] if !inner.contains(&b'\\') => Ok(Some(json[1..json.len() - 1].into())),
        [b'"', ..] => match serde_json::from_str::<String>(json) {
            Ok(text) => Ok(Some(text.into())),
            Err(_) => Err(UnexpectedValue("text: an escape in it stands for no character")),
        },
        _ => Ok(Some(json.into())),
    }
}
