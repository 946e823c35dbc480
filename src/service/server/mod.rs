//! The running service: its configuration, its start and stop, TLS, and the connections of its one port.

mod admission;
mod certificates;
mod config;
mod connections;
mod handshake;
mod http2;
mod http2_streams;
mod lifecycle;
mod listening;
mod machine_names;
mod open_files;
mod redirect;
mod refusal;
mod self_signed;
mod workshop_server;
mod write_stall_timeout;

pub use certificates::CertificateError;
pub use config::{ServiceConfig, Tls};
pub use lifecycle::{Server, StartError};
pub use listening::ListenError;
pub use machine_names::names_of_this_machine;
pub use workshop_server::WorkshopServer;
