//! What the service says when it says no. Every refusal is JSON with a `detail`.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::store::StoreError;

pub type Result<T> = std::result::Result<T, Refusal>;

#[derive(Debug)]
pub enum Refusal {
    /// Nobody is known by that token, or it has expired.
    Unauthorized(&'static str),
    Forbidden(&'static str),
    NotFound(&'static str),
    MethodNotAllowed,
    Invalid(String),
    Store(StoreError),
    Panic,
}

#[derive(Serialize)]
struct Detail {
    detail: String,
}

impl Refusal {
    pub fn not_found(what: &'static str) -> Self {
        Refusal::NotFound(what)
    }

    pub fn invalid(problem: impl Into<String>) -> Self {
        Refusal::Invalid(problem.into())
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Refusal::Store(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, detail) = match self {
            Refusal::Unauthorized(detail) => (StatusCode::UNAUTHORIZED, detail.to_owned()),
            Refusal::Forbidden(detail) => (StatusCode::FORBIDDEN, detail.to_owned()),
            Refusal::NotFound(what) => (StatusCode::NOT_FOUND, format!("No such {what}.")),
            Refusal::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "This path does not take that method.".to_owned())
            }
            Refusal::Invalid(problem) => (StatusCode::BAD_REQUEST, problem),
            // What went wrong inside is for whoever runs the service, not for its users.
            Refusal::Store(error) => {
                eprintln!("geodesign service: {error}");
                (StatusCode::INTERNAL_SERVER_ERROR, "The service could not read its database.".to_owned())
            }
            Refusal::Panic => (StatusCode::INTERNAL_SERVER_ERROR, "The service failed.".to_owned()),
        };
        let mut response = (status, Json(Detail { detail })).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Token"));
        }
        response
    }
}
