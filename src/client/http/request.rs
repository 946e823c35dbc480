//! A request before it is sent.

use bytes::Bytes;
use reqwest::header::HeaderMap;

use crate::client::error::Request;
use crate::features::Measuring;
use crate::model::operations::Endpoint;

/// Endpoint, headers and body of a request.
#[derive(Clone)]
pub struct OutgoingRequest<'e> {
    pub endpoint: &'e Endpoint,
    /// In addition to those of every request; of the same name, these count.
    pub headers: HeaderMap,
    /// JSON.
    pub body: Option<Bytes>,
    /// For a response with diagrams, which are read while the rest of the body arrives.
    pub diagrams: Option<Measuring>,
}

impl<'e> OutgoingRequest<'e> {
    pub fn new(endpoint: &'e Endpoint) -> Self {
        OutgoingRequest { endpoint, headers: HeaderMap::new(), body: None, diagrams: None }
    }

    /// The request as errors name it.
    pub fn named(&self) -> Request {
        self.endpoint.into()
    }

    pub fn is_read(&self) -> bool {
        self.endpoint.method.is_safe()
    }
}
