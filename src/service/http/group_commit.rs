//! Group commit: writes that wait at the same time share a transaction, and thereby one sync of the disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::error::{ApiError, Result};
use crate::service::store::{Store, StoreError, Writer};

const MAX_WRITES_PER_COMMIT: usize = 256;

/// Runs the writes of requests, many in one transaction. Clones share the queue.
#[derive(Clone)]
pub struct GroupCommit(Arc<Inner>);

struct Inner {
    store: Store,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    writes: Vec<Box<dyn QueuedWrite>>,
    /// Whether a thread is working on the queue.
    is_draining: bool,
}

impl GroupCommit {
    pub fn new(store: Store) -> Self {
        GroupCommit(Arc::new(Inner { store, queue: Mutex::default() }))
    }

    /// Runs a write in a savepoint of its own, so that it fails or succeeds independently of those in the same transaction.
    /// When this returns, the write is on the disk.
    pub async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Writer) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        let queued = Write { write: Some(write), result: None, sender };
        let start_draining = {
            let mut queue = self.0.queue.lock();
            queue.writes.push(Box::new(queued));
            !std::mem::replace(&mut queue.is_draining, true)
        };
        if start_draining {
            let inner = self.0.clone();
            tokio::task::spawn_blocking(move || inner.drain());
        }
        receiver.await.map_err(|_| ApiError::Panic)?
    }
}

impl Inner {
    /// Runs and commits writes until the queue is empty.
    fn drain(&self) {
        while let Some(mut writes) = self.next_writes() {
            let committed = self.store.write(|writer| {
                writes.iter_mut().try_for_each(|write| {
                    write.run(writer);
                    writer.check_in_transaction()
                })
            });
            let committed = committed.map_err(Arc::new);
            writes.into_iter().for_each(|write| write.finish(&committed));
        }
    }

    fn next_writes(&self) -> Option<Vec<Box<dyn QueuedWrite>>> {
        let mut queue = self.queue.lock();
        let count = queue.writes.len().min(MAX_WRITES_PER_COMMIT);
        queue.is_draining = count > 0;
        queue.is_draining.then(|| queue.writes.drain(..count).collect())
    }
}

/// A write whose request waits for it.
trait QueuedWrite: Send {
    /// Runs the write in the shared transaction.
    fn run(&mut self, writer: &Writer);
    /// Tells the request the result of its write, once the transaction is committed or has failed.
    fn finish(self: Box<Self>, committed: &std::result::Result<(), Arc<StoreError>>);
}

struct Write<T, F> {
    /// `None` once it was run.
    write: Option<F>,
    /// `None` until it was run.
    result: Option<Result<T>>,
    sender: oneshot::Sender<Result<T>>,
}

impl<T: Send, F: FnOnce(&Writer) -> Result<T> + Send> QueuedWrite for Write<T, F> {
    fn run(&mut self, writer: &Writer) {
        self.result = self.write.take().map(|write| {
            let result = catch_unwind(AssertUnwindSafe(|| writer.savepoint(write)));
            result.unwrap_or(Err(ApiError::Panic))
        });
    }

    fn finish(self: Box<Self>, committed: &std::result::Result<(), Arc<StoreError>>) {
        let result = match (self.result, committed) {
            // Its savepoint was rolled back, whatever became of the transaction.
            (Some(Err(error)), _) => Err(error),
            (Some(result), Ok(())) => result,
            (_, Err(error)) => Err(StoreError::NotCommitted(error.clone()).into()),
            (None, Ok(())) => Err(ApiError::Panic),
        };
        // Fails if the client has gone and its request was dropped.
        let _ = self.sender.send(result);
    }
}
