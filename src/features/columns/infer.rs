//! The type of a column whose property is not documented, from its values.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array};

use super::error::ColumnError;
use super::json_values::text;

/// An integer written with fewer characters than this has at most 15 digits, all of which a float keeps.
const MIN_INEXACT_CHARS: usize = 16;

/// A column of the narrowest type that holds every JSON value: booleans, integers, floats, or else text.
pub fn infer(values: &[Option<&str>]) -> Result<ArrayRef, ColumnError> {
    if let Some(booleans) = parse_all(values, |json| json.parse::<bool>().ok()) {
        return Ok(Arc::new(BooleanArray::from(booleans)));
    }
    if let Some(integers) = parse_all(values, |json| json.parse::<i64>().ok()) {
        return Ok(Arc::new(Int64Array::from(integers)));
    }
    if let Some(floats) = parse_all(values, float) {
        return Ok(Arc::new(Float64Array::from(floats)));
    }
    let texts: Vec<_> = values.iter().map(|json| json.map_or(Ok(None), text)).collect::<Result<_, _>>()?;
    string_array(texts.iter().map(Option::as_deref))
}

/// A column of text.
pub fn string_array<'t>(texts: impl Iterator<Item = Option<&'t str>> + Clone) -> Result<ArrayRef, ColumnError> {
    let bytes: usize = texts.clone().flatten().map(str::len).sum();
    if i32::try_from(bytes).is_err() {
        return Err(ColumnError::TextsTooLong);
    }
    let mut builder = StringBuilder::with_capacity(texts.size_hint().0, bytes);
    texts.for_each(|text| builder.append_option(text));
    Ok(Arc::new(builder.finish()))
}

/// All values parsed; `None` if one of them cannot be parsed, or if there are none.
fn parse_all<'v, T>(values: &[Option<&'v str>], parse: impl Fn(&'v str) -> Option<T>) -> Option<Vec<Option<T>>> {
    let parse = |value: &Option<&'v str>| match value {
        Some(value) => parse(value).map(Some),
        None => Some(None),
    };
    values.iter().any(Option::is_some).then(|| values.iter().map(parse).collect()).flatten()
}

/// A float; `None` for an integer with more digits than a float keeps.
fn float(json: &str) -> Option<f64> {
    json.parse().ok().filter(|_| json.contains(['.', 'e', 'E']) || json.len() < MIN_INEXACT_CHARS)
}
