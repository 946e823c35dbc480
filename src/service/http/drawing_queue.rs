//! Drawing of pictures, on a few threads of their own, so that reads and writes never wait for pictures.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;

use super::error::{ApiError, Overload, Result};
use crate::blocking::lower_thread_priority;
use crate::service::limits::Limits;
use crate::service::store::DatabaseUser;

const MAX_THREADS: usize = 4;
/// How long a request draws before it lets others draw.
const TURN: Duration = Duration::from_millis(200);
/// How often a stopping service looks whether all threads have ended. Each of them holds a permit, and thereby the semaphore.
const FINISH_CHECK_INTERVAL: Duration = Duration::from_millis(5);
/// When to ask again, at a full queue.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The requests that draw, and those that wait for it. Clones share the queue.
#[derive(Clone)]
pub struct DrawingQueue(Arc<Inner>);

struct Inner {
    limits: Arc<Limits>,
    /// A permit for each thread. They are given out in the order in which requests asked.
    threads: Arc<Semaphore>,
    /// How many requests of each user are in the queue.
    requests: Mutex<HashMap<DatabaseUser, u64>>,
}

impl DrawingQueue {
    pub fn new(limits: Arc<Limits>) -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = Arc::new(Semaphore::new(processors.min(MAX_THREADS)));
        DrawingQueue(Arc::new(Inner { limits, threads, requests: Mutex::default() }))
    }

    /// Waits until the last picture that was begun is finished, and begins no other.
    pub async fn finish(&self) {
        self.0.threads.close();
        while Arc::strong_count(&self.0.threads) > 1 {
            sleep(FINISH_CHECK_INTERVAL).await;
        }
    }

    /// When it is the request's turn, calls `draw` for one item after another, on all threads that nobody else waits for, until
    /// there are no more items or the turn is over. Returns what was drawn.
    ///
    /// Where nobody awaits this any more, no further item is drawn.
    pub async fn draw<I: Send + 'static, T: Send + 'static>(
        &self,
        user: DatabaseUser,
        items: Vec<I>,
        draw: impl Fn(I) -> Result<T> + Send + Sync + 'static,
    ) -> Result<Vec<T>> {
        let _place = Place::take(self.0.clone(), user)?;
        let threads = &self.0.threads;
        let first = threads.clone().acquire_owned().await.map_err(|_| ApiError::Panic)?;
        let others = (1..items.len()).map_while(|_| threads.clone().try_acquire_owned().ok());
        let permits: Vec<_> = std::iter::once(first).chain(others).collect();
        let (drawn, mut receiver) = unbounded_channel();
        let turn = Arc::new(Turn { items: Mutex::new(items.into_iter()), end: Instant::now() + TURN, draw, drawn });
        for permit in permits {
            let turn = turn.clone();
            let draw = move || turn.draw(permit);
            thread::Builder::new().name("geodesign-drawing".into()).spawn(draw).map_err(ApiError::Thread)?;
        }
        drop(turn);
        let mut results = Vec::new();
        while let Some(result) = receiver.recv().await {
            results.push(result?);
        }
        Ok(results)
    }
}

/// What the threads of a request share during its turn.
struct Turn<I, T, D> {
    items: Mutex<std::vec::IntoIter<I>>,
    end: Instant,
    draw: D,
    drawn: UnboundedSender<Result<T>>,
}

impl<I, T, D: Fn(I) -> Result<T>> Turn<I, T, D> {
    fn draw(&self, _permit: OwnedSemaphorePermit) {
        lower_thread_priority();
        while let Some(item) = self.next() {
            let result = catch_unwind(AssertUnwindSafe(|| (self.draw)(item))).unwrap_or(Err(ApiError::Panic));
            if self.drawn.send(result).is_err() || Instant::now() >= self.end {
                break;
            }
        }
    }

    fn next(&self) -> Option<I> {
        self.items.lock().next()
    }
}

/// A place in the queue, which is free again when this is dropped.
struct Place {
    queue: Arc<Inner>,
    user: DatabaseUser,
}

impl Place {
    fn take(queue: Arc<Inner>, user: DatabaseUser) -> Result<Self> {
        let Limits { thumbnail_requests: limit, thumbnail_requests_per_user: limit_per_user, .. } = *queue.limits;
        let mut requests = queue.requests.lock();
        if requests.get(&user).is_some_and(|requests| *requests >= limit_per_user) {
            let problem = "Too many requests of the user wait for thumbnails";
            let overload = Overload::of_sender(problem, "thumbnail_requests_per_user", limit_per_user);
            return Err(overload.retry_after(RETRY_AFTER).into());
        }
        if requests.values().sum::<u64>() >= limit {
            let overload = Overload::of_service("Too many requests wait for thumbnails", "thumbnail_requests", limit);
            return Err(overload.retry_after(RETRY_AFTER).into());
        }
        *requests.entry(user).or_default() += 1;
        drop(requests);
        Ok(Place { queue, user })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut requests = self.queue.requests.lock();
        if let Some(count) = requests.get_mut(&self.user) {
            *count -= 1;
        }
        requests.retain(|_, count| *count > 0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::service::store::{DatabaseNumber, UserKey};

    const ANA: DatabaseUser = DatabaseNumber(1).user(UserKey(1));
    const BEN: DatabaseUser = DatabaseNumber(1).user(UserKey(2));

    fn queue(limits: Limits) -> DrawingQueue {
        let queue = DrawingQueue::new(Arc::new(limits));
        // One thread.
        while queue.0.threads.available_permits() > 1 {
            queue.0.threads.forget_permits(1);
        }
        queue
    }

    /// Draws items of which each takes 10 ms, and counts them.
    async fn draw(
        queue: DrawingQueue,
        user: DatabaseUser,
        items: usize,
        count: Arc<AtomicUsize>,
    ) -> Result<Vec<usize>> {
        let draw = move |item| {
            thread::sleep(Duration::from_millis(10));
            count.fetch_add(1, Ordering::SeqCst);
            Ok(item)
        };
        queue.draw(user, (0..items).collect(), draw).await
    }

    #[tokio::test]
    async fn a_turn_ends_so_that_others_have_theirs() {
        let queue = queue(Limits::default());
        let long = tokio::spawn(draw(queue.clone(), ANA, 10_000, Arc::default()));
        sleep(Duration::from_millis(20)).await;
        assert_eq!(draw(queue, BEN, 2, Arc::default()).await.unwrap(), [0, 1]);
        let drawn = long.await.unwrap().unwrap();
        assert!(!drawn.is_empty() && drawn.len() < 100, "{}", drawn.len());
    }

    #[tokio::test]
    async fn nothing_more_is_drawn_once_nobody_waits_for_it() {
        let queue = queue(Limits::default());
        let count = Arc::new(AtomicUsize::new(0));
        let drawing = tokio::spawn(draw(queue.clone(), ANA, 10_000, count.clone()));
        while count.load(Ordering::SeqCst) == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        drawing.abort();
        let _ = drawing.await;
        let before = count.load(Ordering::SeqCst);
        assert_eq!(draw(queue, BEN, 1, Arc::default()).await.unwrap(), [0]);
        assert!(count.load(Ordering::SeqCst) <= before + 2);
    }

    #[tokio::test]
    async fn requests_beyond_the_limits_are_refused_until_others_were_answered() {
        let limits = Limits { thumbnail_requests: 2, thumbnail_requests_per_user: 1, ..Limits::default() };
        let queue = queue(limits);
        let drawing = [ANA, BEN].map(|user| tokio::spawn(draw(queue.clone(), user, 3, Arc::default())));
        sleep(Duration::from_millis(5)).await;
        let refused = |user| draw(queue.clone(), user, 1, Arc::default());
        let of_user = refused(ANA).await.unwrap_err().to_string();
        let of_all = refused(DatabaseNumber(2).user(UserKey(1))).await.unwrap_err().to_string();
        assert!(of_user.contains("thumbnail_requests_per_user is 1"), "{of_user}");
        assert!(of_all.contains("thumbnail_requests is 2"), "{of_all}");
        for drawing in drawing {
            assert_eq!(drawing.await.unwrap().unwrap().len(), 3);
        }
        assert_eq!(refused(ANA).await.unwrap(), [0]);
    }

    #[tokio::test]
    async fn a_stopping_service_waits_for_pictures_that_were_begun() {
        let queue = queue(Limits::default());
        let count = Arc::new(AtomicUsize::new(0));
        let drawing = tokio::spawn(draw(queue.clone(), ANA, 10_000, count.clone()));
        while count.load(Ordering::SeqCst) == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        drawing.abort();
        queue.finish().await;
        let finished = count.load(Ordering::SeqCst);
        sleep(Duration::from_millis(30)).await;
        assert_eq!(count.load(Ordering::SeqCst), finished);
        assert!(draw(queue, BEN, 1, Arc::default()).await.is_err());
    }

    #[tokio::test]
    async fn a_panic_is_an_error() {
        let drawn = queue(Limits::default()).draw(ANA, vec![()], |()| -> Result<()> { panic!("for the test") }).await;
        assert!(matches!(drawn, Err(ApiError::Panic)));
    }
}
