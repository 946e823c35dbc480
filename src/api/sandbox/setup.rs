//! The argument `setup` of a sandbox.

use std::path::Path;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::arguments::LocalPath;
use crate::convert::errors::input_error;
use crate::convert::from_python::unfit_inside;
use crate::convert::geometries::read_as_geojson;
use geodesign_service::{Setup, SetupError};

/// A setup, as the path of its file or as its content.
#[derive(FromPyObject)]
pub(super) enum SetupArgument<'py> {
    #[pyo3(annotation = "dict")]
    Content(Bound<'py, PyDict>),
    #[pyo3(annotation = "path")]
    File(LocalPath),
}

impl SetupArgument<'_> {
    pub(super) fn read(self, py: Python<'_>) -> PyResult<Setup> {
        let read_map =
            |path: &Path| Python::attach(|py| read_as_geojson(py, path).map_err(|error| error.value(py).to_string()));
        let setup = match self {
            // As JSON text, where ids are keys, whether they are numbers or strings here.
            SetupArgument::Content(content) => {
                let text = json_text(&content).map_err(|error| input_error(format!("setup: {}", error.value(py))))?;
                match Setup::parse(&text, "setup".to_owned(), Path::new(""), &read_map) {
                    Err(SetupError::Parse { name, source }) => return Err(unfit_inside(&name, &source)),
                    setup => setup,
                }
            }
            SetupArgument::File(LocalPath(path)) => Setup::read(&path, &read_map),
        };
        setup.map_err(|error| input_error(error.to_string()))
    }
}

fn json_text(content: &Bound<'_, PyDict>) -> PyResult<String> {
    let py = content.py();
    py.import("json")?.call_method("dumps", (content,), Some(&dict!(py, allow_nan = false)))?.extract()
}
