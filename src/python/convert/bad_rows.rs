//! What is wrong with the rows of a frame: all of it in one error.

use std::fmt::Display;

use pyo3::prelude::*;

use super::errors::input_error;
use crate::python::engine::interrupts::is_interrupt;

/// How many rows an error names.
const MAX_NAMED: usize = 20;

/// The rows that cannot be sent, each with its name and the reason.
#[derive(Debug, Default)]
pub struct BadRows(Vec<BadRow>);

#[derive(Debug)]
struct BadRow {
    index: usize,
    problem: String,
}

impl BadRows {
    /// `problem` names the row. It is about the row with this index.
    pub fn push(&mut self, index: usize, problem: impl Display) {
        self.0.push(BadRow { index, problem: problem.to_string() });
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An error that names the rows, if there are any, in their order. There are `total` of the things that it calls `what`.
    pub fn check(mut self, total: usize, what: &str) -> PyResult<()> {
        self.0.sort_by_key(|row| row.index);
        match &self.0[..] {
            [] => Ok(()),
            [only] => Err(input_error(&only.problem)),
            rows => {
                let named = rows.iter().take(MAX_NAMED).map(|row| format!("\n- {}", row.problem)).collect::<String>();
                let more = rows.len().saturating_sub(MAX_NAMED);
                let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
                Err(input_error(format!("{} of {total} {what} cannot be used:{named}{more}", rows.len())))
            }
        }
    }
}

/// A feature as errors name it: its number, and its label in the index where that is another.
pub fn feature_name(index: usize, label: &Bound<'_, PyAny>) -> PyResult<String> {
    let label = label.repr()?.to_string();
    Ok(if label == index.to_string() { format!("feature {index}") } else { format!("feature {index} (row {label})") })
}

/// The message of an exception, without its class. An interrupt is no problem of a row, so it is given back.
pub fn message(py: Python<'_>, error: PyErr) -> PyResult<String> {
    if is_interrupt(py, &error) { Err(error) } else { Ok(error.value(py).str()?.to_string()) }
}
