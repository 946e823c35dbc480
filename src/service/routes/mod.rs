//! The operations, a file per group of resources, and what they share.

mod diagrams;
mod drawing;
mod layers;
mod openapi;
mod projects;
mod rest;
mod systems;
mod tags;
mod teams;
mod thumbnails;

use std::io;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use hyper::body::Incoming;
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::ser::Formatter;
use tokio::sync::Semaphore;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use utoipa_axum::router::OpenApiRouter;

use super::ROOT;
use super::auth::Claim;
use super::commits::Commits;
use super::error::{Refusal, Result};
use super::kept::KeptAnswers;
use super::paging::{PageQuery, Paging};
use super::store::{self, ProjectKey, Reader, Store, Writer};
use crate::threads;

/// Bytes of a body, at most.
const LARGEST_BODY: usize = 64 * 1024 * 1024;
/// How long a body may take.
const BODY_TIME: Duration = Duration::from_secs(120);
/// Bodies that arrive or are read at once share four times the largest. A small one takes nothing of it.
const BODY_UNIT: usize = 64 * 1024;
static BODY_ROOM: Semaphore = Semaphore::const_new(4 * LARGEST_BODY / BODY_UNIT);
/// Bodies from here on are read on a thread that may take its time.
const LARGE_BODY: usize = 64 * 1024;

/// Most answers have no more bytes.
const USUAL_ANSWER: usize = 16 * 1024;

/// What every handler can reach.
#[derive(Clone)]
pub struct Service {
    store: Store,
    commits: Commits,
    all_diagrams: KeptAnswers,
    paging: Paging,
}

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
        let mut response = rest::read_the_rest(request, answer).await;
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
        .merge(drawing::routes())
        .merge(thumbnails::routes())
        .merge(systems::routes())
        .merge(teams::routes());
    let (router, document) =
        OpenApiRouter::with_openapi(openapi::description()).nest(ROOT, operations).split_for_parts();
    router
        .with_state(Service {
            commits: Commits::new(store.clone()),
            all_diagrams: KeptAnswers::new(store.clone()),
            store,
            paging,
        })
        .route(openapi::PATH, openapi::route(document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(async || Refusal::MethodNotAllowed)
        // As one layer: three would box everything three times.
        .layer((
            CatchPanicLayer::custom(|_| Refusal::Panic.into_response()),
            CompressionLayer::new().quality(CompressionLevel::Fastest),
            DefaultBodyLimit::max(LARGEST_BODY),
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
        return Refusal::NotFound("path").into_response();
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

impl Service {
    /// Asks the database what it answers in microseconds, which is less than another thread would take to be told.
    pub fn look_up<T>(&self, question: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        self.store.read(|read| Ok(question(read)))?
    }

    /// Asks the database, on a thread that may take its time.
    pub async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Reader) -> store::Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = self.store.clone();
        Ok(threads::compute(move || store.read(question)).await??)
    }

    /// Changes the database, all or nothing.
    pub async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Writer) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.commits.write(change).await
    }

    /// Answers with what the database says, or that there is no such thing.
    async fn find<T: Serialize>(
        &self,
        what: &'static str,
        question: impl FnOnce(&Reader) -> store::Result<Option<T>> + Send + 'static,
    ) -> Result<Response> {
        let body = self.read(|read| question(read)?.map(|answer| encode(&answer)).transpose()).await?;
        body.map(json).ok_or(Refusal::NotFound(what))
    }

    /// Answers with all diagrams of a project: by far the largest answer, and the one that a whole room asks for.
    async fn find_all_diagrams<T: Serialize>(
        &self,
        project: ProjectKey,
        question: impl FnOnce(&Reader) -> store::Result<T> + Send + 'static,
    ) -> Result<Response> {
        Ok(json(self.all_diagrams.get(project, |read| encode(&question(read)?)).await?))
    }

    /// The same for a resource that is small. Whether the caller may know of it is part of the question.
    fn find_small<T: Serialize>(
        &self,
        what: &'static str,
        claim: &Claim,
        question: impl FnOnce(&Reader, ProjectKey) -> Result<Option<T>>,
    ) -> Result<Response> {
        let found = self.look_up(|read| question(read, claim.member(read)?.project))?;
        answer(&found.ok_or(Refusal::NotFound(what))?)
    }

    /// Answers with a list, cut as the request asks.
    async fn list<T: Serialize>(
        &self,
        page: PageOf,
        question: impl FnOnce(&Reader) -> store::Result<Vec<T>> + Send + 'static,
    ) -> Result<Response> {
        let paging = self.paging;
        let cut = move |all: Vec<T>| paging.cut(all, page.query, &page.uri).map(|page| encode(&page));
        Ok(json(self.read(move |read| Ok(cut(question(read)?))).await???))
    }
}

/// Answers with a resource.
fn answer(resource: &impl Serialize) -> Result<Response> {
    Ok(json(encode(resource)?))
}

fn encode(answer: &impl Serialize) -> store::Result<Vec<u8>> {
    let mut body = Vec::with_capacity(USUAL_ANSWER);
    let mut json = serde_json::Serializer::with_formatter(&mut body, WithTexts);
    answer.serialize(&mut json).map_err(|error| store::StoreError::Content(error.to_string()))?;
    Ok(body)
}

/// Writes JSON in which bytes are JSON text already: geometries are not read again in order to be answered.
struct WithTexts;

impl Formatter for WithTexts {
    fn write_byte_array<W: ?Sized + io::Write>(&mut self, writer: &mut W, text: &[u8]) -> io::Result<()> {
        writer.write_all(text)
    }
}

fn json(body: impl Into<Bytes>) -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], body.into()).into_response()
}

/// The ids in a path. One that cannot be an id is of nothing that exists.
struct At<T>(T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for At<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(ids)| At(ids)).map_err(|_| Refusal::NotFound("resource"))
    }
}

/// The page of a list that a request asks for.
struct PageOf {
    query: PageQuery,
    uri: Uri,
}

impl<S: Send + Sync> FromRequestParts<S> for PageOf {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(query) = Query::from_request_parts(parts, state)
            .await
            .map_err(|_| Refusal::invalid("page_size and page are whole numbers from 1"))?;
        let original = parts.extensions.get::<axum::extract::OriginalUri>();
        let uri = original.map_or_else(|| parts.uri.clone(), |original| original.0.clone());
        Ok(PageOf { query, uri })
    }
}

/// What a request sends; an error names the field that it is about.
struct Sent<T>(T);

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        // What is not announced may be as large as any.
        let announced = announced_length(request.headers()).unwrap_or(LARGEST_BODY);
        if announced > LARGEST_BODY {
            return Err(Refusal::TooLarge);
        }
        // Never closed.
        let _room = BODY_ROOM.acquire_many((announced / BODY_UNIT) as u32).await;
        let arriving = tokio::time::timeout(BODY_TIME, Bytes::from_request(request, state)).await;
        let body = arriving.map_err(|_| Refusal::TooSlow)?.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Refusal::TooLarge,
            _ => Refusal::invalid("The body did not arrive whole."),
        })?;
        match body.len() < LARGE_BODY {
            true => decode(&body),
            false => threads::compute(move || decode(&body)).await?,
        }
    }
}

/// Bytes that a body says it has.
fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<Sent<T>> {
    crate::json::decode(body).map(Sent).map_err(|(at, error)| {
        Refusal::Invalid(at.map_or_else(|| format!("The body: {error}"), |path| format!("{path}: {error}")))
    })
}
