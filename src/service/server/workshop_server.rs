//! Starting and stopping the service of a folder of workshops.

use std::path::Path;
use std::sync::Arc;

use super::lifecycle::{ServiceConfig, StartError};
use super::listening::{Address, Answering, Port};
use crate::service::ROOT;
use crate::service::http::{Frontend, Resources, Workshops};
use crate::service::workshops::{FolderLock, RunningService, WorkshopFolder};

/// Threads for what takes long. More than a single workshop has, so that a few with slow or broken databases leave some for others.
const MAX_BLOCKING_THREADS: usize = 40;
/// What a database has open: itself, its log and its index, for each connection that reads, writes or moves the log.
const FILES_PER_WORKSHOP: u64 = 14;
/// What the process has open beside databases and connections.
const OTHER_FILES: u64 = 100;

/// A service of all workshops in a folder, which runs until it is stopped or dropped.
pub struct WorkshopServer {
    address: Address,
    workshops: Workshops,
    answering: Answering,
    /// Given back when the databases are closed.
    _lock: FolderLock,
}

impl WorkshopServer {
    /// Serves a folder, which is created if there is none. Databases are opened when they are first asked for. What `config` says of
    /// a database is not used.
    pub fn start(config: ServiceConfig, folder: &Path) -> Result<Self, StartError> {
        let folder = WorkshopFolder::create(folder)?;
        let lock = FolderLock::take(&folder)?;
        let port = Port::listen(&config)?;
        let limits = Arc::new(config.limits);
        let needed = limits.connections + limits.open_workshops.saturating_mul(FILES_PER_WORKSHOP) + OTHER_FILES;
        let allowed = allow_open_files(needed);
        if allowed < needed {
            tracing::warn!(
                "the system lets this process open {allowed} files, and its limits may need {needed}; raise that (ulimit -n), or \
                 lower the limits open_workshops or connections"
            );
        }
        let resources = Resources::new(limits.clone(), config.paging);
        let workshops = Workshops::new(folder.clone(), &folder.operator_token()?, resources, &config.cors);
        let frontend = Frontend::of_folder(workshops.clone(), &config.cors);
        let address = port.address().clone();
        let closing = workshops.clone();
        let upkeep = async move { closing.close_unused().await };
        let answering = port.serve(frontend, limits, MAX_BLOCKING_THREADS, upkeep).map_err(StartError::Thread)?;
        let service = RunningService {
            url: address.local_url(),
            ca_file: address.ca_file().and_then(|file| std::path::absolute(file).ok()),
        };
        lock.announce(&service).map_err(|source| folder.failed(source))?;
        Ok(WorkshopServer { address, workshops, answering, _lock: lock })
    }

    /// The API root of the operator's operations.
    pub fn url(&self) -> String {
        self.address.url()
    }

    /// The API root of a workshop, with `NAME` in the place of its name.
    pub fn url_of_workshops(&self) -> String {
        below_workshop(&self.address.url())
    }

    /// The same under another name or address of this machine.
    pub fn url_of_workshops_at(&self, host: &str) -> String {
        below_workshop(&self.address.url_at(host))
    }

    /// See [`Server::ca_file`](super::lifecycle::Server::ca_file).
    pub fn ca_file(&self) -> Option<&Path> {
        self.address.ca_file()
    }

    pub fn folder(&self) -> &WorkshopFolder {
        self.workshops.folder()
    }

    /// Finishes the requests that are being answered, then stops and closes all databases.
    pub fn stop(&self) {
        if self.answering.stop() {
            self.workshops.close();
        }
    }
}

fn below_workshop(root: &str) -> String {
    let service = root.strip_suffix(&format!("{ROOT}/")).unwrap_or(root);
    format!("{service}/w/NAME{ROOT}/")
}

impl Drop for WorkshopServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Has the system allow the process that many open files, as far as it does so. Returns how many it allows.
#[cfg(unix)]
pub fn allow_open_files(needed: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let allowed = current.unwrap_or(u64::MAX);
    let wanted = needed.min(maximum.unwrap_or(u64::MAX));
    if wanted <= allowed {
        return allowed;
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => wanted,
        Err(_) => allowed,
    }
}

/// Such a limit is not known here.
#[cfg(not(unix))]
pub fn allow_open_files(_needed: u64) -> u64 {
    u64::MAX
}
