//! What the service notes of a request while it answers it: the route, and the state of the project that the answer shows.

use std::sync::{Arc, OnceLock};

use axum::extract::{MatchedPath, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use sha2::{Digest, Sha256};

use crate::service::http::error::{ApiError, Result};
use crate::service::http::paging::Paging;

/// Kept by whoever holds the answer too, but asked for again each time.
const REVALIDATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// An extension of every request.
#[derive(Debug)]
pub struct RequestRecord {
    /// The tags of the answers that the client has, as it sent them.
    known: Vec<HeaderValue>,
    /// A digest of all that an answer depends on beside the state of the project.
    representation: [u8; 8],
    tag: OnceLock<HeaderValue>,
    route: OnceLock<MatchedPath>,
}

impl RequestRecord {
    /// Adds the record to the extensions of a request.
    pub fn begin(request: &mut Request, paging: Paging) -> Arc<Self> {
        let digest = Sha256::new()
            .chain_update(concat!(env!("CARGO_PKG_VERSION"), "\n"))
            .chain_update([paging as u8])
            .chain_update(request.uri().path_and_query().map_or("", |path| path.as_str()))
            .finalize();
        let mut representation = [0; 8];
        representation.copy_from_slice(&digest[..8]);
        let known = request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect();
        let record = Arc::new(RequestRecord { known, representation, tag: OnceLock::new(), route: OnceLock::new() });
        request.extensions_mut().insert(record.clone());
        record
    }

    /// Notes the route of a request, and returns the record.
    pub fn of(parts: &Parts) -> Option<&Arc<Self>> {
        let record = parts.extensions.get::<Arc<Self>>()?;
        parts.extensions.get::<MatchedPath>().into_iter().for_each(|path| drop(record.route.set(path.clone())));
        Some(record)
    }

    /// The path of the operation, with names in braces; `None` if no operation was reached.
    pub fn route(&self) -> Option<&str> {
        self.route.get().map(MatchedPath::as_str)
    }

    /// Notes the change id of the project whose data answer the request. Ends the request where the client has that answer.
    ///
    /// A request that takes several transactions has the tag of the first: its answer may hold more than the tag says, and is
    /// then asked for once more.
    pub fn check(&self, changeid: &str) -> Result<()> {
        let tag = self.tag.get_or_init(|| {
            let tag = format!("W/\"{changeid}-{:016x}\"", u64::from_be_bytes(self.representation));
            HeaderValue::try_from(tag).unwrap_or_else(|_| HeaderValue::from_static("W/\"\""))
        });
        if self.knows(tag) { Err(ApiError::NotModified) } else { Ok(()) }
    }

    /// Whether the client has an answer, of this state of the project or an earlier one.
    pub fn is_conditional(&self) -> bool {
        !self.known.is_empty()
    }

    /// Compares as RFC 9110 does for reads: `W/` makes no difference.
    fn knows(&self, tag: &HeaderValue) -> bool {
        let tag = opaque(tag.to_str().unwrap_or_default());
        let known = self.known.iter().filter_map(|known| known.to_str().ok());
        known.flat_map(|known| known.split(',')).any(|known| opaque(known) == tag)
    }

    /// Adds the tag to an answer that shows the state of a project.
    pub fn finish(&self, status: StatusCode, headers: &mut HeaderMap) {
        if let Some(tag) = self.tag.get().filter(|_| matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED)) {
            // Replaces a header. After the tag, which is the twelfth of most answers, it would let the map grow to twice its size, and
            // hyper keeps the map for the next request of the connection.
            headers.insert(header::CACHE_CONTROL, REVALIDATE);
            headers.insert(header::ETAG, tag.clone());
        }
    }
}

fn opaque(tag: &str) -> &str {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag)
}
