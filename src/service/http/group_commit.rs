//! Writes of many requests, committed together: a room that draws at once waits for one sync of the disk, not for hundreds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::error::{ApiError, Result};
use crate::service::store::{Store, StoreError, Writer};

/// Changes that one commit holds, at most.
const MAX_WRITES_PER_COMMIT: usize = 256;

/// The changes that wait for the writer. Cheap to clone.
#[derive(Clone)]
pub struct GroupCommit(Arc<Queue>);

struct Queue {
    store: Store,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    changes: Vec<Box<dyn Change>>,
    /// Whether a thread is working on them.
    draining: bool,
}

impl GroupCommit {
    pub fn new(store: Store) -> Self {
        GroupCommit(Arc::new(Queue { store, waiting: Mutex::default() }))
    }

    /// Makes one change, all or nothing, whatever becomes of those beside it. It is on the disk when this returns.
    pub async fn write<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Writer) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = oneshot::channel();
        let pending = Pending { change: Some(change), outcome: None, answer };
        let idle = {
            let mut waiting = self.0.waiting();
            waiting.changes.push(Box::new(pending));
            !std::mem::replace(&mut waiting.draining, true)
        };
        if idle {
            let queue = self.0.clone();
            tokio::task::spawn_blocking(move || queue.drain());
        }
        answered.await.map_err(|_| ApiError::Panic)?
    }
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until nobody waits.
    fn drain(&self) {
        while let Some(mut changes) = self.next() {
            let committed = self.store.write(|writer| {
                changes.iter_mut().try_for_each(|change| {
                    change.make(writer);
                    writer.check_in_transaction()
                })
            });
            changes.into_iter().for_each(|change| change.answer(committed.as_ref()));
        }
    }

    fn next(&self) -> Option<Vec<Box<dyn Change>>> {
        let mut waiting = self.waiting();
        let most = waiting.changes.len().min(MAX_WRITES_PER_COMMIT);
        waiting.draining = most > 0;
        waiting.draining.then(|| waiting.changes.drain(..most).collect())
    }
}

/// A change of somebody who waits for its outcome.
trait Change: Send {
    fn make(&mut self, writer: &Writer);
    fn answer(self: Box<Self>, committed: std::result::Result<&(), &StoreError>);
}

struct Pending<T, F> {
    /// `None` once it was made.
    change: Option<F>,
    outcome: Option<Result<T>>,
    answer: oneshot::Sender<Result<T>>,
}

impl<T: Send, F: FnOnce(&Writer) -> Result<T> + Send> Change for Pending<T, F> {
    fn make(&mut self, writer: &Writer) {
        self.outcome = self.change.take().map(|change| {
            let made = catch_unwind(AssertUnwindSafe(|| writer.all_or_nothing(change)));
            made.unwrap_or(Err(ApiError::Panic))
        });
    }

    fn answer(self: Box<Self>, committed: std::result::Result<&(), &StoreError>) {
        let answer = match (self.outcome, committed) {
            // It left nothing to commit.
            (Some(Err(refusal)), _) => Err(refusal),
            (Some(outcome), Ok(())) => outcome,
            (_, Err(cause)) => Err(StoreError::NotCommitted { full: cause.is_full(), cause: cause.to_string() }.into()),
            (None, Ok(())) => Err(ApiError::Panic),
        };
        // Whoever asked may have left.
        let _ = self.answer.send(answer);
    }
}
