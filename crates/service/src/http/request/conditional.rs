//! Conditional requests: the ETag of a response is the change id of its project, and a client that has the response gets 304.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use axum::extract::{MatchedPath, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::http::error::{ApiError, Result};
use crate::http::paging::Paging;

/// Cached by the client, but checked on each use.
const REVALIDATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// The ETags in a request's headers. An extension of every request.
#[derive(Debug)]
pub struct ConditionalRequest {
    /// The ETags of the responses that the client has, as it sent them.
    if_none_match: Vec<HeaderValue>,
    /// The ETags of what a write may change, as the client sent them.
    if_match: Vec<HeaderValue>,
    /// A hash of everything but the project's state that a response depends on.
    representation: u64,
    etag: OnceLock<HeaderValue>,
    route: OnceLock<MatchedPath>,
}

impl ConditionalRequest {
    /// Adds it to the extensions of a request.
    pub fn begin(request: &mut Request, paging: Paging) -> Arc<Self> {
        // Without random keys, so that a service that starts again finds what its clients have.
        let mut hasher = DefaultHasher::new();
        let path = request.uri().path_and_query().map(|path| path.as_str());
        (env!("CARGO_PKG_VERSION"), paging as u8, path).hash(&mut hasher);
        let conditional = Arc::new(ConditionalRequest {
            if_none_match: request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect(),
            if_match: request.headers().get_all(header::IF_MATCH).iter().cloned().collect(),
            representation: hasher.finish(),
            etag: OnceLock::new(),
            route: OnceLock::new(),
        });
        request.extensions_mut().insert(conditional.clone());
        conditional
    }

    /// Returns the request's extension, after noting the request's route in it.
    pub fn of(parts: &Parts) -> Option<&Arc<Self>> {
        let conditional = parts.extensions.get::<Arc<Self>>()?;
        parts.extensions.get::<MatchedPath>().into_iter().for_each(|path| drop(conditional.route.set(path.clone())));
        Some(conditional)
    }

    /// The path of the operation, with names in braces; `None` if no operation was reached.
    pub fn route(&self) -> Option<&str> {
        self.route.get().map(MatchedPath::as_str)
    }

    /// Notes the change id of the project that the response shows. Ends the request if the client has that response.
    ///
    /// A request that takes several transactions has the ETag of the first: its response may be newer than the ETag, and is then requested
    /// once more.
    pub fn not_modified_or(&self, changeid: &str) -> Result<()> {
        let etag = self.etag.get_or_init(|| {
            HeaderValue::try_from(self.etag_of(changeid)).unwrap_or_else(|_| HeaderValue::from_static("W/\"\""))
        });
        let known = etag.to_str().is_ok_and(|etag| names(&self.if_none_match, etag));
        if known { Err(ApiError::NotModified) } else { Ok(()) }
    }

    fn etag_of(&self, changeid: &str) -> String {
        format!("W/\"{changeid}-{:016x}\"", self.representation)
    }

    /// Refuses a write meant for another state: `If-Match` names neither the current ETag of a GET of this path nor the resource's change
    /// id, if it has one.
    pub fn check_unchanged(&self, changeid: &str, resource: Option<&str>) -> Result<()> {
        let is_free = self.if_match.is_empty() || names(&self.if_match, "*");
        let is_named = || {
            names(&self.if_match, &self.etag_of(changeid))
                || resource.is_some_and(|changeid| names(&self.if_match, &format!("\"{changeid}\"")))
        };
        if is_free || is_named() { Ok(()) } else { Err(ApiError::Changed) }
    }

    /// True if the client has a response, of this state of the project or an earlier one.
    pub fn is_conditional(&self) -> bool {
        !self.if_none_match.is_empty()
    }

    /// Adds the ETag to a response that shows the state of a project.
    pub fn finish(&self, status: StatusCode, headers: &mut HeaderMap) {
        if let Some(etag) = self.etag.get().filter(|_| matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED)) {
            // Replaces a header. After the ETag, which is the twelfth of most responses, it would let the map grow to twice its size, and
            // hyper keeps the map for the next request of the connection.
            headers.insert(header::CACHE_CONTROL, REVALIDATE);
            headers.insert(header::ETAG, etag.clone());
        }
    }
}

/// True if a client has the content with this ETag, which is not the state of a project.
pub fn has_etag(request: &HeaderMap, etag: &str) -> bool {
    let known: Vec<HeaderValue> = request.get_all(header::IF_NONE_MATCH).iter().cloned().collect();
    names(&known, etag) || names(&known, "*")
}

/// True if headers name an ETag. `W/` makes no difference, as in RFC 9110 for reads: an ETag differs after each change.
fn names(headers: &[HeaderValue], etag: &str) -> bool {
    let named = headers.iter().filter_map(|header| header.to_str().ok());
    named.flat_map(|header| header.split(',')).any(|named| opaque(named) == opaque(etag))
}

fn opaque(etag: &str) -> &str {
    let etag = etag.trim();
    etag.strip_prefix("W/").unwrap_or(etag)
}
