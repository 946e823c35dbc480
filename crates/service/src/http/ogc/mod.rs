//! OGC API – Features: a workshop as collections of features that geographic information systems read and write without a plugin.
//!
//! Collections are named `PROJECTID.diagrams` and so on. The module reads the same store as the routes, with the same permissions, and
//! writes through the operations. Paths have no slash at the end, as in the standard.

mod catalogue;
mod changes;
mod collections;
mod described;
mod html;
mod items;
mod openapi;
mod parameters;
mod reshaped;
mod schemas;

pub use described::with_properties;

use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use super::error::{ApiError, Result, told_as};
use super::gate;
use super::request::auth::{Access, Member, takes_password};
use super::request::extract::ApiRoot;
use super::state::AppState;
use crate::store::{Collection, Reader};
use crate::{OGC, ROOT};

/// The paths of the standard.
pub fn router() -> Router<AppState> {
    let at = |path: &str| format!("{OGC}{path}");
    Router::new()
        .route(OGC, get(landing))
        .route(&at("/"), get(landing))
        .route(&at("/conformance"), get(conformance))
        .route(&at("/api"), get(openapi::document))
        .route(&at("/collections"), get(collections::list))
        .route(&at("/collections/{collection}"), get(collections::one))
        .route(&at("/collections/{collection}/schema"), get(schemas::schema))
        .route(&at("/collections/{collection}/queryables"), get(schemas::queryables))
        .route(&at("/collections/{collection}/items"), get(items::list).post(changes::create))
        .route(
            &at("/collections/{collection}/items/{item}"),
            get(items::one).put(changes::replace).patch(changes::update).delete(changes::remove),
        )
        .layer(from_fn(with_exceptions))
}

/// Conformance classes of the service.
const CONFORMANCE: [&str; 25] = [
    "http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson",
    "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30",
    "http://www.opengis.net/spec/ogcapi-features-2/1.0/conf/crs",
    "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables",
    "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/queryables-query-parameters",
    "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/filter",
    "http://www.opengis.net/spec/ogcapi-features-3/1.0/conf/features-filter",
    "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/create-replace-delete",
    "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/update",
    "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/optimistic-locking-etags",
    "http://www.opengis.net/spec/ogcapi-features-4/1.0/conf/features",
    "http://www.opengis.net/spec/ogcapi-features-5/1.0/conf/schemas",
    "http://www.opengis.net/spec/ogcapi-features-5/1.0/conf/core-roles-features",
    "http://www.opengis.net/spec/ogcapi-features-5/1.0/conf/returnables-and-receivables",
    "http://www.opengis.net/spec/ogcapi-features-5/1.0/conf/queryables",
    "http://www.opengis.net/spec/cql2/1.0/conf/cql2-text",
    "http://www.opengis.net/spec/cql2/1.0/conf/cql2-json",
    "http://www.opengis.net/spec/cql2/1.0/conf/basic-cql2",
    "http://www.opengis.net/spec/cql2/1.0/conf/advanced-comparison-operators",
    "http://www.opengis.net/spec/cql2/1.0/conf/case-insensitive-comparison",
    "http://www.opengis.net/spec/cql2/1.0/conf/basic-spatial-functions",
    "http://www.opengis.net/spec/cql2/1.0/conf/basic-spatial-functions-plus",
    "http://www.opengis.net/spec/cql2/1.0/conf/property-property",
];

const GEOJSON: &str = "application/geo+json";
const JSON: &str = "application/json";
const SCHEMA: &str = "application/schema+json";
const OPENAPI: &str = "application/vnd.oai.openapi+json;version=3.0";
const HTML: &str = "text/html";

/// The address of the landing page, without a slash at the end.
pub struct OgcRoot(String);

impl std::fmt::Display for OgcRoot {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromRequestParts<AppState> for OgcRoot {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> std::result::Result<Self, Self::Rejection> {
        let ApiRoot(api) = ApiRoot::from_request_parts(parts, state).await?;
        let service = api.strip_suffix('/').and_then(|api| api.strip_suffix(ROOT)).unwrap_or_default();
        Ok(OgcRoot(format!("{service}{OGC}")))
    }
}

/// A request about a collection.
struct InCollection {
    member: Member,
    collection: Collection,
    /// The id of the collection.
    id: String,
    /// The id of a feature, if the path has one.
    item: Option<String>,
    root: OgcRoot,
}

impl InCollection {
    async fn of(parts: &mut Parts, state: &AppState) -> Result<Self> {
        let Ok(root) = OgcRoot::from_request_parts(parts, state).await;
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_| NO_COLLECTION)?;
        let param = |name: &str| params.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
        let id = param("collection").unwrap_or_default();
        let (project, name) = id.split_once('.').unwrap_or_default();
        let member = Member::of_project(parts, state, project)?;
        let collection = Collection::parse(name);
        // The access is checked first, so that others learn nothing of the project.
        let Some(collection) = collection else {
            state.look_up(member, |_, _| Ok(()))?;
            return Err(NO_COLLECTION);
        };
        Ok(InCollection { member, collection, id, item: param("item"), root })
    }
}

const NO_COLLECTION: ApiError = ApiError::NotFound("collection");
const NO_FEATURE: ApiError = ApiError::NotFound("feature");

/// Reads on a thread that other requests do not need: a map of many features takes time.
pub async fn read_from<A: Access, T: Send + 'static>(
    state: &AppState,
    access: A,
    question: impl FnOnce(&Reader, A::Granted) -> Result<T> + Send + 'static,
) -> Result<T> {
    let state = state.clone();
    gate::run(move || state.look_up(access, question)).await?
}

/// A link of the standard.
fn link(rel: &str, kind: &str, title: &str, href: impl Into<String>) -> Value {
    json!({ "rel": rel, "type": kind, "title": title, "href": href.into() })
}

/// True if a person, not a program, sends the request.
fn wants_html(uri: &Uri, headers: &HeaderMap) -> Result<bool> {
    let format = parameters::pairs(uri)?.into_iter().find(|(name, _)| name == "f").map(|(_, value)| value);
    match format.as_deref() {
        Some("html") => Ok(true),
        Some("json" | "geojson") => Ok(false),
        Some(other) => Err(ApiError::Invalid(format!("f={other}: must be json or html"))),
        None => {
            let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
            Ok(weight(accept, &[HTML]) > weight(accept, &[GEOJSON, JSON, "application/*"]))
        }
    }
}

/// The weight of the first of these media types in `Accept` (RFC 9110, section 12.5.1). With equal weights, the earlier one counts.
fn weight(accept: &str, kinds: &[&str]) -> Option<(f32, std::cmp::Reverse<usize>)> {
    let weights = accept.split(',').enumerate().filter_map(|(place, range)| {
        let mut parts = range.split(';').map(str::trim);
        let is_wanted = kinds.contains(&parts.next()?);
        let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |weight| weight.parse().ok());
        weight.filter(|weight| is_wanted && *weight > 0.0).map(|weight| (weight, std::cmp::Reverse(place)))
    });
    weights.reduce(|best, next| if next > best { next } else { best })
}

/// Responds with JSON of this media type.
fn respond(kind: &'static str, body: &Value) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], body.to_string()).into_response()
}

async fn landing(root: OgcRoot, request: Request) -> Result<Response> {
    let OgcRoot(root) = root;
    let body = json!({
        "title": "pygeodesign",
        "description": "The diagrams, designs and maps of geodesign projects. Sign in with any username, and your token as the password.",
        "links": [
            link("self", JSON, "This page as JSON", format!("{root}/?f=json")),
            link("alternate", HTML, "This page", format!("{root}/?f=html")),
            link("service-desc", OPENAPI, "The OpenAPI document", format!("{root}/api?f=json")),
            link("service-doc", HTML, "API documentation", format!("{root}/api?f=html")),
            link("conformance", JSON, "Conformance classes", format!("{root}/conformance")),
            link("data", JSON, "The collections of features", format!("{root}/collections")),
            link("http://www.opengis.net/def/rel/ogc/1.0/data", JSON, "The collections of features", format!("{root}/collections")),
        ],
    });
    match wants_html(request.uri(), request.headers())? {
        true => Ok(html::page("pygeodesign", &html::landing(&root))),
        false => Ok(respond(JSON, &body)),
    }
}

async fn conformance(request: Request) -> Result<Response> {
    match wants_html(request.uri(), request.headers())? {
        true => Ok(html::page("Conformance classes", &html::list_of_texts(&CONFORMANCE))),
        false => Ok(respond(JSON, &json!({ "conformsTo": CONFORMANCE }))),
    }
}

/// Answers with a path's methods, for programs that ask before they offer editing. `None` for a path outside this module, and for a browser
/// that asks on behalf of a page.
pub fn options(request: &Request) -> Option<Response> {
    let is_of_page = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if request.method() != Method::OPTIONS || is_of_page {
        return None;
    }
    let allowed = allowed(request.uri().path())?;
    let mut response = (StatusCode::NO_CONTENT, [(header::ALLOW, allowed)]).into_response();
    if allowed.contains("PATCH") {
        let kinds = HeaderValue::from_static("application/merge-patch+json, application/geo+json");
        response.headers_mut().insert("accept-patch", kinds);
    }
    Some(response)
}

/// The methods of a path; `None` for one outside this module.
fn allowed(path: &str) -> Option<&'static str> {
    let path = path.strip_prefix(OGC)?;
    let is_of_diagrams = |id: &str| id.split_once('.').is_some_and(|(_, name)| Collection::parse(name) == Some(EDITED));
    Some(match path.trim_start_matches('/').split('/').collect::<Vec<_>>().as_slice() {
        ["collections", id, "items"] if is_of_diagrams(id) => "GET, HEAD, OPTIONS, POST",
        ["collections", id, "items", _] if is_of_diagrams(id) => "GET, HEAD, OPTIONS, PUT, PATCH, DELETE",
        _ => "GET, HEAD, OPTIONS",
    })
}

/// The collection whose features are added, changed and removed.
const EDITED: Collection = Collection::Diagrams;

/// True if a path belongs to this module.
pub fn has(path: &str) -> bool {
    path.strip_prefix(OGC).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Refuses a request for one of this module's paths before it reaches the module.
pub fn refuse(path: &str, error: ApiError) -> Response {
    as_exception(path, error.into_response())
}

async fn with_exceptions(uri: Uri, request: Request, next: Next) -> Response {
    let response = match parameters::check_names(&uri) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    let mut response = as_exception(uri.path(), response);
    response.headers_mut().append(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// Turns an error into the standard's: with its body, with a way to sign in that programs and browsers know, and with the reason in the
/// first line of the response, which QGIS shows.
fn as_exception(path: &str, response: Response) -> Response {
    let mut reason = None;
    let mut response = told_as(response, |status, detail| {
        reason = Some(detail.to_owned());
        json!({
            "code": status.canonical_reason().unwrap_or_default(),
            "description": detail,
            "type": "about:blank",
            "title": status.canonical_reason(),
            "status": status.as_u16(),
            "detail": detail,
        })
    });
    if response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let allowed = allowed(path).map(HeaderValue::from_static);
        allowed.into_iter().for_each(|allowed| drop(response.headers_mut().insert(header::ALLOW, allowed)));
    }
    if response.status() == StatusCode::UNAUTHORIZED {
        const BASIC: HeaderValue = HeaderValue::from_static(
            "Basic realm=\"pygeodesign: any username, your token as the password\", charset=\"UTF-8\"",
        );
        if takes_password(path) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, BASIC);
            response.headers_mut().append(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
    }
    if let Some(reason) = reason.filter(|_| response.status().is_client_error()) {
        let line: String = reason.chars().filter(|c| c.is_ascii() && !c.is_ascii_control()).take(MAX_REASON).collect();
        if let Ok(phrase) = hyper::ext::ReasonPhrase::try_from(line.into_bytes()) {
            response.extensions_mut().insert(phrase);
        }
    }
    response
}

/// At most this many characters of the reason in the first line of a response.
const MAX_REASON: usize = 300;

type Handled = Result<Response>;
type AppStateArg = State<AppState>;
