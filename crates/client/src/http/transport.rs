//! Sends requests below the API root: with the token, with retries, at most `max_concurrency` at the same time. Decodes the responses.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, IF_MATCH};
use reqwest::{Certificate, StatusCode};
use ring::rand::{SecureRandom, SystemRandom};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::attempt::{OutgoingRequest, ReceivedResponse, WithEtag};
use super::connections::{Connections, Pace};
use crate::bad_rows::{BAD_ROWS, BadRows};
use crate::cache::ResponseCache;
use crate::config::{Config, ConfigError};
use crate::error::{Error, Request, Result};
use geodesign::archive::Archive;
use geodesign::features::{DiagramStream, FeatureCollection, Layout, Measuring};
use geodesign::json;
use geodesign::model::IDEMPOTENCY_KEY;
use geodesign::model::operations::Endpoint;
use geodesign::named::BASE_URL;
use geodesign_common::blocking;
use geodesign_common::digest::hex;

/// The root and the token of a client that sends nothing.
const ARCHIVE_ROOT: &str = "http://127.0.0.1/api/v1/";
const NO_TOKEN: &str = "no-token-is-sent";
/// Bodies of this size or larger are decoded on a separate thread, so that no other request waits.
const LARGE_BODY: usize = 64 * 1024;
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A response with features.
pub struct ReceivedFeatures {
    pub collection: FeatureCollection,
    /// Number of diagrams in the project, if the service gives it.
    pub total: Option<usize>,
}

/// Sends requests to one service as one user. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Transport {
    pub(super) connections: Arc<Connections>,
    /// Responds instead of a service.
    pub(super) archive: Option<Arc<Archive>>,
    cache: Option<ResponseCache>,
    /// The time of the next request, if their rate is limited.
    pub(super) pace: Option<Arc<Pace>>,
    /// See [`Config::strict`].
    strict: bool,
}

/// A response that is passed on to another program.
#[derive(Debug, Clone)]
pub struct Forwarded {
    pub status: StatusCode,
    pub etag: Option<String>,
    /// Number of items in the complete list, if this is a page of one and the service gives it.
    pub total: Option<usize>,
    pub content: Bytes,
}

impl Transport {
    /// Checks the configuration; connects to nothing.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let connections = Connections::new(config)?;
        let Config { cache, max_cache_bytes, token, strict, .. } = connections.config();
        let strict = *strict;
        let cache = ResponseCache::new(cache, *max_cache_bytes, connections.root().as_str(), token.expose())?;
        Ok(Transport { connections: Arc::new(connections), archive: None, cache, pace: None, strict })
    }

    /// Responds from an archive. Nothing is sent.
    pub fn from_archive(archive: Archive) -> Result<Self, ConfigError> {
        let mut transport = Transport::new(Config::new(NO_TOKEN, ARCHIVE_ROOT))?;
        transport.archive = Some(Arc::new(archive));
        Ok(transport)
    }

    /// The same connections with at most this many requests per second.
    pub fn paced(&self, requests_per_second: f64) -> Self {
        Transport { pace: Some(Arc::new(Pace::new(requests_per_second))), ..self.clone() }
    }

    /// The same connections, where an unreadable row is an error.
    pub fn strictly(&self) -> Self {
        Transport { strict: true, ..self.clone() }
    }

    /// See [`Config::strict`].
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// The archive that responds instead of a service, if any.
    pub fn archive(&self) -> Option<&Archive> {
        self.archive.as_deref()
    }

    /// The cached responses, if there is a cache.
    pub(super) fn cache(&self) -> Option<&ResponseCache> {
        self.cache.as_ref()
    }

    pub fn config(&self) -> &Config {
        self.connections.config()
    }

    pub fn root(&self) -> &str {
        self.connections.root().as_str()
    }

    /// The certificate authorities trusted in addition to the system's.
    pub fn certificates(&self) -> &[Certificate] {
        self.connections.certificates()
    }

    pub fn is_on_this_machine(&self) -> bool {
        self.connections.is_on_this_machine()
    }

    /// Reads a JSON resource, with all items of its list.
    pub async fn get<T: DeserializeOwned + Send + 'static>(&self, endpoint: Endpoint) -> Result<T> {
        Ok(self.get_with_certainty(endpoint).await?.0)
    }

    /// Same as `get`, but also returns true if the service said that the list is complete.
    pub async fn get_with_certainty<T: DeserializeOwned + Send + 'static>(
        &self,
        endpoint: Endpoint,
    ) -> Result<(T, bool)> {
        let (body, is_told) = match endpoint.listed_in {
            Some(_) => {
                let WithEtag { content, total, .. } = self.whole_list(&endpoint).await?;
                (content, total.is_some())
            }
            None => (self.read(&endpoint).await?, true),
        };
        if self.strict {
            return Ok((self.decode_body(&endpoint, body).await?, is_told));
        }
        let (value, gaps) = self.decoded(&endpoint, body, json::decode_around_gaps).await?;
        self.tell_bad_rows(&endpoint, &BadRows::of_list(&gaps))?;
        Ok((value, is_told))
    }

    /// Sends a JSON body and decodes the JSON of the response.
    pub async fn post<T: DeserializeOwned>(&self, endpoint: Endpoint, body: &(impl Serialize + ?Sized)) -> Result<T> {
        let body = serde_json::to_vec(body);
        let response = self.write(&endpoint, body, HeaderMap::new()).await?;
        self.decode(&endpoint, &response)
    }

    /// Same as `post`, for a request that adds something. It has a key, by which a service that supports keys recognizes it when it is
    /// sent again.
    pub async fn add<T: DeserializeOwned>(&self, endpoint: Endpoint, body: &(impl Serialize + ?Sized)) -> Result<T> {
        let body = serde_json::to_vec(body);
        let headers = HeaderMap::from_iter(new_key().map(|key| (IDEMPOTENCY_KEY, key)));
        let response = self.write(&endpoint, body, headers).await?;
        self.decode(&endpoint, &response)
    }

    /// Sends any request; returns the body of the response. Requests that add something have a key.
    pub async fn call(&self, endpoint: &Endpoint, body: Option<RequestBody>) -> Result<Bytes> {
        let mut headers = HeaderMap::new();
        if endpoint.method == Method::POST {
            headers.extend(new_key().map(|key| (IDEMPOTENCY_KEY, key)));
        }
        let body = match body {
            Some(RequestBody::Json(body)) => Some(body.into()),
            Some(RequestBody::Archive(body)) => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
                Some(body.into())
            }
            None => None,
        };
        let request = OutgoingRequest { body, headers, ..OutgoingRequest::new(endpoint) };
        Ok(self.send(&request).await?.body.freeze())
    }

    /// Forwards a request of another program unchanged, and returns the parts of the response that the program needs. Lists from an
    /// archive are complete.
    pub async fn forward(&self, mut endpoint: Endpoint, body: Option<Bytes>, headers: HeaderMap) -> Result<Forwarded> {
        if self.archive.is_some() {
            endpoint.query = None;
        }
        let request = OutgoingRequest { body, headers, ..OutgoingRequest::new(&endpoint) };
        let response =
            if request.is_read() { self.send_or_reuse(&request).await? } else { self.send(&request).await? };
        let ReceivedResponse { status, etag, total, body, .. } = response;
        Ok(Forwarded { status, etag, total, content: body.freeze() })
    }

    /// Sends an archive and decodes the JSON of the response.
    pub async fn send_archive<T: DeserializeOwned>(&self, endpoint: Endpoint, content: Bytes) -> Result<T> {
        let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/zip"))]);
        let request = OutgoingRequest { body: Some(content), headers, ..OutgoingRequest::new(&endpoint) };
        let response = self.send(&request).await?;
        self.decode(&endpoint, &self.json_of(&request, response)?)
    }

    /// Same as `post`, for a change that applies only if the resource still has this change id.
    pub async fn change<T: DeserializeOwned>(
        &self,
        endpoint: Endpoint,
        changeid: &str,
        body: &(impl Serialize + ?Sized),
    ) -> Result<T> {
        let etag = HeaderValue::try_from(format!("\"{changeid}\""));
        let etag = etag.map_err(|_| Error::Input(format!("{changeid:?} is not a change id")))?;
        let body = serde_json::to_vec(body);
        let response = self.write(&endpoint, body, HeaderMap::from_iter([(IF_MATCH, etag)])).await?;
        self.decode(&endpoint, &response)
    }

    pub async fn delete(&self, endpoint: Endpoint) -> Result<()> {
        self.send(&OutgoingRequest::new(&endpoint)).await?;
        Ok(())
    }

    /// Reads a PNG image. Its signature is checked; the image itself is not decoded.
    pub async fn png(&self, endpoint: Endpoint) -> Result<Bytes> {
        let request = OutgoingRequest::new(&endpoint);
        let response = self.send_or_reuse(&request).await?;
        if !response.body.starts_with(PNG_SIGNATURE) {
            let problem = format!("it sent {} that is not a PNG image", response.content_type);
            return Err(self.hide_token(Error::Decode { request: request.named(), problem, source: None }));
        }
        Ok(response.body.freeze())
    }

    /// Reads diagrams if `diagrams` is given, or a FeatureCollection with all of its features.
    pub async fn features(&self, endpoint: &Endpoint, diagrams: Option<Measuring>) -> Result<ReceivedFeatures> {
        if endpoint.listed_in.is_some() {
            let WithEtag { content, total, .. } = self.whole_list(endpoint).await?;
            let response = ReceivedResponse { total, ..ReceivedResponse::from_body(content, None) };
            return self.received_features(&OutgoingRequest::new(endpoint), response).await;
        }
        let request = OutgoingRequest { diagrams, ..OutgoingRequest::new(endpoint) };
        match self.cache_of(&request) {
            Some((cache, address)) => Box::pin(self.features_with_cache(&request, cache, &address)).await,
            None => {
                let response = self.send(&request).await?;
                self.received_features(&request, response).await
            }
        }
    }

    /// Parses the diagrams in an array joined from pages.
    pub async fn parse_diagrams(
        &self,
        endpoint: &Endpoint,
        body: Bytes,
        measuring: Measuring,
    ) -> Result<FeatureCollection> {
        let request = OutgoingRequest { diagrams: Some(measuring), ..OutgoingRequest::new(endpoint) };
        let response = ReceivedResponse::from_body(body, Some(measuring));
        Ok(self.received_features(&request, response).await?.collection)
    }

    /// Reads a JSON resource as the bytes that the service sent.
    pub async fn read(&self, endpoint: &Endpoint) -> Result<Bytes> {
        let request = OutgoingRequest::new(endpoint);
        let response = self.send_or_reuse(&request).await?;
        self.json_of(&request, response)
    }

    /// Sends a JSON body; returns the JSON of the response.
    async fn write(&self, endpoint: &Endpoint, body: serde_json::Result<Vec<u8>>, headers: HeaderMap) -> Result<Bytes> {
        let body = body.map_err(Error::input)?;
        let request = OutgoingRequest { body: Some(body.into()), headers, ..OutgoingRequest::new(endpoint) };
        let response = self.send(&request).await?;
        self.json_of(&request, response)
    }

    /// Decodes a body, on a separate thread if it is large.
    pub async fn decode_body<T: DeserializeOwned + Send + 'static>(
        &self,
        endpoint: &Endpoint,
        body: Bytes,
    ) -> Result<T> {
        self.decoded(endpoint, body, json::decode).await
    }

    /// Decodes a list. Unreadable rows stay, without the unreadable parts.
    pub async fn decode_list<T: DeserializeOwned + Send + 'static>(
        &self,
        endpoint: &Endpoint,
        body: Bytes,
    ) -> Result<Vec<T>> {
        if self.strict {
            return self.decode_body(endpoint, body).await;
        }
        let (list, gaps) = self.decoded(endpoint, body, json::decode_list).await?;
        self.tell_bad_rows(endpoint, &BadRows::of_list(&gaps))?;
        Ok(list)
    }

    pub(super) async fn decoded<T: Send + 'static>(
        &self,
        endpoint: &Endpoint,
        body: Bytes,
        decode: impl FnOnce(&[u8]) -> std::result::Result<T, json::DecodeError> + Send + 'static,
    ) -> Result<T> {
        let is_large = body.len() >= LARGE_BODY;
        let request = Request::from(endpoint);
        let decoded = if is_large { blocking::run(move || decode(&body)).await? } else { decode(&body) };
        decoded.map_err(|error| self.hide_token(undecodable(request, error)))
    }

    pub(super) fn decode<T: DeserializeOwned>(&self, endpoint: &Endpoint, body: &[u8]) -> Result<T> {
        json::decode(body).map_err(|error| self.hide_token(undecodable(endpoint.into(), error)))
    }

    /// Parses a response with features, on a separate thread if that takes long.
    pub(super) async fn received_features(
        &self,
        request: &OutgoingRequest<'_>,
        mut response: ReceivedResponse,
    ) -> Result<ReceivedFeatures> {
        self.check_is_json(request, &response)?;
        if request.diagrams.is_some() {
            self.diagrams_in(request.endpoint, &mut response)?;
        }
        let (named, total) = (request.named(), response.total);
        let is_large =
            response.body.len() >= LARGE_BODY || response.diagrams.as_ref().is_some_and(DiagramStream::has_started);
        let collection = if is_large {
            blocking::run(move || parse_features(named, response)).await?
        } else {
            parse_features(named, response)
        };
        let collection = collection.map_err(|error| self.hide_token(error))?;
        Ok(ReceivedFeatures { collection, total })
    }

    fn json_of(&self, request: &OutgoingRequest<'_>, response: ReceivedResponse) -> Result<Bytes> {
        self.check_is_json(request, &response)?;
        Ok(response.body.freeze())
    }

    /// Checks that a body starts like JSON: an error that is about the whole body, such as a sign-in page instead of JSON, is
    /// clearer than an error about its first byte.
    pub(super) fn check_is_json(&self, request: &OutgoingRequest<'_>, response: &ReceivedResponse) -> Result<()> {
        let content_type = &response.content_type;
        let received = match response.body.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => return Ok(()),
            None => "an empty body".to_owned(),
            Some(_) if content_type.contains("json") => format!("{content_type} that does not begin like JSON"),
            Some(_) => format!("{content_type} instead of JSON"),
        };
        let problem = match &self.archive {
            Some(archive) => format!("the archive {} has something else than JSON", archive.path().display()),
            None => format!(
                "it sent {received}. Check that {BASE_URL} is the API root of the service and that no sign-in page stands in between"
            ),
        };
        Err(self.hide_token(Error::Decode { request: request.named(), problem, source: None }))
    }

    /// Warns of a response's bad rows, in one line. Over a strict connection they are an error.
    pub fn tell_bad_rows(&self, endpoint: &Endpoint, rows: &BadRows) -> Result<()> {
        let Some(problem) = rows.summary() else { return Ok(()) };
        match self.hide_token(Error::Decode { request: endpoint.into(), problem, source: None }) {
            Error::Decode { request, problem, .. } if !self.strict => {
                tracing::warn!(target: BAD_ROWS, "{request}: {problem}");
                Ok(())
            }
            error => Err(error),
        }
    }

    /// Returns the error without the token, which the service may have repeated.
    pub fn hide_token(&self, error: Error) -> Error {
        error.without_token(&self.config().token)
    }
}

/// The body of a request, sent unchanged.
#[derive(Debug, Clone)]
pub enum RequestBody {
    Json(Vec<u8>),
    /// A zip file.
    Archive(Vec<u8>),
}

pub(super) fn undecodable(request: Request, error: json::DecodeError) -> Error {
    Error::Decode { request, problem: error.to_string(), source: Some(error.source.into()) }
}

/// Returns a key that no other request has, even in a forked process. `None` if the system provides no random numbers.
fn new_key() -> Option<HeaderValue> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    HeaderValue::try_from(hex(&bytes)).ok()
}

/// Parses diagrams, if the request asked for them, or a FeatureCollection.
pub(super) fn parse_features(request: Request, response: ReceivedResponse) -> Result<FeatureCollection> {
    let collection = match response.diagrams {
        Some(diagrams) => diagrams.finish(response.body),
        None => FeatureCollection::from_json(response.body, Layout::Collection),
    };
    collection.map_err(|error| Error::Decode { request, problem: error.to_string(), source: Some(error.into()) })
}
