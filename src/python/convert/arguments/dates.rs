//! Moments, and the lifetime of a token.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::model::UtcMillis;
use crate::python::convert::errors::input_error;

impl FromPyObject<'_, '_> for UtcMillis {
    type Error = PyErr;

    /// From an aware datetime, a date (midnight in UTC), or text of either.
    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let unfit = |problem: &str| input_error(format!("{} {problem}", object.as_any()));
        let no_zone = "has no time zone, so it is not a certain moment; give it one, such as tzinfo=datetime.UTC";
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_cow()?;
            let day = || text.parse().ok().filter(|_| text.len() == 10).map(|day| Ok(UtcMillis::midnight(day)));
            let moment = || text.parse().ok().map(UtcMillis::new);
            let of_service = text.parse::<UtcMillis>();
            // A text in the service's own form is refused for the reason that the service has.
            let has_its_form = [24, 27].contains(&text.len()) && text.ends_with('Z');
            return match of_service {
                Ok(moment) => Ok(moment),
                Err(problem) if has_its_form => Err(input_error(problem.to_string())),
                Err(_) => match day().or_else(moment) {
                    Some(Ok(moment)) => Ok(moment),
                    Some(Err(problem)) => Err(input_error(problem.to_string())),
                    None => Err(unfit("is no date and no date-time with a time zone")),
                },
            };
        }
        if object.hasattr("utcoffset")? {
            let offset = object.call_method0("utcoffset").map_err(|_| unfit("is not a moment"))?;
            if offset.is_none() {
                return Err(unfit(no_zone));
            }
            let text: String = object.call_method0("isoformat")?.extract()?;
            let moment = text.parse().map_err(|_| unfit("is not a moment"))?;
            return UtcMillis::new(moment).map_err(|problem| unfit(&problem.to_string()));
        }
        let text: String = object
            .call_method0("isoformat")
            .and_then(|text| text.extract())
            .map_err(|_| unfit("is neither a datetime, nor a date, nor text of one"))?;
        let day = text.parse().map_err(|_| unfit("is not a day"))?;
        Ok(UtcMillis::midnight(day))
    }
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
