//! What the service says when it says no. Every refusal is JSON with a `detail`.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::task::JoinError;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response as Documented, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

use crate::service::store::StoreError;

pub type Result<T> = std::result::Result<T, ApiError>;

#[derive(Debug)]
pub enum ApiError {
    /// Nobody is known by that token, or it has expired.
    Unauthorized(&'static str),
    Forbidden(&'static str),
    NotFound(&'static str),
    MethodNotAllowed,
    Invalid(String),
    /// The same where the operation answers with a `status`.
    InvalidStatus(String),
    Conflict(String),
    TooLarge,
    TooSlow,
    Store(StoreError),
    Panic,
}

/// Why a request was refused.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    detail: String,
}

impl ApiError {
    pub fn invalid(problem: impl Into<String>) -> Self {
        ApiError::Invalid(problem.into())
    }

    pub fn status(problem: impl Into<String>) -> Self {
        ApiError::InvalidStatus(problem.into())
    }

    /// The same refusal, where the operation answers with a `status`.
    pub fn with_status(self) -> Self {
        match self {
            ApiError::Invalid(problem) => ApiError::InvalidStatus(problem),
            other => other,
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        ApiError::Store(error)
    }
}

/// What was under way panicked.
impl From<JoinError> for ApiError {
    fn from(_: JoinError) -> Self {
        ApiError::Panic
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, detail) = match self {
            ApiError::Unauthorized(detail) => (StatusCode::UNAUTHORIZED, detail.to_owned()),
            ApiError::Forbidden(detail) => (StatusCode::FORBIDDEN, detail.to_owned()),
            ApiError::NotFound(what) => (StatusCode::NOT_FOUND, format!("No such {what}.")),
            ApiError::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "This path does not take that method.".to_owned())
            }
            ApiError::Invalid(problem) => (StatusCode::BAD_REQUEST, problem),
            ApiError::InvalidStatus(status) => {
                return (StatusCode::BAD_REQUEST, Json(crate::model::Status { status })).into_response();
            }
            ApiError::Conflict(problem) => (StatusCode::CONFLICT, problem),
            ApiError::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "The body is too large.".to_owned()),
            ApiError::TooSlow => (StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time.".to_owned()),
            // What went wrong inside is for whoever runs the service, not for its users.
            ApiError::Store(error) => {
                tracing::error!("{error}");
                match error.is_full() {
                    true => (StatusCode::INSUFFICIENT_STORAGE, "The service has no room left on its disk.".to_owned()),
                    false => (StatusCode::INTERNAL_SERVER_ERROR, "The service could not use its database.".to_owned()),
                }
            }
            ApiError::Panic => (StatusCode::INTERNAL_SERVER_ERROR, "The service failed.".to_owned()),
        };
        let mut response = (status, Json(ErrorBody { detail })).into_response();
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Token"));
        }
        response
    }
}

macro_rules! documented {
    ($($(#[$doc:meta])* $name:ident: $($status:literal $schema:literal $when:literal),*;)*) => {$(
        $(#[$doc])*
        pub struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Documented>> {
                BTreeMap::from([$(($status.to_owned(), refused($when, $schema))),*])
            }
        }
    )*};
}

documented! {
    /// What any operation may answer instead.
    CallerErrors: "401" "ErrorBody" "No token, or one that is invalid or has expired";
    /// What an operation below a project may answer instead.
    MemberErrors:
        "401" "ErrorBody" "No token, or one that is invalid or has expired",
        "404" "ErrorBody" "There is no such thing in a project of the user's";
    /// What an operation with a body may answer instead.
    WriterErrors:
        "400" "ErrorBody" "The body cannot be taken",
        "401" "ErrorBody" "No token, or one that is invalid or has expired",
        "404" "ErrorBody" "There is no such thing in a project of the user's",
        "408" "ErrorBody" "The body did not arrive in time",
        "409" "ErrorBody" "It contradicts what is there",
        "413" "ErrorBody" "The body is too large";
    /// What an operation that assigns tags may answer instead.
    TaggerErrors:
        "400" "Status" "The body cannot be taken, or a tag is not in the project",
        "401" "ErrorBody" "No token, or one that is invalid or has expired",
        "404" "ErrorBody" "There is no such thing in a project of the user's",
        "408" "ErrorBody" "The body did not arrive in time",
        "413" "ErrorBody" "The body is too large";
}

fn refused(when: &str, schema: &str) -> RefOr<Documented> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    ResponseBuilder::new().description(when).content("application/json", content).build().into()
}
