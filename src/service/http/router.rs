//! The operations of a workshop as a router of axum.

use std::sync::{Arc, LazyLock};

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use tower::util::option_layer;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::cors::CorsLayer;

use super::error::ApiError;
use super::paging::Paging;
use super::resources::Resources;
use super::response::respond::Uncompressed;
use super::routes;
use super::state::AppState;
use crate::service::limits::Limits;
use crate::service::root::ROOT;
use crate::service::store::Store;

/// The operations without a network: the answers to requests of this process.
pub fn local_operations(store: Store, limits: Arc<Limits>) -> Router {
    router(AppState::new(store, Resources::new(limits, Paging::OnRequest), ""), None)
}

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

/// What the routers of all workshops have in common. Making it takes longer than opening a workshop.
static ROUTER: LazyLock<Router<AppState>> = LazyLock::new(|| {
    routes::all()
        .into_parts()
        .0
        .merge(routes::events())
        .route(&format!("{ROOT}/openapi.json"), get(document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
});

/// The document that describes the operations. It needs no token, so it is not compressed and its responses share its memory.
async fn document(State(state): State<AppState>) -> Response {
    const DOCUMENT: &str = include_str!("openapi.json");
    let document = match state.prefix() {
        "" => Bytes::from_static(DOCUMENT.as_bytes()),
        // The paths of a workshop begin with a prefix, which is a path of the same service.
        prefix => format!("{{\"servers\":[{{\"url\":\"{prefix}\"}}],{}", &DOCUMENT[1..]).into(),
    };
    (Extension(Uncompressed), [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], document)
        .into_response()
}

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
