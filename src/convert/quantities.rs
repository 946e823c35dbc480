//! Quantities of systems from Python: a dict of dicts.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arguments::{Arg, Argument};
use super::errors::input_error;
use super::from_python::from_python;
use geodesign::model::Quantity;
use geodesign_client::{GivenQuantities, SystemReference};

pub struct NewQuantities(pub Vec<GivenQuantities>);

impl Argument for NewQuantities {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let systems = object.cast::<PyDict>().map_err(|_| no_quantities())?;
        let rows = systems.iter().map(|(system, quantities)| {
            let named = quantities.cast::<PyDict>().map_err(|_| no_quantities())?;
            let read = named.iter().map(|(name, quantity)| of(&system, &name, &quantity));
            let Arg(reference) = system.extract::<Arg<SystemReference>>()?;
            Ok((reference, read.collect::<PyResult<BTreeMap<_, _>>>()?))
        });
        rows.collect::<PyResult<_>>().map(Self)
    }
}

fn of(system: &Bound<PyAny>, name: &Bound<PyAny>, quantity: &Bound<PyAny>) -> PyResult<(String, Option<Quantity>)> {
    let text = name.extract::<String>().map_err(|_| no_quantities())?;
    let what = format!("{text} of {system}");
    Ok((text, if quantity.is_none() { None } else { Some(from_python(quantity, &what)?) }))
}

fn no_quantities() -> PyErr {
    let example = r#"{"Housing": {"homes": {"amount": 0.01, "per": "floor_m2", "target": 300}}}"#;
    input_error(format!("give a dict of dicts such as {example}; None removes a quantity"))
}
