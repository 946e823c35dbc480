//! Cross-origin requests: scripts on pages of other origins may send requests and read the responses
//! (<https://fetch.spec.whatwg.org/#http-cors-protocol>). Every request needs a token. Outside `/ogc/`, no browser adds one by itself, so a
//! page reads only what its user's token allows.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::response::X_TOTAL_COUNT;
use geodesign::model::{IDEMPOTENCY_KEY, X_REQUEST_ID};

/// Pages whose scripts may use the service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Cors {
    /// Pages of any origin; they may only read.
    #[default]
    AnyOrigin,
    /// Pages of these origins; they may also write.
    Origins(Vec<Origin>),
    /// No page.
    Off,
}

/// The scheme, host and port of an address, such as `https://dashboard.example.org`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(HeaderValue);

/// Error for a string that is not an origin.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is not an origin: give scheme, host and port without a path, such as https://dashboard.example.org or http://localhost:3000"
)]
pub struct InvalidOrigin(String);

impl std::str::FromStr for Origin {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        // Browsers send origins in lower case and without a path; no other text would match one.
        let lower = text.to_ascii_lowercase();
        let is_origin = |uri: &Uri| {
            let (scheme, authority) = (uri.scheme_str().unwrap_or_default(), uri.authority());
            let host = authority.map(|authority| authority.as_str()).filter(|host| !host.contains('@'));
            ["http", "https"].contains(&scheme) && host.is_some_and(|host| format!("{scheme}://{host}") == lower)
        };
        let origin = lower.parse().ok().filter(is_origin).and(HeaderValue::try_from(lower.as_str()).ok());
        origin.map(Origin).ok_or_else(|| InvalidOrigin(text.to_owned()))
    }
}

impl Cors {
    /// The layer that answers preflight requests, and adds to other responses which pages may read them.
    pub fn layer(&self) -> Option<CorsLayer> {
        let origin = match self {
            Cors::AnyOrigin => AllowOrigin::any(),
            Cors::Origins(origins) => AllowOrigin::list(origins.iter().map(|Origin(origin)| origin.clone())),
            Cors::Off => return None,
        };
        let layer = CorsLayer::new()
            .allow_origin(origin)
            .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
            // The wildcard, which stands for all others, does not include `Authorization`; browsers that do not know it read the names.
            .allow_headers([header::AUTHORIZATION, header::CONTENT_TYPE, IDEMPOTENCY_KEY, X_REQUEST_ID, ANY_HEADER])
            .expose_headers([header::LINK, X_TOTAL_COUNT, header::ETAG, header::RETRY_AFTER, X_REQUEST_ID])
            .max_age(PREFLIGHT_LIFETIME);
        Some(if *self == Cors::AnyOrigin { layer.vary([]) } else { layer.vary([header::ORIGIN]) })
    }

    /// True if pages of this origin may also write. Pages of all others only read.
    pub fn names(&self, asked: &HeaderValue) -> bool {
        matches!(self, Cors::Origins(origins) if origins.iter().any(|Origin(origin)| origin == asked))
    }

    /// `Cross-Origin-Resource-Policy`: which pages may embed a response. It cannot name origins other than the service's own.
    pub fn resource_policy(&self) -> &'static str {
        match self {
            Cors::AnyOrigin => "cross-origin",
            Cors::Origins(_) | Cors::Off => "same-origin",
        }
    }
}

const ANY_HEADER: HeaderName = HeaderName::from_static("*");
/// Time for which a browser may reuse the response to a preflight request.
const PREFLIGHT_LIFETIME: Duration = Duration::from_secs(3600);
