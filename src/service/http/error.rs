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

pub type Result<T> = std::result::Result<T, Refusal>;

#[derive(Debug)]
pub enum Refusal {
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
pub struct Detail {
    detail: String,
}

impl Refusal {
    pub fn invalid(problem: impl Into<String>) -> Self {
        Refusal::Invalid(problem.into())
    }

    pub fn status(problem: impl Into<String>) -> Self {
        Refusal::InvalidStatus(problem.into())
    }

    /// The same refusal, where the operation answers with a `status`.
    pub fn with_status(self) -> Self {
        match self {
            Refusal::Invalid(problem) => Refusal::InvalidStatus(problem),
            other => other,
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Refusal::Store(error)
    }
}

/// What was under way panicked.
impl From<JoinError> for Refusal {
    fn from(_: JoinError) -> Self {
        Refusal::Panic
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
            Refusal::InvalidStatus(status) => {
                return (StatusCode::BAD_REQUEST, Json(crate::model::Status { status })).into_response();
            }
            Refusal::Conflict(problem) => (StatusCode::CONFLICT, problem),
            Refusal::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "The body is too large.".to_owned()),
            Refusal::TooSlow => (StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time.".to_owned()),
            // What went wrong inside is for whoever runs the service, not for its users.
            Refusal::Store(error) => {
                tracing::error!("{error}");
                match error.is_full() {
                    true => (StatusCode::INSUFFICIENT_STORAGE, "The service has no room left on its disk.".to_owned()),
                    false => (StatusCode::INTERNAL_SERVER_ERROR, "The service could not use its database.".to_owned()),
                }
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
    ForCallers: "401" "Detail" "No token, or one that is invalid or has expired";
    /// What an operation below a project may answer instead.
    ForMembers:
        "401" "Detail" "No token, or one that is invalid or has expired",
        "404" "Detail" "There is no such thing in a project of the user's";
    /// What an operation with a body may answer instead.
    ForWriters:
        "400" "Detail" "The body cannot be taken",
        "401" "Detail" "No token, or one that is invalid or has expired",
        "404" "Detail" "There is no such thing in a project of the user's",
        "408" "Detail" "The body did not arrive in time",
        "409" "Detail" "It contradicts what is there",
        "413" "Detail" "The body is too large";
    /// What an operation that assigns tags may answer instead.
    ForTaggers:
        "400" "Status" "The body cannot be taken, or a tag is not in the project",
        "401" "Detail" "No token, or one that is invalid or has expired",
        "404" "Detail" "There is no such thing in a project of the user's",
        "408" "Detail" "The body did not arrive in time",
        "413" "Detail" "The body is too large";
}

fn refused(when: &str, schema: &str) -> RefOr<Documented> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    ResponseBuilder::new().description(when).content("application/json", content).build().into()
}
