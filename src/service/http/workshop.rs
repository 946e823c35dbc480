//! A workshop as a service of hyper: the operations over one database, and the page that the QR code on a member's card opens: it
//! shows name, address and token, and how to go on.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use base64::prelude::{BASE64_STANDARD, Engine};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tower_http::cors::CorsLayer;

use super::error::ApiError;
use super::group_commit::GroupCommit;
use super::metrics::{HEALTH, respond_health};
use super::request::conditional::ConditionalRequest;
use super::response::IsLarge;
use super::router::router;
use super::state::{AppState, Resources};
use crate::digest::sha256;
use crate::html::STYLE;
use crate::model::JOIN;
use crate::service::peer::Peer;
use crate::service::store::{ChangeFeed, Store};

/// The operations over one database. Cheap to clone.
#[derive(Clone)]
pub struct Workshop(Arc<Inner>);

struct Inner {
    operations: TowerToHyperService<Router>,
    store: Store,
    commits: GroupCommit,
    resources: Resources,
}

impl Workshop {
    /// The paths of all links begin with `prefix`; those of requests do not.
    pub fn new(store: Store, resources: Resources, cors: Option<CorsLayer>, prefix: impl Into<Arc<str>>) -> Self {
        let state = AppState::new(store.clone(), resources.clone(), prefix);
        let commits = state.commits().clone();
        let operations = TowerToHyperService::new(router(state, cors));
        Workshop(Arc::new(Inner { operations, store, commits, resources }))
    }

    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// How many writes wait for their transaction.
    pub fn queued_writes(&self) -> usize {
        self.0.commits.queued()
    }

    /// Open streams of changes.
    pub fn watchers(&self) -> usize {
        self.0.store.feed().map_or(0, ChangeFeed::watchers)
    }

    /// Whether nothing is being written and nobody watches.
    pub fn is_quiet(&self) -> bool {
        self.0.commits.is_idle() && self.watchers() == 0
    }

    /// Ends the streams of those who watch projects.
    pub fn end_streams(&self) {
        self.0.store.feed().into_iter().for_each(ChangeFeed::close);
    }

    /// Closes the database. Later requests fail.
    pub fn close(&self) {
        self.0.store.close();
        self.0.resources.memory.cache.remove_database(self.0.store.number());
    }

    /// Answers a request, and returns what was noted of it if it is one for an operation.
    pub async fn answer(&self, mut request: Request, peer: &Peer) -> (Response, Option<Arc<ConditionalRequest>>) {
        match request.uri().path() {
            HEALTH => (respond_health(self.store()), None),
            JOIN => (respond_join(request.method()), None),
            _ => {
                let conditional = ConditionalRequest::begin(&mut request, self.0.resources.paging);
                let Ok(response) = self.0.operations.call(request).await;
                (self.keep(response, peer).await, Some(conditional))
            }
        }
    }

    /// Counts the memory that compressing a large response takes.
    async fn keep(&self, mut response: Response, peer: &Peer) -> Response {
        let is_large = response.extensions_mut().remove::<IsLarge>().is_some();
        peer.set_large_response(is_large);
        if !is_large || !response.headers().contains_key(header::CONTENT_ENCODING) {
            return response;
        }
        let (parts, body) = response.into_parts();
        match self.0.resources.memory.keep_compressed(body, peer.user()).await {
            Ok(body) => Response::from_parts(parts, body),
            Err(error) => error.into_response(),
        }
    }
}

/// Name and token are in the fragment of the link, which browsers do not send: the page is the same for everybody, and no log has a
/// token.
static PAGE: LazyLock<String> =
    LazyLock::new(|| include_str!("join.html").replacen("/* The style of all pages */", STYLE, 1));

/// The page runs its own script and loads nothing.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let script = between(&PAGE, "<script>", "</script>");
    let digest = BASE64_STANDARD.encode(sha256(&[script.as_bytes()]));
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).expect("the policy is ASCII")
});

pub fn respond_join(method: &Method) -> Response {
    match *method {
        Method::GET | Method::HEAD => {
            (StatusCode::OK, [(header::CONTENT_SECURITY_POLICY, POLICY.clone())], Html(PAGE.as_str())).into_response()
        }
        _ => ApiError::MethodNotAllowed.into_response(),
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(found, _)| found)
}
