//! The OpenAPI document, derived from the types of the handlers: each argument and the response describe themselves.
//!
//! The service has it as a file, `openapi.json`, so that builds without this feature compile none of it. The test below writes and checks
//! the file.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::response::NoContent;
use serde_json::json;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, Paths};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, Content, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Required, Response,
    ResponseBuilder, Schema,
};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::error::ErrorBody;
use super::paging::{Page, PageQuery};
use super::request::auth::{Administrator, Caller, Member, Operator, Visitor};
use super::request::extract::{ApiRoot, ArchiveBody, CostParams, CostQuery, HistoryParams, HistoryQuery, JsonBody};
use super::request::keyed::Keyed;
use super::request::page_params::PageParams;
use super::response::file::{FileKind, FileResponse};
use super::response::{Created, Json, List, PageResponse, Png, WholeResponse, X_TOTAL_COUNT};
use super::state::AppState;
use crate::ROOT;
use geodesign::model::operations::{NoIds, OfToken, OfUser, Operation, PathIds, ProjectPathIds};
use geodesign::model::{IDEMPOTENCY_KEY, MergeOptions, add_component};

/// An argument of a handler, or the tuple of all its arguments.
pub trait DescribeArgument {
    fn describe(description: &mut Description);
}

/// The successful response of a handler.
pub trait DescribeResponse {
    fn describe(description: &mut Description);
}

/// The operations described so far.
#[derive(Default)]
pub struct Described(Vec<DescribedOperation>);

struct DescribedOperation {
    group: &'static str,
    name: &'static str,
    summary: &'static str,
    is_extension: bool,
    method: HttpMethod,
    path: String,
    description: Description,
}

/// The parameters, bodies and statuses of an operation.
#[derive(Default)]
pub struct Description {
    parameters: Vec<Parameter>,
    body: Option<RequestBody>,
    responses: BTreeMap<String, RefOr<Response>>,
    /// True if a GET has an ETag: a client that has the response gets 304.
    has_etag: bool,
    /// True if the operation needs no token.
    is_open: bool,
    /// The schemas that these refer to.
    schemas: Vec<(String, RefOr<Schema>)>,
}

impl Described {
    /// Describes an operation by the types of its handler.
    pub fn add<Arguments: DescribeArgument, Response: DescribeResponse>(
        &mut self,
        group: &'static str,
        operation: &Operation<impl PathIds>,
    ) {
        let mut description = Description::default();
        Response::describe(&mut description);
        Arguments::describe(&mut description);
        description.overload();
        if description.has_etag && operation.method == Method::GET {
            description.revalidation();
        }
        let Operation { name, summary, is_extension, .. } = *operation;
        let method = match operation.method {
            Method::GET => HttpMethod::Get,
            Method::PUT => HttpMethod::Put,
            Method::PATCH => HttpMethod::Patch,
            Method::DELETE => HttpMethod::Delete,
            _ => HttpMethod::Post,
        };
        let path = format!("{ROOT}/{}", operation.path);
        self.0.push(DescribedOperation { group, name, summary, is_extension, method, path, description });
    }

    /// Describes an error of the last operation in addition to those of its arguments.
    pub fn error(&mut self, status: StatusCode, when: &str) {
        if let Some(last) = self.0.last_mut() {
            last.description.error(status, when);
        }
    }

    pub fn append(&mut self, mut other: Described) {
        self.0.append(&mut other.0);
    }

    /// The document with these operations, and the schemas that they refer to.
    pub fn into_document(self) -> OpenApi {
        let (mut paths, mut schemas) = (Paths::new(), Vec::new());
        for DescribedOperation { group, name, summary, is_extension, method, path, description } in self.0 {
            let Description { parameters, body, responses, is_open, schemas: referred, .. } = description;
            let parameters = Some(parameters).filter(|parameters| !parameters.is_empty());
            let operation = OperationBuilder::new().parameters(parameters).request_body(body);
            let operation = responses
                .into_iter()
                .fold(operation, |operation, (status, response)| operation.response(status, response));
            let operation = operation.tag(group).operation_id(Some(name.to_ascii_lowercase())).summary(Some(summary));
            // Other services of the same interface may not have it.
            let mark = is_extension.then(|| Extensions::builder().add("x-extension", true).build());
            let operation = operation.extensions(mark);
            let operation = if is_open { operation.securities(Some([])) } else { operation };
            paths.add_path_operation(path, vec![method], operation);
            schemas.extend(referred);
        }
        document(paths, schemas)
    }
}

/// The security schemes, each of which suffices.
const TOKEN: &str = "token";
const BEARER: &str = "bearer";

fn document(paths: Paths, schemas: Vec<(String, RefOr<Schema>)>) -> OpenApi {
    let info = InfoBuilder::new()
        .title("Geodesign collaboration service")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some("Projects, systems, diagrams, change teams and designs. Examples are of the demo project."));
    let header = ApiKey::Header(ApiKeyValue::with_description("Authorization", "`Token <API_TOKEN>`"));
    let components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .schema(ErrorBody::name(), ErrorBody::schema())
        .security_scheme(TOKEN, SecurityScheme::ApiKey(header))
        .security_scheme(BEARER, SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    OpenApiBuilder::new()
        .info(info.build())
        .paths(paths)
        .components(Some(components.build()))
        .security(Some([TOKEN, BEARER].map(|scheme| SecurityRequirement::new::<_, [&str; 0], &str>(scheme, []))))
        .build()
}

impl Description {
    fn parameters<T: IntoParams>(&mut self, place: ParameterIn) {
        self.parameters.extend(T::into_params(|| Some(place.clone())));
    }

    fn body<T: ToSchema>(&mut self) {
        let content = self.json::<T>();
        let body = RequestBodyBuilder::new().content("application/json", content).required(Some(Required::True));
        self.body = Some(body.build());
    }

    /// A response in JSON.
    fn response<T: ToSchema>(&mut self, status: StatusCode) {
        let content = self.json::<T>();
        self.add(status, status.canonical_reason().unwrap_or_default(), Some(("application/json", content)));
    }

    /// A response of another type, or without a body.
    fn other_response(&mut self, status: StatusCode, content_type: Option<&str>) {
        let content = content_type.map(|content_type| (content_type, bytes()));
        self.add(status, status.canonical_reason().unwrap_or_default(), content);
    }

    /// A header of a response that was described before.
    fn header<T: PartialSchema>(&mut self, status: StatusCode, name: HeaderName, meaning: &str) {
        if let Some(RefOr::T(response)) = self.responses.get_mut(status.as_str()) {
            let header = HeaderBuilder::new().schema(Some(T::schema())).description(Some(meaning)).build();
            response.headers.insert(name.to_string(), header.into());
        }
    }

    /// Adds an error response. The first error with a status describes it.
    fn error(&mut self, status: StatusCode, when: &str) {
        let content = self.json::<ErrorBody>();
        self.add(status, when, Some(("application/json", content)));
    }

    /// Adds every operation's errors for requests that can be retried a little later.
    fn overload(&mut self) {
        self.error(StatusCode::TOO_MANY_REQUESTS, "The user exceeds a limit for now; the detail names it");
        self.error(
            StatusCode::SERVICE_UNAVAILABLE,
            "The service is at a limit for now, named in the detail, or another process has locked the database",
        );
        for status in [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE] {
            self.header::<i64>(status, header::RETRY_AFTER, "Seconds to wait before sending the request again");
        }
    }

    /// Adds the ETag and the 304 response, for clients that ask only for changes.
    fn revalidation(&mut self) {
        let meaning = "Differs after each change of the project; for `If-None-Match`";
        self.header::<String>(StatusCode::OK, header::ETAG, meaning);
        self.add(
            StatusCode::NOT_MODIFIED,
            "The project has not changed since a response whose `ETag` is in `If-None-Match`",
            None,
        );
    }

    fn add(&mut self, status: StatusCode, when: &str, content: Option<(&str, Content)>) {
        let response = ResponseBuilder::new().description(when);
        let response = content.into_iter().fold(response, |response, (kind, content)| response.content(kind, content));
        self.responses.entry(status.as_str().to_owned()).or_insert_with(|| response.build().into());
    }

    fn json<T: ToSchema>(&mut self) -> Content {
        ContentBuilder::new().schema(Some(self.schema::<T>())).build()
    }

    /// Returns a reference to a type's schema. A list's schema has no name and stands where it is used.
    fn schema<T: ToSchema>(&mut self) -> RefOr<Schema> {
        match T::schema() {
            RefOr::T(Schema::Array(list)) => {
                T::schemas(&mut self.schemas);
                RefOr::T(Schema::Array(list))
            }
            _ => {
                add_component::<T>(&mut self.schemas);
                Ref::from_schema_name(T::name()).into()
            }
        }
    }
}

impl<A: DescribeArgument, B: DescribeArgument> DescribeArgument for (A, B) {
    fn describe(description: &mut Description) {
        A::describe(description);
        B::describe(description);
    }
}

impl<A: DescribeArgument, B: DescribeArgument, C: DescribeArgument> DescribeArgument for (A, B, C) {
    fn describe(description: &mut Description) {
        <(A, B)>::describe(description);
        C::describe(description);
    }
}

/// Not part of a request.
impl DescribeArgument for State<AppState> {
    fn describe(_description: &mut Description) {}
}

impl DescribeArgument for Caller {
    fn describe(description: &mut Description) {
        description.error(StatusCode::UNAUTHORIZED, "No token, or one that is invalid or has expired");
        description.error(StatusCode::SERVICE_UNAVAILABLE, "The response would have taken the service too long");
        let seconds = "Seconds to wait before trying again";
        description.header::<u64>(StatusCode::SERVICE_UNAVAILABLE, header::RETRY_AFTER, seconds);
    }
}

impl DescribeArgument for Operator {
    fn describe(description: &mut Description) {
        Caller::describe(description);
        description.error(StatusCode::FORBIDDEN, "The user is not the operator of the service");
    }
}

impl DescribeArgument for Operator<OfUser> {
    fn describe(description: &mut Description) {
        describe_operator_with::<OfUser>(description);
    }
}

impl DescribeArgument for Operator<OfToken> {
    fn describe(description: &mut Description) {
        describe_operator_with::<OfToken>(description);
    }
}

fn describe_operator_with<Ids: IntoParams>(description: &mut Description) {
    Operator::<NoIds>::describe(description);
    description.parameters::<Ids>(ParameterIn::Path);
    description.error(StatusCode::NOT_FOUND, "There is no such thing");
}

impl DescribeArgument for Visitor {
    fn describe(description: &mut Description) {
        description.is_open = true;
    }
}

impl<Ids: ProjectPathIds + IntoParams> DescribeArgument for Member<Ids> {
    fn describe(description: &mut Description) {
        Caller::describe(description);
        description.parameters::<Ids>(ParameterIn::Path);
        description.has_etag = true;
        description.error(StatusCode::NOT_FOUND, "No project of the user has such a thing");
        if Ids::NAMES.contains(&"username") {
            description.error(StatusCode::FORBIDDEN, "No member of the project has the username");
        }
    }
}

impl<Ids: ProjectPathIds + IntoParams> DescribeArgument for Administrator<Ids> {
    fn describe(description: &mut Description) {
        Member::<Ids>::describe(description);
        description.has_etag = false;
        description.error(StatusCode::FORBIDDEN, "The user is not an administrator of the project");
    }
}

impl<A: DescribeArgument> DescribeArgument for Keyed<A> {
    fn describe(description: &mut Description) {
        A::describe(description);
        let key = ParameterBuilder::new()
            .name(IDEMPOTENCY_KEY.as_str())
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(
                "A text of the sender's choice, new for each thing to add. A repeated request with the same key adds nothing and gets \
                 the first response. Keys are kept for the user's last responses in the project, up to the limit \
                 idempotency_keys",
            ))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(255))));
        description.parameters.push(key.build());
        description.error(StatusCode::BAD_REQUEST, "The body or the Idempotency-Key cannot be accepted");
        let other = "The Idempotency-Key was used for another request";
        description.error(StatusCode::UNPROCESSABLE_ENTITY, other);
    }
}

/// Every request has it: nothing to describe.
impl DescribeArgument for ApiRoot {
    fn describe(_description: &mut Description) {}
}

impl DescribeArgument for PageParams {
    fn describe(description: &mut Description) {
        description.parameters::<PageQuery>(ParameterIn::Query);
        description.error(StatusCode::BAD_REQUEST, "page or page_size is out of range");
        description.error(StatusCode::NOT_FOUND, "The page is after the last one");
    }
}

impl DescribeArgument for HistoryParams {
    fn describe(description: &mut Description) {
        description.parameters::<HistoryQuery>(ParameterIn::Query);
        description.error(StatusCode::BAD_REQUEST, "since, user, diagram, page or page_size cannot be accepted");
        PageParams::describe(description);
        // The history may grow without a change of what the project shows.
        description.has_etag = false;
    }
}

impl DescribeArgument for CostParams {
    fn describe(description: &mut Description) {
        description.parameters::<CostQuery>(ParameterIn::Query);
        description.error(StatusCode::BAD_REQUEST, "land cannot be accepted, or the project has no study area");
    }
}

impl<T: ToSchema> DescribeArgument for JsonBody<T> {
    fn describe(description: &mut Description) {
        description.error(StatusCode::BAD_REQUEST, "The body cannot be accepted");
        description.body::<T>();
        description.error(StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time");
        description.error(StatusCode::PAYLOAD_TOO_LARGE, "The body is too large");
        let full = "The project, the user or the disk of the service has too few bytes left";
        description.error(StatusCode::INSUFFICIENT_STORAGE, full);
    }
}

impl DescribeArgument for ArchiveBody {
    fn describe(description: &mut Description) {
        description.parameters::<MergeOptions>(ParameterIn::Query);
        description.error(StatusCode::BAD_REQUEST, "The archive or the query cannot be accepted");
        let body = RequestBodyBuilder::new()
            .description(Some("A zip file, also as application/zip"))
            .content("application/octet-stream", bytes());
        description.body = Some(body.required(Some(Required::True)).build());
        description.error(StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time");
        description.error(StatusCode::PAYLOAD_TOO_LARGE, "The body is too large");
        let full = "The project, the user or the disk of the service has too few bytes left";
        description.error(StatusCode::INSUFFICIENT_STORAGE, full);
    }
}

impl<T: ToSchema> DescribeResponse for Json<T> {
    fn describe(description: &mut Description) {
        description.response::<T>(StatusCode::OK);
    }
}

impl<T: ToSchema> DescribeResponse for PageResponse<T> {
    fn describe(description: &mut Description) {
        description.response::<Page<T>>(StatusCode::OK);
        description.header::<i64>(StatusCode::OK, X_TOTAL_COUNT, "Number of items in the complete list");
        description.header::<String>(StatusCode::OK, header::LINK, "The next page (`rel=\"next\"`), if there is one");
    }
}

impl<T: ToSchema> DescribeResponse for WholeResponse<T> {
    fn describe(description: &mut Description) {
        description.response::<T>(StatusCode::OK);
        description.header::<i64>(StatusCode::OK, X_TOTAL_COUNT, "Number of items in the list");
    }
}

impl<T: ToSchema> DescribeResponse for Created<T> {
    fn describe(description: &mut Description) {
        description.response::<T>(StatusCode::CREATED);
    }
}

impl DescribeResponse for Png {
    fn describe(description: &mut Description) {
        description.other_response(StatusCode::OK, Some("image/png"));
    }
}

impl<Kind: FileKind> DescribeResponse for FileResponse<Kind> {
    fn describe(description: &mut Description) {
        description.other_response(StatusCode::OK, Some(Kind::CONTENT_TYPE));
    }
}

impl DescribeResponse for NoContent {
    fn describe(description: &mut Description) {
        description.other_response(StatusCode::NO_CONTENT, None);
    }
}

/// A binary body. OpenAPI 3.1 needs no schema for it, but programs that generate clients do.
fn bytes() -> Content {
    let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
    let schema = ObjectBuilder::new().schema_type(Type::String).format(Some(binary));
    ContentBuilder::new().schema(Some(schema)).build()
}

impl<T: ToSchema> PartialSchema for List<T> {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(Ref::from_schema_name(T::name())).into()
    }
}

impl<T: ToSchema> ToSchema for List<T> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add_component::<T>(schemas);
    }
}

impl<T: ToSchema> PartialSchema for Page<T> {
    fn schema() -> RefOr<Schema> {
        let array = json!({"type": "array", "items": Ref::from_schema_name(T::name())});
        let envelope = json!({
            "type": "object", "required": ["count", "results"],
            "properties": {
                "count": usize::schema(),
                "next": {"type": ["string", "null"]},
                "previous": {"type": ["string", "null"]},
                "results": array,
            },
        });
        serde_json::from_value(json!({"oneOf": [array, envelope]})).expect("this is a schema")
    }
}

impl<T: ToSchema> ToSchema for Page<T> {
    fn name() -> std::borrow::Cow<'static, str> {
        format!("Page_{}", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add_component::<T>(schemas);
    }
}
