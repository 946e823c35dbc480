//! Errors as the exceptions of `pygeodesign.errors`.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::client::{self, Error};
use crate::costs::CostError;
use crate::features::{BodyError, EsriFeatureError};
use crate::model::InvalidId;
use crate::service::{StartError, StoreError};

/// An exception of `pygeodesign.errors`, by its name.
fn exception(class: &str, message: &str) -> PyErr {
    Python::attach(|py| {
        let made = py.import("pygeodesign.errors").and_then(|errors| errors.getattr(class)?.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

/// An argument that cannot be used.
pub fn input_error(message: impl AsRef<str>) -> PyErr {
    exception("InputError", message.as_ref())
}

pub fn configuration_error(message: impl AsRef<str>) -> PyErr {
    exception("ConfigurationError", message.as_ref())
}

/// A body that cannot be read.
pub fn decode_error(message: impl AsRef<str>) -> PyErr {
    exception("DecodeError", message.as_ref())
}

impl From<client::Error> for PyErr {
    fn from(error: client::Error) -> Self {
        let message = error.to_string();
        let class = match error {
            Error::Configuration(_) => "ConfigurationError",
            Error::HttpsRequired { .. } => "HttpsRequiredError",
            Error::Input(_) => "InputError",
            Error::Transport { .. } => "TransportError",
            Error::Timeout { .. } => "RequestTimeoutError",
            Error::Decode { .. } => "DecodeError",
            Error::Internal(_) => "GeodesignError",
            Error::Costs(error) => return error.into(),
            Error::Api { request, status, body, .. } => return api_error(&message, &request, status, &body),
        };
        exception(class, &message)
    }
}

fn api_error(message: &str, request: &client::Request, status: u16, body: &str) -> PyErr {
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
        let facts = PyDict::new(py);
        facts.set_item("status_code", status)?;
        facts.set_item("method", request.method)?;
        facts.set_item("path", &request.path)?;
        facts.set_item("body", body)?;
        py.import("pygeodesign.errors")?.getattr(class)?.call((message,), Some(&facts)).map(PyErr::from_value)
    };
    Python::attach(|py| make(py).unwrap_or_else(|error| error))
}

impl From<CostError> for PyErr {
    fn from(error: CostError) -> Self {
        let message = error.to_string();
        match error {
            CostError::UnknownDiagrams(_) => input_error(message),
            CostError::UnlistedSystem { .. } | CostError::SystemWithoutCost { .. } => decode_error(message),
        }
    }
}

impl From<BodyError> for PyErr {
    fn from(error: BodyError) -> Self {
        decode_error(error.to_string())
    }
}

impl From<EsriFeatureError> for PyErr {
    fn from(error: EsriFeatureError) -> Self {
        input_error(error.to_string())
    }
}

impl From<InvalidId> for PyErr {
    fn from(error: InvalidId) -> Self {
        input_error(error.to_string())
    }
}

impl From<StartError> for PyErr {
    fn from(error: StartError) -> Self {
        configuration_error(error.to_string())
    }
}

impl From<StoreError> for PyErr {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Input(_) => input_error(error.to_string()),
            StoreError::Open { .. } | StoreError::Newer { .. } => configuration_error(error.to_string()),
            _ => PyRuntimeError::new_err(error.to_string()),
        }
    }
}
