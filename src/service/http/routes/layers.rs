//! External data layers.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::model::{Layer, LayerId, Message, NewLayer};
use crate::service::http::auth::{Administrator, Member, ProjectPath};
use crate::service::http::error::{ApiError, ErrorBody, MemberErrors, Result, WriterErrors};
use crate::service::http::extract::{JsonBody, PageParams, PathIds};
use crate::service::http::paging::{Page, PageQuery};
use crate::service::http::respond::answer;
use crate::service::http::state::Service;

pub fn routes() -> OpenApiRouter<Service> {
    OpenApiRouter::new().routes(routes!(layers, add_layer)).routes(routes!(delete_layer))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct LayerPath {
    #[param(inline)]
    layer_id: LayerId,
}

/// Maps of other servers that the project shows.
#[utoipa::path(get, path = "/projects/{projectid}/data_layers/", tag = "External data layers", params(ProjectPath, PageQuery),
    responses((status = 200, body = Page<Layer>), (status = 400, body = ErrorBody), MemberErrors))]
async fn layers(State(service): State<Service>, Member { project, .. }: Member, page: PageParams) -> Result<Response> {
    service.list(page, move |read| read.layers(project)).await
}

/// Adds an external layer. One whose url is not https is ignored, and the answer says so.
#[utoipa::path(post, path = "/projects/{projectid}/data_layers/", tag = "External data layers", params(ProjectPath),
    request_body = NewLayer, responses((status = 200, body = Message), WriterErrors))]
async fn add_layer(
    State(service): State<Service>,
    Member { project, .. }: Member,
    JsonBody(layer): JsonBody<NewLayer>,
) -> Result<Response> {
    if !layer.is_https() {
        return answer(&Message { message: "External layers added: 0; the url is not https.".into() });
    }
    let id = service.write(move |write| Ok(write.add_layer(project, &layer)?)).await?;
    answer(&Message { message: format!("External layers added: 1; its id is {id}.") })
}

/// Removes an external layer. For administrators.
#[utoipa::path(delete, path = "/projects/{projectid}/data_layers/{layer_id}/", tag = "External data layers",
    params(ProjectPath, LayerPath),
    responses((status = 204), (status = 403, description = "Not an administrator", body = ErrorBody), MemberErrors))]
async fn delete_layer(
    State(service): State<Service>,
    Administrator { project }: Administrator,
    PathIds(LayerPath { layer_id }): PathIds<LayerPath>,
) -> Result<Response> {
    let known = service.write(move |write| Ok(write.delete_layer(project, layer_id)?)).await?;
    if known { Ok(StatusCode::NO_CONTENT.into_response()) } else { Err(ApiError::NotFound("external layer")) }
}
