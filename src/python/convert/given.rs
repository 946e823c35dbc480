//! How messages name a value that was given.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Characters of a value that a message repeats.
const MAX_LENGTH: usize = 60;

/// A short value as Python writes it, such as `7` or `(1, 2, 3)`; of any other its type, such as `a dict`.
pub fn given(value: &Bound<'_, PyAny>) -> String {
    let is_plain = value.is_none()
        || value.is_instance_of::<PyBool>()
        || value.is_instance_of::<PyInt>()
        || value.is_instance_of::<PyFloat>()
        || value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>();
    let text = value.repr().ok().filter(|_| is_plain).map(|text| text.to_string());
    text.filter(|text| text.chars().count() <= MAX_LENGTH).unwrap_or_else(|| kind(value))
}

/// The type of a value with its article.
pub fn kind(value: &Bound<'_, PyAny>) -> String {
    if value.is_none() {
        return "None".to_owned();
    }
    let name = value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string());
    let article = if name.starts_with(|first: char| "aeiouAEIOU".contains(first)) { "an" } else { "a" };
    format!("{article} {name}")
}
