//! The operations of a workshop with the handlers that answer them, as an axum router.

use std::any::TypeId;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequestParts, Request, State};
use axum::handler::Handler;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodFilter, on};
use axum::{Extension, Router};
use percent_encoding::percent_decode_str;
use serde::Serialize;

use super::error::{ApiError, OwnField, Result, naming_the_missing};
use super::openapi::{DescribeArgument, DescribeResponse, Described};
use super::request::auth::{Access, Effect, Granted};
use super::request::page_params::PageParams;
use super::response::{Created, HasList, Json, PageResponse, Uncompressed, WholeResponse};
use super::state::AppState;
use crate::ROOT;
use crate::store::Reader;
use geodesign::model::Message;
use geodesign::model::operations::Operation;

/// Path of the document that describes the operations.
pub const DOCUMENT_PATH: &str = "/api/v1/openapi.json";

/// The document that describes the operations. It needs no token, so it is not compressed and its responses share its memory.
pub fn document_of(prefix: &str) -> Response {
    const DOCUMENT: &str = include_str!("openapi.json");
    let document = match prefix {
        "" => Bytes::from_static(DOCUMENT.as_bytes()),
        // The paths of a workshop begin with a prefix, which is a path of the same service.
        prefix => format!("{{\"servers\":[{{\"url\":\"{prefix}\"}}],{}", &DOCUMENT[1..]).into(),
    };
    (Extension(Uncompressed), [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], document)
        .into_response()
}

/// Answers a request whose path does not exist.
pub fn with_slash(prefix: &str, request: &Request) -> Response {
    let uri = request.uri();
    if !uri.path().starts_with(ROOT) || uri.path().ends_with('/') {
        return ApiError::NotFound("path").into_response();
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let with_slash = format!("{prefix}{}/{query}", uri.path());
    match *request.method() {
        Method::GET | Method::HEAD => {
            let mut response = Redirect::permanent(&with_slash).into_response();
            *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
            response
        }
        // 308 keeps the method and the body.
        _ => Redirect::permanent(&with_slash).into_response(),
    }
}

/// Reason to refuse a member's write with 403, in addition to the rights that its path needs.
pub const CLOSED: &str = "It belongs to somebody else, or an administrator closed this activity";
/// Reason to refuse a guest's read.
pub const NO_NAMES: &str = "The guest's link shows no names";
/// Reason to refuse a write with `If-Match` with 412.
pub const CHANGED: &str = "`If-Match` names a state other than the current one";

/// The operations of a group of resources.
pub struct Routes {
    group: &'static str,
    router: Router<AppState>,
    described: Described,
}

/// A handler whose first argument is an [`Access`]; `Arguments` is the tuple of the types of its arguments.
pub trait OperationHandler<Arguments> {
    /// The ids in the path that it takes.
    type Ids;
    type Response;
}

impl Routes {
    /// The group is the tag of its operations in the OpenAPI document.
    pub fn of(group: &'static str) -> Self {
        Routes { group, router: Router::new(), described: Described::default() }
    }

    /// Answers an operation with a handler, whose first argument takes the ids of the operation.
    pub fn operation<H, Arguments, Marker>(mut self, operation: Operation<H::Ids>, handler: H) -> Self
    where
        H: OperationHandler<
                Arguments,
                Ids: geodesign::model::operations::PathIds,
                Response: DescribeResponse + 'static,
            >,
        H: Handler<Marker, AppState>,
        Arguments: DescribeArgument,
        Marker: 'static,
    {
        self.described.add::<Arguments, H::Response>(self.group, &operation);
        let effect = if operation.reads { Effect::Reads } else { Effect::Writes(operation.closed_with) };
        if operation.closed_with.is_some() && operation.path.contains("{projectid}") {
            self = self.refuses(StatusCode::FORBIDDEN, CLOSED);
        }
        let own_field = (!operation.method.is_safe()).then(own_field::<H::Response>);
        let is_of_reference = !operation.is_extension;
        let answer = move |mut request: Request, state| -> Answering {
            if own_field.is_some() {
                request.extensions_mut().insert(effect);
            }
            let uri = request.uri().clone();
            let answering = handler.clone().call(request, state);
            Box::pin(async move {
                let response = naming_the_missing(answering.await, |kind| id_in_path(operation.path, uri.path(), kind));
                match own_field {
                    Some(field) => field.tell_in(response, is_of_reference),
                    None => response,
                }
            })
        };
        self.add(&operation.method, operation.path, BoxedHandler(Arc::new(answer)));
        self
    }

    /// Answers an operation that reads a resource with a query.
    pub fn read<G: Granted, T>(
        self,
        operation: Operation<<G::Access as Access>::Ids>,
        question: fn(&Reader, G) -> Result<T>,
    ) -> Self
    where
        G::Access: FromRequestParts<AppState, Rejection = ApiError> + DescribeArgument,
        T: Serialize + 'static,
        Json<T>: DescribeResponse,
    {
        let handler =
            move |access: G::Access, State(state): State<AppState>| async move { state.read(access, question).await };
        self.operation(operation, handler)
    }

    /// The same for a list, or an object with one, that is never divided into pages.
    pub fn whole<G: Granted, T>(
        self,
        operation: Operation<<G::Access as Access>::Ids>,
        question: fn(&Reader, G) -> Result<T>,
    ) -> Self
    where
        G::Access: FromRequestParts<AppState, Rejection = ApiError> + DescribeArgument,
        T: Serialize + HasList + 'static,
        WholeResponse<T>: DescribeResponse,
    {
        let handler = move |access: G::Access, State(state): State<AppState>| async move {
            state.read_whole(access, question).await
        };
        self.operation(operation, handler)
    }

    /// The same for a list; a request gets a page of it.
    pub fn list<G: Granted, T>(
        self,
        operation: Operation<<G::Access as Access>::Ids>,
        question: fn(&Reader, G) -> Result<Vec<T>>,
    ) -> Self
    where
        G::Access: FromRequestParts<AppState, Rejection = ApiError> + DescribeArgument,
        T: Serialize + 'static,
        PageResponse<T>: DescribeResponse,
    {
        let handler = move |access: G::Access, State(state): State<AppState>, page: PageParams| async move {
            state.read_page(access, page, question).await
        };
        self.operation(operation, handler)
    }

    /// Adds a route. Not generic, so that axum's routes are compiled for one type of handlers.
    fn add(&mut self, method: &Method, path: &str, handler: BoxedHandler) {
        let filter = match *method {
            Method::GET => MethodFilter::GET,
            Method::POST => MethodFilter::POST,
            Method::PUT => MethodFilter::PUT,
            Method::PATCH => MethodFilter::PATCH,
            Method::DELETE => MethodFilter::DELETE,
            _ => unreachable!("the table of operations has GET, POST, PUT, PATCH and DELETE only"),
        };
        self.router = std::mem::take(&mut self.router).route(&format!("{ROOT}/{path}"), on(filter, handler));
    }

    /// Describes an error of the last operation in addition to those of its arguments.
    pub fn refuses(mut self, status: StatusCode, when: &str) -> Self {
        self.described.error(status, when);
        self
    }

    /// Adds the operations of another group.
    pub fn merge(mut self, other: Routes) -> Self {
        self.router = self.router.merge(other.router);
        self.described.append(other.described);
        self
    }

    /// The router and its description.
    pub fn into_parts(self) -> (Router<AppState>, Described) {
        (self.router, self.described)
    }
}

/// Kinds of things that error messages name, with their ids in paths. Projects are left out: strangers get the same response for each.
const IDS: [(&str, &str); 8] = [
    ("change team", "{cteamid}"),
    ("design", "{synthesisid}"),
    ("system", "{sysid}"),
    ("diagram", "{diagramid}"),
    ("user", "{username}"),
    ("negotiation", "{session_id}"),
    ("comment", "{commentid}"),
    ("external layer", "{layer_id}"),
];

/// Returns the id of a kind of thing in a path, by the path's template. A workshop's path may begin with more than its template.
fn id_in_path(template: &str, path: &str, kind: &str) -> Option<String> {
    let (_, name) = IDS.iter().find(|(of, _)| *of == kind)?;
    let parts = |path| str::rsplit(str::trim_end_matches(path, '/'), '/');
    let (_, id) = parts(template).zip(parts(path)).find(|(part, _)| part == name)?;
    Some(percent_decode_str(id).decode_utf8_lossy().into_owned())
}

/// The field that repeats the reason of an error: the response's own, or `status` if the response has neither.
fn own_field<Response: 'static>() -> OwnField {
    let response = TypeId::of::<Response>();
    let has_message = response == TypeId::of::<Json<Message>>() || response == TypeId::of::<Created<Message>>();
    if has_message { OwnField::Message } else { OwnField::Status }
}

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

#[derive(Clone)]
struct BoxedHandler(Arc<dyn Fn(Request, AppState) -> Answering + Send + Sync>);

impl Handler<(), AppState> for BoxedHandler {
    type Future = Answering;

    fn call(self, request: Request, state: AppState) -> Answering {
        (self.0)(request, state)
    }
}

macro_rules! operation_handlers {
    ($(($($argument:ident)*))*) => {$(
        impl<Handler, Answering, Response, Sender: Access, $($argument),*> OperationHandler<(Sender, $($argument),*)>
            for Handler
        where
            Handler: Fn(Sender, $($argument),*) -> Answering,
            Answering: Future<Output = Result<Response>>,
        {
            type Ids = Sender::Ids;
            type Response = Response;
        }
    )*};
}

// After the access: the state, and where there is one, a page or a body.
operation_handlers! { (State) (State FromRequest) }
