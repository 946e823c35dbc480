//! What a request brings: ids in its path, a page of its query, a body.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::error::{ApiError, Result};
use super::paging::PageQuery;
use crate::blocking;

/// Bytes of a body, at most.
pub const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// How long a body may take.
const BODY_TIME: Duration = Duration::from_secs(120);
/// Bodies that arrive or are read at once share four times the largest. A small one takes nothing of it.
const BODY_UNIT: usize = 64 * 1024;
static BODY_ROOM: Semaphore = Semaphore::const_new(4 * MAX_BODY_BYTES / BODY_UNIT);
/// Bodies from here on are read on a thread that may take its time.
const LARGE_BODY: usize = 64 * 1024;

/// The ids in a path. One that cannot be an id is of nothing that exists.
pub struct PathIds<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathIds<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(ids)| PathIds(ids)).map_err(|_| ApiError::NotFound("resource"))
    }
}

/// The page of a list that a request asks for.
pub struct PageParams {
    pub query: PageQuery,
    pub uri: Uri,
}

impl<S: Send + Sync> FromRequestParts<S> for PageParams {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(query) = Query::from_request_parts(parts, state)
            .await
            .map_err(|_| ApiError::invalid("page_size and page are whole numbers from 1"))?;
        let original = parts.extensions.get::<axum::extract::OriginalUri>();
        let uri = original.map_or_else(|| parts.uri.clone(), |original| original.0.clone());
        Ok(PageParams { query, uri })
    }
}

/// What a request sends; an error names the field that it is about.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        // What is not announced may be as large as any.
        let announced = announced_length(request.headers()).unwrap_or(MAX_BODY_BYTES);
        if announced > MAX_BODY_BYTES {
            return Err(ApiError::TooLarge);
        }
        // Never closed.
        let _room = BODY_ROOM.acquire_many((announced / BODY_UNIT) as u32).await;
        let arriving = tokio::time::timeout(BODY_TIME, Bytes::from_request(request, state)).await;
        let body = arriving.map_err(|_| ApiError::TooSlow)?.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => ApiError::TooLarge,
            _ => ApiError::invalid("The body did not arrive whole."),
        })?;
        match body.len() < LARGE_BODY {
            true => decode(&body),
            false => blocking::run(move || decode(&body)).await?,
        }
    }
}

/// Bytes that a body says it has.
pub fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<JsonBody<T>> {
    crate::json::decode(body).map(JsonBody).map_err(|error| {
        ApiError::Invalid(format!("{}: {}", error.path.as_deref().unwrap_or("The body"), error.source))
    })
}
