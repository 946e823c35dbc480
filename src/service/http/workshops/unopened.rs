//! Answers to requests without a token, for which no database is opened: whoever sends them to a thousand workshops takes nothing of
//! those who work in others.

use axum::extract::Request;
use axum::response::{IntoResponse, Response};

use super::operator::health;
use crate::model::operations::WALK_IN;
use crate::service::http::metrics::HEALTH;
use crate::service::http::ogc;
use crate::service::http::request::auth::{INVALID_TOKEN, token_in};
use crate::service::http::router::{DOCUMENT_PATH, document_of, with_slash};
use crate::service::workshops::WorkshopName;

/// The answer of a workshop that is not open. The path of the request is that within the workshop.
pub async fn answer_unopened(name: &WorkshopName, request: Request) -> Response {
    let prefix = name.prefix();
    match request.uri().path() {
        HEALTH => health().await,
        DOCUMENT_PATH => document_of(&prefix),
        path if ogc::has(path) => ogc::refuse(path, token_in(request.headers()).err().unwrap_or(INVALID_TOKEN)),
        path if !path.ends_with('/') => with_slash(&prefix, &request),
        _ => token_in(request.headers()).err().unwrap_or(INVALID_TOKEN).into_response(),
    }
}

/// Whether a request has what could be a token, or is for an operation that needs none but a code.
pub fn has_token(request: &Request) -> bool {
    let walks_in = || request.method() == WALK_IN.method && request.uri().path().ends_with(WALK_IN.path);
    token_in(request.headers()).is_ok_and(|token| !token.is_empty()) || walks_in()
}
