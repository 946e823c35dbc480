//! What the OpenAPI document says of an operation, derived from the types of its handler: each argument and the answer
//! describe themselves.

use std::collections::BTreeMap;

use axum::http::{HeaderName, StatusCode, header};
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterIn};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::{Content, ContentBuilder, Ref, RefOr, Required, Response, ResponseBuilder, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::model::add_component;
use crate::service::http::error::{ErrorBody, Result};
use crate::service::http::request::access::Access;

/// An argument of a handler.
pub trait DescribeArgument {
    fn describe(description: &mut Description);
}

/// What a handler answers where nothing is wrong.
pub trait DescribeAnswer {
    fn describe(description: &mut Description);
}

/// A handler whose first argument is an [`Access`]; `Ids` are the ids in the path that it takes. `Arguments` is the tuple of the
/// types of its arguments: without it, the implementations for one and for two arguments would overlap.
pub trait DescribeHandler<Arguments> {
    type Ids;

    fn describe() -> Description;
}

macro_rules! describe_handlers {
    ($(($($argument:ident)*))*) => {$(
        impl<Handler, Answering, Answer, Sender, $($argument),*> DescribeHandler<(Sender, $($argument),*)> for Handler
        where
            Handler: Fn(Sender, $($argument),*) -> Answering,
            Answering: Future<Output = Result<Answer>>,
            Answer: DescribeAnswer,
            Sender: Access + DescribeArgument,
            $($argument: DescribeArgument,)*
        {
            type Ids = Sender::Ids;

            fn describe() -> Description {
                let mut description = Description::default();
                Answer::describe(&mut description);
                Sender::describe(&mut description);
                $($argument::describe(&mut description);)*
                description.overload();
                description
            }
        }
    )*};
}

// Beside the access: the state, and where there is one, a page or a body.
describe_handlers! { (State) (State FromRequest) }

/// The parameters, bodies and statuses of an operation.
#[derive(Default)]
pub struct Description {
    parameters: Vec<Parameter>,
    body: Option<RequestBody>,
    answers: BTreeMap<String, RefOr<Response>>,
    /// Whether a GET has a tag, and is answered with 304 to a client that has the answer.
    pub has_tag: bool,
    /// The schemas that these refer to.
    schemas: Vec<(String, RefOr<Schema>)>,
}

impl Description {
    pub fn parameters<T: IntoParams>(&mut self, place: ParameterIn) {
        self.parameters.extend(T::into_params(|| Some(place.clone())));
    }

    pub fn body<T: ToSchema>(&mut self) {
        let content = self.json::<T>();
        let body = RequestBodyBuilder::new().content("application/json", content).required(Some(Required::True));
        self.body = Some(body.build());
    }

    /// An answer in JSON.
    pub fn answer<T: ToSchema>(&mut self, status: StatusCode) {
        let content = self.json::<T>();
        self.add(status, status.canonical_reason().unwrap_or_default(), Some(("application/json", content)));
    }

    /// An answer of another type, or without a body.
    pub fn other_answer(&mut self, status: StatusCode, content_type: Option<&str>) {
        let content = content_type.map(|content_type| (content_type, Content::default()));
        self.add(status, status.canonical_reason().unwrap_or_default(), content);
    }

    /// A header of an answer that was described before.
    pub fn header<T: PartialSchema>(&mut self, status: StatusCode, name: HeaderName, meaning: &str) {
        if let Some(RefOr::T(answer)) = self.answers.get_mut(status.as_str()) {
            let header = HeaderBuilder::new().schema(Some(T::schema())).description(Some(meaning)).build();
            answer.headers.insert(name.to_string(), header.into());
        }
    }

    /// An answer in place of the one that was asked for. The first error with a status describes it.
    pub fn error<T: ToSchema>(&mut self, status: StatusCode, when: &str) {
        let content = self.json::<T>();
        self.add(status, when, Some(("application/json", content)));
    }

    /// The errors of every operation for a request that may be sent again a little later.
    fn overload(&mut self) {
        self.error::<ErrorBody>(
            StatusCode::TOO_MANY_REQUESTS,
            "The user exceeds a limit for now, which the detail names",
        );
        self.error::<ErrorBody>(
            StatusCode::SERVICE_UNAVAILABLE,
            "The service is at a limit for now, which the detail names, or another process has locked the database",
        );
        for status in [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE] {
            self.header::<i64>(status, header::RETRY_AFTER, "After how many seconds the request may be sent again");
        }
    }

    /// Adds what a client needs to ask only for what has changed.
    pub fn revalidation(&mut self) {
        self.header::<String>(
            StatusCode::OK,
            header::ETAG,
            "Differs after each change of the project; for `If-None-Match`",
        );
        self.add(StatusCode::NOT_MODIFIED, "The project is as it was when `ETag` was one of `If-None-Match`", None);
    }

    /// The operation with all of it, and the schemas that it refers to.
    pub fn into_operation(self) -> (OperationBuilder, Vec<(String, RefOr<Schema>)>) {
        let parameters = Some(self.parameters).filter(|parameters| !parameters.is_empty());
        let operation = OperationBuilder::new().parameters(parameters).request_body(self.body);
        let operation =
            self.answers.into_iter().fold(operation, |operation, (status, answer)| operation.response(status, answer));
        (operation, self.schemas)
    }

    fn add(&mut self, status: StatusCode, when: &str, content: Option<(&str, Content)>) {
        let answer = ResponseBuilder::new().description(when);
        let answer = content.into_iter().fold(answer, |answer, (kind, content)| answer.content(kind, content));
        self.answers.entry(status.as_str().to_owned()).or_insert_with(|| answer.build().into());
    }

    fn json<T: ToSchema>(&mut self) -> Content {
        ContentBuilder::new().schema(Some(self.schema::<T>())).build()
    }

    /// A reference to the schema of a type. The schema of a list, which has no name, stands where it is used.
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
