//! Libraries that an extra of the package installs. `pygeodesign` itself needs none of them.

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

/// What `pygeodesign[geo]`, `[many]`, `[planning]` and `[dask]` install, with the libraries that come along. All others belong to
/// `pygeodesign[notebook]`.
const MANY: [&str; 2] = ["duckdb", "fsspec"];
const DASK: [&str; 2] = ["dask", "distributed"];
const GEO: [&str; 7] = ["geopandas", "numpy", "pandas", "pyarrow", "pyogrio", "pyproj", "shapely"];

/// Imports a library. If it is missing, the error names the extra that installs it.
pub fn import_extra<'py>(py: Python<'py>, module: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(module).map_err(|error| match error.is_instance_of::<PyImportError>(py) {
        true => {
            let missing = missing_extra(module, &error);
            missing.set_cause(py, Some(error));
            missing
        }
        false => error,
    })
}

/// For imports in Python code: the error to raise from the `ImportError` of a library.
#[pyfunction]
pub fn _missing_extra(error: &Bound<'_, PyImportError>) -> PyResult<PyErr> {
    let module: Option<String> = error.getattr("name")?.extract()?;
    Ok(missing_extra(module.as_deref().unwrap_or("a library"), &PyErr::from_value(error.clone().into_any())))
}

fn missing_extra(module: &str, error: &PyErr) -> PyErr {
    let library = module.split('.').next().unwrap_or(module);
    let extra = match library {
        _ if GEO.contains(&library) => "geo",
        _ if MANY.contains(&library) => "many",
        _ if DASK.contains(&library) => "dask",
        "highspy" => "planning",
        _ => "notebook",
    };
    PyImportError::new_err(format!(
        "{library} is needed for this and cannot be imported ({error}): pip install 'pygeodesign[{extra}]'"
    ))
}
