//! The `Host` header of a request.

use axum::http::{HeaderMap, Version, header};

use crate::service::http::error::{ApiError, Result};

/// Refuses a request that names no host or several (RFC 9112, 3.2): a proxy and the service could each take another one.
pub fn check_host(version: Version, headers: &HeaderMap) -> Result<()> {
    match headers.get_all(header::HOST).iter().count() {
        1 => Ok(()),
        // HTTP/2 names it in `:authority`.
        0 if version != Version::HTTP_11 => Ok(()),
        0 => Err(ApiError::invalid("The Host header is missing.")),
        _ => Err(ApiError::invalid("More than one Host header.")),
    }
}
