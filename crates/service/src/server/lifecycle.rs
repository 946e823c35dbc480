//! The service of one database: its configuration, its start and its stop.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::listening::{Address, Answering, ListenError, Port};
use super::network::Network;
use crate::basemap::{Basemap, BasemapError};
use crate::demo;
use crate::http::{Cors, Frontend, HostName, OwnNames, Pages, Paging, Resources};
use crate::limits::Limits;
use crate::load::{IsInterrupted, LoadError, PreparedArchive};
use crate::processes::{Processes, Python};
use crate::store::{Store, StoreError, StoreSettings, new_secret};
use crate::upkeep::{Backups, Upkeep};
use crate::workshops::WorkshopError;
use geodesign::model::AuthorityKey;

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

impl ServiceConfig {
    /// What the pages have done in Python, if the service has both.
    pub(super) fn processes(&self) -> Option<Arc<Processes>> {
        let python = self.python.clone().filter(|_| self.pages)?;
        Some(Arc::new(Processes::new(python, self.limits.process_seconds)))
    }

    /// The names by which the service at this address is reached.
    pub(super) fn own_names(&self, address: &Address) -> OwnNames {
        // One that listens on a name of a loopback address is asked by that name.
        let served = self.host.parse().ok();
        let further = self.public_hosts.iter().cloned().chain(served).collect();
        OwnNames { further, are_complete: address.listening().ip().is_loopback() && !address.is_encrypted() }
    }

    /// The pages for browsers, if the service has them.
    pub(super) fn pages(&self) -> Result<Option<Arc<Pages>>, BasemapError> {
        if !self.pages {
            return Ok(None);
        }
        let basemap = self.basemap.as_deref().map(Basemap::open).transpose()?;
        Ok(Some(Arc::new(Pages::new(&self.allowed_hosts, basemap.map(Arc::new), &self.limits))))
    }
}

/// Threads for queries and computations that take long. Their number also limits how much memory such work takes at once.
const MAX_BLOCKING_THREADS: usize = 16;

/// Why a service could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Workshops(#[from] WorkshopError),
    #[error(transparent)]
    Basemap(#[from] BasemapError),
    #[error("the service cannot start its threads: {0}")]
    Thread(#[source] io::Error),
}

/// A service that runs, on threads of its own, until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    address: Address,
    store: Store,
    answering: Answering,
}

impl Server {
    /// Opens the database and listens. The service answers requests from then on.
    pub fn start(config: ServiceConfig) -> Result<Self, StartError> {
        Server::start_unless(config, &|| false)
    }

    /// The same, but gives up loading archives when `is_interrupted` says so.
    pub fn start_unless(config: ServiceConfig, is_interrupted: IsInterrupted) -> Result<Self, StartError> {
        let port = Port::listen(&config)?;
        let (pages, processes) = (config.pages()?, config.processes());
        let own_names = config.own_names(port.address());
        let limits = Arc::new(config.limits);
        // Before the database is created, so that an archive that cannot be loaded leaves nothing behind.
        let read = |path: &PathBuf| PreparedArchive::read(path, &limits, is_interrupted);
        let archives = config.archives.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let was_there = config.path.as_deref().is_none_or(Path::exists);
        let store = Store::open_with(config.path.as_deref(), limits.clone(), StoreSettings::default())?;
        // A database that was there before may be a copy without its log. It gets no demo, which would hide that.
        if config.demo && store.is_new() && store.is_empty()? {
            demo::create(&store)?;
        }
        if let Err(error) = load(&store, &archives, &limits, is_interrupted) {
            store.close();
            if let Some(path) = config.path.as_deref().filter(|_| !was_there) {
                let _ = std::fs::remove_file(path);
            }
            return Err(error);
        }
        store.limit_statements(Duration::from_secs(limits.statement_seconds));
        let authority = port.address().authority().cloned();
        let resources =
            Resources { authority, pages, processes, own_names, ..Resources::new(limits.clone(), config.paging) };
        let frontend = Frontend::of_workshop(store.clone(), &config.cors, resources);
        let upkeep = Upkeep { store: store.clone(), backups: config.backups };
        let address = port.address().clone();
        let answering = port.serve(frontend, limits, MAX_BLOCKING_THREADS, upkeep.run()).map_err(StartError::Thread)?;
        Ok(Server { address, store, answering })
    }

    /// A service of an existing database, for whoever may write its file and has the token that is returned: the operator, who
    /// administers every project. The token is in the memory of this process only, and ends with the service. Another service may
    /// use the file at the same time.
    pub fn for_file_owner(path: &Path) -> Result<(Self, String), StartError> {
        let config =
            ServiceConfig { path: Some(path.to_owned()), demo: false, pages: false, ..ServiceConfig::default() };
        let service = Server::start(config)?;
        let token = new_secret()?;
        service.store.admit_file_owner(&token);
        Ok((service, token))
    }

    /// Where the service listens.
    pub fn local_address(&self) -> SocketAddr {
        self.address.listening()
    }

    /// The API root, such as `http://127.0.0.1:40513/api/v1/`.
    pub fn url(&self) -> String {
        self.address.url()
    }

    /// The API root under another name or address of this machine.
    pub fn url_at(&self, host: &str) -> String {
        self.address.url_at(host)
    }

    /// With [`Tls::SelfSigned`](super::lifecycle::Tls::SelfSigned), the certificate of the authority. Clients that trust it
    /// (`ca_bundle`) can connect.
    pub fn ca_file(&self) -> Option<&Path> {
        self.address.ca_file()
    }

    /// By which links know that authority.
    pub fn authority_key(&self) -> Option<&AuthorityKey> {
        self.address.authority().map(|authority| &authority.key)
    }

    /// The database, for administration: users, members and all else that the HTTP operations cannot change.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Finishes the requests that are being answered, then stops and closes the database. Does nothing on a service that is
    /// stopped already, and nothing in a forked child of the process that started it.
    pub fn stop(&self) {
        if self.answering.stop() {
            self.store.close();
        }
    }

    /// Whether the service was not stopped yet. Always false in a forked child.
    pub fn is_running(&self) -> bool {
        self.answering.is_running()
    }
}

/// Loads all archives or, if one of them does not fit into the database, none.
fn load(
    store: &Store,
    archives: &[PreparedArchive],
    limits: &Limits,
    is_interrupted: IsInterrupted,
) -> Result<(), StartError> {
    if archives.is_empty() {
        return Ok(());
    }
    store.write(|write| archives.iter().try_for_each(|archive| Ok(archive.load(write, limits, is_interrupted)?)))
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
