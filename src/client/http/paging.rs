//! Reads lists completely, however the service divides them into pages.
//!
//! A service may answer with a plain array, which it cuts at the page size without a notice; with an object that holds a page
//! and a `next` link; or with everything. So the client asks for a large page, asks for a larger one if an array has exactly
//! the length that it asked for, and follows `next` links below the API root.

use std::collections::HashSet;

use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::request::OutgoingRequest;
use super::transport::Transport;
use crate::client::cause::Cause;
use crate::client::error::{Error, Request, Result};

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
    pub async fn list<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>> {
        let mut page_size = FIRST_PAGE_SIZE;
        loop {
            let page_path = format!("{path}?page_size={page_size}");
            let body = self.read(&page_path).await?;
            if body.trim_ascii_start().first() == Some(&b'{') {
                return self.follow_pages(path, page_path, &body).await;
            }
            let items: Vec<T> = self.decode(named(path), &body)?;
            if items.len() != page_size || page_size >= MAX_PAGE_SIZE {
                return Ok(items);
            }
            page_size *= 10;
        }
    }

    /// Reads the pages after the first one, and decodes the items of all pages.
    async fn follow_pages<T: DeserializeOwned>(&self, path: &str, first_path: String, first: &[u8]) -> Result<Vec<T>> {
        let mut page: Page = self.decode(named(path), first)?;
        let mut seen = HashSet::from([first_path]);
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
            let next = self.path_of_next_page(path, &next).map_err(|error| self.hide_token(error))?;
            if !seen.insert(next.clone()) {
                return Err(unreadable(path, "its pages lead in a circle".to_owned(), None));
            }
            page = self.decode(named(path), &self.read(&next).await?)?;
        }
        // Decoded as one array, so that an error names the position in the whole list.
        let all = serde_json::to_vec(&all).map_err(|error| unreadable(path, error.to_string(), Some(error.into())))?;
        self.decode(named(path), &all)
    }

    /// A `next` link as a path below the API root. A link to any other place is an error: the token must not go there.
    fn path_of_next_page(&self, path: &str, next: &str) -> Result<String> {
        let invalid = |error| unreadable(path, format!("its next page is no link: {error}"), Some(Cause::from(error)));
        let root = Url::parse(self.root()).map_err(invalid)?;
        let next = root.join(path).and_then(|list| list.join(next)).map_err(invalid)?;
        let below_root = next.as_str().strip_prefix(root.as_str()).filter(|_| next.origin() == root.origin());
        below_root.map(str::to_owned).ok_or_else(|| {
            let origin = next.origin().ascii_serialization();
            unreadable(
                path,
                format!("its next page is at {origin}, not below {root}; the token does not go there"),
                None,
            )
        })
    }
}

fn named(path: &str) -> Request {
    OutgoingRequest::get(path).named()
}

fn unreadable(path: &str, problem: String, source: Option<Cause>) -> Error {
    Error::Decode { request: named(path), problem, source }
}
