//! The axum router of a workshop.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, StatusCode, Version};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower::util::option_layer;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::cors::CorsLayer;

use super::error::ApiError;
use super::response::Uncompressed;
use super::router::{DOCUMENT_PATH, document_of, with_slash};
use super::state::AppState;
use super::{events, ogc, routes};

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

/// Routes shared by all workshops. Building them takes longer than opening a workshop.
static ROUTER: LazyLock<Router<AppState>> = LazyLock::new(|| {
    routes::all()
        .into_parts()
        .0
        .merge(events::router())
        .merge(routes::processes())
        .merge(ogc::router())
        .route(DOCUMENT_PATH, get(document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
});

async fn document(State(state): State<AppState>) -> Response {
    document_of(state.prefix())
}

/// Paths end in a slash. A request for a path without it is redirected to the path with it.
async fn no_such_path(State(state): State<AppState>, request: Request) -> Response {
    with_slash(state.prefix(), &request)
}
