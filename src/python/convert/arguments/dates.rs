//! Moments, and the lifetime of a token.

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::model::UtcMillis;
use crate::python::convert::errors::input_error;

impl FromPyObject<'_, '_> for UtcMillis {
    type Error = PyErr;

    /// From a datetime, a date (its midnight), or text of either. Without a time zone they are in UTC, as the service's own are.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text: String = match object.cast::<PyString>() {
            Ok(text) => text.to_string(),
            // Other values that have it, such as times of the day, are not written as dates.
            Err(_) => object.call_method0("isoformat").and_then(|text| text.extract()).map_err(|_| {
                input_error(format!("{} is neither a datetime, nor a date, nor text of one", object.as_any()))
            })?,
        };
        // A text in the service's own form is refused for the reason that the service has.
        let has_its_form = [24, 27].contains(&text.len()) && text.ends_with('Z');
        match text.parse::<UtcMillis>() {
            Ok(moment) => Ok(moment),
            Err(problem) if has_its_form => Err(input_error(problem.to_string())),
            Err(_) => match moment(&text) {
                Some(moment) => UtcMillis::new(moment).map_err(|problem| input_error(problem.to_string())),
                None => Err(input_error(format!(
                    "{text:?} is no date and no date-time; write 2030-05-01 or 2030-05-01T12:30:00"
                ))),
            },
        }
    }
}

/// The moment of an ISO 8601 date-time or date.
fn moment(text: &str) -> Option<Timestamp> {
    let naive = || {
        let moment = match text.len() {
            10 => text.parse::<civil::Date>().ok()?.to_datetime(civil::Time::midnight()),
            // The parser would take a date-time of which only the date can be read.
            _ => text.parse::<civil::DateTime>().ok().filter(|_| text.contains(':'))?,
        };
        moment.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    };
    text.parse().ok().or_else(naive)
}

/// A timedelta, or seconds.
pub struct Lifetime(pub jiff::Span);

impl FromPyObject<'_, '_> for Lifetime {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let seconds: f64 = match object.hasattr("total_seconds")? {
            true => object.call_method0("total_seconds")?.extract()?,
            false => object.extract()?,
        };
        if seconds.is_nan() {
            return Err(input_error("lifetime: nan is no time"));
        }
        let span = jiff::Span::new().try_milliseconds((seconds * 1000.0) as i64);
        span.map(Lifetime).map_err(|problem| input_error(format!("lifetime: {problem}")))
    }
}
