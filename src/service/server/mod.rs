//! The running service: its configuration, its start and stop, TLS, and the connections of its one port.

mod admission;
mod certificates;
mod config;
mod connections;
mod handshake;
mod http2;
mod http2_streams;
mod lifecycle;
mod machine_names;
mod redirect;
mod refusal;
mod self_signed;
mod upkeep;
mod write_stall_timeout;

pub use certificates::CertificateError;
pub use config::{Backups, ServiceConfig, Tls};
pub use lifecycle::{Server, StartError};
pub use machine_names::names_of_this_machine;
