//! The description of the service, made from the handlers themselves.

use axum::Json;
use axum::routing::{MethodRouter, get};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::error::ErrorBody;
use crate::model::Status;

pub const PATH: &str = "/api/v1/openapi.json";
const TOKEN: &str = "token";

/// The document before any handler has written itself into it.
pub fn description() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Geodesign collaboration service")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Projects, systems, diagrams, change teams and designs. Examples are of the demo project."));
    let header = ApiKey::Header(ApiKeyValue::with_description("Authorization", "`Token <API_TOKEN>`"));
    let components = ComponentsBuilder::new()
        .schema(ErrorBody::name(), schema::<ErrorBody>())
        .schema(Status::name(), schema::<Status>())
        .security_scheme(TOKEN, SecurityScheme::ApiKey(header));
    OpenApiBuilder::new()
        .info(info.build())
        .components(Some(components.build()))
        .security(Some([SecurityRequirement::new::<_, [&str; 0], &str>(TOKEN, [])]))
        .build()
}

fn schema<T: PartialSchema>() -> RefOr<Schema> {
    T::schema()
}

/// Answers with the document; whoever asks may have it.
pub fn route<S: Clone + Send + Sync + 'static>(document: OpenApi) -> MethodRouter<S> {
    get(async move || Json(document))
}
