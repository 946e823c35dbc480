//! Responses of a service, for one workshop or a folder of them.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Version, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use tower::util::option_layer;
use tower::{Layer, ServiceExt, service_fn};
use tower_http::cors::CorsLayer;

use super::authority::respond_ca_pem;
use super::cors::Cors;
use super::error::{ApiError, Overload, Result};
use super::gate::Pass;
use super::metrics::{Gauges, METRICS, Metrics, OpenConnection, check_reader};
use super::pages::{Pages, with_slash};
use super::request::bodies::answer_then_drain;
use super::request::conditional::ConditionalRequest;
use super::request::id::RequestId;
use super::state::Resources;
use super::workshop::Workshop;
use super::workshops::{Target, Workshops, answer_unopened, has_token};
use crate::peer::Peer;
use crate::store::Store;
use geodesign::model::CA_PEM;

/// Answers all requests of a service. Cheap to clone.
#[derive(Clone)]
pub struct Frontend(Arc<Inner>);

struct Inner {
    served: Served,
    resources: Resources,
    metrics: Arc<Metrics>,
    cors: Cors,
    cors_layer: Option<CorsLayer>,
}

/// The workshops behind a service's paths.
enum Served {
    /// The operations of one workshop.
    Workshop(Workshop),
    /// The operations of many workshops, each below `/w/NAME`.
    Folder(Workshops),
}

impl Frontend {
    /// Serves one workshop.
    pub fn of_workshop(store: Store, cors: &Cors, resources: Resources) -> Self {
        let workshop = Workshop::new(store, resources.clone(), cors.layer(), "");
        Frontend::new(Served::Workshop(workshop), cors, resources)
    }

    /// Serves the workshops of a folder.
    pub fn of_folder(workshops: Workshops, cors: &Cors) -> Self {
        let resources = workshops.resources().clone();
        Frontend::new(Served::Folder(workshops), cors, resources)
    }

    fn new(served: Served, cors: &Cors, resources: Resources) -> Self {
        Frontend(Arc::new(Inner {
            served,
            resources,
            metrics: Arc::default(),
            cors: cors.clone(),
            cors_layer: cors.layer(),
        }))
    }

    /// Ends all queries.
    pub fn interrupt(&self) {
        match &self.0.served {
            Served::Workshop(workshop) => workshop.store().interrupt(),
            Served::Folder(workshops) => workshops.interrupt(),
        }
    }

    /// Ends all streams of changes.
    pub fn end_streams(&self) {
        match &self.0.served {
            Served::Workshop(workshop) => workshop.end_streams(),
            Served::Folder(workshops) => workshops.end_streams(),
        }
    }

    /// Counts a connection as open until it is dropped.
    pub fn begin_connection(&self) -> OpenConnection {
        self.0.metrics.begin_connection()
    }

    /// Answers a request. Work for every response is done here rather than in layers of the router: each layer would box every request
    /// and every response once more.
    pub async fn answer(self, mut request: Request<Incoming>, peer: Arc<Peer>) -> Response {
        let _active = peer.begin_request();
        request.extensions_mut().insert(peer.clone());
        let id = RequestId::of_request(request.headers());
        let (started, method) = (Instant::now(), request.method().clone());
        let mut conditional = None;
        let answer = async |request: Request| match self.0.check(&request) {
            Ok(()) => {
                let response;
                (response, conditional) = self.0.respond(request, &peer).await;
                response
            }
            Err(error) => self.0.refuse(request, error).await,
        };
        let pass = Pass::new(self.0.resources.gate.clone(), peer.network);
        let mut response = id.while_answering(pass.scope(answer_then_drain(request, answer))).await;
        for (name, value) in SECURITY_HEADERS {
            // Pages have their own policy.
            response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
        }
        let resource_policy = HeaderValue::from_static(self.0.cors.resource_policy());
        response.headers_mut().insert(CROSS_ORIGIN_RESOURCE_POLICY, resource_policy);
        id.add_to(response.headers_mut());
        let status = response.status();
        conditional.iter().for_each(|conditional| conditional.finish(status, response.headers_mut()));
        let route = conditional.as_ref().and_then(|conditional| conditional.route());
        self.0.metrics.count(&method, route, status, started.elapsed());
        response
    }

    /// The response for a connection beyond the limit.
    pub fn too_many_connections(&self, request: &HeaderMap) -> Response {
        let limit = self.0.resources.limits.connections;
        let mut response =
            ApiError::from(Overload::of_service("Too many connections", "connections", limit)).into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        RequestId::of_request(request).add_to(response.headers_mut());
        response
    }

    /// Time for which this peer may leave its response unread.
    pub fn max_stall(&self, peer: &Peer) -> Duration {
        self.0.resources.memory.max_stall(peer)
    }
}

impl Inner {
    /// Refuses requests that no operation needs to see.
    fn check(&self, request: &Request) -> Result<()> {
        let (uri, headers) = (request.uri(), request.headers());
        check_host(request.version(), headers)?;
        self.resources.own_names.check_host(uri, headers)?;
        self.resources.own_names.check_origin(request.method(), uri, headers, &self.cors)?;
        Ok(())
    }

    async fn respond(&self, mut request: Request, peer: &Peer) -> (Response, Option<Arc<ConditionalRequest>>) {
        match &self.served {
            _ if request.uri().path() == METRICS => (self.respond_metrics(&request, peer).into_response(), None),
            _ if request.uri().path() == CA_PEM => {
                let authority = self.resources.authority.as_ref();
                let answer = async |request: Request| respond_ca_pem(request.method(), authority);
                (self.with_cors(request, answer).await, None)
            }
            Served::Workshop(workshop) => match self.page(request.uri().path()) {
                Some(pages) => (pages.answer(request).await, None),
                None => workshop.answer(request, peer).await,
            },
            Served::Folder(workshops) => {
                let path = Workshops::path_within(request.uri());
                let pages = path.and_then(|path| self.page(path));
                let opens = pages.is_none() && path.is_some_and(|path| has_token(path, &request));
                match workshops.find(request.uri(), opens).await {
                    Ok(Target::Workshop(in_use, within)) => {
                        *request.uri_mut() = within;
                        match pages {
                            Some(pages) => (pages.answer(request).await, None),
                            None => in_use.workshop.answer(request, peer).await,
                        }
                    }
                    Ok(Target::Unopened(name, within)) => {
                        *request.uri_mut() = within;
                        let answer = async |request: Request| match pages {
                            Some(pages) => pages.answer(request).await,
                            None => answer_unopened(&name, request).await,
                        };
                        (self.with_cors(request, answer).await, None)
                    }
                    Ok(target) => {
                        let path = request.uri().path();
                        let everywhere = self.page(path).filter(|_| Pages::are_everywhere(path));
                        let redirects = self.resources.pages.is_some() && matches!(target, Target::WithoutSlash);
                        let answer = async |request: Request| match everywhere {
                            Some(pages) => pages.answer(request).await,
                            None if redirects => with_slash(request.uri()),
                            None => workshops.answer(request).await,
                        };
                        (self.with_cors(request, answer).await, None)
                    }
                    Err(error) => (self.refuse(request, error).await, None),
                }
            }
        }
    }

    /// Returns the pages if this path within a workshop belongs to them.
    fn page(&self, path: &str) -> Option<&Pages> {
        self.resources.pages.as_deref().filter(|_| Pages::have(path))
    }

    fn respond_metrics(&self, request: &Request, peer: &Peer) -> Result<Response> {
        let gauges = match &self.served {
            Served::Workshop(workshop) => {
                check_reader(request.headers(), peer, |token| {
                    workshop.store().read(|read| {
                        let user = read.user_of_token(token)?;
                        user.map(|user| read.is_operator(user)).transpose()
                    })
                })?;
                Gauges {
                    watchers: workshop.watchers(),
                    queued_writes: workshop.queued_writes(),
                    database_bytes: workshop.store().file_bytes(),
                    open_workshops: None,
                }
            }
            Served::Folder(workshops) => {
                check_reader(request.headers(), peer, |token| Ok(workshops.is_operator(token)))?;
                workshops.gauges()
            }
        };
        Ok(self.metrics.respond(&gauges))
    }

    /// Answers with an error that scripts in browsers can read, too.
    async fn refuse(&self, request: Request, error: ApiError) -> Response {
        self.with_cors(request, async |_| error.into_response()).await
    }

    /// Answers with the headers that scripts in browsers need to read the response.
    async fn with_cors(&self, request: Request, answer: impl AsyncFnOnce(Request) -> Response) -> Response {
        let mut answer = Some(answer);
        let answer = service_fn(move |request: Request| {
            let answer = answer.take();
            async move {
                match answer {
                    Some(answer) => Ok::<_, Infallible>(answer(request).await),
                    None => Ok(ApiError::Panic.into_response()),
                }
            }
        });
        let Ok(response) = option_layer(self.cors_layer.clone()).layer(answer).oneshot(request).await;
        response
    }
}

/// Every response holds data of one user: no other page may show it in a frame or guess its type, and no cache may keep it.
/// [`Cors`] decides which pages may read it.
const SECURITY_HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; sandbox"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Refuses a request that names no host or several (RFC 9112, 3.2): a proxy and the service could each take a different one.
pub fn check_host(version: Version, headers: &HeaderMap) -> Result<()> {
    match headers.get_all(header::HOST).iter().count() {
        1 => Ok(()),
        // HTTP/2 names it in `:authority`.
        0 if version != Version::HTTP_11 => Ok(()),
        0 => Err(ApiError::invalid("The Host header is missing.")),
        _ => Err(ApiError::invalid("The request has more than one Host header.")),
    }
}
