//! A request before it is sent.

use bytes::Bytes;
use reqwest::Method;

use crate::client::error::Request;
use crate::features::Measuring;

/// Method, path and body of a request.
#[derive(Clone)]
pub struct OutgoingRequest<'p> {
    pub method: Method,
    /// The path below the API root, with its query.
    pub path: &'p str,
    /// JSON.
    pub body: Option<Bytes>,
    /// For a response with diagrams, which are read while the rest of the body arrives.
    pub diagrams: Option<Measuring>,
}

impl<'p> OutgoingRequest<'p> {
    pub fn get(path: &'p str) -> Self {
        OutgoingRequest { method: Method::GET, path, body: None, diagrams: None }
    }

    pub fn post(path: &'p str, body: Bytes) -> Self {
        OutgoingRequest { method: Method::POST, body: Some(body), ..OutgoingRequest::get(path) }
    }

    pub fn delete(path: &'p str) -> Self {
        OutgoingRequest { method: Method::DELETE, ..OutgoingRequest::get(path) }
    }

    /// The request as errors name it.
    pub fn named(&self) -> Request {
        let path = self.path.split_once('?').map_or(self.path, |(path, _)| path);
        let method = match self.method {
            Method::POST => "POST",
            Method::DELETE => "DELETE",
            _ => "GET",
        };
        Request { method, path: format!("/{path}") }
    }

    pub fn is_read(&self) -> bool {
        self.method == Method::GET
    }
}
