//! Large responses, kept until the database changes. When many members ask for the same one at once, it is made once.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Mutex as AsyncMutex;

use super::response_memory::ResponseMemory;
use crate::blocking;
use crate::service::http::error::{ApiError, Result};
use crate::service::store::{DatabaseNumber, ProjectKey, Reader, Store};

/// The limit for all bodies together. Those that were not used for longest are removed.
const MAX_CACHED_BYTES: usize = 128 * 1024 * 1024;

/// One response body for each project of each database. Clones share it.
#[derive(Clone)]
pub struct ResponseCache(Arc<Inner>);

struct Inner {
    memory: Arc<ResponseMemory>,
    entries: Mutex<HashMap<Key, Arc<Entry>>>,
}

type Key = (DatabaseNumber, ProjectKey);

struct Entry {
    /// Locked by the request that makes the body, while the other requests wait. `None` until there is one.
    response: Arc<AsyncMutex<Option<CachedResponse>>>,
    last_use: Mutex<LastUse>,
    /// How large the body was when it was last made.
    made_bytes: AtomicUsize,
}

struct CachedResponse {
    /// The version of the database that the body was made from, or an earlier one.
    version: i64,
    /// The body holds all that was written before this.
    read_at: Instant,
    body: Bytes,
}

/// When an entry was last used, and how large its body is.
#[derive(Clone, Copy)]
struct LastUse {
    at: Instant,
    bytes: usize,
}

impl ResponseCache {
    pub fn new(memory: Arc<ResponseMemory>) -> Self {
        ResponseCache(Arc::new(Inner { memory, entries: Mutex::default() }))
    }

    /// The response body for a project: the cached one if it is up to date, else a new one from `make`.
    ///
    /// `make` runs on a thread for blocking work. It is not cancelled with its request, as others may wait for the body.
    pub async fn get(
        &self,
        store: &Store,
        project: ProjectKey,
        make: impl FnOnce(&Reader) -> Result<Vec<u8>> + Send + 'static,
    ) -> Result<Bytes> {
        let requested_at = Instant::now();
        let entry = self.entry((store.number(), project), requested_at);
        let mut response = entry.response.clone().lock_owned().await;
        if let Some(cached) = &*response
            // The first condition matters while others write all the time: then every version is outdated soon, but a body
            // that was read after the request arrived is as good as a new one.
            && (cached.read_at >= requested_at || cached.version == store.version()?)
        {
            return Ok(cached.body.clone());
        }
        let project_bytes = store.read(|read| read.project_bytes(project))?;
        let turn = self.0.memory.shared_turn(project_bytes).await?;
        // Frees the old body first, so that the cache never has two of a project.
        *response = None;
        let (cache, store) = (self.clone(), store.clone());
        let making = async move {
            let _turn = turn;
            let made = blocking::run(move || {
                // The version is read before the body. A write in between is in the body, and makes it outdated all the same.
                let (read_at, version) = (Instant::now(), store.version()?);
                Ok::<_, ApiError>((read_at, version, Bytes::from(store.read(|read| Ok(make(read)))??)))
            });
            let (read_at, version, body) = made.await??;
            entry.made_bytes.store(body.len(), Ordering::Relaxed);
            let body = cache.0.memory.keep(body, None, || cache.clear()).await?;
            entry.last_use.lock().bytes = body.len();
            *response = Some(CachedResponse { version, read_at, body: body.clone() });
            cache.remove_least_recently_used();
            Ok(body)
        };
        tokio::spawn(making).await?
    }

    /// Forgets all bodies but those that are being made. Those that are being sent have their memory until then.
    pub fn clear(&self) {
        for entry in self.0.entries.lock().values() {
            if let Ok(mut response) = entry.response.try_lock() {
                *response = None;
                entry.last_use.lock().bytes = 0;
            }
        }
    }

    /// How large the response for a project was when it was last made; 0 if that is not known.
    pub fn last_bytes(&self, database: DatabaseNumber, project: ProjectKey) -> usize {
        self.0.entries.lock().get(&(database, project)).map_or(0, |entry| entry.made_bytes.load(Ordering::Relaxed))
    }

    /// Forgets the bodies of a database that is closed.
    pub fn remove_database(&self, database: DatabaseNumber) {
        self.0.entries.lock().retain(|(of, _), _| *of != database);
    }

    fn entry(&self, key: Key, now: Instant) -> Arc<Entry> {
        let empty = || {
            let last_use = Mutex::new(LastUse { at: now, bytes: 0 });
            Arc::new(Entry { response: Arc::default(), last_use, made_bytes: AtomicUsize::new(0) })
        };
        let entry = self.0.entries.lock().entry(key).or_insert_with(empty).clone();
        entry.last_use.lock().at = now;
        entry
    }

    fn remove_least_recently_used(&self) {
        let mut entries = self.0.entries.lock();
        let mut uses: Vec<(Key, LastUse)> = entries.iter().map(|(key, entry)| (*key, *entry.last_use.lock())).collect();
        uses.sort_unstable_by_key(|(_, last_use)| Reverse(last_use.at));
        let mut total = 0;
        for (key, last_use) in uses {
            total += last_use.bytes;
            if total > MAX_CACHED_BYTES {
                entries.remove(&key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A cache that reads one store, while another, which may be the same, is written to.
    #[derive(Clone)]
    struct Fixture {
        cache: ResponseCache,
        read: Store,
        written: Store,
        /// How many bodies were made, and how many users were written.
        made: Arc<AtomicUsize>,
        users: Arc<AtomicUsize>,
    }

    impl Fixture {
        fn new() -> Self {
            let store = Store::open(None).unwrap();
            Fixture::with_stores(store.clone(), store)
        }

        fn with_stores(read: Store, written: Store) -> Self {
            let memory = Arc::new(ResponseMemory::new(Arc::default()));
            Fixture { cache: ResponseCache::new(memory), read, written, made: Arc::default(), users: Arc::default() }
        }

        /// The response for a project. `body` is what a new one would be.
        async fn get(&self, project: i64, body: impl AsRef<[u8]>) -> Bytes {
            let (made, body) = (self.made.clone(), body.as_ref().to_vec());
            let make = move |_: &Reader| {
                made.fetch_add(1, Ordering::SeqCst);
                Ok(body)
            };
            self.cache.get(&self.read, ProjectKey(project), make).await.expect("the store is open")
        }

        fn write(&self) {
            let number = self.users.fetch_add(1, Ordering::SeqCst);
            let username = format!("user {number}").parse().unwrap();
            self.written.write(|write| write.add_user(&username)).unwrap();
        }

        fn made(&self) -> usize {
            self.made.load(Ordering::SeqCst)
        }
    }

    #[tokio::test]
    async fn a_response_is_made_once_for_each_version_of_the_database() {
        let fixture = Fixture::new();
        assert_eq!(fixture.get(1, "first").await, "first");
        assert_eq!(fixture.get(1, "second").await, "first");
        fixture.write();
        assert_eq!(fixture.get(1, "second").await, "second");
        assert_eq!(fixture.made(), 2);
    }

    #[tokio::test]
    async fn a_write_of_another_process_makes_a_response_outdated() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Store::open(Some(&folder.path().join("service.sqlite"))).unwrap();
        let fixture = Fixture::with_stores(open(), open());
        assert_eq!(fixture.get(1, "first").await, "first");
        fixture.write();
        assert_eq!(fixture.get(1, "second").await, "second");
    }

    #[tokio::test]
    async fn each_project_has_its_own_response() {
        let fixture = Fixture::new();
        assert_eq!((fixture.get(1, "one").await, fixture.get(2, "two").await), ("one".into(), "two".into()));
        assert_eq!((fixture.get(1, "").await, fixture.get(2, "").await), ("one".into(), "two".into()));
    }

    #[tokio::test]
    async fn simultaneous_requests_share_a_response_even_while_the_database_changes() {
        let fixture = Fixture::new();
        let requests: Vec<_> = (0..32)
            .map(|_| {
                let fixture = fixture.clone();
                tokio::spawn(async move {
                    let inner = fixture.clone();
                    let make_slowly = move |_: &Reader| {
                        inner.made.fetch_add(1, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(200));
                        inner.write();
                        Ok(Vec::new())
                    };
                    fixture.cache.get(&fixture.read, ProjectKey(1), make_slowly).await.is_ok()
                })
            })
            .collect();
        for request in requests {
            assert!(request.await.unwrap());
        }
        // One for the first request, one for all that arrived while it was made, and perhaps one for a late request.
        assert!(fixture.made() <= 3, "{} made", fixture.made());
    }

    #[tokio::test]
    async fn the_least_recently_used_response_is_removed_when_all_together_are_too_large() {
        let fixture = Fixture::new();
        let large = vec![b' '; MAX_CACHED_BYTES / 3];
        for project in 1..=4 {
            fixture.get(project, &large).await;
        }
        assert_eq!(fixture.cache.0.entries.lock().len(), 3);
        fixture.get(4, "").await;
        assert_eq!(fixture.made(), 4);
    }
}
