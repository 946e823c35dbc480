//! The operations of the service over HTTP: requests in, answers out.
//!
//! A handler says in its types who may send a request ([`auth`]), what is taken from it ([`extract`]) and what is answered
//! ([`respond`]). [`routing`] joins it to its operation in [`crate::model::operations`], and [`describe`] derives the OpenAPI
//! document from these types.

mod access;
mod auth;
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

pub use paging::Paging;
pub use router::Operations;
pub use routing::ROOT;
