//! The running service: its configuration, its start and stop, TLS, and the connections of its one port.

mod addresses;
mod admission;
mod certificates;
mod config;
mod connections;
mod handshake;
mod lifecycle;
mod listening;
mod network;
mod unread;
mod workshop_server;

pub use addresses::names_of_this_machine;
pub use certificates::{CA_FILE, CertificateError, is_certificate_for};
pub use config::{ServiceConfig, Tls};
pub use lifecycle::{Server, StartError};
pub use listening::ListenError;
pub use network::{InvalidNetwork, Network};
pub use workshop_server::WorkshopServer;
