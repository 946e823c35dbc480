//! Answers with the tags that the service gives them (`ETag`), and requests for what has another tag only.

use bytes::Bytes;
use reqwest::header::{ETAG, HeaderName, HeaderValue, IF_NONE_MATCH};

use super::request::OutgoingRequest;
use super::transport::Transport;
use crate::client::error::{Error, Result};
use crate::model::operations::Endpoint;

pub(super) const NOT_MODIFIED: u16 = 304;
pub(super) const X_TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// An answer, and its tag if the service gives it one.
#[derive(Debug, Clone)]
pub struct Tagged {
    pub content: Bytes,
    pub etag: Option<String>,
    /// How many items the whole list has of which this is a page (`X-Total-Count`).
    pub total: Option<usize>,
}

impl Transport {
    /// The bytes of a JSON resource, as the service sent them. `None`: the service says that the resource still has this tag.
    pub async fn read_if_changed(&self, endpoint: &Endpoint, etag: Option<&str>) -> Result<Option<Tagged>> {
        let mut request = OutgoingRequest::new(endpoint);
        let etag = etag.and_then(|etag| HeaderValue::from_str(etag).ok());
        let is_conditional = etag.is_some();
        request.headers.extend(etag.map(|etag| (IF_NONE_MATCH, etag)));
        let response = match is_conditional {
            true => self.send_for_json(&request).await,
            false => self.read_json(&request).await,
        };
        match response {
            Ok(response) => {
                let etag = response.headers.get(ETAG).and_then(|etag| etag.to_str().ok()).map(str::to_owned);
                let total = response.headers.get(X_TOTAL_COUNT).and_then(|total| total.to_str().ok()?.parse().ok());
                Ok(Some(Tagged { content: response.body.freeze(), etag, total }))
            }
            Err(Error::Api { status: NOT_MODIFIED, .. }) if is_conditional => Ok(None),
            Err(error) => Err(error),
        }
    }
}
