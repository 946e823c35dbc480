//! Operations with the handlers that answer them.

use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use axum::routing::{MethodFilter, on};

use super::error::Result;
use super::openapi::{DescribeArgument, DescribeResponse, Described};
use super::request::access::Access;
use super::state::AppState;
use crate::model::operations::Operation;
use crate::service::root::ROOT;

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

    /// Has a handler answer an operation. The first argument of the handler takes the ids of the operation.
    pub fn operation<H, Arguments, Marker>(mut self, operation: Operation<H::Ids>, handler: H) -> Self
    where
        H: OperationHandler<Arguments, Ids: crate::model::operations::PathIds, Response: DescribeResponse>,
        H: Handler<Marker, AppState>,
        Arguments: DescribeArgument,
        Marker: 'static,
    {
        self.described.add::<Arguments, H::Response>(self.group, &operation);
        let answer = move |request, state| -> Answering { Box::pin(handler.clone().call(request, state)) };
        self.add(&operation.method, operation.path, BoxedHandler(Arc::new(answer)));
        self
    }

    /// Not generic, so that axum's routes are compiled for one type of handlers.
    fn add(&mut self, method: &Method, path: &str, handler: BoxedHandler) {
        let filter = match *method {
            Method::GET => MethodFilter::GET,
            Method::POST => MethodFilter::POST,
            Method::DELETE => MethodFilter::DELETE,
            _ => unreachable!("the table of operations has GET, POST and DELETE only"),
        };
        self.router = std::mem::take(&mut self.router).route(&format!("{ROOT}/{path}"), on(filter, handler));
    }

    /// Describes an error of the last operation beside those of its arguments.
    pub fn refuses(mut self, status: StatusCode, when: &str) -> Self {
        self.described.error(status, when);
        self
    }

    /// With the operations of another group.
    pub fn merge(mut self, other: Routes) -> Self {
        self.router = self.router.merge(other.router);
        self.described.append(other.described);
        self
    }

    /// The router, and what describes it.
    pub fn into_parts(self) -> (Router<AppState>, Described) {
        (self.router, self.described)
    }
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

// Beside the access: the state, and where there is one, a page or a body.
operation_handlers! { (State) (State FromRequest) }
