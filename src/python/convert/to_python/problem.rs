//! Errors of the serializer.

use std::fmt::{self, Display};

use pyo3::PyErr;
use serde::ser;

/// Why a value has no Python object.
#[derive(Debug)]
pub enum Problem {
    Python(PyErr),
    /// A collection keeps its body as bytes, which are parsed while they are serialized.
    Unreadable(String),
}

impl From<PyErr> for Problem {
    fn from(error: PyErr) -> Self {
        Problem::Python(error)
    }
}

impl ser::Error for Problem {
    fn custom<T: Display>(message: T) -> Self {
        Problem::Unreadable(message.to_string())
    }
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Problem::Python(error) => error.fmt(f),
            Problem::Unreadable(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Problem {}
