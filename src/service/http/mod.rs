//! The wire: requests in, answers out.

mod auth;
mod drain_body;
mod error;
mod extract;
mod group_commit;
mod openapi;
mod paging;
mod respond;
mod response_cache;
mod routes;
mod state;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use utoipa_axum::router::OpenApiRouter;

use super::store::Store;
use error::ApiError;
use extract::MAX_BODY_BYTES;
use group_commit::GroupCommit;
use response_cache::ResponseCache;
use routes::{diagrams, layers, new_diagrams, projects, systems, tags, teams, thumbnails};
use state::Service;

pub use paging::Paging;

/// The path that every operation stands below.
pub const ROOT: &str = "/api/v1";

/// All operations below [`ROOT`], and the document that describes them. Cheap to clone.
#[derive(Clone)]
pub struct Operations(TowerToHyperService<Router>);

impl Operations {
    pub fn new(store: Store, paging: Paging) -> Self {
        Operations(TowerToHyperService::new(router(store, paging)))
    }

    /// What every answer needs is done here rather than in layers of the router, each of which would box every request and
    /// every response once more.
    pub async fn answer(self, request: Request<Incoming>) -> Response {
        let answer = async |request| {
            let Ok(response) = self.0.call(request).await;
            response
        };
        let mut response = drain_body::answer_then_drain(request, answer).await;
        let guards = GUARDS.map(|(name, value)| (name, HeaderValue::from_static(value)));
        response.headers_mut().extend(guards);
        response
    }
}

fn router(store: Store, paging: Paging) -> Router {
    let operations = OpenApiRouter::new()
        .merge(projects::routes())
        .merge(layers::routes())
        .merge(tags::routes())
        .merge(diagrams::routes())
        .merge(new_diagrams::routes())
        .merge(thumbnails::routes())
        .merge(systems::routes())
        .merge(teams::routes());
    let (router, document) =
        OpenApiRouter::with_openapi(openapi::description()).nest(ROOT, operations).split_for_parts();
    router
        .with_state(Service {
            commits: GroupCommit::new(store.clone()),
            all_diagrams: ResponseCache::new(store.clone()),
            store,
            paging,
        })
        .route(openapi::PATH, openapi::route(document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        // As one layer: three would box everything three times.
        .layer((
            CatchPanicLayer::custom(|_| ApiError::Panic.into_response()),
            CompressionLayer::new().quality(CompressionLevel::Fastest),
            DefaultBodyLimit::max(MAX_BODY_BYTES),
        ))
}

/// What every answer tells a browser: this is data of one user, to be shown by no page and kept by no cache.
const GUARDS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; sandbox"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Paths end in a slash; one that does not is sent there.
async fn no_such_path(request: Request) -> Response {
    let uri = request.uri();
    if !uri.path().starts_with(ROOT) || uri.path().ends_with('/') {
        return ApiError::NotFound("path").into_response();
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let slashed = format!("{}/{query}", uri.path());
    match *request.method() {
        Method::GET | Method::HEAD => {
            let mut response = Redirect::permanent(&slashed).into_response();
            *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
            response
        }
        // 308 keeps the method and the body.
        _ => Redirect::permanent(&slashed).into_response(),
    }
}
