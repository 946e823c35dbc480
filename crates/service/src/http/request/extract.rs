//! Values that handlers take from a request in addition to its ids: a page in the query, or a body.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::bodies::{announced_length, receive};
use super::check_limits::{CheckLimits, check_vertices, max_bytes};
use super::keyed::RequestKey;
use super::origin::host_of;
use super::page_params::PageParams;
use crate::ROOT;
use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::response::memory::Memory;
use crate::http::state::AppState;
use crate::limits::Limits;
use crate::peer::Peer;
use geodesign::costs::CountedLand;
use geodesign::json::decode_object;
#[cfg(feature = "openapi")]
use geodesign::model::{DiagramId, Username};
use geodesign::model::{HistoryFilter, MergeOptions};

/// Bodies of this many bytes or more are decoded off the threads that other requests need.
const LARGE_BODY: usize = 64 * 1024;

/// The entries of a history that a request asks for, in pages.
pub struct HistoryParams {
    /// An error is reported to members only.
    pub wanted: Result<HistoryFilter>,
    pub page: PageParams,
}

/// Filters for the entries of a history.
#[derive(Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct HistoryQuery {
    /// Only changes at or after this time: an ISO 8601 date-time, or a date for its midnight. UTC unless a zone is given.
    #[cfg_attr(feature = "openapi", param(example = "2026-03-02T09:30:00"))]
    since: Option<String>,
    /// Only changes by this user.
    #[cfg_attr(feature = "openapi", param(value_type = Option<Username>, inline, example = "amara.okafor"))]
    user: Option<String>,
    /// Only changes to this diagram.
    #[cfg_attr(feature = "openapi", param(value_type = Option<DiagramId>, inline, example = 1002))]
    diagram: Option<String>,
}

impl HistoryQuery {
    fn filter(&self) -> Result<HistoryFilter> {
        let HistoryQuery { since, user, diagram } = self;
        HistoryFilter::parse(since.as_deref(), user.as_deref(), diagram.as_deref()).map_err(ApiError::invalid)
    }
}

/// The land that counts in the costs that a request asks for. An error is reported to members only.
pub struct CostParams(pub Result<CountedLand>);

/// Options for costs.
#[derive(Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
pub struct CostQuery {
    /// The land that counts: `all`, or `inside` for the part of each diagram inside the study area; `all` if it is missing.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", param(value_type = Option<CountedLand>, inline, example = "inside"))]
    land: CountedLand,
}

/// The address of the API as the client reached it, if the request shows it.
pub struct ApiRoot(pub String);

/// A body in JSON. An error names the field that it is about.
pub struct JsonBody<T>(pub T);

/// A zip file as the body, and the options for merging it.
pub struct ArchiveBody {
    pub content: Bytes,
    pub options: MergeOptions,
}

impl<S> FromRequest<S> for ArchiveBody
where
    S: Send + Sync,
    Arc<Memory>: FromRef<S>,
    Arc<Limits>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let Query(options) = Query::try_from_uri(request.uri())
            .map_err(|_| ApiError::invalid("dry_run must be true or false, and prefer must be here or archive"))?;
        let limit = Arc::<Limits>::from_ref(state).archive_bytes();
        limit.check("the body", announced_length(request.headers()).unwrap_or_default())?;
        let content = receive(&Arc::<Memory>::from_ref(state), request).await?;
        limit.check("the body", content.len())?;
        Ok(ArchiveBody { content, options })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for HistoryParams {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> std::result::Result<Self, Infallible> {
        let query = Query::<HistoryQuery>::from_request_parts(parts, state).await;
        let query = query.map_err(|_| ApiError::invalid("give since, user and diagram at most once each"));
        let page = PageParams::from_request_parts(parts, state).await?;
        Ok(HistoryParams { wanted: query.and_then(|Query(query)| query.filter()), page })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CostParams {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> std::result::Result<Self, Infallible> {
        let query = Query::<CostQuery>::from_request_parts(parts, state).await;
        Ok(CostParams(query.map(|Query(query)| query.land).map_err(|_| ApiError::invalid(CountedLand::PROBLEM))))
    }
}

impl FromRequestParts<AppState> for ApiRoot {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> std::result::Result<Self, Infallible> {
        let host = host_of(&parts.uri, &parts.headers).unwrap_or_default();
        // HTTP/1.1 does not say, and a proxy on this machine may have taken TLS off.
        let peer = parts.extensions.get::<Arc<Peer>>();
        let forwarded = parts.headers.get("x-forwarded-proto").is_some_and(|scheme| scheme == "https");
        let is_secure = peer.is_some_and(|peer| peer.has_tls || (peer.is_local && forwarded));
        let scheme = if is_secure { "https" } else { "http" };
        Ok(ApiRoot(format!("{scheme}://{host}{}{ROOT}/", state.prefix())))
    }
}

impl<T, S> FromRequest<S> for JsonBody<T>
where
    T: DeserializeOwned + CheckLimits + Send + 'static,
    S: Send + Sync,
    Arc<Memory>: FromRef<S>,
    Arc<Limits>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let limits = Arc::<Limits>::from_ref(state);
        max_bytes::<T>(&limits).check("the body", announced_length(request.headers()).unwrap_or_default())?;
        let memory = Arc::<Memory>::from_ref(state);
        let key = request.extensions().get::<Arc<RequestKey>>().cloned();
        let body = receive(&memory, request).await?;
        if body.len() < LARGE_BODY {
            return decode(&body, key.as_deref(), &limits);
        }
        gate::run(move || decode(&body, key.as_deref(), &limits)).await?
    }
}

/// Decodes a body and checks its limits.
pub fn decode<T: DeserializeOwned + CheckLimits>(
    body: &[u8],
    key: Option<&RequestKey>,
    limits: &Limits,
) -> Result<JsonBody<T>> {
    max_bytes::<T>(limits).check("the body", body.len())?;
    check_vertices::<T>(body, limits)?;
    let decoded: T = decode_object(body).map_err(|error| {
        let problem = error.in_plain_words(body);
        ApiError::Invalid(if error.path.is_some() { problem } else { format!("The body: {problem}") })
    })?;
    decoded.check_limits(limits)?;
    if let Some(key) = key {
        key.set_body(body);
    }
    Ok(JsonBody(decoded))
}
