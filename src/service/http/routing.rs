//! Operations with the handlers that answer them, for the router and for the OpenAPI document.

use axum::Router;
use axum::handler::Handler;
use axum::http::{Method, StatusCode};
use axum::routing::{MethodFilter, on};
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::{HttpMethod, Paths};

use super::error::ErrorBody;
use super::openapi::describe::{DescribeHandler, Description};
use super::openapi::document;
use super::state::AppState;
use crate::model::operations::Operation;
use crate::service::root::ROOT;

/// The operations of a group of resources. The group is their tag in the OpenAPI document.
pub struct Routes {
    tag: &'static str,
    router: Router<AppState>,
    described: Vec<DescribedOperation>,
}

struct DescribedOperation {
    tag: &'static str,
    name: &'static str,
    summary: &'static str,
    method: HttpMethod,
    path: String,
    description: Description,
}

impl Routes {
    pub fn tagged(tag: &'static str) -> Self {
        Routes { tag, router: Router::new(), described: Vec::new() }
    }

    /// Has a handler answer an operation. The first argument of the handler takes the ids of the operation.
    pub fn operation<H, Arguments, Marker>(mut self, operation: Operation<H::Ids>, handler: H) -> Self
    where
        H: DescribeHandler<Arguments> + Handler<Marker, AppState>,
        Marker: 'static,
    {
        let Operation { name, summary, .. } = operation;
        let (filter, method) = routed(&operation.method);
        let path = format!("{ROOT}/{}", operation.path);
        self.router = self.router.route(&path, on(filter, handler));
        let mut description = H::describe();
        if description.has_tag && operation.method == Method::GET {
            description.revalidation();
        }
        self.described.push(DescribedOperation { tag: self.tag, name, summary, method, path, description });
        self
    }

    /// Describes an error that the last operation answers beside those of its arguments.
    pub fn refuses(mut self, status: StatusCode, when: &str) -> Self {
        if let Some(last) = self.described.last_mut() {
            last.description.error::<ErrorBody>(status, when);
        }
        self
    }

    /// With the operations of another group.
    pub fn merge(mut self, other: Routes) -> Self {
        self.router = self.router.merge(other.router);
        self.described.extend(other.described);
        self
    }

    /// The router, and the OpenAPI document that describes it.
    pub fn into_parts(self) -> (Router<AppState>, OpenApi) {
        let (mut paths, mut all_schemas) = (Paths::new(), Vec::new());
        for DescribedOperation { tag, name, summary, method, path, description } in self.described {
            let (operation, schemas) = description.into_operation();
            let operation = operation.tag(tag).operation_id(Some(name.to_ascii_lowercase())).summary(Some(summary));
            paths.add_path_operation(path, vec![method], operation);
            all_schemas.extend(schemas);
        }
        (self.router, document::document(paths, all_schemas))
    }
}

fn routed(method: &Method) -> (MethodFilter, HttpMethod) {
    match *method {
        Method::GET => (MethodFilter::GET, HttpMethod::Get),
        Method::POST => (MethodFilter::POST, HttpMethod::Post),
        Method::DELETE => (MethodFilter::DELETE, HttpMethod::Delete),
        _ => unreachable!("the table of operations has GET, POST and DELETE only"),
    }
}
