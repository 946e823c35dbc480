//! The operations of the service over HTTP: requests in, answers out.
//!
//! The types of a handler's arguments say who may send the request ([`auth`]) and what is taken from it ([`extract`]), the type
//! of its answer says what is answered ([`respond`]). [`routing`] joins the handler to its operation in
//! [`crate::model::operations`], and [`describe`] derives the OpenAPI document from these types.

mod access;
mod auth;
mod cors;
mod describe;
mod drain_body;
mod error;
mod extract;
mod group_commit;
mod openapi;
mod paging;
mod respond;
mod response_cache;
mod router;
mod routes;
mod routing;
mod state;

pub use cors::{Cors, InvalidOrigin, Origin};
pub use paging::Paging;
pub use router::Operations;
pub use routing::ROOT;
