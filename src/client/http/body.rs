//! Reads the body of a response, up to a limit, and diagrams while they arrive.

use bytes::BytesMut;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode};

use super::request::OutgoingRequest;
use super::retry::AttemptError;
use crate::features::DiagramStream;

/// Memory is reserved for the announced length of a body, up to this limit. The operating system provides reserved memory only
/// when it is written to, so a false announcement costs nothing.
const MAX_RESERVED: usize = 1024 * 1024 * 1024;
/// Of the body of an error status, the rest is not read and the connection is closed.
const MAX_ERROR_BODY: usize = 64 * 1024;

/// A response with a status of success, and its whole body.
pub struct ReceivedResponse {
    pub headers: HeaderMap,
    /// Without the diagrams in `diagrams`.
    pub body: BytesMut,
    /// The diagrams that were read while the body arrived, if the request asked for diagrams.
    pub diagrams: Option<DiagramStream>,
}

impl ReceivedResponse {
    pub fn content_type(&self) -> &str {
        self.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("no content type")
    }
}

/// Reads a response to its end. A body of more than `limit` bytes, a part or an encoding that was not asked for, and an error
/// status are errors.
pub async fn receive(
    response: Response,
    request: &OutgoingRequest<'_>,
    limit: usize,
) -> Result<ReceivedResponse, AttemptError> {
    let encoding = unknown_encoding(response.headers());
    let status = response.status();
    match (status, encoding) {
        (StatusCode::PARTIAL_CONTENT, _) => Err(AttemptError::PartialContent),
        _ if !status.is_success() => Err(receive_error(response).await?),
        (_, Some(encoding)) => Err(AttemptError::Encoding { encoding }),
        (_, None) => receive_body(response, request, limit).await,
    }
}

/// The encoding of a body that is not decoded; those that the client asks for are decoded before.
fn unknown_encoding(headers: &HeaderMap) -> Option<String> {
    if !headers.contains_key(CONTENT_ENCODING) {
        return None;
    }
    let encodings = headers.get_all(CONTENT_ENCODING).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let encodings = encodings.collect::<Vec<_>>().join(", ");
    Some(encodings).filter(|encodings| !encodings.is_empty() && !encodings.eq_ignore_ascii_case("identity"))
}

/// The error of a response with an error status, with the start of its body.
async fn receive_error(mut response: Response) -> Result<AttemptError, AttemptError> {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = BytesMut::new();
    while body.len() < MAX_ERROR_BODY
        && let Some(chunk) = response.chunk().await?
    {
        body.extend_from_slice(&chunk[..chunk.len().min(MAX_ERROR_BODY - body.len())]);
    }
    if unknown_encoding(&headers).is_some() {
        body.clear();
    }
    Ok(AttemptError::Status { status, headers, body: body.freeze() })
}

async fn receive_body(
    mut response: Response,
    request: &OutgoingRequest<'_>,
    limit: usize,
) -> Result<ReceivedResponse, AttemptError> {
    let headers = std::mem::take(response.headers_mut());
    let announced = response.content_length().unwrap_or_default();
    if announced > limit as u64 {
        return Err(AttemptError::TooLarge { limit });
    }
    let announced = announced as usize;
    let mut body = BytesMut::with_capacity(announced.min(MAX_RESERVED));
    let mut diagrams = request.diagrams.map(|wanted| DiagramStream::new(announced, wanted));
    let mut received = 0;
    while let Some(chunk) = response.chunk().await? {
        received += chunk.len();
        if received > limit {
            return Err(AttemptError::TooLarge { limit });
        }
        body.extend_from_slice(&chunk);
        if let Some(diagrams) = &mut diagrams {
            diagrams.feed(&mut body);
        }
    }
    Ok(ReceivedResponse { headers, body, diagrams })
}
