//! Conditional requests: a read sends the ETag of an earlier response, and the service does not send it again if the resource still has
//! that ETag (RFC 9110, section 13.1.2). The earlier response is a cached one, or a member of an archive.

use bytes::Bytes;
use http::StatusCode;
use reqwest::header::{HeaderValue, IF_NONE_MATCH};

use super::attempt::{OutgoingRequest, ReceivedResponse, WithEtag};
use super::transport::{ReceivedFeatures, Transport, parse_features};
use crate::cache::{CachedResponse, ResponseCache};
use crate::error::{Error, Result};
use geodesign::model::operations::Endpoint;
use geodesign_common::blocking;

/// Result of a read with a cache.
enum Latest {
    Cached(CachedResponse),
    New(ReceivedResponse),
}

impl Transport {
    /// Reads a JSON resource as the bytes that the service sent. `None`: 304 Not Modified, it still has this ETag.
    pub async fn read_if_changed(&self, endpoint: &Endpoint, etag: Option<&str>) -> Result<Option<WithEtag>> {
        let request = OutgoingRequest::new(endpoint);
        let response = match etag {
            Some(etag) => self.send_if_changed(&request, etag).await?,
            None => Some(self.send_or_reuse(&request).await?),
        };
        let Some(response) = response else { return Ok(None) };
        self.check_is_json(&request, &response)?;
        let ReceivedResponse { etag, total, next, body, .. } = response;
        Ok(Some(WithEtag { content: body.freeze(), etag, total, next }))
    }

    /// Same as `read_if_changed`, for an array of all diagrams, which the service may have put into a page object.
    pub async fn diagrams_if_changed(&self, endpoint: &Endpoint, etag: Option<&str>) -> Result<Option<WithEtag>> {
        let Some(WithEtag { content, etag, total, next }) = self.read_if_changed(endpoint, etag).await? else {
            return Ok(None);
        };
        let mut response = ReceivedResponse { total, next, ..ReceivedResponse::from_body(content, None) };
        self.diagrams_in(endpoint, &mut response)?;
        Ok(Some(WithEtag { content: response.body.freeze(), etag, total: response.total, next: None }))
    }

    /// Sends a request. The response may be a cached one, if the service says that it has not changed.
    pub(super) async fn send_or_reuse(&self, request: &OutgoingRequest<'_>) -> Result<ReceivedResponse> {
        match self.cache_of(request) {
            // Boxed, because most clients have no cache.
            Some((cache, address)) => Box::pin(self.send_with_cache(request, cache, &address)).await,
            None => self.send(request).await,
        }
    }

    async fn send_with_cache(
        &self,
        request: &OutgoingRequest<'_>,
        cache: &ResponseCache,
        address: &str,
    ) -> Result<ReceivedResponse> {
        match self.latest(request, cache, address).await? {
            Latest::Cached(CachedResponse { etag, content_type, total, body, .. }) => Ok(ReceivedResponse {
                etag: Some(etag),
                total,
                content_type,
                ..ReceivedResponse::from_body(body, None)
            }),
            Latest::New(response) => {
                // A page is cached only if no header announces others, which would not be cached with it.
                if let Some(etag) = response.etag.clone().filter(|_| response.next.is_none()) {
                    let body = Bytes::copy_from_slice(&response.body);
                    let content_type = response.content_type.clone();
                    cache.put(address, CachedResponse::new(etag, content_type, response.total, body)).await?;
                }
                Ok(response)
            }
        }
    }

    /// Reads a collection, from the cache if it has not changed. A parsed collection is not parsed again.
    pub(super) async fn features_with_cache(
        &self,
        request: &OutgoingRequest<'_>,
        cache: &ResponseCache,
        address: &str,
    ) -> Result<ReceivedFeatures> {
        let measuring = request.diagrams;
        match self.latest(request, cache, address).await? {
            Latest::Cached(mut cached) => {
                let total = cached.total;
                if let Some(collection) = cached.collection(measuring) {
                    return Ok(ReceivedFeatures { collection: collection.clone(), total });
                }
                let (named, body) = (request.named(), cached.body.clone());
                let parse = move || parse_features(named, ReceivedResponse::from_body(body, measuring));
                let collection = blocking::run(parse).await?.map_err(|error| self.hide_token(error))?;
                cached.collections.push((measuring, collection.clone()));
                cache.put_in_memory(address, cached);
                Ok(ReceivedFeatures { collection, total })
            }
            Latest::New(response) => {
                let (etag, content_type) = (response.etag.clone(), response.content_type.clone());
                let received = self.received_features(request, response).await?;
                // A collection with gaps is not cached: read again, it would not report them.
                if let Some(etag) = etag.filter(|_| received.collection.row_problems().is_empty()) {
                    let collection = received.collection.clone();
                    let mut cached =
                        CachedResponse::new(etag, content_type, received.total, collection.source().0.clone());
                    cached.collections.push((measuring, collection));
                    cache.put(address, cached).await?;
                }
                Ok(received)
            }
        }
    }

    /// Returns the cache, and the request's address in it; `None` for requests whose response is not cached.
    pub(super) fn cache_of(&self, request: &OutgoingRequest<'_>) -> Option<(&ResponseCache, String)> {
        let is_plain_read = request.is_read() && request.body.is_none() && request.headers.is_empty();
        let cache = self.cache().filter(|_| is_plain_read)?;
        Some((cache, address_of(request.endpoint)))
    }

    /// Returns the cached body. The service may have a newer one.
    pub async fn cached_body(&self, endpoint: &Endpoint) -> Result<Option<Bytes>> {
        let Some(cache) = self.cache() else { return Ok(None) };
        Ok(cache.get(&address_of(endpoint)).await?.map(|cached| cached.body))
    }

    async fn latest(&self, request: &OutgoingRequest<'_>, cache: &ResponseCache, address: &str) -> Result<Latest> {
        let Some(cached) = cache.get(address).await? else { return self.send(request).await.map(Latest::New) };
        let response = self.send_if_changed(request, &cached.etag).await?;
        Ok(response.map_or(Latest::Cached(cached), Latest::New))
    }

    /// `None`: 304 Not Modified, the resource still has this ETag.
    async fn send_if_changed(&self, request: &OutgoingRequest<'_>, etag: &str) -> Result<Option<ReceivedResponse>> {
        let Ok(etag) = HeaderValue::from_str(etag) else { return self.send(request).await.map(Some) };
        let mut conditional = request.clone();
        conditional.headers.insert(IF_NONE_MATCH, etag);
        match self.send(&conditional).await {
            Err(Error::Api { status: StatusCode::NOT_MODIFIED, .. }) => Ok(None),
            response => response.map(Some),
        }
    }
}

fn address_of(endpoint: &Endpoint) -> String {
    let Endpoint { path, query, .. } = endpoint;
    match query {
        Some(query) => format!("{path}?{query}"),
        None => path.clone(),
    }
}
