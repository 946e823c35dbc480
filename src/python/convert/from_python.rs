//! Values of Python as types of the model, by way of serde.

use std::fmt::Display;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pythonize::Depythonizer;
use serde::de::DeserializeOwned;

use super::errors::input_error;
use super::plain_words::plain_words;
use crate::python::engine::interrupts::look;

/// As deep as serde_json reads. A list that holds itself is deeper.
const MAX_DEPTH: usize = 128;
/// After so many items of a list, Ctrl-C is looked for.
const ITEMS_PER_LOOK: usize = 64;

/// A dict or a list as a type of the model. Errors call it by `name`. What JSON does not have is refused, NaN and infinity
/// among it.
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
    deserialized.map_err(|error| {
        let problem = plain_words(&error.inner().to_string());
        match error.path().to_string().as_str() {
            "." => unfit(name, &problem),
            path if path.starts_with('[') => unfit(&format!("{name}{path}"), &problem),
            path => unfit(&format!("{name}.{path}"), &problem),
        }
    })
}

/// Why a value of Python has no counterpart in JSON.
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

/// Refuses what the deserializer would follow without end, and in strict JSON also what it would turn into something else.
fn check(object: &Bound<'_, PyAny>, depth: usize, is_strict: bool) -> Result<(), NotJson> {
    let depth = depth.checked_sub(1).ok_or(NotJson::TooDeep)?;
    if let Ok(dict) = object.cast::<PyDict>() {
        dict.iter().try_for_each(|(key, value)| match key.is_instance_of::<PyString>() {
            true => check(&value, depth, is_strict),
            false => Err(NotJson::Key(key.to_string())),
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
    match object.is_none() || object.is_instance_of::<PyString>() || object.is_instance_of::<PyInt>() {
        true => Ok(()),
        false => Err(NotJson::Type(object.get_type().to_string())),
    }
}

fn unfit(name: &str, problem: &dyn Display) -> PyErr {
    input_error(format!("{name}: {problem}"))
}
