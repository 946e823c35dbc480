//! Lists that arrive whole, cut, or page by page; what comes out is always everything.
//!
//! A service may answer a plain array that it silently cuts at the page size, an envelope with a `next` link, or no pages at
//! all. So the client asks for a large page, asks for a larger one when an array comes back exactly full, and follows
//! `next` within the origin of the API root.

use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::transport::{Transport, decode};
use super::{Error, Request, Result};

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
    pub async fn list<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>> {
        let mut page_size = FIRST_PAGE_SIZE;
        loop {
            let asked = format!("{path}?page_size={page_size}");
            let body = self.read(&asked).await?;
            if body.trim_ascii_start().first() == Some(&b'{') {
                return self.follow(path, &asked, &body).await;
            }
            let items: Vec<T> = decode(path, &body)?;
            if items.len() != page_size || page_size >= MAX_PAGE_SIZE {
                return Ok(items);
            }
            page_size *= 10;
        }
    }

    async fn follow<T: DeserializeOwned>(&self, path: &str, first: &str, body: &[u8]) -> Result<Vec<T>> {
        let mut page: Page = decode(path, body)?;
        let mut seen = std::collections::HashSet::from([first.to_owned()]);
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
            let next = self.below_root(path, &next)?;
            if !seen.insert(next.clone()) {
                return Err(unreadable(path, "its pages lead in a circle"));
            }
            page = decode(path, &self.read(&next).await?)?;
        }
        let all = serde_json::to_vec(&all).map_err(|problem| unreadable(path, &problem.to_string()))?;
        decode(path, &all)
    }

    /// A `next` link as a path below the API root; an error where it leads away.
    fn below_root(&self, path: &str, next: &str) -> Result<String> {
        let root = Url::parse(self.root()).map_err(|problem| unreadable(path, &problem.to_string()))?;
        let here = root.join(path).map_err(|problem| unreadable(path, &problem.to_string()))?;
        let next =
            here.join(next).map_err(|problem| unreadable(path, &format!("its next page is no link: {problem}")))?;
        let below = next.as_str().strip_prefix(root.as_str()).filter(|_| next.origin() == root.origin());
        below.map(str::to_owned).ok_or_else(|| {
            unreadable(
                path,
                &format!(
                    "its next page is at {}, not below {root}; the token does not go there",
                    next.origin().ascii_serialization()
                ),
            )
        })
    }
}

fn unreadable(path: &str, problem: &str) -> Error {
    Error::Decode { request: Request { method: "GET", path: format!("/{path}") }, problem: problem.to_owned() }
}
