//! Sends requests below the API root: with the token, with retries, at most `max_concurrency` at the same time.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use reqwest::{Certificate, Response, Version};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::archived::answer_from_archive;
use super::body::{ReceivedResponse, receive};
use super::connections::Connections;
use super::decode::{LARGE_BODY, check_is_json, check_png, decode, decode_features, has_large_collection};
use super::http_client::HttpClient;
use super::pace::Pace;
use super::redirect::{RedirectError, redirect_target};
use super::request::OutgoingRequest;
use super::retry::AttemptError;
use crate::archive::Archive;
use crate::blocking;
use crate::client::cache::ResponseCache;
use crate::client::config::{Config, ConfigError};
use crate::client::error::{Attempts, Error, Request, Result};
use crate::client::shown::shown;
use crate::features::{FeatureCollection, Measuring};
use crate::model::operations::Endpoint;

const MAX_REDIRECTS: usize = 5;
/// The root and the token of a client that sends nothing.
const ARCHIVE_ROOT: &str = "http://127.0.0.1/api/v1/";
const NO_TOKEN: &str = "no-token-is-sent";

/// Sends requests to one service as one user. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Transport {
    pub(super) connections: Arc<Connections>,
    /// Answers instead of a service.
    archive: Option<Arc<Archive>>,
    cache: Option<ResponseCache>,
    /// When the next request may be sent, where their rate is limited.
    pace: Option<Arc<Pace>>,
}

impl Transport {
    /// Checks the configuration; connects to nothing.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let connections = Connections::new(config)?;
        let Config { cache, max_cache_bytes, token, .. } = connections.config();
        let cache = ResponseCache::new(cache, *max_cache_bytes, connections.root().as_str(), token.expose());
        Ok(Transport { connections: Arc::new(connections), archive: None, cache, pace: None })
    }

    /// Answers requests from an archive. Nothing is sent.
    pub fn from_archive(archive: Archive) -> Result<Self, ConfigError> {
        let mut transport = Transport::new(Config::new(NO_TOKEN, ARCHIVE_ROOT))?;
        transport.archive = Some(Arc::new(archive));
        Ok(transport)
    }

    /// The same connections, on which so many requests are sent per second at most.
    pub fn paced(&self, requests_per_second: f64) -> Self {
        Transport { pace: Some(Arc::new(Pace::new(requests_per_second))), ..self.clone() }
    }

    /// The archive that answers requests, if it is not a service.
    pub fn archive(&self) -> Option<&Archive> {
        self.archive.as_deref()
    }

    /// What is kept of earlier responses, if anything.
    pub(super) fn cache(&self) -> Option<&ResponseCache> {
        self.cache.as_ref()
    }

    pub fn config(&self) -> &Config {
        self.connections.config()
    }

    pub fn root(&self) -> &str {
        self.connections.root().as_str()
    }

    /// The certificate authorities that are trusted in addition to the system's.
    pub fn certificates(&self) -> &[Certificate] {
        self.connections.certificates()
    }

    pub fn is_on_this_machine(&self) -> bool {
        self.connections.is_on_this_machine()
    }

    /// Reads a JSON resource.
    pub async fn get<T: DeserializeOwned + Send + 'static>(&self, endpoint: Endpoint) -> Result<T> {
        let request = OutgoingRequest::new(&endpoint);
        let body = self.read_json(&request).await?.body.freeze();
        self.decode_body(request.named(), body).await
    }

    /// Sends a JSON body and decodes the JSON of the response.
    pub async fn post<T: DeserializeOwned>(&self, endpoint: Endpoint, body: &impl Serialize) -> Result<T> {
        let body = serde_json::to_vec(body).map_err(|error| Error::Input(error.to_string()))?;
        let request = OutgoingRequest { body: Some(body.into()), ..OutgoingRequest::new(&endpoint) };
        let response = self.send_for_json(&request).await?;
        self.decode(request.named(), &response.body)
    }

    pub async fn delete(&self, endpoint: Endpoint) -> Result<()> {
        self.send(&OutgoingRequest::new(&endpoint)).await.map(drop)
    }

    /// Reads a PNG image.
    pub async fn png(&self, endpoint: Endpoint) -> Result<Bytes> {
        let request = OutgoingRequest::new(&endpoint);
        let response = self.send_or_reuse(&request).await?;
        check_png(request.named(), response).map_err(|error| self.hide_token(error))
    }

    /// Reads diagrams, if `diagrams` is given, or a FeatureCollection.
    pub async fn features(&self, endpoint: Endpoint, diagrams: Option<Measuring>) -> Result<FeatureCollection> {
        let request = OutgoingRequest { diagrams, ..OutgoingRequest::new(&endpoint) };
        if let Some((cache, address)) = self.cache_of(&request) {
            return Box::pin(self.features_or_reuse(&request, cache, &address)).await;
        }
        let response = self.send_for_json(&request).await?;
        let request = request.named();
        let collection = match has_large_collection(&response) {
            true => blocking::run(move || decode_features(request, response)).await?,
            false => decode_features(request, response),
        };
        collection.map_err(|error| self.hide_token(error))
    }

    /// The bytes of a JSON resource, as the service sent them.
    pub async fn read(&self, endpoint: &Endpoint) -> Result<Bytes> {
        Ok(self.read_json(&OutgoingRequest::new(endpoint)).await?.body.freeze())
    }

    /// Decodes a body, on a thread of its own if it is large.
    pub(super) async fn decode_body<T: DeserializeOwned + Send + 'static>(
        &self,
        request: Request,
        body: Bytes,
    ) -> Result<T> {
        if body.len() < LARGE_BODY {
            return self.decode(request, &body);
        }
        let transport = self.clone();
        blocking::run(move || transport.decode(request, &body)).await?
    }

    pub(super) fn decode<T: DeserializeOwned>(&self, request: Request, body: &[u8]) -> Result<T> {
        decode(request, body).map_err(|error| self.hide_token(error))
    }

    /// The error without the token, which the service may have repeated.
    pub(super) fn hide_token(&self, error: Error) -> Error {
        error.without_token(&self.config().token)
    }

    /// The response to a read, which may be kept from an earlier one.
    pub(super) async fn read_json(&self, request: &OutgoingRequest<'_>) -> Result<ReceivedResponse> {
        let response = self.send_or_reuse(request).await?;
        check_is_json(request, &response).map_err(|error| self.hide_token(error))?;
        Ok(response)
    }

    pub(super) async fn send_for_json(&self, request: &OutgoingRequest<'_>) -> Result<ReceivedResponse> {
        let response = self.send(request).await?;
        check_is_json(request, &response).map_err(|error| self.hide_token(error))?;
        Ok(response)
    }

    /// Sends a request, again if necessary, until it succeeds. `timeout` limits all attempts together, counted from the moment
    /// when fewer than `max_concurrency` other requests are under way.
    pub(super) async fn send(&self, request: &OutgoingRequest<'_>) -> Result<ReceivedResponse> {
        if let Some(archive) = &self.archive {
            return answer_from_archive(archive, request).await;
        }
        let (config, root) = (self.config(), self.connections.root());
        let http = self.connections.http_client()?;
        let _slot = self.connections.slot().await;
        if let Some(pace) = &self.pace {
            pace.turn().await;
        }
        let started = Instant::now();
        let mut count = 0;
        loop {
            count += 1;
            let left = config.timeout.saturating_sub(started.elapsed());
            let error = match tokio::time::timeout(left, self.send_once(http, request)).await {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(error)) => error,
                Err(_) => AttemptError::Timeout { timeout: config.timeout },
            };
            let attempts = Attempts { count, elapsed: started.elapsed() };
            match error.retry_delay(request.is_read(), count) {
                Some(delay) if count <= config.retries && started.elapsed() + delay < config.timeout => {
                    tracing::info!(
                        "{} failed ({}) after {attempts}; trying again in {:.2} s",
                        request.named(),
                        shown(&error.to_string()),
                        delay.as_secs_f64()
                    );
                    tokio::time::sleep(delay).await;
                }
                _ => return Err(self.hide_token(error.into_error(request.named(), root, attempts))),
            }
        }
    }

    /// One attempt.
    async fn send_once(
        &self,
        http: &HttpClient,
        request: &OutgoingRequest<'_>,
    ) -> Result<ReceivedResponse, AttemptError> {
        let response = self.respond(http, request).await?;
        receive(response, request, self.config().max_response_bytes).await
    }

    /// The response to a request, whose body has not been read, after the redirects that it leads to.
    pub(super) async fn respond(
        &self,
        http: &HttpClient,
        request: &OutgoingRequest<'_>,
    ) -> Result<Response, AttemptError> {
        let root = self.connections.root();
        let Endpoint { method, path, query } = request.endpoint;
        let mut url = root.clone();
        // Joined as a reference, a path such as `//host/` would lead to another host.
        url.set_path(&format!("{}{path}", root.path()));
        url.set_query(query.as_deref());
        for _ in 0..=MAX_REDIRECTS {
            let response = http.send(method, &url, &request.headers, request.body.as_ref()).await?;
            if response.version() == Version::HTTP_2 {
                self.connections.allow_many();
            }
            match redirect_target(&response, &url, root, request.is_read())? {
                None => return Ok(response),
                Some(target) => url = target,
            }
        }
        Err(RedirectError::TooMany { maximum: MAX_REDIRECTS }.into())
    }
}
