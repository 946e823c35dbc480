//! Finding, opening and closing the workshops of a folder, and taking one out of service.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::Uri;
use parking_lot::RwLock;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tower_http::cors::CorsLayer;

use super::slot::{InUse, OpenWorkshop, Slot};
use crate::http::cors::Cors;
use crate::http::error::{ApiError, Overload, Result};
use crate::http::metrics::{Gauges, HEALTH};
use crate::http::request::id::RequestId;
use crate::http::state::Resources;
use crate::http::workshop::Workshop;
use crate::store::{Digest, Store, StoreSettings, digest};
use crate::upkeep::Upkeep;
use crate::workshops::{WorkshopError, WorkshopFolder, WorkshopName};
use geodesign_common::blocking;

/// Prefix of the paths of workshops.
const WORKSHOPS: &str = "/w/";
/// At most this many databases are opened or closed at the same time. A broken one can take seconds.
const MAX_OPENING: usize = 16;
/// Interval between checks for unused workshops.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Time that a request waits for a workshop to become unused, when no more may be open.
const MAX_WAIT_FOR_PLACE: Duration = Duration::from_secs(2);
const PLACE_CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// Codes of systems for too many open files, of the process or of all processes together.
const TOO_MANY_OPEN_FILES: &[i32] = if cfg!(windows) { &[4] } else { &[23, 24] };
/// At most this many workshops are closed for one that cannot be opened because the process has too many files open.
const MAX_MAKING_ROOM: usize = 4;

/// The workshops of a folder. Cheap to clone.
#[derive(Clone)]
pub struct Workshops(Arc<Inner>);

struct Inner {
    folder: WorkshopFolder,
    operator: Digest,
    resources: Resources,
    cors: Option<CorsLayer>,
    /// Workshops found so far.
    slots: RwLock<HashMap<WorkshopName, Arc<Slot>>>,
    opening: Semaphore,
    places: Arc<Semaphore>,
}

/// The destination of a path.
pub enum Target {
    /// A workshop, and the path within it.
    Workshop(InUse, Uri),
    /// A workshop that is not open, for a request without a token, and the path within it.
    Unopened(WorkshopName, Uri),
    /// An existing workshop, by a path that ends with its name.
    WithoutSlash,
    /// A path that the service itself answers.
    Service,
}

impl Workshops {
    /// `token` is the operator's.
    pub fn new(folder: WorkshopFolder, token: &str, resources: Resources, cors: &Cors) -> Self {
        let places = usize::try_from(resources.limits.open_workshops).unwrap_or(usize::MAX);
        Workshops(Arc::new(Inner {
            folder,
            operator: digest(token),
            resources,
            cors: cors.layer(),
            slots: RwLock::default(),
            opening: Semaphore::new(MAX_OPENING),
            places: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
        }))
    }

    pub fn folder(&self) -> &WorkshopFolder {
        &self.0.folder
    }

    pub fn resources(&self) -> &Resources {
        &self.0.resources
    }

    /// True if a token is the operator's; `None` if the token is unknown here.
    pub fn is_operator(&self, token: &str) -> Option<bool> {
        // Digests, so that the time of the comparison reveals nothing about the token.
        (digest(token) == self.0.operator).then_some(true)
    }

    /// The path of a request within its workshop, if it is for one.
    pub fn path_within(uri: &Uri) -> Option<&str> {
        let path = uri.path().strip_prefix(WORKSHOPS)?;
        path.find('/').map(|end| &path[end..])
    }

    /// The destination of a request. A workshop that is not open is opened, if the request has a token.
    pub async fn find(&self, uri: &Uri, has_token: bool) -> Result<Target> {
        let Some(path) = uri.path().strip_prefix(WORKSHOPS).filter(|path| !path.is_empty()) else {
            return Ok(Target::Service);
        };
        let Some((name, rest)) = path.split_once('/') else {
            let name: WorkshopName = path.parse().map_err(|_| ApiError::NotFound("workshop"))?;
            self.slot(&name).await?;
            return Ok(Target::WithoutSlash);
        };
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let within = format!("/{rest}{query}").parse().map_err(|_| ApiError::NotFound("path"))?;
        let known = self.0.slots.read().get(name).cloned();
        if let Some(in_use) = known.as_ref().and_then(Slot::enter) {
            return Ok(Target::Workshop(in_use, within));
        }
        let name: WorkshopName = name.parse().map_err(|_| ApiError::NotFound("workshop"))?;
        let slot = match known {
            Some(slot) => slot,
            None => self.slot(&name).await?,
        };
        if !has_token {
            // Its health is what was found when its database was last opened.
            if let Some(failure) = slot.last_failure().filter(|_| rest == HEALTH.trim_start_matches('/')) {
                return Err(ApiError::Workshop(failure));
            }
            return Ok(Target::Unopened(name, within));
        }
        Ok(Target::Workshop(self.enter(slot, name).await?, within))
    }

    async fn enter(&self, slot: Arc<Slot>, name: WorkshopName) -> Result<InUse> {
        let _changing = slot.changing.lock().await;
        if let Some(in_use) = slot.enter() {
            return Ok(in_use);
        }
        if let Some(failure) = slot.failure_that_lasts() {
            return Err(ApiError::Workshop(failure));
        }
        let _opening = self.0.opening.acquire().await.map_err(|_| ApiError::Panic)?;
        let place = self.place().await?;
        let mut opened = self.open(name.clone(), place).await?;
        for _ in 0..MAX_MAKING_ROOM {
            if opened.is_ok() || !self.has_run_out_of_files() || !self.close_longest_unused().await? {
                break;
            }
            opened = self.open(name.clone(), self.place().await?).await?;
        }
        match opened {
            Ok(open) => Ok(slot.install(open)),
            Err(error) => {
                if self.has_run_out_of_files() {
                    tracing::error!(
                        "the workshop {name} cannot be opened: the process has reached its limit of open files"
                    );
                    let limit = self.0.resources.limits.open_workshops;
                    let problem = "The service has reached its limit of open files";
                    return Err(Overload::of_service(problem, "open_workshops", limit).into());
                }
                let error = Arc::new(error);
                if !matches!(*error, WorkshopError::Unknown(_)) {
                    tracing::error!("the workshop {name} cannot be opened: {error}{}", RequestId::shown());
                    slot.set_failure(Some(error.clone()));
                }
                Err(ApiError::Workshop(error))
            }
        }
    }

    /// The slot of a workshop, if there is such a workshop in the folder.
    pub(super) async fn slot(&self, name: &WorkshopName) -> Result<Arc<Slot>> {
        let (inner, looked_up) = (self.0.clone(), name.clone());
        if !blocking::run(move || inner.folder.has(&looked_up)).await?.map_err(Arc::new)? {
            return Err(ApiError::NotFound("workshop"));
        }
        Ok(self.0.slots.write().entry(name.clone()).or_insert_with(Slot::new).clone())
    }

    /// Returns a place for one more open workshop. If none is left, closes the workshop that was unused for longest, as soon as one is unused.
    async fn place(&self) -> Result<OwnedSemaphorePermit> {
        let deadline = Instant::now() + MAX_WAIT_FOR_PLACE;
        loop {
            if let Ok(place) = self.0.places.clone().try_acquire_owned() {
                return Ok(place);
            }
            if !self.close_longest_unused().await? {
                if Instant::now() >= deadline {
                    let limit = self.0.resources.limits.open_workshops;
                    let problem = "Too many workshops are in use at the same time";
                    return Err(Overload::of_service(problem, "open_workshops", limit).into());
                }
                sleep(PLACE_CHECK_INTERVAL).await;
            }
        }
    }

    /// Closes the workshop that was unused for the longest time. Returns false if all are in use.
    async fn close_longest_unused(&self) -> Result<bool> {
        let unused = self.slots().into_iter().filter_map(|slot| Some((slot.unused_since()?, slot)));
        let Some((_, slot)) = unused.min_by_key(|(since, _)| *since) else { return Ok(false) };
        if let Some(open) = slot.take_unused() {
            blocking::run(move || open.close()).await?;
        }
        Ok(true)
    }

    /// True if the process can open no further file. SQLite's own error could mean other things as well.
    fn has_run_out_of_files(&self) -> bool {
        let opened = std::fs::File::open(self.0.folder.operator_token_file());
        opened.is_err_and(|error| error.raw_os_error().is_some_and(|code| TOO_MANY_OPEN_FILES.contains(&code)))
    }

    async fn open(
        &self,
        name: WorkshopName,
        place: OwnedSemaphorePermit,
    ) -> Result<std::result::Result<OpenWorkshop, WorkshopError>> {
        let inner = self.0.clone();
        let workshop = blocking::run(move || {
            let store = open_store(&inner.folder, &name, &inner.resources)?;
            Ok(Workshop::new(store, inner.resources.clone(), inner.cors.clone(), name.prefix()))
        });
        let workshop: Workshop = match workshop.await? {
            Ok(workshop) => workshop,
            Err(error) => return Ok(Err(error)),
        };
        let upkeep = Upkeep { store: workshop.store().clone(), backups: None };
        let upkeep = tokio::spawn(async move { match upkeep.run().await {} }).abort_handle();
        Ok(Ok(OpenWorkshop { workshop, upkeep, place }))
    }

    /// Closes workshops that are no longer used, or whose files were moved or replaced, until it is dropped.
    pub async fn close_unused(&self) -> Infallible {
        let idle = Duration::from_secs(self.0.resources.limits.workshop_idle_seconds);
        loop {
            sleep(IDLE_CHECK_INTERVAL).await;
            let workshops = self.clone();
            // Looking at a thousand files takes milliseconds, in which a serving thread would answer no requests.
            let _ = blocking::run(move || workshops.close_unused_for(idle)).await;
        }
    }

    /// Closes workshops that were unused for this long, and those whose files were moved or replaced.
    fn close_unused_for(&self, idle: Duration) {
        for slot in self.slots() {
            let taken = match slot.look().and_then(|workshop| workshop.store().displaced()) {
                Some(error) => slot.take_displaced(error),
                None if slot.unused_since().is_some_and(|since| since.elapsed() >= idle) => slot.take_unused(),
                None => None,
            };
            if let Some(open) = taken {
                open.close();
            }
        }
    }

    /// Returns whether a workshop is open, and why its database could not be opened at the last try.
    pub fn state_of(&self, name: &WorkshopName) -> (bool, Option<String>) {
        let slot = self.0.slots.read().get(name).cloned();
        let problem = slot.as_ref().and_then(|slot| slot.last_failure()).map(|failure| failure.to_string());
        (slot.is_some_and(|slot| slot.is_open()), problem)
    }

    /// Figures of all open workshops together.
    pub fn gauges(&self) -> Gauges {
        let mut gauges = Gauges { watchers: 0, queued_writes: 0, database_bytes: 0, open_workshops: Some(0) };
        for workshop in self.open_workshops() {
            gauges.watchers += workshop.watchers();
            gauges.queued_writes += workshop.queued_writes();
            gauges.database_bytes += workshop.store().file_bytes();
            gauges.open_workshops = gauges.open_workshops.map(|count| count + 1);
        }
        gauges
    }

    /// Ends all streams of changes.
    pub fn end_streams(&self) {
        self.open_workshops().iter().for_each(Workshop::end_streams);
    }

    /// Ends all queries.
    pub fn interrupt(&self) {
        self.open_workshops().iter().for_each(|workshop| workshop.store().interrupt());
    }

    /// Closes all databases.
    pub fn close(&self) {
        self.open_workshops().iter().for_each(Workshop::close);
    }

    fn open_workshops(&self) -> Vec<Workshop> {
        self.slots().iter().filter_map(|slot| slot.look()).collect()
    }

    fn slots(&self) -> Vec<Arc<Slot>> {
        self.0.slots.read().values().cloned().collect()
    }
}

/// Opens the database of a workshop; creates none.
fn open_store(
    folder: &WorkshopFolder,
    name: &WorkshopName,
    resources: &Resources,
) -> std::result::Result<Store, WorkshopError> {
    let path = folder.database(name);
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(WorkshopError::Unknown(name.clone())),
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 => return Err(WorkshopError::Empty(name.clone())),
        _ => {}
    }
    let store = Store::open_with(Some(&path), resources.limits.clone(), StoreSettings::ONE_OF_MANY)?;
    store.limit_statements(Duration::from_secs(resources.limits.statement_seconds));
    Ok(store)
}

/// Time for a workshop to finish its responses before it is archived or removed.
const LEAVING_TIMEOUT: Duration = Duration::from_secs(5);
const LEAVING_CHECK_INTERVAL: Duration = Duration::from_millis(10);

impl Workshops {
    /// Closes a workshop, and lets a function move or delete its database before it can be opened again. Once begun, this continues even if
    /// nothing awaits it.
    pub async fn take_out<T: Send + 'static>(
        &self,
        name: &WorkshopName,
        change: impl FnOnce(&WorkshopFolder) -> std::result::Result<T, WorkshopError> + Send + 'static,
    ) -> Result<T> {
        let (slot, folder) = (self.slot(name).await?, self.folder().clone());
        let take_out = async move {
            let _changing = slot.changing.lock().await;
            slot.set_leaving(true);
            let taken = wait_and_take(&slot).await;
            let changed = match taken {
                Ok(open) => {
                    let close_and_change = move || {
                        open.into_iter().for_each(OpenWorkshop::close);
                        change(&folder)
                    };
                    blocking::run(close_and_change).await.map_err(ApiError::from)
                }
                Err(error) => Err(error),
            };
            slot.set_leaving(false);
            slot.set_failure(None);
            Ok(changed?.map_err(Arc::new)?)
        };
        tokio::spawn(take_out).await?
    }
}

/// Returns the open workshop once all begun responses are finished; `None` if it is not open.
async fn wait_and_take(slot: &Slot) -> Result<Option<OpenWorkshop>> {
    let deadline = Instant::now() + LEAVING_TIMEOUT;
    loop {
        slot.look().iter().for_each(Workshop::end_streams);
        match slot.take_unused() {
            Some(open) => return Ok(Some(open)),
            None if !slot.is_open() => return Ok(None),
            None if Instant::now() >= deadline => {
                return Err(ApiError::Conflict("The workshop is in use; try again.".into()));
            }
            None => sleep(LEAVING_CHECK_INTERVAL).await,
        }
    }
}
