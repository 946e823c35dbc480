//! Lists that arrive whole, cut, or page by page; what comes out is always everything.
//!
//! A service may answer a plain array that it silently cuts at the page size, an envelope with a `next` link, or no pages at
//! all. So the client asks for a large page, asks for a larger one when an array comes back exactly full, and follows
//! `next` within the origin of the API root.

use std::collections::HashSet;

use http::Method;
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::transport::{Transport, decode};
use super::{Error, Result};
use crate::model::operations::Endpoint;

const FIRST_PAGE_SIZE: usize = 1_000;
const MAX_PAGE_SIZE: usize = 100_000_000;

#[derive(Deserialize)]
#[serde(untagged, expecting = "an array, or an object with \"results\" and \"next\"")]
enum Page {
    Whole(Vec<serde_json::Value>),
    Part { results: Vec<serde_json::Value>, next: Option<String> },
}

impl Transport {
    /// Reads a list completely.
    pub async fn list<T: DeserializeOwned>(&self, endpoint: Endpoint) -> Result<Vec<T>> {
        let mut page_size = FIRST_PAGE_SIZE;
        loop {
            let first = endpoint.with_query(format!("page_size={page_size}"));
            let body = self.read(&first).await?;
            if body.trim_ascii_start().first() == Some(&b'{') {
                return self.follow(&endpoint, first, &body).await;
            }
            let items: Vec<T> = decode(&endpoint, &body)?;
            if items.len() != page_size || page_size >= MAX_PAGE_SIZE {
                return Ok(items);
            }
            page_size *= 10;
        }
    }

    /// Reads the pages that follow the first one.
    async fn follow<T: DeserializeOwned>(&self, endpoint: &Endpoint, first: Endpoint, body: &[u8]) -> Result<Vec<T>> {
        let mut page: Page = decode(endpoint, body)?;
        let mut seen = HashSet::from([first]);
        let mut all = Vec::new();
        loop {
            let next = match page {
                Page::Whole(items) => {
                    all.extend(items);
                    None
                }
                Page::Part { results, next } => {
                    all.extend(results);
                    next
                }
            };
            let Some(next) = next else { break };
            let next = self.linked(endpoint, &next)?;
            if !seen.insert(next.clone()) {
                return Err(unreadable(endpoint, "its pages lead in a circle"));
            }
            page = decode(endpoint, &self.read(&next).await?)?;
        }
        let all = serde_json::to_vec(&all).map_err(|problem| unreadable(endpoint, &problem.to_string()))?;
        decode(endpoint, &all)
    }

    /// Where a `next` link leads; an error where that is not below the API root.
    fn linked(&self, endpoint: &Endpoint, next: &str) -> Result<Endpoint> {
        let root = Url::parse(self.root()).map_err(|problem| unreadable(endpoint, &problem.to_string()))?;
        let here = root.join(&endpoint.path).map_err(|problem| unreadable(endpoint, &problem.to_string()))?;
        let next =
            here.join(next).map_err(|problem| unreadable(endpoint, &format!("its next page is no link: {problem}")))?;
        let path = next.path().strip_prefix(root.path()).filter(|_| next.origin() == root.origin());
        let path = path.ok_or_else(|| {
            unreadable(
                endpoint,
                &format!(
                    "its next page is at {}, not below {root}; the token does not go there",
                    next.origin().ascii_serialization()
                ),
            )
        })?;
        Ok(Endpoint { method: Method::GET, path: path.to_owned(), query: next.query().map(str::to_owned) })
    }
}

fn unreadable(endpoint: &Endpoint, problem: &str) -> Error {
    Error::Decode { request: endpoint.into(), problem: problem.to_owned() }
}
