//! Where a service listens, what it serves and how it is encrypted.

use std::path::PathBuf;

use crate::service::http::{Cors, Paging};
use crate::service::limits::Limits;
use crate::service::upkeep::Backups;

/// The configuration of a [`Server`](super::Server). The default serves the demo project from a temporary database, in
/// plain http, on a free port of 127.0.0.1.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// The database file, which is created if it does not exist. `None` uses a temporary file, which is deleted when the
    /// service stops.
    pub path: Option<PathBuf>,
    /// Whether the demo project is written into a database that did not exist before.
    pub demo: bool,
    /// Archives whose projects are loaded into the database. If one of them cannot be loaded, none is.
    pub archives: Vec<PathBuf>,
    /// The host name or address to listen on. Any but a loopback address needs TLS.
    pub host: String,
    /// The port to listen on; 0 takes a free one.
    pub port: u16,
    /// How lists are divided into pages.
    pub paging: Paging,
    /// On which pages programs in browsers may use the service.
    pub cors: Cors,
    /// Whether connections are encrypted, and with which certificate.
    pub tls: Tls,
    /// How much one request, one user or one project may take of the service.
    pub limits: Limits,
    /// Backups that the service makes by itself. A temporary database has none.
    pub backups: Option<Backups>,
}

/// How the connections of a service are encrypted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Tls {
    /// Plain http. Only a loopback address can be served like this.
    #[default]
    Off,
    /// https with a certificate chain and its private key, both PEM files.
    Files { certificate: PathBuf, key: PathBuf },
    /// https with a certificate for these names and addresses, signed by a certificate authority of the service's own. Both
    /// are kept in `folder`.
    SelfSigned { folder: PathBuf, names: Vec<String> },
}

impl Default for ServiceConfig {
    fn default() -> Self {
        ServiceConfig {
            path: None,
            demo: true,
            archives: Vec::new(),
            host: "127.0.0.1".into(),
            port: 0,
            paging: Paging::default(),
            cors: Cors::default(),
            tls: Tls::default(),
            limits: Limits::default(),
            backups: None,
        }
    }
}
