//! The operations of the service over HTTP: requests in, responses out.
//!
//! The types of a handler's arguments say who may send the request ([`request::auth`]) and what is taken from it ([`request::extract`]);
//! the type of the response says what is sent ([`response`]). [`router`] joins the handler to its operation in
//! [`geodesign::model::operations`], and `openapi` derives the OpenAPI document from these types.

mod app;
mod authority;
mod cors;
mod error;
mod events;
mod frontend;
mod gate;
mod group_commit;
mod host_name;
mod metrics;
mod ogc;
#[cfg(feature = "openapi")]
mod openapi;

/// Without the feature, handlers describe nothing.
#[cfg(not(feature = "openapi"))]
mod openapi {
    use axum::http::StatusCode;

    use geodesign::model::operations::Operation;

    pub trait DescribeArgument {}
    impl<T> DescribeArgument for T {}

    pub trait DescribeResponse {}
    impl<T> DescribeResponse for T {}

    #[derive(Default)]
    pub struct Described(());

    #[allow(clippy::unused_self)]
    impl Described {
        pub fn add<Arguments, Response>(&mut self, _group: &str, _operation: &Operation<impl Sized>) {}
        pub fn error(&mut self, _status: StatusCode, _when: &str) {}
        pub fn append(&mut self, _other: Self) {}
    }
}
#[cfg(feature = "openapi")]
mod openapi_document;
mod pages;
mod paging;
mod presence;
mod request;
mod response;
mod router;
mod routes;
mod state;
mod workshop;
mod workshops;

pub use authority::RoomAuthority;
pub use cors::{Cors, InvalidOrigin, Origin};
pub use frontend::{Frontend, check_host};
pub use host_name::{HostName, InvalidHostName};
#[cfg(feature = "openapi")]
pub use openapi_document::openapi_document;
pub use pages::{Pages, web_file};
pub use paging::{DEFAULT_PAGE_SIZE, Paging};
pub use request::origin::OwnNames;
pub use state::Resources;
pub use workshops::Workshops;
