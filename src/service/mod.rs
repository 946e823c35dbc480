//! The embedded service: the operations that the client calls, over a SQLite file.
//!
//! It runs on threads of its own in any process. Several services can run in one process.

mod demo;
mod http;
mod limits;
mod server;
mod setup;
mod store;
mod thumbnail;

pub use http::{Cors, InvalidOrigin, Origin, Paging, ROOT};
pub use limits::{InvalidLimit, LimitChange, Limits};
pub use server::{CertificateError, Server, ServiceConfig, StartError, Tls, names_of_this_machine};
pub use setup::{ProjectSetup, Setup};
pub use store::{
    Account, DiagramSettings, Geography, InputError, ProjectKey, Reader, Store, StoreError, SystemSettings, Writer,
};
