//! Decodes bodies: JSON, feature collections, PNG images. An error names the field or the byte where decoding failed.

use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::body::ReceivedResponse;
use super::request::OutgoingRequest;
use crate::client::error::{Error, Request, Result};
use crate::features::{DiagramStream, FeatureCollection, Layout};
use crate::json;

/// Decoding a body of this size takes so long that it is done on a thread of its own, where no other request waits for it.
pub const LARGE_BODY: usize = 64 * 1024;
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

pub fn decode<T: DeserializeOwned>(request: Request, body: &[u8]) -> Result<T> {
    json::decode(body).map_err(|error| Error::Decode {
        request,
        problem: error.to_string(),
        source: Some(error.source.into()),
    })
}

/// Decodes diagrams, if the request asked for them, or a FeatureCollection.
pub fn decode_features(request: Request, response: ReceivedResponse) -> Result<FeatureCollection> {
    let collection = match response.diagrams {
        Some(diagrams) => diagrams.finish(response.body),
        None => FeatureCollection::from_json(response.body, Layout::Collection),
    };
    collection.map_err(|error| Error::Decode { request, problem: error.to_string(), source: Some(error.into()) })
}

/// Whether decoding a feature collection takes so long that it is done on a thread of its own.
pub fn has_large_collection(response: &ReceivedResponse) -> bool {
    response.body.len() >= LARGE_BODY || response.diagrams.as_ref().is_some_and(DiagramStream::has_started)
}

/// Checks the signature of a PNG image; the image itself is not decoded.
pub fn check_png(request: Request, response: ReceivedResponse) -> Result<Bytes> {
    match response.body.starts_with(PNG_SIGNATURE) {
        true => Ok(response.body.freeze()),
        false => {
            let problem = format!("it sent {} that is no PNG image", response.content_type());
            Err(Error::Decode { request, problem, source: None })
        }
    }
}

/// Checks that a body starts like JSON: an error that is about the whole body, such as a sign-in page instead of JSON, is
/// clearer than an error about its first byte.
pub fn check_is_json(request: &OutgoingRequest<'_>, response: &ReceivedResponse) -> Result<()> {
    let content_type = response.content_type();
    let received = match response.body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => return Ok(()),
        None => "an empty body".to_owned(),
        Some(_) if content_type.contains("json") => format!("{content_type} that does not begin like JSON"),
        Some(_) => format!("{content_type} instead of JSON"),
    };
    let problem = format!(
        "it sent {received}. Check that base_url is the API root of the service and that no sign-in page stands in between"
    );
    Err(Error::Decode { request: request.named(), problem, source: None })
}
