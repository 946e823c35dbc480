//! A workshop of a folder, whose database is opened when it is needed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit};
use tokio::task::AbortHandle;

use crate::http::workshop::Workshop;
use crate::store::{Displacement, StoreError};
use crate::workshops::WorkshopError;

/// Time until opening a database is tried again after a failure. Meanwhile, its requests take no thread.
const MIN_FAILURE_TIME: Duration = Duration::from_secs(1);

/// A workshop, open or not.
pub struct Slot {
    state: Mutex<State>,
    /// Locked while the database is opened, moved or deleted.
    pub changing: AsyncMutex<()>,
}

struct State {
    open: Option<OpenWorkshop>,
    /// Requests that are being answered.
    active: usize,
    last_use: Instant,
    /// When and why the database could not be opened.
    failure: Option<(Instant, Arc<WorkshopError>)>,
    /// True if further requests have to wait, because the database is about to be closed.
    is_leaving: bool,
}

/// A workshop with its database.
pub struct OpenWorkshop {
    pub workshop: Workshop,
    /// The task for the upkeep of the database.
    pub upkeep: AbortHandle,
    /// One of the places that the limit `open_workshops` allows.
    pub place: OwnedSemaphorePermit,
}

/// A workshop that stays open until this is dropped.
pub struct InUse {
    pub workshop: Workshop,
    slot: Arc<Slot>,
}

impl Slot {
    pub fn new() -> Arc<Self> {
        let state = State { open: None, active: 0, last_use: Instant::now(), failure: None, is_leaving: false };
        Arc::new(Slot { state: Mutex::new(state), changing: AsyncMutex::default() })
    }

    /// The workshop, if it is open.
    pub fn enter(self: &Arc<Self>) -> Option<InUse> {
        let mut state = self.state.lock();
        let workshop = state.open.as_ref().filter(|_| !state.is_leaving)?.workshop.clone();
        state.active += 1;
        Some(InUse { workshop, slot: self.clone() })
    }

    /// Opens the workshop and uses it at once: another request that needs a place could close it in between.
    pub fn install(self: &Arc<Self>, open: OpenWorkshop) -> InUse {
        let workshop = open.workshop.clone();
        let mut state = self.state.lock();
        state.last_use = Instant::now();
        state.failure = None;
        state.open = Some(open);
        state.active += 1;
        InUse { workshop, slot: self.clone() }
    }

    pub fn set_failure(&self, failure: Option<Arc<WorkshopError>>) {
        self.state.lock().failure = failure.map(|failure| (Instant::now(), failure));
    }

    /// The reason not to open the database: opening it failed a moment ago, or it was replaced while it was open.
    pub fn failure_that_lasts(&self) -> Option<Arc<WorkshopError>> {
        let state = self.state.lock();
        let (at, failure) = state.failure.as_ref()?;
        (at.elapsed() < MIN_FAILURE_TIME || failure.is_displaced()).then(|| failure.clone())
    }

    /// The reason why the database could not be opened at the last try.
    pub fn last_failure(&self) -> Option<Arc<WorkshopError>> {
        self.state.lock().failure.as_ref().map(|(_, failure)| failure.clone())
    }

    pub fn is_open(&self) -> bool {
        self.state.lock().open.is_some()
    }

    /// Returns the workshop if it is open, without keeping it open.
    pub fn look(&self) -> Option<Workshop> {
        self.state.lock().open.as_ref().map(|open| open.workshop.clone())
    }

    /// Time of the last use of an open workshop that is not in use.
    pub fn unused_since(&self) -> Option<Instant> {
        let state = self.state.lock();
        state.is_unused().then_some(state.last_use)
    }

    /// Takes the open workshop, to close it. `None` if it is used again, or is closed already.
    pub fn take_unused(&self) -> Option<OpenWorkshop> {
        let mut state = self.state.lock();
        if state.is_unused() { state.open.take() } else { None }
    }

    /// Takes the open workshop to close it, even if it is in use, because its files were moved or replaced. A database that replaced them
    /// is not opened: it would silently answer requests for the first one.
    pub fn take_displaced(&self, error: StoreError) -> Option<OpenWorkshop> {
        let mut state = self.state.lock();
        // Without its log, it is the same database still.
        let may_open =
            matches!(error, StoreError::Displaced { displacement: Displacement::Gone | Displacement::WithoutLog, .. });
        state.failure = (!may_open).then(|| (Instant::now(), Arc::new(error.into())));
        state.open.take()
    }

    /// Makes further requests wait, or stops making them wait.
    pub fn set_leaving(&self, is_leaving: bool) {
        self.state.lock().is_leaving = is_leaving;
    }
}

impl State {
    fn is_unused(&self) -> bool {
        self.active == 0 && self.open.as_ref().is_some_and(|open| open.workshop.is_quiet())
    }
}

impl OpenWorkshop {
    /// Closes the database. Takes the time of a checkpoint.
    pub fn close(self) {
        self.upkeep.abort();
        self.workshop.close();
        drop(self.place);
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut state = self.slot.state.lock();
        state.active -= 1;
        state.last_use = Instant::now();
    }
}
