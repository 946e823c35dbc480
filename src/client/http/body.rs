//! Reads the body of a response, up to a limit, and diagrams while they arrive.

use bytes::BytesMut;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};

use super::request::OutgoingRequest;
use super::retry::AttemptError;
use crate::features::DiagramStream;

/// Memory is reserved for the announced length of a body, up to this limit. The operating system provides reserved memory only
/// when it is written to, so a false announcement costs nothing.
const MAX_RESERVED: usize = 1024 * 1024 * 1024;

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

/// Reads a response to its end. A body of more than `limit` bytes and an error status are errors.
pub async fn receive(
    mut response: Response,
    request: &OutgoingRequest<'_>,
    limit: usize,
) -> Result<ReceivedResponse, AttemptError> {
    let (status, headers) = (response.status(), response.headers().clone());
    let announced = response.content_length().unwrap_or_default();
    if announced > limit as u64 {
        return Err(AttemptError::TooLarge { limit });
    }
    let announced = announced as usize;
    let mut body = BytesMut::with_capacity(announced.min(MAX_RESERVED));
    let wanted = request.diagrams.filter(|_| status.is_success());
    let mut diagrams = wanted.map(|wanted| DiagramStream::new(announced, wanted));
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
    match status.is_success() {
        true => Ok(ReceivedResponse { headers, body, diagrams }),
        false => Err(AttemptError::Status { status, headers, body: body.freeze() }),
    }
}
