//! The operations of the service over HTTP: requests in, answers out.
//!
//! The types of a handler's arguments say who may send the request ([`request::auth`]) and what is taken from it ([`request::extract`]), the type
//! of its answer says what is answered ([`response::respond`]). [`routing`] joins the handler to its operation in
//! [`crate::model::operations`], and [`openapi::describe`] derives the OpenAPI document from these types.

mod cors;
mod drawing_queue;
mod error;
mod event_stream;
mod frontend;
mod group_commit;
mod join;
mod metrics;
mod openapi;
mod overload;
mod paging;
mod request;
mod resources;
mod response;
mod router;
mod routes;
mod routing;
mod state;
mod workshop;
mod workshops;

pub use cors::{Cors, InvalidOrigin, Origin};
pub use frontend::Frontend;
pub use paging::Paging;
pub use request::check_limits::positions;
pub use request::host::check_host;
pub use resources::Resources;
pub use workshops::Workshops;
