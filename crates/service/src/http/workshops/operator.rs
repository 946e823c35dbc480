//! The operator's work with the workshops of a service while it runs.

use std::sync::{Arc, LazyLock};

use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::json;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;

use super::opening::Workshops;
use crate::ROOT;
use crate::http::error::{ApiError, Result};
use crate::http::gate;
use crate::http::metrics::HEALTH;
use crate::http::request::auth::{INVALID_TOKEN, token_in};
use crate::http::request::bodies::receive;
use crate::workshops::{CreatedWorkshop, NewWorkshop, WorkshopName};
use geodesign::json::decode_object;
use geodesign::model::{ArchivedWorkshop, ListedWorkshop};
use geodesign_common::blocking;

impl Workshops {
    /// Answers a request outside of workshops.
    pub async fn answer(&self, request: Request) -> Response {
        let Ok(response) = ROUTER.clone().with_state(self.clone()).oneshot(request).await;
        response
    }
}

static ROUTER: LazyLock<Router<Workshops>> = LazyLock::new(|| {
    Router::new()
        .route(&format!("{ROOT}/workshops/"), get(list))
        .route(&format!("{ROOT}/workshops/{{name}}/"), post(create).delete(remove))
        .route(&format!("{ROOT}/workshops/{{name}}/archive/"), post(archive))
        .route(HEALTH, get(health))
        .fallback(async || ApiError::NotFound("path; the operations of a workshop are below /w/NAME/api/v1/"))
        .method_not_allowed_fallback(async || ApiError::MethodNotAllowed)
        .layer(CatchPanicLayer::custom(|_| ApiError::Panic.into_response()))
});

/// A request with the operator's token.
struct Operator;

impl FromRequestParts<Workshops> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, workshops: &Workshops) -> Result<Self> {
        let token = token_in(parts.uri.path(), &parts.headers)?;
        workshops.is_operator(&token).map(|_| Operator).ok_or(INVALID_TOKEN)
    }
}

async fn list(_: Operator, State(workshops): State<Workshops>) -> Result<Json<Vec<ListedWorkshop>>> {
    let listed = gate::run(move || workshops.folder().listed(|name| workshops.state_of(name)));
    Ok(Json(listed.await?.map_err(Arc::new)?))
}

/// An empty body stands for a workshop without projects.
async fn create(
    _: Operator,
    State(workshops): State<Workshops>,
    Path(name): Path<String>,
    request: Request,
) -> Result<(StatusCode, Json<CreatedWorkshop>)> {
    let name = named(&name)?;
    let body = receive(&workshops.resources().memory, request).await?;
    let create = move || new_workshop(&body)?.create(workshops.folder(), name).map_err(|error| Arc::new(error).into());
    let created: Result<CreatedWorkshop> = blocking::run(create).await?;
    Ok((StatusCode::CREATED, Json(created?)))
}

fn new_workshop(body: &Bytes) -> Result<NewWorkshop> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(NewWorkshop::default());
    }
    decode_object(body).map_err(|error| {
        ApiError::Invalid(format!("{}: {}", error.path.as_deref().unwrap_or("The body"), error.source))
    })
}

async fn archive(
    _: Operator,
    State(workshops): State<Workshops>,
    Path(name): Path<String>,
) -> Result<Json<ArchivedWorkshop>> {
    let name = named(&name)?;
    let archived = name.clone();
    let path = workshops.take_out(&name, move |folder| folder.archive(&archived)).await?;
    let file = path.strip_prefix(workshops.folder().path()).unwrap_or(&path).to_string_lossy().into_owned();
    Ok(Json(ArchivedWorkshop { file }))
}

async fn remove(_: Operator, State(workshops): State<Workshops>, Path(name): Path<String>) -> Result<StatusCode> {
    let name = named(&name)?;
    let removed = name.clone();
    workshops.take_out(&name, move |folder| folder.remove(&removed)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reports that the service answers, whatever the state of single workshops.
pub async fn health() -> Response {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })).into_response()
}

fn named(name: &str) -> Result<WorkshopName> {
    name.parse().map_err(ApiError::invalid)
}
