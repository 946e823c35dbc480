//! The operations as a service of hyper.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::response::{IntoResponse, Redirect, Response};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tower::util::option_layer;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate};
use tower_http::cors::CorsLayer;

use super::cors::Cors;
use super::drawing_queue::DrawingQueue;
use super::error::{ApiError, Result};
use super::group_commit::GroupCommit;
use super::join::{JOIN, respond_join};
use super::metrics::{Gauges, Metrics, OpenConnection, respond_health};
use super::openapi::document;
use super::overload::Overload;
use super::paging::Paging;
use super::request::auth::token_in;
use super::request::drain_body;
use super::request::host::check_host;
use super::request::record::RequestRecord;
use super::response::respond::{IsLarge, Uncompressed};
use super::response::response_memory::ResponseMemory;
use super::routes;
use super::routing::ROOT;
use super::state::AppState;
use crate::service::limits::Limits;
use crate::service::peer::Peer;
use crate::service::rate_limiter::RateLimiter;
use crate::service::store::{ChangeFeed, Store};

/// For load balancers and monitoring, which know no project.
const HEALTH: &str = "/health/";
const METRICS: &str = "/metrics";

/// All operations below [`ROOT`], and the document that describes them. Cheap to clone.
#[derive(Clone)]
pub struct Operations(Arc<Inner>);

struct Inner {
    operations: TowerToHyperService<Router>,
    responses: Arc<ResponseMemory>,
    drawing: DrawingQueue,
    /// The requests of each token from other machines.
    requests: RateLimiter,
    limits: Arc<Limits>,
    store: Store,
    commits: GroupCommit,
    paging: Paging,
    metrics: Arc<Metrics>,
    cors: Option<CorsLayer>,
    resource_policy: &'static str,
}

impl Operations {
    pub fn new(store: Store, paging: Paging, cors: &Cors, limits: Arc<Limits>) -> Self {
        let state = AppState::new(store.clone(), paging, limits.clone());
        Operations(Arc::new(Inner {
            responses: state.responses().clone(),
            drawing: state.drawing().clone(),
            requests: RateLimiter::per_second(limits.requests_per_second),
            limits,
            store,
            commits: state.commits().clone(),
            paging,
            metrics: Arc::default(),
            operations: TowerToHyperService::new(router(state, cors.layer())),
            cors: cors.layer(),
            resource_policy: cors.resource_policy(),
        }))
    }

    /// Waits for what goes on after its request was dropped.
    pub async fn finish(&self) {
        self.0.drawing.finish().await;
    }

    /// Ends the streams of those who watch projects.
    pub fn end_streams(&self) {
        self.0.store.feed().into_iter().for_each(ChangeFeed::close);
    }

    /// Counts a connection as open until it is dropped.
    pub fn begin_connection(&self) -> OpenConnection {
        self.0.metrics.begin_connection()
    }

    /// What every answer needs is done here rather than in layers of the router: each layer would box every request and every
    /// response once more.
    pub async fn answer(self, mut request: Request<Incoming>, peer: Arc<Peer>) -> Response {
        let _active = peer.begin_request();
        request.extensions_mut().insert(peer.clone());
        let (started, method) = (Instant::now(), request.method().clone());
        let mut record = None;
        let answer = async |mut request: Request| match self.0.check(&request, &peer) {
            Ok(()) if request.uri().path() == HEALTH => respond_health(&self.0.store),
            Ok(()) if request.uri().path() == METRICS => self.0.respond_metrics(&request, &peer),
            Ok(()) if request.uri().path() == JOIN => respond_join(request.method()),
            Ok(()) => {
                record = Some(RequestRecord::begin(&mut request, self.0.paging));
                let Ok(response) = self.0.operations.call(request).await;
                self.0.keep(response, &peer).await
            }
            Err(error) => self.0.refuse(request, error).await,
        };
        let mut response = drain_body::answer_then_drain(request, answer).await;
        if peer.closes_next() {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        for (name, value) in SECURITY_HEADERS {
            // A page has a policy of its own.
            response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
        }
        let resource_policy = HeaderValue::from_static(self.0.resource_policy);
        response.headers_mut().insert(CROSS_ORIGIN_RESOURCE_POLICY, resource_policy);
        let status = response.status();
        record.iter().for_each(|record| record.finish(status, response.headers_mut()));
        let route = record.as_ref().and_then(|record| record.route());
        self.0.metrics.count(&method, route, status, started.elapsed());
        response
    }

    /// For how long this peer may read nothing of its response.
    pub fn max_stall(&self, peer: &Peer) -> Duration {
        self.0.responses.max_stall(peer)
    }
}

impl Inner {
    /// Refuses a request that no operation need look at.
    fn check(&self, request: &Request, peer: &Peer) -> Result<()> {
        check_host(request.version(), request.headers())?;
        if peer.closes_next() {
            let limit = self.limits.connections_per_user;
            return Err(Overload::of_sender("Too many connections", "connections_per_user", limit).into());
        }
        if let (false, Ok(token)) = (peer.is_local, token_in(request.headers())) {
            self.requests.count(&*token).map_err(|retry_after| {
                let limit = self.limits.requests_per_second;
                Overload::of_sender("Too many requests", "requests_per_second", limit).retry_after(retry_after)
            })?;
        }
        Ok(())
    }

    fn respond_metrics(&self, request: &Request, peer: &Peer) -> Response {
        let gauges = Gauges {
            watchers: self.store.feed().map_or(0, ChangeFeed::watchers),
            queued_writes: self.commits.queued(),
            database_bytes: self.store.file_bytes(),
        };
        self.metrics.respond(request.headers(), peer, &self.store, &gauges)
    }

    /// Answers with an error that programs in browsers can read as well.
    async fn refuse(&self, request: Request, error: ApiError) -> Response {
        let mut error = Some(error);
        let answer = service_fn(move |_: Request| {
            ready(Ok::<_, Infallible>(error.take().map(IntoResponse::into_response).unwrap_or_default()))
        });
        let Ok(response) = option_layer(self.cors.clone()).layer(answer).oneshot(request).await;
        response
    }

    /// Counts the memory that compressing a large response takes.
    async fn keep(&self, mut response: Response, peer: &Peer) -> Response {
        let is_large = response.extensions_mut().remove::<IsLarge>().is_some();
        peer.set_large_response(is_large);
        if !is_large || !response.headers().contains_key(header::CONTENT_ENCODING) {
            return response;
        }
        let (parts, body) = response.into_parts();
        match self.responses.keep_compressed(body, peer.user()).await {
            Ok(body) => Response::from_parts(parts, body),
            Err(error) => error.into_response(),
        }
    }
}

/// The operations without a network: the answers to requests of this process.
pub fn local_operations(store: Store, limits: Arc<Limits>) -> Router {
    router(AppState::new(store, Paging::OnRequest, limits), None)
}

fn router(state: AppState, cors: Option<CorsLayer>) -> Router {
    let (router, document) = routes::all().into_parts();
    let is_compressible =
        |_: StatusCode, _: Version, _: &HeaderMap, marks: &Extensions| marks.get::<Uncompressed>().is_none();
    let may_be_compressed = DefaultPredicate::new().and(is_compressible);
    router
        .merge(routes::events())
        .with_state(state)
        .route(&format!("{ROOT}/openapi.json"), document::route(&document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        // As one layer: three would box every request and every response three times.
        .layer((
            option_layer(cors),
            CatchPanicLayer::custom(|_| ApiError::Panic.into_response()),
            CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(may_be_compressed),
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
