//! The embedded service: the operations of the client, over a SQLite file.
//!
//! It runs inside any process, on threads of its own, and several can run side by side.

mod demo;
mod http;
mod server;
mod setup;
mod store;
mod thumbnail;

pub use http::{Paging, ROOT};
pub use server::{CertificateError, Server, ServiceConfig, StartError, Tls, names_of_this_machine};
pub use setup::{ProjectSetup, Setup};
pub use store::{
    Account, DiagramSettings, Geography, InputError, ProjectKey, Reader, Store, StoreError, SystemSettings, Writer,
};
