//! Watching a project. It is no operation of the table: its answer has no end, and programs that call every operation of the
//! OpenAPI document would wait for it.

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRef, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use crate::service::http::error::Result;
use crate::service::http::event_stream::EventStream;
use crate::service::http::request::auth::Member;
use crate::service::http::response::respond::Uncompressed;
use crate::service::http::state::AppState;
use crate::service::root::ROOT;
use crate::service::store::Store;

pub fn router() -> Router<AppState> {
    Router::new().route(&format!("{ROOT}/projects/{{projectid}}/events/"), get(events))
}

/// For programs that cannot set a header.
#[derive(Deserialize)]
struct Resume {
    last_event_id: Option<String>,
}

async fn events(
    member: Member,
    State(state): State<AppState>,
    query: std::result::Result<Query<Resume>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response> {
    let in_header = headers.get(LAST_EVENT_ID).map(|id| id.to_str().unwrap_or_default());
    let in_query = query.as_ref().ok().and_then(|Query(query)| query.last_event_id.as_deref());
    let last_event = in_header.or(in_query).filter(|id| !id.is_empty());
    let events = EventStream::open(Store::from_ref(&state), member.of_a_stream(), state.limits(), last_event)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        // Has nginx pass each event on at once.
        (X_ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ];
    let mut response = (headers, Body::new(events)).into_response();
    response.extensions_mut().insert(Uncompressed);
    Ok(response)
}

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
