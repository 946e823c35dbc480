//! The service's own certificate authority, for joining devices: its certificate at `/ca.pem`, and its key in links.

use axum::body::Bytes;
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use geodesign::model::AuthorityKey;

/// The certificate authority of a service's rooms.
#[derive(Debug, Clone)]
pub struct RoomAuthority {
    /// Its certificate.
    pub pem: Bytes,
    /// Identifies the authority in links.
    pub key: AuthorityKey,
}

/// The registered media type. Browsers save the file: with another type, they would offer to trust a room's authority for the entire web.
const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/pem-certificate-chain");
/// The certificate is public. One hour, because a restarted service may have a new one.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=3600");
const DISPOSITION: HeaderValue = HeaderValue::from_static("attachment; filename=\"ca.pem\"");

/// Answers without a token, because a joining device sends none before it knows the authority.
pub fn respond_ca_pem(method: &Method, authority: Option<&RoomAuthority>) -> Response {
    match (method, authority) {
        (&Method::GET | &Method::HEAD, Some(authority)) => {
            let headers = [
                (header::CONTENT_TYPE, CONTENT_TYPE),
                (header::CACHE_CONTROL, CACHE_CONTROL),
                (header::CONTENT_DISPOSITION, DISPOSITION),
            ];
            (headers, authority.pem.clone()).into_response()
        }
        (&Method::GET | &Method::HEAD, None) => ApiError::NoAuthority.into_response(),
        _ => ApiError::MethodNotAllowed.into_response(),
    }
}
