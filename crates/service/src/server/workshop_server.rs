//! Starting and stopping the service of a folder of workshops.

use std::path::Path;
use std::sync::Arc;

use super::config::ServiceConfig;
use super::lifecycle::StartError;
use super::listening::{Address, Answering, Port};
use crate::ROOT;
use crate::http::{Frontend, Resources, Workshops};
use crate::limits::Limits;
use crate::workshops::{FolderLock, RunningService, WorkshopFolder};
use geodesign::model::AuthorityKey;

/// Threads for long work: more than a single workshop has, so that a few slow or broken databases leave some for others.
const MAX_BLOCKING_THREADS: usize = 40;
/// Files that a database has open: itself, its log and its index, for each connection that reads, writes or moves the log.
const FILES_PER_WORKSHOP: u64 = 14;
/// Files that the process has open in addition to databases and connections.
const OTHER_FILES: u64 = 100;

/// A service of all workshops in a folder, which runs until it is stopped or dropped.
pub struct WorkshopServer {
    address: Address,
    workshops: Workshops,
    answering: Answering,
    /// The lock on the folder, released once the databases are closed.
    _lock: FolderLock,
}

impl WorkshopServer {
    /// Serves a folder, which is created if there is none. A database is opened by the first request for it. The database settings in
    /// `config` are not used.
    pub fn start(config: ServiceConfig, folder: &Path) -> Result<Self, StartError> {
        let folder = WorkshopFolder::create(folder)?;
        let lock = FolderLock::take(&folder)?;
        let port = Port::listen(&config)?;
        let (pages, processes) = (config.pages()?, config.processes());
        let own_names = config.own_names(port.address());
        let mut limits = config.limits;
        let needed = limits.connections + limits.open_workshops.saturating_mul(FILES_PER_WORKSHOP) + OTHER_FILES;
        let allowed = allow_open_files(needed);
        if allowed < needed {
            fit_files(&mut limits, allowed);
            tracing::warn!(
                "the system lets this process open {allowed} files, and its limits may need {needed}: it has {} connections and {} \
                 open workshops at the same time; for more, raise the limit of open files (ulimit -n)",
                limits.connections,
                limits.open_workshops
            );
        }
        let limits = Arc::new(limits);
        let authority = port.address().authority().cloned();
        let resources =
            Resources { authority, pages, processes, own_names, ..Resources::new(limits.clone(), config.paging) };
        let workshops = Workshops::new(folder.clone(), &folder.operator_token()?, resources, &config.cors);
        let frontend = Frontend::of_folder(workshops.clone(), &config.cors);
        let address = port.address().clone();
        let closing = workshops.clone();
        let upkeep = async move { closing.close_unused().await };
        let answering = port.serve(frontend, limits, MAX_BLOCKING_THREADS, upkeep).map_err(StartError::Thread)?;
        let service = RunningService { url: address.local_url(), ca_file: address.ca_file().map(Path::to_owned) };
        lock.announce(&service).map_err(|source| folder.failed(source))?;
        Ok(WorkshopServer { address, workshops, answering, _lock: lock })
    }

    /// The API root of the operator's operations.
    pub fn url(&self) -> String {
        self.address.url()
    }

    /// The API root of a workshop, with `NAME` instead of its name.
    pub fn url_of_workshops(&self) -> String {
        below_workshop(&self.address.url())
    }

    /// The same API root under another name or address of this machine.
    pub fn url_of_workshops_at(&self, host: &str) -> String {
        below_workshop(&self.address.url_at(host))
    }

    /// See [`Server::ca_file`](super::lifecycle::Server::ca_file).
    pub fn ca_file(&self) -> Option<&Path> {
        self.address.ca_file()
    }

    /// See [`Server::authority_key`](super::lifecycle::Server::authority_key).
    pub fn authority_key(&self) -> Option<&AuthorityKey> {
        self.address.authority().map(|authority| &authority.key)
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

/// Lowers the limits so that connections and databases together open no more files than these.
fn fit_files(limits: &mut Limits, allowed: u64) {
    let files = allowed.saturating_sub(OTHER_FILES);
    let fits = |limits: &Limits| limits.connections + limits.open_workshops * FILES_PER_WORKSHOP <= files;
    // First one of them alone, so that a limit that is low already stays as it is.
    limits.connections = limits.connections.min((files / 3).max(1));
    if !fits(limits) {
        limits.open_workshops =
            limits.open_workshops.min(((files - limits.connections.min(files)) / FILES_PER_WORKSHOP).max(1));
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

/// Asks the system to allow the process `needed` open files, or its maximum if that is less. Returns the number that it allows.
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

/// Returns no limit: none is known on this system.
#[cfg(not(unix))]
pub fn allow_open_files(_needed: u64) -> u64 {
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_and_databases_fit_into_the_files_that_a_process_may_open() {
        for allowed in [256, 1024, 4096] {
            let mut limits = Limits::of_many_workshops();
            fit_files(&mut limits, allowed);
            let files = limits.connections + limits.open_workshops * FILES_PER_WORKSHOP + OTHER_FILES;
            assert!(files <= allowed && limits.connections > 20 && limits.open_workshops > 5, "{limits:?}");
        }
    }
}
