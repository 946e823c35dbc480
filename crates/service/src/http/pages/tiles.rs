//! The tiles of the basemap, which need no token.

use std::sync::{Arc, Once};

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use super::files::etag_of;
use crate::basemap::{Basemap, Found};
use crate::byte_budget::ByteBudget;
use crate::http::error::{ApiError, Overload, Result};
use crate::http::request::conditional::has_etag;
use crate::http::response::memory::{PATIENCE, leased_bytes};
use crate::limits::Limits;

/// Tiles are the same for all clients. One hour, because a restarted service may have another file.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=3600");

pub struct Tiles {
    pub basemap: Arc<Basemap>,
    /// Memory for unsent tiles: slow readers take none from members who draw.
    unsent: ByteBudget,
    limit: u64,
    has_failed: Once,
}

impl Tiles {
    pub fn new(basemap: Arc<Basemap>, limits: &Limits) -> Self {
        let limit = limits.basemap_bytes;
        Tiles { basemap, unsent: ByteBudget::new(limit, limit), limit, has_failed: Once::new() }
    }

    /// Answers a request for `ZOOM/COLUMN/ROW`, counted from the north-west.
    pub async fn answer(&self, place: &str, method: &Method, request: &HeaderMap) -> Response {
        if !matches!(*method, Method::GET | Method::HEAD) {
            return ApiError::MethodNotAllowed.into_response();
        }
        self.respond(place, request).await.unwrap_or_else(IntoResponse::into_response)
    }

    async fn respond(&self, place: &str, request: &HeaderMap) -> Result<Response> {
        let place = place_of(place).ok_or(ApiError::NotFound("path"))?;
        let overload = || Overload::of_service("Too many tiles wait to be sent", "basemap_bytes", self.limit);
        // Kept until there is memory for the tile, so that only a few wait for it.
        let turn = timeout(PATIENCE, self.basemap.turn()).await.ok().flatten().ok_or_else(overload)?;
        let (found, _turn) = self.basemap.tile(turn, place).await.map_err(|error| {
            self.has_failed.call_once(|| tracing::error!("{error}; later tile failures are not logged"));
            Arc::new(error)
        })?;
        let tile = match found {
            Found::Tile(tile) => tile,
            // An error would be written to the console of the browser for each tile beyond the edge of the map.
            Found::Nothing => {
                return Ok((StatusCode::NO_CONTENT, [(header::CACHE_CONTROL, CACHE_CONTROL)]).into_response());
            }
            Found::Unfit => {
                return Err(ApiError::NotFound("tile: browsers cannot show what the basemap has there"));
            }
        };
        let etag = etag_of(&tile.bytes);
        let mut response = if etag.to_str().is_ok_and(|etag| has_etag(request, etag)) {
            ApiError::NotModified.into_response()
        } else {
            let mut lease = self.unsent.empty_lease(None);
            lease.grow_to(tile.bytes.len(), PATIENCE).await.map_err(|_| overload())?;
            let body = leased_bytes(Bytes::from(tile.bytes), lease);
            ([(header::CONTENT_TYPE, HeaderValue::from_static(tile.content_type))], body).into_response()
        };
        if tile.is_gzip && response.status().is_success() {
            response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response.headers_mut().insert(header::ETAG, etag);
        response.headers_mut().insert(header::CACHE_CONTROL, CACHE_CONTROL);
        Ok(response)
    }
}

/// Reads three numbers, each in its only valid form, so that a cache has a tile once.
fn place_of(place: &str) -> Option<[u32; 3]> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| number.to_string() == text);
    let numbers: Vec<u32> = place.splitn(4, '/').map(number).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_three_numbers() {
        assert_eq!(place_of("12/1203/1539"), Some([12, 1203, 1539]));
        for place in
            ["", "1/2", "1/2/3/4", "1/2/3/", "+1/2/3", "01/2/3", "1/2/-3", "1/2/3.png", "1/2/4294967296", "a/b/c"]
        {
            assert_eq!(place_of(place), None, "{place}");
        }
    }
}
