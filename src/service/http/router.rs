//! The operations of a workshop as a router of axum.

use std::sync::LazyLock;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, Method, StatusCode, Version};
use axum::response::{IntoResponse, Redirect, Response};
use tower::util::option_layer;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::cors::CorsLayer;

use super::error::ApiError;
use super::openapi::document;
use super::response::respond::Uncompressed;
use super::routes;
use super::state::AppState;
use crate::service::root::ROOT;

/// All operations below [`ROOT`], and the document that describes them.
pub fn router(state: AppState, cors: Option<CorsLayer>) -> Router {
    let is_compressible =
        |_: StatusCode, _: Version, _: &HeaderMap, marks: &Extensions| marks.get::<Uncompressed>().is_none();
    let may_be_compressed = DefaultPredicate::new().and(is_compressible);
    ROUTER
        .clone()
        .with_state(state)
        // As one layer: three would box every request and every response three times.
        .layer((
            option_layer(cors),
            CatchPanicLayer::custom(|_| ApiError::Panic.into_response()),
            CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(may_be_compressed),
        ))
}

/// What the routers of all workshops have in common. Describing the operations takes longer than opening a workshop.
static ROUTER: LazyLock<Router<AppState>> = LazyLock::new(|| {
    let (router, document) = routes::all().into_parts();
    let document = Bytes::from(document.to_json().expect("the keys of all maps are texts"));
    router
        .merge(routes::events())
        .route(&format!("{ROOT}/openapi.json"), document::route(document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
});

/// Paths end in a slash. A request for a path without it is redirected to the path with it.
async fn no_such_path(State(state): State<AppState>, request: Request) -> Response {
    let uri = request.uri();
    if !uri.path().starts_with(ROOT) || uri.path().ends_with('/') {
        return ApiError::NotFound("path").into_response();
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let with_slash = format!("{}{}/{query}", state.prefix(), uri.path());
    match *request.method() {
        Method::GET | Method::HEAD => {
            let mut response = Redirect::permanent(&with_slash).into_response();
            *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
            response
        }
        // 308 keeps the method and the body.
        _ => Redirect::permanent(&with_slash).into_response(),
    }
}
