//! How a service is configured.

use std::path::PathBuf;

use super::network::Network;
use crate::http::{Cors, HostName, Paging};
use crate::limits::Limits;
use crate::processes::Python;
use crate::upkeep::Backups;

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
    /// The host name or address to listen on. Any but a loopback address needs TLS, or `http_for`.
    pub host: String,
    /// The port to listen on; 0 takes a free one.
    pub port: u16,
    /// How lists are divided into pages.
    pub paging: Paging,
    /// On which pages programs in browsers may use the service.
    pub cors: Cors,
    /// Whether connections are encrypted, and with which certificate.
    pub tls: Tls,
    /// Private networks whose devices are served in plain http where there is no TLS. Connections of others, but for this machine, are closed.
    pub http_for: Vec<Network>,
    /// How much one request, one user or one project may take of the service.
    pub limits: Limits,
    /// Backups that the service makes by itself. A temporary database has none.
    pub backups: Option<Backups>,
    /// Whether the service has pages for browsers: the room, at `/` and `/join/`.
    pub pages: bool,
    /// Hosts from which these pages may load pictures, such as tiles.
    pub allowed_hosts: Vec<HostName>,
    /// Names by which a proxy on this machine serves it to others.
    pub public_hosts: Vec<HostName>,
    /// A file of tiles (raster MBTiles) that the pages show below what is drawn.
    pub basemap: Option<PathBuf>,
    /// A Python that does for these pages what needs its libraries: files of GIS, weighed maps, reports.
    pub python: Option<Python>,
}

/// How the connections of a service are encrypted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Tls {
    /// Plain http. Only a loopback address can be served like this, unless `http_for` names networks.
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
            http_for: Vec::new(),
            limits: Limits::default(),
            backups: None,
            pages: true,
            allowed_hosts: Vec::new(),
            public_hosts: Vec::new(),
            basemap: None,
            python: None,
        }
    }
}
