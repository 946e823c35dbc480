//! The heights of features, such as 3-D buildings, from their attributes.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use super::errors::input_error;
use crate::model::VolumeInformation;
use crate::python::engine::interrupts::is_interrupt;

/// The heights of a feature in metres: those in its attribute `volume_information` (a dict, or the dict as JSON text, as frames of
/// diagrams have it), else its attributes `min_height` and `max_height`. None where it has neither.
pub fn volume_information(attributes: &Bound<'_, PyDict>) -> PyResult<Option<VolumeInformation>> {
    match attributes.get_item("volume_information")?.filter(|value| !is_missing(value)) {
        Some(value) => heights_in(&as_dict(&value)?),
        None => heights_in(attributes),
    }
}

fn as_dict<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = value.py();
    let parsed = match value.is_instance_of::<PyString>() {
        true => py.import("json")?.call_method1("loads", (value,)),
        false => Ok(value.clone()),
    };
    match parsed.and_then(|parsed| Ok(parsed.cast_into()?)) {
        Err(error) if !is_interrupt(py, &error) => Err(input_error(format!(
            "volume_information {} is not a dict with min_height and max_height, in metres above the ground",
            value.repr()?
        ))),
        dict => dict,
    }
}

/// A feature that has a `max_height` alone stands on the ground.
fn heights_in(attributes: &Bound<'_, PyDict>) -> PyResult<Option<VolumeInformation>> {
    match (height(attributes, "min_height")?, height(attributes, "max_height")?) {
        (None, None) => Ok(None),
        (Some(_), None) => Err(input_error("it has a min_height and no max_height; give both, in metres")),
        (min_height, Some(max_height)) => {
            let heights = VolumeInformation { min_height: min_height.unwrap_or_default(), max_height };
            heights.check().map_err(|problem| input_error(problem.to_string()))?;
            Ok(Some(heights))
        }
    }
}

fn height(attributes: &Bound<'_, PyDict>, name: &str) -> PyResult<Option<f64>> {
    let Some(value) = attributes.get_item(name)?.filter(|value| !is_missing(value)) else {
        return Ok(None);
    };
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract::<f64>().ok() };
    match number.filter(|number| number.is_finite()) {
        Some(number) => Ok(Some(number)),
        None => Err(input_error(format!("{name} {} is not a number of metres", value.repr()?))),
    }
}

/// Whether a value stands for none: None, NaN, or what pandas has in its place.
fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none() || value.extract::<f64>().is_ok_and(f64::is_nan)
}
