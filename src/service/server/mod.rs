//! The running service: its configuration, its start and stop, TLS, and the connections of its one port.

mod certificates;
mod config;
mod connections;
mod lifecycle;
mod listener;
mod machine_names;
mod redirect;
mod self_signed;
mod upkeep;
mod write_stall_timeout;

pub use certificates::CertificateError;
pub use config::{Backups, ServiceConfig, Tls};
pub use lifecycle::{Server, StartError};
pub use machine_names::names_of_this_machine;
