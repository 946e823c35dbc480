//! One attempt to send a request: redirects, and the body of the response, up to a limit.

use bytes::{Bytes, BytesMut};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, LINK, LOCATION};
use reqwest::{Client, Response, StatusCode, Url, Version};

use super::connections::Connections;
use super::encoding::decoded;
use super::retry::{AttemptError, RedirectError, request_id};
use crate::error::Request;
use geodesign::features::{DiagramStream, Measuring};
use geodesign::model::IDEMPOTENCY_KEY;
use geodesign::model::operations::Endpoint;

const MAX_REDIRECTS: usize = 5;
/// Memory is reserved for the announced length of a body, up to this limit. The operating system provides reserved memory only when it
/// is written to, so a false announcement costs nothing.
const MAX_RESERVED: usize = 256 * 1024 * 1024;
/// Bytes read of an error status's body. The rest is not read, and the connection is closed.
const MAX_ERROR_BODY: usize = 64 * 1024;

/// Endpoint, headers and body of a request.
#[derive(Clone)]
pub struct OutgoingRequest<'e> {
    pub endpoint: &'e Endpoint,
    /// Further headers, which take precedence over those of every request.
    pub headers: HeaderMap,
    /// The body: JSON unless a header says otherwise.
    pub body: Option<Bytes>,
    /// Set for a response with diagrams, which are parsed while the rest of the body arrives.
    pub diagrams: Option<Measuring>,
}

impl<'e> OutgoingRequest<'e> {
    pub fn new(endpoint: &'e Endpoint) -> Self {
        OutgoingRequest { endpoint, headers: HeaderMap::new(), body: None, diagrams: None }
    }

    /// The request as shown in errors.
    pub fn named(&self) -> Request {
        self.endpoint.into()
    }

    pub fn is_read(&self) -> bool {
        self.endpoint.method.is_safe()
    }

    /// True if a service that supports keys recognizes the request when it is sent again.
    pub fn has_key(&self) -> bool {
        self.headers.contains_key(IDEMPOTENCY_KEY)
    }
}

/// Header with the number of items in the complete list, in a response with a page of it.
const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// A response with a status of success, and its complete body.
pub struct ReceivedResponse {
    pub status: StatusCode,
    /// The service's id for the request, if given.
    pub request_id: Option<Box<str>>,
    pub etag: Option<String>,
    /// Number of items in the complete list, if the service gives it.
    pub total: Option<usize>,
    /// Address of the list's next page, if `Link` gives it.
    pub next: Option<String>,
    pub content_type: String,
    /// The body without the diagrams in `diagrams`.
    pub body: BytesMut,
    /// The diagrams parsed while the body arrived, if the request asked for diagrams.
    pub diagrams: Option<DiagramStream>,
}

impl ReceivedResponse {
    /// Wraps a complete body as if it had just arrived.
    pub fn from_body(body: Bytes, measuring: Option<Measuring>) -> Self {
        let mut body = BytesMut::from(body);
        let diagrams = measuring.map(|measuring| {
            let mut diagrams = DiagramStream::new(body.len(), measuring);
            diagrams.feed(&mut body);
            diagrams
        });
        ReceivedResponse {
            status: StatusCode::OK,
            request_id: None,
            etag: None,
            total: None,
            next: None,
            content_type: String::new(),
            body,
            diagrams,
        }
    }
}

/// Sends a request once and reads the complete response. Errors: a body of more than `max_response_bytes`, a partial response, an
/// encoding that was not requested, and an error status.
pub async fn send_once(
    connections: &Connections,
    http: &Client,
    request: &OutgoingRequest<'_>,
) -> Result<ReceivedResponse, AttemptError> {
    let response = open_response(connections, http, request).await?;
    receive(response, request, connections.config().max_response_bytes).await
}

/// Sends a request and follows its redirects. Returns the response before its body is read.
pub async fn open_response(
    connections: &Connections,
    http: &Client,
    request: &OutgoingRequest<'_>,
) -> Result<Response, AttemptError> {
    let root = connections.root();
    let Endpoint { method, path, query, .. } = request.endpoint;
    let mut url = root.clone();
    // Joined as a reference, a path such as `//host/` would lead to another host.
    url.set_path(&format!("{}{path}", root.path()));
    url.set_query(query.as_deref());
    for _ in 0..=MAX_REDIRECTS {
        let mut builder = http.request(method.clone(), url.clone()).headers(request.headers.clone());
        if let Some(body) = &request.body {
            if !request.headers.contains_key(CONTENT_TYPE) {
                builder = builder.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            }
            builder = builder.body(body.clone());
        }
        let response = builder.send().await?;
        if response.version() == Version::HTTP_2 {
            connections.allow_many();
        }
        match redirect_target(&response, &url, root, request.is_read())? {
            None if connections.is_compressed() => return Ok(decoded(response).await),
            None => return Ok(response),
            Some(target) => url = target,
        }
    }
    Err(RedirectError::TooMany { maximum: MAX_REDIRECTS }.into())
}

/// Returns the address that a response to a request at `url` redirects to; `None` if it is not a redirect. Redirects are followed
/// within the origin of the API root only: the token is sent nowhere else.
fn redirect_target(response: &Response, url: &Url, root: &Url, is_read: bool) -> Result<Option<Url>, RedirectError> {
    let status = response.status();
    let Some(location) = response.headers().get(LOCATION).filter(|_| status.is_redirection()) else { return Ok(None) };
    let target = location.to_str().ok().and_then(|location| url.join(location).ok());
    let target = target.ok_or(RedirectError::InvalidLocation)?;
    // Only these two statuses keep method and body.
    if !is_read && !matches!(status.as_u16(), 307 | 308) {
        return Err(RedirectError::WriteBecomesRead);
    }
    if target.origin() != root.origin() {
        return Err(RedirectError::OtherOrigin { origin: target.origin().ascii_serialization() });
    }
    Ok(Some(target))
}

/// The content of a response, with its ETag if the service gives it one.
#[derive(Debug, Clone)]
pub struct WithEtag {
    pub content: Bytes,
    pub etag: Option<String>,
    /// Number of items in the complete list, if this is a page of one and the service gives it.
    pub total: Option<usize>,
    /// Address of the list's next page, if a header gives it.
    pub next: Option<String>,
}

/// Reads a response completely.
pub async fn receive(
    response: Response,
    request: &OutgoingRequest<'_>,
    limit: usize,
) -> Result<ReceivedResponse, AttemptError> {
    let status = response.status();
    if status == StatusCode::PARTIAL_CONTENT {
        return Err(AttemptError::PartialContent);
    }
    if !status.is_success() {
        return Err(receive_error(response).await?);
    }
    match unknown_encoding(response.headers()) {
        Some(encoding) => Err(AttemptError::Encoding { encoding }),
        None => receive_body(response, request, limit).await,
    }
}

/// Returns the encoding of a body that is still encoded; requested encodings have been decoded before.
fn unknown_encoding(headers: &HeaderMap) -> Option<String> {
    if !headers.contains_key(CONTENT_ENCODING) {
        return None;
    }
    let encodings = headers.get_all(CONTENT_ENCODING).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let encodings = encodings.collect::<Vec<_>>().join(", ");
    Some(encodings).filter(|encodings| !encodings.is_empty() && !encodings.eq_ignore_ascii_case("identity"))
}

/// Makes the error of a response with an error status, with the start of its body.
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

/// The address of the next page in `Link` (RFC 8288).
fn next_page(headers: &HeaderMap) -> Option<String> {
    let links = headers.get_all(LINK).iter().filter_map(|links| links.to_str().ok());
    // Each begins with its address between angle brackets, so a comma in an address separates nothing.
    let mut links = links.flat_map(|links| links.split('<').skip(1)).filter_map(|link| link.split_once('>'));
    let is_next = |parameters: &str| {
        parameters.split([';', ',']).filter_map(|parameter| parameter.split_once('=')).any(|(name, value)| {
            let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
            name.trim().eq_ignore_ascii_case("rel") && relations.any(|relation| relation.eq_ignore_ascii_case("next"))
        })
    };
    links.find(|(_, parameters)| is_next(parameters)).map(|(address, _)| address.trim().to_owned())
}

async fn receive_body(
    mut response: Response,
    request: &OutgoingRequest<'_>,
    limit: usize,
) -> Result<ReceivedResponse, AttemptError> {
    let text = |name: HeaderName| Some(response.headers().get(name)?.to_str().ok()?.to_owned());
    let (etag, content_type) = (text(ETAG), text(CONTENT_TYPE).unwrap_or_else(|| "no content type".to_owned()));
    let total = text(X_TOTAL_COUNT).and_then(|total| total.parse().ok());
    let (status, request_id) = (response.status(), request_id(response.headers()));
    let next = next_page(response.headers());
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
    Ok(ReceivedResponse { status, request_id, etag, total, next, content_type, body, diagrams })
}
