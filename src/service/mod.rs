//! The service itself: the operations of the client, over a SQLite file.
//!
//! It runs inside any process, on threads of its own, and several can run side by side.

mod auth;
mod demo;
mod error;
mod paging;
mod routes;
mod running;
mod store;

pub use paging::Paging;
pub use running::{Running, ServiceConfig, StartError};
pub use store::{Store, StoreError};

/// The path that every operation stands below.
pub const ROOT: &str = "/api/v1";
