//! The page that the QR code on a member's card opens: it shows name, address and token, and how to go on.

use std::sync::LazyLock;

use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use base64::prelude::{BASE64_STANDARD, Engine};
use sha2::{Digest, Sha256};

use super::error::ApiError;
use crate::html::STYLE;

/// Name and token are in the fragment of the link (`/join/#NAME:TOKEN`), which browsers do not send: the page is the same for
/// everybody, and no log has a token.
pub const JOIN: &str = "/join/";

static PAGE: LazyLock<String> =
    LazyLock::new(|| include_str!("join.html").replacen("/* The style of all pages */", STYLE, 1));

/// The page runs its own script and loads nothing.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let script = between(&PAGE, "<script>", "</script>");
    let digest = BASE64_STANDARD.encode(Sha256::digest(script.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).expect("the policy is ASCII")
});

pub fn respond_join(method: &Method) -> Response {
    match *method {
        Method::GET | Method::HEAD => {
            (StatusCode::OK, [(header::CONTENT_SECURITY_POLICY, POLICY.clone())], Html(PAGE.as_str())).into_response()
        }
        _ => ApiError::MethodNotAllowed.into_response(),
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(found, _)| found)
}
