//! The service of one database: its configuration, its start and its stop.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::config::ServiceConfig;
use super::listening::{Address, Answering, ListenError, Port};
use crate::basemap::BasemapError;
use crate::demo;
use crate::http::{Frontend, OwnNames, Pages, Resources};
use crate::limits::Limits;
use crate::load::{IsInterrupted, LoadError, PreparedArchive};
use crate::processes::Processes;
use crate::store::{Store, StoreError, StoreSettings, new_secret};
use crate::upkeep::Upkeep;
use crate::workshops::WorkshopError;
use geodesign::model::AuthorityKey;

impl ServiceConfig {
    /// Python programs that work for the pages, if the service has both.
    pub(super) fn processes(&self) -> Option<Arc<Processes>> {
        let python = self.python.clone().filter(|_| self.pages)?;
        Some(Arc::new(Processes::new(python, self.limits.process_seconds)))
    }

    /// The names by which the service at this address is reached.
    pub(super) fn own_names(&self, address: &Address) -> OwnNames {
        // A service that listens on a name of a loopback address is reached by that name.
        let served = self.host.parse().ok();
        let further = self.public_hosts.iter().cloned().chain(served).collect();
        OwnNames { further, are_complete: address.listening().ip().is_loopback() && !address.is_encrypted() }
    }

    /// The pages for browsers, if the service has them.
    pub(super) fn pages(&self) -> Result<Option<Arc<Pages>>, BasemapError> {
        if !self.pages {
            return Ok(None);
        }
        Ok(Some(Arc::new(Pages::new(&self.allowed_hosts, self.basemap.as_ref(), &self.limits)?)))
    }
}

/// Threads for queries and computations that take long. Their number also limits how much memory such work takes at once.
const MAX_BLOCKING_THREADS: usize = 16;

/// The reason why a service could not be started.
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

/// A service that runs on its own threads until it is stopped or dropped.
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

    /// Same as `start`, but stops loading archives once `is_interrupted` returns true.
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

    /// Starts a service over an existing database, for a user who may write its file. Returns the operator's token, which administers every
    /// project. It exists only in this process, and ends with the service. Another service may use the file at the same time.
    pub fn for_file_owner(path: &Path) -> Result<(Self, String), StartError> {
        let config =
            ServiceConfig { path: Some(path.to_owned()), demo: false, pages: false, ..ServiceConfig::default() };
        let service = Server::start(config)?;
        let token = new_secret()?;
        service.store.admit_file_owner(&token);
        Ok((service, token))
    }

    /// The address on which the service listens.
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

    /// The key that identifies that authority in links.
    pub fn authority_key(&self) -> Option<&AuthorityKey> {
        self.address.authority().map(|authority| &authority.key)
    }

    /// The database, for administration: users, members and everything else that the HTTP operations cannot change.
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

    /// True until the service is stopped. Always false in a forked child.
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
