//! Reads that download only what has changed since the client read it last.

use bytes::{Bytes, BytesMut};
use reqwest::header::{CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH};

use super::body::ReceivedResponse;
use super::conditional::{NOT_MODIFIED, X_TOTAL_COUNT};
use super::decode::{check_is_json, decode_features, has_large_collection};
use super::request::OutgoingRequest;
use super::transport::Transport;
use crate::blocking;
use crate::client::cache::{KeptResponse, ResponseCache};
use crate::client::error::{Error, Result};
use crate::features::{DiagramStream, FeatureCollection, Measuring};
use crate::model::operations::Endpoint;

impl Transport {
    /// Sends a request. The response may be one that is kept, if the service says that it has not changed.
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
        let kept = cache.get(address).await?;
        match self.send_unless_kept(request, kept).await? {
            Latest::Kept(kept) => Ok(kept.into()),
            Latest::New(response) => {
                if let Some(kept) = kept_response(&response.headers, Bytes::copy_from_slice(&response.body)) {
                    cache.put(address, kept).await?;
                }
                Ok(response)
            }
        }
    }

    /// Reads a collection, with the cache that it is kept in. What was parsed before is not parsed again.
    pub(super) async fn features_or_reuse(
        &self,
        request: &OutgoingRequest<'_>,
        cache: &ResponseCache,
        address: &str,
    ) -> Result<FeatureCollection> {
        let (measuring, named) = (request.diagrams, request.named());
        let kept = cache.get(address).await?;
        let hide_token = |error| self.hide_token(error);
        match self.send_unless_kept(request, kept).await? {
            Latest::Kept(mut kept) => {
                if let Some(collection) = kept.collection(measuring) {
                    return Ok(collection.clone());
                }
                let body = BytesMut::from(kept.body.clone());
                let parsed = blocking::run(move || decode_features(named, received(body, measuring))).await?;
                let collection = parsed.map_err(hide_token)?;
                kept.collections.push((measuring, collection.clone()));
                cache.put_in_memory(address, kept);
                Ok(collection)
            }
            Latest::New(response) => {
                check_is_json(request, &response).map_err(hide_token)?;
                let headers = response.headers.clone();
                let collection = match has_large_collection(&response) {
                    true => blocking::run(move || decode_features(named, response)).await?,
                    false => decode_features(named, response),
                };
                let collection = collection.map_err(hide_token)?;
                let body = collection.source().0.clone();
                if let Some(mut kept) = kept_response(&headers, body) {
                    kept.collections.push((measuring, collection.clone()));
                    cache.put(address, kept).await?;
                }
                Ok(collection)
            }
        }
    }

    /// The cache, and the address of a request in it. `None` for requests whose response is not kept.
    pub(super) fn cache_of(&self, request: &OutgoingRequest<'_>) -> Option<(&ResponseCache, String)> {
        let is_plain_read = request.is_read() && request.body.is_none() && request.headers.is_empty();
        let cache = self.cache().filter(|_| is_plain_read)?;
        Some((cache, address_of(request.endpoint)))
    }

    /// The body that was kept last, which may have changed at the service.
    pub async fn kept_body(&self, endpoint: &Endpoint) -> Result<Option<Bytes>> {
        let Some(cache) = self.cache() else { return Ok(None) };
        Ok(cache.get(&address_of(endpoint)).await?.map(|kept| kept.body))
    }

    async fn send_unless_kept(&self, request: &OutgoingRequest<'_>, kept: Option<KeptResponse>) -> Result<Latest> {
        let etag = kept.as_ref().and_then(|kept| HeaderValue::from_str(&kept.etag).ok());
        let (Some(kept), Some(etag)) = (kept, etag) else { return self.send(request).await.map(Latest::New) };
        let mut conditional = request.clone();
        conditional.headers.insert(IF_NONE_MATCH, etag);
        match self.send(&conditional).await {
            Err(Error::Api { status: NOT_MODIFIED, .. }) => Ok(Latest::Kept(kept)),
            response => response.map(Latest::New),
        }
    }
}

/// What a read found.
enum Latest {
    Kept(KeptResponse),
    New(ReceivedResponse),
}

fn address_of(endpoint: &Endpoint) -> String {
    let Endpoint { path, query, .. } = endpoint;
    match query {
        Some(query) => format!("{path}?{query}"),
        None => path.clone(),
    }
}

/// `None` without a tag, by which a later read could ask for what has changed.
fn kept_response(headers: &HeaderMap, body: Bytes) -> Option<KeptResponse> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(str::to_owned);
    Some(KeptResponse {
        etag: text(ETAG)?,
        content_type: text(CONTENT_TYPE).unwrap_or_default(),
        total: text(X_TOTAL_COUNT),
        body,
        collections: Vec::new(),
    })
}

impl From<KeptResponse> for ReceivedResponse {
    fn from(kept: KeptResponse) -> Self {
        let named = [(ETAG, Some(kept.etag)), (CONTENT_TYPE, Some(kept.content_type)), (X_TOTAL_COUNT, kept.total)];
        let headers = named.into_iter().filter_map(|(name, value)| Some((name, value?.parse().ok()?)));
        ReceivedResponse { headers: headers.collect(), body: kept.body.into(), diagrams: None }
    }
}

/// A whole body as if it had just arrived.
fn received(mut body: BytesMut, measuring: Option<Measuring>) -> ReceivedResponse {
    let diagrams = measuring.map(|measuring| {
        let mut diagrams = DiagramStream::new(body.len(), measuring);
        diagrams.feed(&mut body);
        diagrams
    });
    ReceivedResponse { headers: HeaderMap::new(), body, diagrams }
}
