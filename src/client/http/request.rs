//! A request before it is sent.

use bytes::Bytes;

use crate::client::error::Request;
use crate::features::Measuring;
use crate::model::operations::Endpoint;

/// Endpoint and body of a request.
#[derive(Clone)]
pub struct OutgoingRequest<'e> {
    pub endpoint: &'e Endpoint,
    /// JSON.
    pub body: Option<Bytes>,
    /// For a response with diagrams, which are read while the rest of the body arrives.
    pub diagrams: Option<Measuring>,
}

impl<'e> OutgoingRequest<'e> {
    pub fn new(endpoint: &'e Endpoint) -> Self {
        OutgoingRequest { endpoint, body: None, diagrams: None }
    }

    /// The request as errors name it.
    pub fn named(&self) -> Request {
        self.endpoint.into()
    }

    pub fn is_read(&self) -> bool {
        self.endpoint.method.is_safe()
    }
}
