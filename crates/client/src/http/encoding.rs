//! Names of content codings that the HTTP library does not know: they are case-insensitive, and `x-gzip` is `gzip` (RFC 9110, 8.4.1).

use std::future::ready;

use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Body, Response};
use tower::{ServiceExt, service_fn};
use tower_http::decompression::Decompression;

/// Decodes the body of a response whose coding has such a name; any other response stays unchanged. A response that the library has
/// decoded no longer has a coding.
pub async fn decoded(response: Response) -> Response {
    let Some(coding) = usual_name(response.headers()) else { return response };
    let mut response: http::Response<Body> = response.into();
    response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    let mut response = Some(response);
    let service = service_fn(move |_: http::Request<()>| ready(response.take().ok_or(())));
    match Decompression::new(service).oneshot(http::Request::new(())).await {
        Ok(decoded) => decoded.map(Body::wrap).into(),
        Err(()) => http::Response::new(Body::default()).into(),
    }
}

fn usual_name(headers: &HeaderMap) -> Option<&'static str> {
    let mut codings = headers.get_all(CONTENT_ENCODING).iter();
    let coding = codings.next().filter(|_| codings.next().is_none())?.to_str().ok()?;
    match coding.trim().to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => Some("gzip"),
        "zstd" => Some("zstd"),
        _ => None,
    }
}
