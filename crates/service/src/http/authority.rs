//! The service's own certificate authority, for those who join: its certificate at `/ca.pem`, and its key in links.

use axum::body::Bytes;
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};

use super::error::ApiError;
use geodesign::model::AuthorityKey;

/// The certificate authority of the rooms that a service has.
#[derive(Debug, Clone)]
pub struct RoomAuthority {
    /// Its certificate.
    pub pem: Bytes,
    /// By which links know it.
    pub key: AuthorityKey,
}

/// The type that is registered for such texts. Browsers save the file: another type would have them offer to trust the authority of a
/// room for the whole web.
const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/pem-certificate-chain");
/// It is the same for everybody, and has no secret. An hour, because a service that is started anew may have a new one.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=3600");
const DISPOSITION: HeaderValue = HeaderValue::from_static("attachment; filename=\"ca.pem\"");

/// Answers without a token, because who joins does not send one before the authority is known.
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
