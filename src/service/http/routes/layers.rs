//! External data layers.

use axum::extract::State;
use axum::response::NoContent;

use crate::model::operations::{ADD_LAYER, DELETE_LAYER, InLayer, LAYERS};
use crate::model::{Layer, Message, NewLayer, ObjectText};
use crate::service::http::error::{ApiError, Result};
use crate::service::http::request::auth::{Administrator, Member};
use crate::service::http::request::extract::{JsonBody, PageParams};
use crate::service::http::response::respond::{Json, PageResponse};
use crate::service::http::routing::Routes;
use crate::service::http::state::AppState;

pub fn routes() -> Routes {
    Routes::of("External data layers")
        .operation(LAYERS, layers)
        .operation(ADD_LAYER, add_layer)
        .operation(DELETE_LAYER, delete_layer)
}

async fn layers(
    member: Member,
    State(state): State<AppState>,
    page: PageParams,
) -> Result<PageResponse<Layer<ObjectText>>> {
    state.read_page(member, page, |read, member| Ok(read.layers(member.project)?)).await
}

async fn add_layer(
    member: Member,
    State(state): State<AppState>,
    JsonBody(layer): JsonBody<NewLayer<ObjectText>>,
) -> Result<Json<Message>> {
    let message = match layer.is_https() {
        true => {
            let limits = state.limits().clone();
            let id = state.write(member, move |write, member| {
                limits.project_layers().check_total("the project", write.count_layers(member.project)?, 1)?;
                Ok(write.add_layer(member.project, &layer)?)
            });
            format!("External layers added: 1; its id is {}.", id.await?)
        }
        false => "External layers added: 0; the url is not https.".into(),
    };
    Ok(Json::new(&Message { message })?)
}

async fn delete_layer(administrator: Administrator<InLayer>, State(state): State<AppState>) -> Result<NoContent> {
    let deleted = state.write(administrator, |write, administrator| {
        Ok(write.delete_layer(administrator.project, administrator.ids.layer_id)?)
    });
    if deleted.await? { Ok(NoContent) } else { Err(ApiError::NotFound("external layer")) }
}
