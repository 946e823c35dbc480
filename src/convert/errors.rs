//! Errors as the exceptions of `pygeodesign.errors`, each with the errors that led to it as its `__cause__`.

use std::error::Error as StdError;
use std::io;

use pyo3::exceptions::{PyConnectionError, PyImportError, PyOSError, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::prelude::*;

use crate::engine::package::of_package;
use geodesign::costs::CostError;
use geodesign::features::{BodyError, EsriFeatureError};
use geodesign::model::InvalidId;
use geodesign_client as client;
use geodesign_client::{ConfigError, Error, HttpFault, LoginError, PANICKED, root_cause, shown};
use geodesign_service::{StartError, StoreError, is_of_sqlite};

/// An error of the crates that is an exception in Python.
pub trait Exception {
    fn into_exception(self) -> PyErr;
}

/// The error of a function that uses the crates: `?` turns their errors into exceptions.
pub struct Raised(PyErr);

pub type Result<T, E = Raised> = std::result::Result<T, E>;

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Self {
        Raised(error)
    }
}

impl<E: Exception> From<E> for Raised {
    fn from(error: E) -> Self {
        Raised(error.into_exception())
    }
}

impl From<Raised> for PyErr {
    fn from(Raised(error): Raised) -> Self {
        error
    }
}

/// The exception for an argument that cannot be used.
pub fn input_error(message: impl AsRef<str>) -> PyErr {
    exception("InputError", message.as_ref())
}

pub fn configuration_error(message: impl AsRef<str>) -> PyErr {
    exception("ConfigurationError", message.as_ref())
}

/// The exception for a body that cannot be read.
pub fn decode_error(message: impl AsRef<str>) -> PyErr {
    exception("DecodeError", &shown(message.as_ref()))
}

impl Exception for client::Error {
    fn into_exception(self) -> PyErr {
        let cause = match &self {
            Error::WithoutDates { source, .. } => source,
            error => error,
        };
        let class = match cause {
            Error::Configuration(error) => return error.clone().into_exception(),
            Error::Costs(error) => return error.clone().into_exception(),
            Error::Api { request, status, body, request_id, .. } => {
                return api_error(&self.to_string(), request, status.as_u16(), body, request_id.as_deref());
            }
            Error::Input(_) => "InputError",
            Error::Transport { .. } | Error::OtherRoom { .. } => "TransportError",
            Error::Timeout { .. } => "RequestTimeoutError",
            Error::Decode { .. } => "DecodeError",
            Error::Archive(_) => "ArchiveError",
            Error::ExternalFile { .. } => "ExternalFileError",
            Error::WithoutDates { .. } | Error::Internal(_) => "GeodesignError",
        };
        with_causes(exception(class, &self.to_string()), &self)
    }
}

impl Exception for ConfigError {
    fn into_exception(self) -> PyErr {
        let class = match &self {
            ConfigError::HttpsRequired { .. } => "HttpsRequiredError",
            _ => "ConfigurationError",
        };
        with_causes(exception(class, &self.to_string()), &self)
    }
}

impl Exception for LoginError {
    fn into_exception(self) -> PyErr {
        ConfigError::from(self).into_exception()
    }
}

impl Exception for CostError {
    fn into_exception(self) -> PyErr {
        input_error(self.to_string())
    }
}

impl Exception for BodyError {
    fn into_exception(self) -> PyErr {
        with_causes(decode_error(self.to_string()), &self)
    }
}

impl Exception for EsriFeatureError {
    fn into_exception(self) -> PyErr {
        with_causes(input_error(self.to_string()), &self)
    }
}

impl Exception for InvalidId {
    fn into_exception(self) -> PyErr {
        input_error(self.to_string())
    }
}

impl Exception for StartError {
    fn into_exception(self) -> PyErr {
        let exception = match self {
            StartError::Load(_) => exception("ArchiveError", &self.to_string()),
            _ => configuration_error(self.to_string()),
        };
        with_causes(exception, &self)
    }
}

impl Exception for StoreError {
    fn into_exception(self) -> PyErr {
        let message = self.to_string();
        let exception = match self {
            StoreError::Input(_) => input_error(message),
            StoreError::Open { .. }
            | StoreError::NotLocal { .. }
            | StoreError::Displaced { .. }
            | StoreError::Newer { .. }
            | StoreError::Older { .. }
            | StoreError::Foreign { .. }
            | StoreError::Backup { .. }
            | StoreError::BackupTarget { .. } => configuration_error(message),
            _ => PyRuntimeError::new_err(message),
        };
        with_causes(exception, &self)
    }
}

/// The exception for a request or a computation that panicked.
pub fn panicked() -> PyErr {
    Error::Internal(PANICKED.into()).into_exception()
}

/// An exception of `pygeodesign.errors`, by its name.
fn exception(class: &str, message: &str) -> PyErr {
    Python::attach(|py| {
        let made = of_package(py, "errors").and_then(|errors| errors.getattr(class)?.call1((message,)));
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
        of_package(py, "errors")?.getattr(class)?.call((message,), Some(&facts)).map(PyErr::from_value)
    };
    Python::attach(|py| make(py).unwrap_or_else(|error| error))
}

/// Chains exceptions for the sources of an error as `__cause__`.
fn with_causes(exception: PyErr, error: &dyn StdError) -> PyErr {
    if let Some(source) = error.source() {
        let cause = match HttpFault::of(source) {
            Some(fault) => http_cause(fault, source),
            None => with_causes(cause(source), source),
        };
        Python::attach(|py| exception.set_cause(py, Some(cause)));
    }
    exception
}

/// Only the first cause of an error of the HTTP library becomes an exception. The errors in between only name the library's layers.
fn http_cause(fault: HttpFault, error: &(dyn StdError + 'static)) -> PyErr {
    let root = root_cause(error);
    // It may contain the server's text.
    let message = shown(&root.to_string());
    let is_from_system = root.downcast_ref::<io::Error>().is_some_and(|error| error.raw_os_error().is_some());
    match fault {
        _ if is_from_system => cause(root),
        HttpFault::Timeout => PyTimeoutError::new_err(message),
        HttpFault::Request => PyValueError::new_err(message),
        HttpFault::Connection => PyConnectionError::new_err(message),
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
    if is_of_sqlite(error) {
        return PyRuntimeError::new_err(message);
    }
    PyValueError::new_err(message)
}

/// The libraries that `pygeodesign[geo]`, `[many]`, `[planning]` and `[dask]` install, with their dependencies; `pygeodesign` itself
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

/// Imports several libraries, none of which is used immediately.
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
        // It includes the libraries for geometries, too.
        Some(_) => "notebook",
    };
    let verb = if libraries.len() == 1 { "is" } else { "are" };
    PyImportError::new_err(format!(
        "{} {verb} needed for this and cannot be imported ({error}): pip install 'pygeodesign[{extra}]'",
        libraries.join(" and ")
    ))
}
