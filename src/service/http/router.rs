//! The operations as a service of hyper.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tower::util::option_layer;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::CorsLayer;

use super::cors::Cors;
use super::error::ApiError;
use super::openapi::document;
use super::paging::Paging;
use super::request::drain_body;
use super::request::extract::MAX_BODY_BYTES;
use super::routes;
use super::routing::ROOT;
use super::state::AppState;
use crate::service::limits::Limits;
use crate::service::store::Store;

/// All operations below [`ROOT`], and the document that describes them. Cheap to clone.
#[derive(Clone)]
pub struct Operations {
    operations: TowerToHyperService<Router>,
    resource_policy: &'static str,
}

impl Operations {
    pub fn new(store: Store, paging: Paging, cors: &Cors, limits: Arc<Limits>) -> Self {
        let operations = TowerToHyperService::new(router(AppState::new(store, paging, limits), cors.layer()));
        Operations { operations, resource_policy: cors.resource_policy() }
    }

    /// What every answer needs is done here rather than in layers of the router: each layer would box every request and every
    /// response once more.
    pub async fn answer(self, request: Request<Incoming>) -> Response {
        let answer = async |request| {
            let Ok(response) = self.operations.call(request).await;
            response
        };
        let mut response = drain_body::answer_then_drain(request, answer).await;
        let headers = SECURITY_HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value)));
        response.headers_mut().extend(headers);
        let resource_policy = HeaderValue::from_static(self.resource_policy);
        response.headers_mut().insert(CROSS_ORIGIN_RESOURCE_POLICY, resource_policy);
        response
    }
}

fn router(state: AppState, cors: Option<CorsLayer>) -> Router {
    let (router, document) = routes::all().into_parts();
    router
        .with_state(state)
        .route(&format!("{ROOT}/openapi.json"), document::route(document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        // As one layer: four would box every request and every response four times.
        .layer((
            option_layer(cors),
            CatchPanicLayer::custom(|_| ApiError::Panic.into_response()),
            CompressionLayer::new().quality(CompressionLevel::Fastest),
            DefaultBodyLimit::max(MAX_BODY_BYTES),
        ))
}

/// Every answer holds data of one user: no other page may show it in a frame or guess its type, and no cache may keep it.
/// [`Cors`] decides which pages may read it.
const SECURITY_HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; sandbox"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Paths end in a slash. A request for a path without it is redirected to the path with it.
async fn no_such_path(request: Request) -> Response {
    let uri = request.uri();
    if !uri.path().starts_with(ROOT) || uri.path().ends_with('/') {
        return ApiError::NotFound("path").into_response();
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let with_slash = format!("{}/{query}", uri.path());
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
