//! Responses to requests without a token, for which no database is opened: sending them to a thousand workshops does not slow down members
//! in others.

use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse, Response};

use super::operator::health;
use crate::OGC;
use crate::http::error::ApiError;
use crate::http::metrics::HEALTH;
use crate::http::request::auth::{INVALID_TOKEN, token_in};
use crate::http::router::{DOCUMENT_PATH, document_of, with_slash};
use crate::http::{ogc, pages};
use crate::workshops::WorkshopName;
use geodesign::model::operations::{SIGN_IN, WALK_IN};

/// The response of a workshop that is not open. The request's path is relative to the workshop.
pub async fn answer_unopened(name: &WorkshopName, request: Request) -> Response {
    let prefix = name.prefix();
    match request.uri().path() {
        HEALTH => health().await,
        DOCUMENT_PATH => document_of(&prefix),
        // A browser would send the password that it is asked for here to the entire workshop.
        OGC => pages::with_slash(request.uri()),
        path if ogc::has(path) => ogc::refuse(path, refusal(&request)),
        path if !path.ends_with('/') => with_slash(&prefix, &request),
        _ => refusal(&request).into_response(),
    }
}

fn refusal(request: &Request) -> ApiError {
    token_in(request.uri().path(), request.headers()).err().unwrap_or(INVALID_TOKEN)
}

/// True if a request for a path within its workshop has what could be a token, or is for an operation that needs only a code.
pub fn has_token(path: &str, request: &Request) -> bool {
    let has_code =
        || request.method() == Method::POST && [WALK_IN.path, SIGN_IN.path].iter().any(|end| path.ends_with(end));
    token_in(path, request.headers()).is_ok_and(|token| !token.is_empty()) || has_code()
}
