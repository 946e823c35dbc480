//! The service itself: the operations of the client, over a SQLite file.
//!
//! It runs inside any process, on threads of its own, and several can run side by side.

mod auth;
mod certificates;
mod commits;
mod demo;
mod error;
mod kept;
mod listener;
mod paging;
mod routes;
mod running;
mod serving;
mod setup;
mod store;
mod thumbnail;

pub use certificates::names_of_this_machine;
pub use paging::Paging;
pub use running::{Running, ServiceConfig, StartError, Tls};
pub use setup::{ProjectSetup, Setup, SystemSetup};
pub use store::{Account, DiagramFigures, Geography, ProjectKey, Reader, Store, StoreError, Writer};

/// The path that every operation stands below.
pub const ROOT: &str = "/api/v1";
