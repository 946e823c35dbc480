//! The page of a list that a request asks for.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, Query};
use axum::http::Uri;
use axum::http::request::Parts;

use crate::http::error::{ApiError, Result};
use crate::http::paging::PageQuery;

/// The page of a list that a request asks for.
pub struct PageParams {
    /// An error is reported to members only, once access is granted.
    pub query: Result<PageQuery>,
    pub uri: Uri,
}

impl<S: Send + Sync> FromRequestParts<S> for PageParams {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> std::result::Result<Self, Infallible> {
        let query = Query::from_request_parts(parts, state).await.map(|Query(query)| query);
        let query = query.map_err(|_| ApiError::invalid("page_size and page must be whole numbers, 1 or more"));
        Ok(PageParams { query, uri: parts.uri.clone() })
    }
}
