//! Python values as types of the model, by way of serde, with messages in Python's terms.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pythonize::Depythonizer;
use serde::de::DeserializeOwned;

use super::errors::input_error;
use crate::engine::interrupts::look;
use geodesign::json::in_words_of_python;

/// The depth that serde_json reads. A list that contains itself is deeper.
const MAX_DEPTH: usize = 128;
/// Items of a list between two checks for Ctrl-C.
const ITEMS_PER_LOOK: usize = 64;

/// A dict or a list as a type of the model. Errors call it `name`. Values that JSON does not have are refused, including NaN and
/// infinity.
pub fn from_python<T: DeserializeOwned>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    check(object, MAX_DEPTH, true).map_err(|problem| unfit(name, &problem))?;
    deserialize(object, name)
}

/// The attributes of features as a type of the model. In many files NaN stands for a missing value, so it becomes null.
pub fn attributes_from_python<T: DeserializeOwned>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    check(object, MAX_DEPTH, false).map_err(|problem| unfit(name, &problem))?;
    deserialize(object, name)
}

/// A list of values with attributes. Ctrl-C ends a long one.
pub fn list_from_python<T: DeserializeOwned>(list: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<T>> {
    let Ok(list) = list.cast::<PyList>() else { return attributes_from_python(list, name) };
    let items = list.iter().enumerate().map(|(index, item)| {
        if index % ITEMS_PER_LOOK == 0 {
            look(item.py())?;
        }
        attributes_from_python(&item, &format!("{name}[{index}]"))
    });
    items.collect()
}

fn deserialize<T: DeserializeOwned>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<T> {
    let deserialized = serde_path_to_error::deserialize(&mut Depythonizer::from_object(object));
    deserialized.map_err(|error| unfit_inside(name, &error))
}

/// The error about a part of a value called `name`.
pub fn unfit_inside<E: Display>(name: &str, error: &serde_path_to_error::Error<E>) -> PyErr {
    let problem = in_words_of_python(&error.inner().to_string());
    match error.path().to_string().as_str() {
        "." => unfit(name, &problem),
        path if path.starts_with('[') => unfit(&format!("{name}{path}"), &problem),
        path => unfit(&format!("{name}.{path}"), &problem),
    }
}

/// The reason why a Python value has no counterpart in JSON.
#[derive(Debug, thiserror::Error)]
enum NotJson {
    #[error("it is nested more than {MAX_DEPTH} levels deep")]
    TooDeep,
    #[error("the key {0} is not text")]
    Key(String),
    #[error("JSON has no number {0}")]
    Number(f64),
    #[error("JSON has no {0}")]
    Type(String),
}

/// Refuses values that the deserializer would follow without end, and in strict JSON also those that it would change.
fn check(object: &Bound<'_, PyAny>, depth: usize, is_strict: bool) -> Result<(), NotJson> {
    let depth = depth.checked_sub(1).ok_or(NotJson::TooDeep)?;
    if let Ok(dict) = object.cast::<PyDict>() {
        dict.iter().try_for_each(|(key, value)| {
            if !key.is_instance_of::<PyString>() {
                return Err(NotJson::Key(key.to_string()));
            }
            check(&value, depth, is_strict)
        })
    } else if let Ok(list) = object.cast::<PyList>() {
        list.iter().try_for_each(|item| check(&item, depth, is_strict))
    } else if let Ok(tuple) = object.cast::<PyTuple>() {
        tuple.iter().try_for_each(|item| check(&item, depth, is_strict))
    } else if is_strict {
        check_scalar(object)
    } else {
        Ok(())
    }
}

fn check_scalar(object: &Bound<'_, PyAny>) -> Result<(), NotJson> {
    if let Ok(number) = object.cast::<PyFloat>() {
        return if number.value().is_finite() { Ok(()) } else { Err(NotJson::Number(number.value())) };
    }
    if object.is_none() || object.is_instance_of::<PyString>() || object.is_instance_of::<PyInt>() {
        return Ok(());
    }
    Err(NotJson::Type(object.get_type().to_string()))
}

fn unfit(name: &str, problem: &dyn Display) -> PyErr {
    input_error(format!("{name}: {problem}"))
}

/// The most characters of a value that a message repeats.
const MAX_LENGTH: usize = 60;

/// A short value as in Python, such as `7` or `(1, 2, 3)`; for any other its type, such as `a dict`.
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
