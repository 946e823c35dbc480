//! Configuration of a service.

use std::path::PathBuf;

use super::network::Network;
use crate::basemap::BasemapSource;
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
    /// True to write the demo project into a database that did not exist before.
    pub demo: bool,
    /// Archives whose projects are loaded into the database. If one cannot be loaded, none is.
    pub archives: Vec<PathBuf>,
    /// The host name or address to listen on. Any but a loopback address needs TLS, or `http_for`.
    pub host: String,
    /// The port to listen on; 0 takes a free one.
    pub port: u16,
    /// Division of lists into pages.
    pub paging: Paging,
    /// Pages on which programs in browsers may use the service.
    pub cors: Cors,
    /// Encryption of connections, and its certificate.
    pub tls: Tls,
    /// Private networks whose devices are served in plain http without TLS. Other connections, except from this machine, are closed.
    pub http_for: Vec<Network>,
    /// Limits for one request, one user and one project.
    pub limits: Limits,
    /// Backups that the service makes by itself. A temporary database has none.
    pub backups: Option<Backups>,
    /// True if the service has pages for browsers: the room, at `/` and `/join/`.
    pub pages: bool,
    /// Hosts from which these pages may load pictures, such as tiles.
    pub allowed_hosts: Vec<HostName>,
    /// Names by which a proxy on this machine serves it to others.
    pub public_hosts: Vec<HostName>,
    /// Tiles that the pages show below the drawings.
    pub basemap: Option<BasemapSource>,
    /// A Python whose libraries these pages need for GIS files, weighed maps and reports.
    pub python: Option<Python>,
}

/// Encryption of a service's connections.
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
