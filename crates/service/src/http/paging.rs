//! Dividing lists into pages.

use axum::http::Uri;
use serde::{Deserialize, Serialize};

use super::error::ApiError;
pub use geodesign::model::operations::DEFAULT_PAGE_SIZE;

pub const MAX_PAGE_SIZE: usize = 100_000_000;

/// The form in which a service sends lists. Deployments differ in this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Paging {
    /// One page of the list, as an array.
    #[default]
    Plain,
    /// One page of the list, as `{"count", "next", "previous", "results"}`.
    Enveloped,
    /// The complete list, as an array. A request that has `page` or `page_size` gets that page: programs written for the public
    /// platform send neither, and read what they get as the complete list.
    OnRequest,
}

/// The page that a request asks for.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct PageQuery {
    /// Number of items per page.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 100_000_000, default = 10))]
    page_size: Option<usize>,
    /// Number of the page, from 1.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 100_000_000, example = 1))]
    page: Option<usize>,
}

/// The body of a response with a list.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Page<T> {
    Array(Vec<T>),
    Envelope { count: usize, next: Option<String>, previous: Option<String>, results: Vec<T> },
}

/// A list's length and next page, for the headers of a response.
#[derive(Debug, Clone)]
pub struct ListLength {
    /// Number of items in the complete list.
    pub count: usize,
    /// The path and query of the next page, unless this is the last one.
    pub next: Option<String>,
}

/// A list's path with its query, without the parameters of pages, which can then be added.
pub fn list_address(uri: &Uri) -> String {
    let is_of_page = |part: &&str| matches!(part.split('=').next(), Some("page" | "page_size" | ""));
    let kept = uri.query().unwrap_or_default().split('&').filter(|part| !is_of_page(part));
    let kept: String = kept.map(|part| format!("{part}&")).collect();
    format!("{}?{kept}", uri.path())
}

impl Paging {
    /// Returns the requested page of a list. A page after the last one is not found. `list` is the [`list_address`].
    pub fn page<T>(self, items: Vec<T>, query: PageQuery, list: &str) -> Result<(Page<T>, ListLength), ApiError> {
        let count = items.len();
        if self == Paging::OnRequest && query.page_size.is_none() && query.page.is_none() {
            return Ok((Page::Array(items), ListLength { count, next: None }));
        }
        let size = query.page_size.unwrap_or(DEFAULT_PAGE_SIZE);
        let number = query.page.unwrap_or(1);
        if !(1..=MAX_PAGE_SIZE).contains(&size) || !(1..=MAX_PAGE_SIZE).contains(&number) {
            return Err(ApiError::invalid("page_size and page must be whole numbers from 1 to 100000000"));
        }
        let start = (number - 1).saturating_mul(size);
        if number > 1 && start >= count {
            return Err(ApiError::NotFound("page"));
        }
        let results: Vec<T> = items.into_iter().skip(start).take(size).collect();
        let link = |number: usize| format!("{list}page={number}&page_size={size}");
        let next = (start.saturating_add(size) < count).then(|| link(number + 1));
        let length = ListLength { count, next: next.clone() };
        let page = match self {
            Paging::Plain | Paging::OnRequest => Page::Array(results),
            Paging::Enveloped => {
                let previous = (number > 1).then(|| link(number - 1));
                Page::Envelope { count, next, previous, results }
            }
        };
        Ok((page, length))
    }
}
