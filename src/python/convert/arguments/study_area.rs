//! The extent of a study area and its middle.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::model::{Bounds, BoundsError, Center};
use crate::python::convert::errors::input_error;
use crate::python::convert::given::given;

/// West, south, east, north in degrees, as four numbers or as text.
impl FromPyObject<'_, '_> for Bounds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return text.to_cow()?.parse().map_err(|problem: BoundsError| input_error(format!("bounds: {problem}")));
        }
        let form = "bounds are west, south, east, north in degrees, such as (-9.3, 38.6, -9.0, 38.9)";
        let [west, south, east, north] = numbers(&object, form)?;
        Ok(Bounds { west, south, east, north })
    }
}

/// Longitude and latitude in degrees, as two numbers or as text.
impl FromPyObject<'_, '_> for Center {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return text.to_cow()?.parse().map_err(|problem: BoundsError| input_error(format!("center: {problem}")));
        }
        let [longitude, latitude] =
            numbers(&object, "center is a longitude and a latitude in degrees, such as (-9.1, 38.7)")?;
        Ok(Center { longitude, latitude })
    }
}

/// So many numbers of anything that can be iterated, except a dict, whose keys that would be.
fn numbers<const N: usize>(object: &Bound<'_, PyAny>, form: &str) -> PyResult<[f64; N]> {
    let items = object.try_iter().ok().filter(|_| !object.is_instance_of::<PyDict>());
    let numbers: Option<Vec<f64>> =
        items.and_then(|items| items.take(N + 1).map(|item| item.ok()?.extract().ok()).collect());
    let numbers = numbers.and_then(|numbers| numbers.try_into().ok());
    numbers.ok_or_else(|| input_error(format!("{form}; {} is not", given(object))))
}
