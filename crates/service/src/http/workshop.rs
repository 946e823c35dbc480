//! A workshop as a hyper service: the operations over one database.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tower_http::cors::CorsLayer;

use super::app::router;
use super::group_commit::GroupCommit;
use super::metrics::{HEALTH, respond_health};
use super::ogc;
use super::request::conditional::ConditionalRequest;
use super::response::IsLarge;
use super::state::{AppState, Resources};
use crate::peer::Peer;
use crate::store::{ChangeFeed, Store};

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
        let state = AppState::new(store.clone(), resources.clone(), prefix, |state| router(state, None));
        let commits = state.commits().clone();
        let operations = TowerToHyperService::new(router(state, cors));
        Workshop(Arc::new(Inner { operations, store, commits, resources }))
    }

    pub fn store(&self) -> &Store {
        &self.0.store
    }

    /// Number of writes waiting for their transaction.
    pub fn queued_writes(&self) -> usize {
        self.0.commits.queued()
    }

    /// Open streams of changes.
    pub fn watchers(&self) -> usize {
        self.0.store.feed().map_or(0, ChangeFeed::watchers)
    }

    /// True if nothing is being written and no stream of changes is open.
    pub fn is_quiet(&self) -> bool {
        self.0.commits.is_idle() && self.watchers() == 0
    }

    /// Ends all streams of changes.
    pub fn end_streams(&self) {
        self.0.store.feed().into_iter().for_each(ChangeFeed::close);
    }

    /// Closes the database. Later requests fail.
    pub fn close(&self) {
        self.0.store.close();
        self.0.resources.memory.cache.remove_database(self.0.store.number());
    }

    /// Answers a request. For an operation, also returns what was noted about the request.
    pub async fn answer(&self, mut request: Request, peer: &Peer) -> (Response, Option<Arc<ConditionalRequest>>) {
        match request.uri().path() {
            HEALTH => (respond_health(self.store()), None),
            _ if let Some(response) = ogc::options(&request) => (response, None),
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
