//! Errors as the exceptions of `pygeodesign.errors`, each with the errors that led to it as its `__cause__`.

use std::error::Error as StdError;
use std::io;

use pyo3::exceptions::{PyConnectionError, PyImportError, PyOSError, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::prelude::*;

use crate::client::{self, ConfigError, Error, PANICKED, root_cause, shown};
use crate::costs::CostError;
use crate::features::{BodyError, EsriFeatureError};
use crate::model::InvalidId;
use crate::service::{StartError, StoreError};

/// An argument that cannot be used.
pub fn input_error(message: impl AsRef<str>) -> PyErr {
    exception("InputError", message.as_ref())
}

pub fn configuration_error(message: impl AsRef<str>) -> PyErr {
    exception("ConfigurationError", message.as_ref())
}

/// A body that cannot be read.
pub fn decode_error(message: impl AsRef<str>) -> PyErr {
    exception("DecodeError", &shown(message.as_ref()))
}

impl From<client::Error> for PyErr {
    fn from(error: client::Error) -> Self {
        let cause = match &error {
            Error::WithoutDates { source, .. } => source,
            error => error,
        };
        let class = match cause {
            Error::Configuration(error) => return error.clone().into(),
            Error::Costs(error) => return error.clone().into(),
            Error::Api { request, status, body, request_id, .. } => {
                return api_error(&error.to_string(), request, status.as_u16(), body, request_id.as_deref());
            }
            Error::Input(_) => "InputError",
            Error::Transport { .. } | Error::OtherRoom { .. } => "TransportError",
            Error::Timeout { .. } => "RequestTimeoutError",
            Error::Decode { .. } => "DecodeError",
            Error::Archive(_) => "ArchiveError",
            Error::ExternalFile { .. } => "ExternalFileError",
            Error::WithoutDates { .. } | Error::Internal(_) => "GeodesignError",
        };
        with_causes(exception(class, &error.to_string()), &error)
    }
}

impl From<ConfigError> for PyErr {
    fn from(error: ConfigError) -> Self {
        let class = match &error {
            ConfigError::HttpsRequired { .. } => "HttpsRequiredError",
            _ => "ConfigurationError",
        };
        with_causes(exception(class, &error.to_string()), &error)
    }
}

impl From<CostError> for PyErr {
    fn from(error: CostError) -> Self {
        input_error(error.to_string())
    }
}

impl From<BodyError> for PyErr {
    fn from(error: BodyError) -> Self {
        with_causes(decode_error(error.to_string()), &error)
    }
}

impl From<EsriFeatureError> for PyErr {
    fn from(error: EsriFeatureError) -> Self {
        with_causes(input_error(error.to_string()), &error)
    }
}

impl From<InvalidId> for PyErr {
    fn from(error: InvalidId) -> Self {
        input_error(error.to_string())
    }
}

impl From<StartError> for PyErr {
    fn from(error: StartError) -> Self {
        let exception = match error {
            StartError::Load(_) => exception("ArchiveError", &error.to_string()),
            _ => configuration_error(error.to_string()),
        };
        with_causes(exception, &error)
    }
}

impl From<StoreError> for PyErr {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        let exception = match error {
            StoreError::Input(_) => input_error(message),
            StoreError::Open { .. }
            | StoreError::NotLocal { .. }
            | StoreError::Displaced { .. }
            | StoreError::Newer { .. }
            | StoreError::Foreign { .. }
            | StoreError::Backup { .. }
            | StoreError::BackupTarget { .. } => configuration_error(message),
            _ => PyRuntimeError::new_err(message),
        };
        with_causes(exception, &error)
    }
}

/// The exception for a request or a computation that panicked.
pub fn panicked() -> PyErr {
    Error::Internal(PANICKED.into()).into()
}

/// An exception of `pygeodesign.errors`, by its name.
fn exception(class: &str, message: &str) -> PyErr {
    Python::attach(|py| {
        let made = py.import("pygeodesign.errors").and_then(|errors| errors.getattr(class)?.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

fn api_error(message: &str, request: &client::Request, status: u16, body: &str, request_id: Option<&str>) -> PyErr {
    let class = match status {
        400 => "BadRequestError",
        401 => "AuthenticationError",
        403 => "PermissionDeniedError",
        404 => "NotFoundError",
        429 => "RateLimitedError",
        500.. => "ServerError",
        _ => "ApiError",
    };
    let make = |py: Python<'_>| {
        let facts = dict!(py, status_code = status, method = request.method, path = &*request.path, body, request_id);
        py.import("pygeodesign.errors")?.getattr(class)?.call((message,), Some(&facts)).map(PyErr::from_value)
    };
    Python::attach(|py| make(py).unwrap_or_else(|error| error))
}

/// Sets `__cause__`, and the `__cause__` of that, to exceptions for the sources of an error.
fn with_causes(exception: PyErr, error: &dyn StdError) -> PyErr {
    if let Some(source) = error.source() {
        let cause = match source.downcast_ref::<reqwest::Error>() {
            Some(error) => http_cause(error),
            None => with_causes(cause(source), source),
        };
        Python::attach(|py| exception.set_cause(py, Some(cause)));
    }
    exception
}

/// Only the first cause of an error of the HTTP library becomes an exception. The errors between name layers of the library.
fn http_cause(error: &reqwest::Error) -> PyErr {
    let root = root_cause(error);
    // Text of the server may be in it.
    let message = shown(&root.to_string());
    let is_from_system = root.downcast_ref::<io::Error>().is_some_and(|error| error.raw_os_error().is_some());
    if is_from_system {
        cause(root)
    } else if error.is_timeout() {
        PyTimeoutError::new_err(message)
    } else if error.is_builder() {
        PyValueError::new_err(message)
    } else {
        PyConnectionError::new_err(message)
    }
}

/// The built-in exception that Python raises for an error of this kind.
fn cause(error: &(dyn StdError + 'static)) -> PyErr {
    let message = shown(&error.to_string());
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return match error.raw_os_error() {
            // Python chooses the subclass, such as FileNotFoundError, by the number.
            Some(number) if cfg!(unix) => {
                let message = message.strip_suffix(&format!(" (os error {number})")).unwrap_or(&message).to_owned();
                PyOSError::new_err((number, message))
            }
            _ => io::Error::new(error.kind(), message).into(),
        };
    }
    if error.is::<rusqlite::Error>() {
        return PyRuntimeError::new_err(message);
    }
    PyValueError::new_err(message)
}

/// What `pygeodesign[geo]`, `[many]`, `[planning]` and `[dask]` install, with the libraries that come along; `pygeodesign` itself
/// needs none of them. All others belong to `pygeodesign[notebook]`.
const MANY: [&str; 2] = ["duckdb", "fsspec"];
const DASK: [&str; 2] = ["dask", "distributed"];
const GEO: [&str; 7] = ["geopandas", "numpy", "pandas", "pyarrow", "pyogrio", "pyproj", "shapely"];

/// Imports a library. If it is missing, the error names the extra that installs it.
pub fn import_extra<'py>(py: Python<'py>, module: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(module).map_err(|error| {
        if !error.is_instance_of::<PyImportError>(py) {
            return error;
        }
        let missing = missing_extra(&[module], &error);
        missing.set_cause(py, Some(error));
        missing
    })
}

/// The same for several, none of which is used at once.
pub fn import_extras(py: Python<'_>, modules: &[&str]) -> PyResult<()> {
    let failed: Vec<(&str, PyErr)> =
        modules.iter().filter_map(|module| Some((*module, py.import(*module).err()?))).collect();
    let missing: Vec<&str> = failed.iter().map(|(module, _)| *module).collect();
    match failed.into_iter().next() {
        None => Ok(()),
        Some((_, error)) if !error.is_instance_of::<PyImportError>(py) => Err(error),
        Some((_, error)) => {
            let all_missing = missing_extra(&missing, &error);
            all_missing.set_cause(py, Some(error));
            Err(all_missing)
        }
    }
}

/// For imports in Python code: the error to raise from the `ImportError` of a library.
#[pyfunction]
pub fn _missing_extra(error: &Bound<'_, PyImportError>) -> PyResult<PyErr> {
    let module: Option<String> = error.getattr("name")?.extract()?;
    Ok(missing_extra(&[module.as_deref().unwrap_or("a library")], &PyErr::from_value(error.clone().into_any())))
}

fn missing_extra(modules: &[&str], error: &PyErr) -> PyErr {
    let libraries: Vec<&str> = modules.iter().filter_map(|module| module.split('.').next()).collect();
    let extra = match libraries.iter().find(|library| !GEO.contains(library)) {
        None => "geo",
        Some(library) if MANY.contains(library) => "many",
        Some(library) if DASK.contains(library) => "dask",
        // It brings those for geometries too.
        Some(_) => "notebook",
    };
    let verb = if libraries.len() == 1 { "is" } else { "are" };
    PyImportError::new_err(format!(
        "{} {verb} needed for this and cannot be imported ({error}): pip install 'pygeodesign[{extra}]'",
        libraries.join(" and ")
    ))
}
