//! Group commit: writes that wait at the same time share a transaction, and so one sync of the disk. Users take turns in it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::error::{ApiError, Result};
use super::gate::{Pass, Sender, Ticket};
use crate::store::{Store, StoreError, Writer};

/// A transaction that takes longer accepts no further write: all of its requests wait for it.
const MAX_COMMIT_TIME: Duration = Duration::from_millis(100);
/// Time that a thread waits for another process's write before it lets others use the thread.
const LOCK_TIMEOUT: Duration = Duration::from_millis(50);
/// Interval between retries, and the time after which they end.
const LOCK_RETRY: Duration = Duration::from_millis(20);
const MAX_LOCKED_TIME: Duration = Duration::from_secs(5);

/// Runs the writes of requests, many in one transaction. Clones share the queue.
#[derive(Clone)]
pub struct GroupCommit(Arc<Inner>);

struct Inner {
    store: Store,
    /// Time limit of one write.
    time: Duration,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    /// The writes of each sender, in the order of the senders' turns.
    writes: VecDeque<(Option<Sender>, VecDeque<QueuedWrite>)>,
    /// True while a thread works on the queue, or waits to do so.
    is_draining: bool,
    /// Time since which another process has kept the database locked.
    locked_since: Option<Instant>,
}

impl GroupCommit {
    pub fn new(store: Store, time: Duration) -> Self {
        GroupCommit(Arc::new(Inner { store, time, queue: Mutex::default() }))
    }

    /// True if no write is waiting or running.
    pub fn is_idle(&self) -> bool {
        !self.0.queue.lock().is_draining
    }

    /// Number of writes waiting for their transaction.
    pub fn queued(&self) -> usize {
        self.0.queue.lock().writes.iter().map(|(_, writes)| writes.len()).sum()
    }

    /// Runs a write in its own savepoint, so that it fails or succeeds independently of others in the same transaction. When this returns,
    /// the write is on the disk. If another write makes SQLite roll back the shared transaction, this one is run again.
    pub async fn write<T: Send + 'static>(&self, write: impl Fn(&Writer) -> Result<T> + Send + 'static) -> Result<T> {
        // The result is handed over outside the queue, so that the queue is compiled once.
        let written = Arc::new(Mutex::new(None));
        let result = written.clone();
        let write = Box::new(move |writer: &Writer| {
            *result.lock() = Some(write(writer)?);
            Ok(())
        });
        let pass = Pass::current();
        let (sender, receiver) = oneshot::channel();
        self.enqueue(pass.sender(), QueuedWrite { write, result: None, sender, _ticket: pass.wait()? });
        receiver.await.map_err(|_| ApiError::Panic)??;
        let result = written.lock().take();
        result.ok_or(ApiError::Panic)
    }

    fn enqueue(&self, sender: Option<Sender>, write: QueuedWrite) {
        let start_draining = {
            let mut queue = self.0.queue.lock();
            queue.of(sender).push_back(write);
            !std::mem::replace(&mut queue.is_draining, true)
        };
        if start_draining {
            let inner = self.0.clone();
            spawn_blocking(move || inner.drain());
        }
    }
}

impl Queue {
    /// Returns a sender's writes. A sender without any joins the end of the queue.
    fn of(&mut self, sender: Option<Sender>) -> &mut VecDeque<QueuedWrite> {
        let index = self.writes.iter().position(|(of, _)| *of == sender).unwrap_or(self.writes.len());
        if index == self.writes.len() {
            self.writes.push_back((sender, VecDeque::new()));
        }
        &mut self.writes[index].1
    }

    /// Takes the first sender's next write, and moves the sender to the end of the queue.
    fn next(&mut self) -> Option<QueuedWrite> {
        let (sender, mut writes) = self.writes.pop_front()?;
        let next = writes.pop_front();
        if !writes.is_empty() {
            self.writes.push_back((sender, writes));
        }
        next
    }
}

impl Inner {
    /// Runs and commits writes until the queue is empty. If another process keeps the database locked, continues later.
    fn drain(self: Arc<Self>) {
        while self.goes_on() {
            if !self.commit() {
                tokio::spawn(async move {
                    sleep(LOCK_RETRY).await;
                    spawn_blocking(move || self.drain());
                });
                return;
            }
        }
    }

    fn goes_on(&self) -> bool {
        let mut queue = self.queue.lock();
        queue.is_draining = !queue.writes.is_empty();
        queue.is_draining
    }

    /// Runs and commits the next writes. If one of them makes SQLite roll the transaction back, the others are run again without it.
    /// Returns false if none was run, because another process keeps the database locked.
    fn commit(&self) -> bool {
        let mut writes: Vec<QueuedWrite> = Vec::new();
        loop {
            let (mut rolled_back_by, mut has_begun) = (None, false);
            let committed = self.store.write_within(LOCK_TIMEOUT, |writer| {
                has_begun = true;
                let (begun, mut index) = (Instant::now(), 0);
                while index < writes.len() || self.take_next(&mut writes, begun) {
                    writes[index].run(writer, self.time);
                    writer.check_in_transaction().inspect_err(|_| rolled_back_by = Some(index))?;
                    index += 1;
                }
                Ok(())
            });
            if !has_begun {
                if committed.as_ref().is_err_and(StoreError::is_busy) && self.may_try_again() {
                    if writes.is_empty() {
                        return false;
                    }
                    // Those that are run again have no place in the queue any more.
                    thread::sleep(LOCK_RETRY);
                    continue;
                }
                // All waiting writes fail.
                writes.extend(std::iter::from_fn(|| self.queue.lock().next()));
            }
            self.queue.lock().locked_since = None;
            let committed = committed.map_err(Arc::new);
            let Some(index) = rolled_back_by else {
                writes.into_iter().for_each(|write| write.finish(&committed));
                return true;
            };
            writes.remove(index).finish(&committed);
            if writes.is_empty() {
                return true;
            }
        }
    }

    /// Adds the next write to a transaction that began at `begun`. Returns false if there is none, or if the transaction has enough.
    fn take_next(&self, writes: &mut Vec<QueuedWrite>, begun: Instant) -> bool {
        let next = if begun.elapsed() > MAX_COMMIT_TIME { None } else { self.queue.lock().next() };
        let has_next = next.is_some();
        writes.extend(next);
        has_next
    }

    /// True unless the database has been locked for too long.
    fn may_try_again(&self) -> bool {
        self.queue.lock().locked_since.get_or_insert_with(Instant::now).elapsed() < MAX_LOCKED_TIME
    }
}

type Change = Box<dyn Fn(&Writer) -> Result<()> + Send>;

/// A write that a request is waiting for.
struct QueuedWrite {
    write: Change,
    /// `None` until the write has run.
    result: Option<Result<()>>,
    sender: oneshot::Sender<Result<()>>,
    /// Counts the request as waiting.
    _ticket: Option<Ticket>,
}

impl QueuedWrite {
    /// Runs the write in the shared transaction, for at most `time`.
    fn run(&mut self, writer: &Writer, time: Duration) {
        let result = catch_unwind(AssertUnwindSafe(|| writer.savepoint(time, &self.write)));
        self.result = Some(result.unwrap_or(Err(ApiError::Panic)));
    }

    /// Sends the request the result of its write, once the transaction is committed or has failed.
    fn finish(self, committed: &std::result::Result<(), Arc<StoreError>>) {
        let result = match (self.result, committed) {
            // Its savepoint was rolled back, whatever became of the transaction.
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(())), Ok(())) => Ok(()),
            (_, Err(error)) => Err(StoreError::NotCommitted(error.clone()).into()),
            (None, Ok(())) => Err(ApiError::Panic),
        };
        // Fails if the client has gone and its request was dropped.
        let _ = self.sender.send(result);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_write_that_takes_too_long_does_not_affect_those_in_the_same_transaction() {
        let store = Store::open(None).unwrap();
        let commits = GroupCommit::new(store.clone(), Duration::from_millis(100));
        // While this one runs, the others gather for the next transaction.
        let first = tokio::spawn({
            let commits = commits.clone();
            async move {
                let wait = |_: &Writer| {
                    std::thread::sleep(Duration::from_millis(50));
                    Ok(())
                };
                commits.write(wait).await
            }
        });
        tokio::time::sleep(Duration::from_millis(10)).await;
        let write = |code: &'static str| {
            let commits = commits.clone();
            tokio::spawn(async move { commits.write(move |write| Ok(write.add_creation_code(code)?)).await })
        };
        let before = write("before");
        let slow = {
            let commits = commits.clone();
            tokio::spawn(async move { commits.write(|write| Ok(write.write_for_ever()?)).await })
        };
        let after = write("after");
        first.await.unwrap().unwrap();
        before.await.unwrap().unwrap();
        after.await.unwrap().unwrap();
        let Err(ApiError::Store(error)) = slow.await.unwrap() else { panic!("the write ended by itself") };
        assert!(error.is_interrupted(), "{error}");
        assert_eq!(store.read(|read| read.creation_codes()).unwrap(), ["after", "before"]);
    }
}
