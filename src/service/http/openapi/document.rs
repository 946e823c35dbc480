//! The OpenAPI document.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::{MethodRouter, get};
use utoipa::PartialSchema;
use utoipa::ToSchema;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, Http, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Paths, RefOr, Schema};

use crate::service::http::error::ErrorBody;
use crate::service::http::response::respond::{Json, Uncompressed};
use crate::service::http::state::AppState;

/// The security schemes, each of which suffices.
const TOKEN: &str = "token";
const BEARER: &str = "bearer";
const BASIC: &str = "basic";

/// The document with the operations of the service, and the schemas that they refer to.
pub fn document(paths: Paths, schemas: Vec<(String, RefOr<Schema>)>) -> OpenApi {
    let info = InfoBuilder::new()
        .title("Geodesign collaboration service")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Projects, systems, diagrams, change teams and designs. Examples are of the demo project."));
    let header = ApiKey::Header(ApiKeyValue::with_description("Authorization", "`Token <API_TOKEN>`"));
    let basic = HttpBuilder::new().scheme(HttpAuthScheme::Basic).description(Some("The token as password")).build();
    let components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .schema(ErrorBody::name(), ErrorBody::schema())
        .security_scheme(TOKEN, SecurityScheme::ApiKey(header))
        .security_scheme(BEARER, SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)))
        .security_scheme(BASIC, SecurityScheme::Http(basic));
    OpenApiBuilder::new()
        .info(info.build())
        .paths(paths)
        .components(Some(components.build()))
        .security(Some([TOKEN, BEARER, BASIC].map(|scheme| SecurityRequirement::new::<_, [&str; 0], &str>(scheme, []))))
        .build()
}

/// Answers with the document. It needs no token, so that its responses share the memory of one and are not compressed.
pub fn route(document: Bytes) -> MethodRouter<AppState> {
    get(async move |State(state): State<AppState>| {
        let document = match state.prefix() {
            "" => document,
            prefix => below(prefix, &document),
        };
        (Extension(Uncompressed), Json::<OpenApi>::from_encoded(document))
    })
}

/// The document of a workshop whose paths begin with a prefix, which is a path of the same service.
fn below(prefix: &str, document: &[u8]) -> Bytes {
    let members = document.strip_prefix(b"{").unwrap_or(document);
    [format!("{{\"servers\":[{{\"url\":\"{prefix}\"}}],").as_bytes(), members].concat().into()
}
