//! Large answers that are kept until the database changes, so that a room that reads them at once shares one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::Mutex as Making;

use super::error::Result;
use crate::blocking;
use crate::service::store::{self, ProjectKey, Reader, Store};

/// Bytes of all answers that are kept. What was asked for longest ago goes first.
const MAX_CACHED_BYTES: usize = 128 * 1024 * 1024;

/// One answer for each project. Cheap to clone.
#[derive(Clone)]
pub struct ResponseCache(Arc<Inner>);

struct Inner {
    store: Store,
    places: Mutex<HashMap<ProjectKey, Arc<Place>>>,
}

struct Place {
    /// Held by whoever makes the answer. The others wait for it.
    answer: Arc<Making<Option<Answer>>>,
    use_of: Mutex<Use>,
}

struct Answer {
    /// The database that it is made from, or an older one.
    version: i64,
    /// It holds everything that was written before.
    begun: Instant,
    body: Bytes,
}

/// When an answer was last asked for, and how large it is.
#[derive(Clone, Copy)]
struct Use {
    last: Instant,
    bytes: usize,
}

impl ResponseCache {
    pub fn new(store: Store) -> Self {
        ResponseCache(Arc::new(Inner { store, places: Mutex::default() }))
    }

    /// The answer to a question on a project, as of now. It is made on a thread that may take its time, to its end even if
    /// whoever asked has left.
    pub async fn get(
        &self,
        project: ProjectKey,
        question: impl FnOnce(&Reader) -> store::Result<Vec<u8>> + Send + 'static,
    ) -> Result<Bytes> {
        let arrived = Instant::now();
        let place = self.place(project, arrived);
        let mut answer = place.answer.clone().lock_owned().await;
        if let Some(kept) = &*answer
            // Where writes never pause, everybody who waited takes what the first of them made.
            && (kept.begun >= arrived || kept.version == self.0.store.version()?)
        {
            return Ok(kept.body.clone());
        }
        let kept = self.clone();
        blocking::run(move || {
            // The version first: what is written in between is in the answer, and makes it outdated.
            let (begun, version) = (Instant::now(), kept.0.store.version()?);
            // Not two at a time.
            *answer = None;
            let body = Bytes::from(kept.0.store.read(question)?);
            locked(&place.use_of).bytes = body.len();
            *answer = Some(Answer { version, begun, body: body.clone() });
            kept.drop_the_oldest();
            Ok(body)
        })
        .await?
    }

    fn place(&self, project: ProjectKey, now: Instant) -> Arc<Place> {
        let unused = || Arc::new(Place { answer: Arc::default(), use_of: Mutex::new(Use { last: now, bytes: 0 }) });
        let place = locked(&self.0.places).entry(project).or_insert_with(unused).clone();
        locked(&place.use_of).last = now;
        place
    }

    fn drop_the_oldest(&self) {
        let mut places = locked(&self.0.places);
        let mut uses: Vec<(ProjectKey, Use)> =
            places.iter().map(|(project, place)| (*project, *locked(&place.use_of))).collect();
        uses.sort_unstable_by_key(|(_, used)| std::cmp::Reverse(used.last));
        let mut kept = 0;
        for (project, used) in uses {
            kept += used.bytes;
            if kept > MAX_CACHED_BYTES {
                places.remove(&project);
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panic leaves is an answer that is whole, or none.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::service::store::Writer;

    /// Kept answers over a store that is written by another connection.
    #[derive(Clone)]
    struct Kept {
        store: Store,
        answers: ResponseCache,
        made: Arc<AtomicUsize>,
    }

    impl Kept {
        fn new() -> Self {
            let store = Store::open(None).unwrap();
            Kept::over(store.clone(), store)
        }

        fn over(read: Store, written: Store) -> Self {
            Kept { answers: ResponseCache::new(read), store: written, made: Arc::default() }
        }

        async fn get(&self, project: i64, body: impl AsRef<[u8]>) -> Bytes {
            let (made, body) = (self.made.clone(), body.as_ref().to_vec());
            let question = move |_: &Reader| {
                made.fetch_add(1, Ordering::SeqCst);
                Ok(body)
            };
            self.answers.get(ProjectKey(project), question).await.expect("the store is open")
        }

        fn write(&self) {
            let sql = "INSERT INTO users (username) VALUES (hex(randomblob(8)))";
            let written = self.store.write(|writer: &Writer| writer.run(sql, []));
            assert_eq!(written.unwrap(), 1);
        }

        fn made(&self) -> usize {
            self.made.load(Ordering::SeqCst)
        }
    }

    #[tokio::test]
    async fn an_answer_is_made_once_for_each_version_of_the_database() {
        let kept = Kept::new();
        assert_eq!(kept.get(1, "first").await, "first");
        assert_eq!(kept.get(1, "second").await, "first");
        kept.write();
        assert_eq!(kept.get(1, "second").await, "second");
        assert_eq!(kept.made(), 2);
    }

    #[tokio::test]
    async fn what_another_process_writes_counts_too() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Store::open(Some(&folder.path().join("service.sqlite"))).unwrap();
        let kept = Kept::over(open(), open());
        assert_eq!(kept.get(1, "first").await, "first");
        kept.write();
        assert_eq!(kept.get(1, "second").await, "second");
    }

    #[tokio::test]
    async fn projects_have_answers_of_their_own() {
        let kept = Kept::new();
        assert_eq!((kept.get(1, "one").await, kept.get(2, "two").await), ("one".into(), "two".into()));
        assert_eq!((kept.get(1, "").await, kept.get(2, "").await), ("one".into(), "two".into()));
    }

    #[tokio::test]
    async fn a_room_that_asks_at_once_shares_one_answer_even_while_others_write() {
        let kept = Kept::new();
        let asked: Vec<_> = (0..32)
            .map(|_| {
                let kept = kept.clone();
                tokio::spawn(async move {
                    let slow = kept.clone();
                    let slowly = move |_: &Reader| {
                        slow.made.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(std::time::Duration::from_millis(200));
                        slow.write();
                        Ok(Vec::new())
                    };
                    kept.answers.get(ProjectKey(1), slowly).await.is_ok()
                })
            })
            .collect();
        for asked in asked {
            assert!(asked.await.unwrap());
        }
        // The first to come, those who came while it was made, and perhaps one who was late.
        assert!(kept.made() <= 3, "{} made", kept.made());
    }

    #[tokio::test]
    async fn what_is_kept_has_a_limit() {
        let kept = Kept::new();
        let large = vec![b' '; MAX_CACHED_BYTES / 3];
        for project in 1..=4 {
            kept.get(project, &large).await;
        }
        assert_eq!(locked(&kept.answers.0.places).len(), 3);
        kept.get(4, "").await;
        assert_eq!(kept.made(), 4);
    }
}
