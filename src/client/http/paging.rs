//! Reads lists completely, however the service divides them into pages.
//!
//! A service may answer with a plain array, which it cuts at the page size without a notice; with an object that holds a page
//! and a `next` link; or with everything. So the client asks for a large page, asks for a larger one if an array has exactly
//! the length that it asked for, and follows `next` links below the API root.

use std::collections::HashSet;

use http::Method;
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::transport::Transport;
use crate::client::cause::Cause;
use crate::client::error::{Error, Result};
use crate::model::operations::Endpoint;

const FIRST_PAGE_SIZE: usize = 1_000;
const MAX_PAGE_SIZE: usize = 100_000_000;

#[derive(Deserialize)]
#[serde(untagged, expecting = "an array, or an object with \"results\" and \"next\"")]
enum Page {
    Array(Vec<serde_json::Value>),
    Envelope { results: Vec<serde_json::Value>, next: Option<String> },
}

impl Transport {
    /// Reads all pages of a list.
    pub async fn list<T: DeserializeOwned>(&self, endpoint: Endpoint) -> Result<Vec<T>> {
        let mut page_size = FIRST_PAGE_SIZE;
        loop {
            let first = endpoint.with_query(format!("page_size={page_size}"));
            let body = self.read(&first).await?;
            if body.trim_ascii_start().first() == Some(&b'{') {
                return self.follow_pages(&endpoint, first, &body).await;
            }
            let items: Vec<T> = self.decode((&endpoint).into(), &body)?;
            if items.len() != page_size || page_size >= MAX_PAGE_SIZE {
                return Ok(items);
            }
            page_size *= 10;
        }
    }

    /// Reads the pages after the first one, and decodes the items of all pages.
    async fn follow_pages<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        first: Endpoint,
        body: &[u8],
    ) -> Result<Vec<T>> {
        let mut page: Page = self.decode(endpoint.into(), body)?;
        let mut seen = HashSet::from([first]);
        let mut all = Vec::new();
        loop {
            let next = match page {
                Page::Array(items) => {
                    all.extend(items);
                    None
                }
                Page::Envelope { results, next } => {
                    all.extend(results);
                    next
                }
            };
            let Some(next) = next else { break };
            let next = self.next_page(endpoint, &next).map_err(|error| self.hide_token(error))?;
            if !seen.insert(next.clone()) {
                return Err(unreadable(endpoint, "its pages lead in a circle".to_owned(), None));
            }
            page = self.decode(endpoint.into(), &self.read(&next).await?)?;
        }
        // Decoded as one array, so that an error names the position in the whole list.
        let all =
            serde_json::to_vec(&all).map_err(|error| unreadable(endpoint, error.to_string(), Some(error.into())))?;
        self.decode(endpoint.into(), &all)
    }

    /// A `next` link as an endpoint below the API root. A link to any other place is an error: the token must not go there.
    fn next_page(&self, endpoint: &Endpoint, next: &str) -> Result<Endpoint> {
        let invalid =
            |error| unreadable(endpoint, format!("its next page is no link: {error}"), Some(Cause::from(error)));
        let root = Url::parse(self.root()).map_err(invalid)?;
        let next = root.join(&endpoint.path).and_then(|list| list.join(next)).map_err(invalid)?;
        let path = next.path().strip_prefix(root.path()).filter(|_| next.origin() == root.origin());
        let path = path.ok_or_else(|| {
            let origin = next.origin().ascii_serialization();
            unreadable(
                endpoint,
                format!("its next page is at {origin}, not below {root}; the token does not go there"),
                None,
            )
        })?;
        Ok(Endpoint { method: Method::GET, path: path.to_owned(), query: next.query().map(str::to_owned) })
    }
}

fn unreadable(endpoint: &Endpoint, problem: String, source: Option<Cause>) -> Error {
    Error::Decode { request: endpoint.into(), problem, source }
}
