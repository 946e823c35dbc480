//! A matrix of impacts from Python: a dict of dicts, or a DataFrame with a row for each acting system.

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use super::arguments::{Arg, Argument};
use super::errors::input_error;
use geodesign_client::{GivenRow, SystemReference};

pub struct GivenImpacts(pub Vec<GivenRow>);

impl Argument for GivenImpacts {
    fn from_object(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let table = [("orient", "index")].into_py_dict(object.py())?;
        let matrix = match object.cast::<PyDict>() {
            Ok(matrix) => matrix.to_owned().into_any(),
            Err(_) => object.call_method("to_dict", (), Some(&table)).map_err(|_| no_matrix())?,
        };
        let rows = matrix.cast_into::<PyDict>().map_err(|_| no_matrix())?;
        rows.iter()
            .map(|(acting, row)| Ok((system(&acting)?, cells(&acting, &row)?)))
            .collect::<PyResult<_>>()
            .map(Self)
    }
}

/// The cells of a row, without empty ones.
fn cells(acting: &Bound<PyAny>, row: &Bound<PyAny>) -> PyResult<Vec<(SystemReference, i64)>> {
    let row = row.cast::<PyDict>().map_err(|_| no_matrix())?;
    let mut cells = Vec::new();
    for (affected, impact) in row {
        match impact.extract::<f64>() {
            Ok(empty) if empty.is_nan() => {}
            Ok(number) if number.fract() == 0.0 => cells.push((system(&affected)?, number as i64)),
            _ => {
                let problem = "give a whole number from -2 (much worse) to 2 (much better)";
                return Err(input_error(format!("the impact of {acting} on {affected} is {impact}; {problem}")));
            }
        }
    }
    Ok(cells)
}

fn system(given: &Bound<PyAny>) -> PyResult<SystemReference> {
    given.extract::<Arg<SystemReference>>().map(|Arg(system)| system)
}

fn no_matrix() -> PyErr {
    let example = r#"{"Water": {"Housing": -2}}"#;
    input_error(format!("give a dict of dicts such as {example}, or a DataFrame with a row for each acting system"))
}
