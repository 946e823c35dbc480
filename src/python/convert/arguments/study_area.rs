//! The extent of a study area and its middle.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::model::{Bounds, BoundsError, Center};
use crate::python::convert::errors::input_error;

/// West, south, east, north in degrees, as four numbers or as text.
impl FromPyObject<'_, '_> for Bounds {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return text.to_cow()?.parse().map_err(|problem: BoundsError| input_error(format!("bounds: {problem}")));
        }
        let numbers: Vec<f64> = object.try_iter()?.map(|number| number?.extract()).collect::<PyResult<_>>()?;
        match numbers[..] {
            [west, south, east, north] => Ok(Bounds { west, south, east, north }),
            _ => Err(input_error(format!("bounds are west, south, east, north; {} numbers are not", numbers.len()))),
        }
    }
}

/// Longitude and latitude in degrees, as two numbers or as text.
impl FromPyObject<'_, '_> for Center {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return text.to_cow()?.parse().map_err(|problem: BoundsError| input_error(format!("center: {problem}")));
        }
        let (longitude, latitude) = object.extract()?;
        Ok(Center { longitude, latitude })
    }
}
