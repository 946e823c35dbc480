//! Encoded responses in front of the store, cached until the database changes. The least recently used ones are removed first.
//!
//! SQLite shows whether a response is outdated: `PRAGMA data_version` changes after any commit, in this process or another, and a
//! response's version is read before the transaction that answers. So no cached response is older than a commit that was visible before the
//! request arrived.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;

use crate::byte_budget::{ByteBudget, ByteLease};
use crate::http::paging::ListLength;
use crate::http::request::auth::Permit;
use crate::store::{DatabaseNumber, Digest, Store, StoreError, has_expired};

/// Smaller responses do not wait for others.
pub const LARGE_RESPONSE: usize = 64 * 1024;

/// The limit for all bodies together.
const MAX_CACHED_BYTES: usize = 128 * 1024 * 1024;
/// Outdated entries are removed once all take at least this much, and twice what was valid at the last check. Under constant writes, most
/// entries are outdated and would fill the cache.
const MIN_SWEEP_BYTES: usize = 4 * 1024 * 1024;
/// Responses that take less are made on a thread that serves requests.
const QUICK: Duration = Duration::from_millis(1);
/// Bytes of an entry in addition to its body.
const ENTRY_BYTES: usize = 512;

/// A database, and a digest of all else that a response depends on.
pub type Key = (DatabaseNumber, Digest);

#[derive(Clone)]
pub struct CachedResponse {
    /// Permit to receive it, with an expiry; `None` if the permission is checked before.
    pub permit: Option<Arc<Permit>>,
    pub body: Bytes,
    pub length: Option<ListLength>,
    /// The version of the database that it was read from, or an earlier one.
    pub version: i64,
    /// Time of reading: the response has everything written before it.
    pub read_at: Instant,
    /// Time that making it took.
    pub took: Duration,
}

pub struct ResponseCache {
    entries: Mutex<Entries>,
    max_bytes: usize,
    budget: ByteBudget,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<Key, Entry>,
    /// Total of all entries.
    bytes: usize,
    /// Counts uses.
    uses: u64,
    /// Outdated entries are removed when all take more than this.
    sweep_at: usize,
}

struct Entry {
    /// `None` if it was removed to make room.
    response: Option<CachedResponse>,
    /// Size of the body, even after it was removed.
    body_bytes: usize,
    last_use: u64,
    /// The memory of the entry. A large body holds its own memory, because others may be reading it.
    _lease: ByteLease,
}

impl Entry {
    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.response.as_ref().map_or(0, |response| response.body.len())
    }
}

impl ResponseCache {
    /// A cache whose memory counts in a budget.
    pub fn new(budget: ByteBudget) -> Self {
        let entries = Entries { sweep_at: MIN_SWEEP_BYTES, ..Entries::default() };
        ResponseCache { entries: Mutex::new(entries), max_bytes: MAX_CACHED_BYTES, budget }
    }

    /// Returns the response if the database is unchanged since it was read, or if it was read after `requested_at`. The latter matters
    /// under constant writes, when every version is soon outdated.
    pub fn get(&self, key: &Key, store: &Store, requested_at: Instant) -> Result<Option<CachedResponse>, StoreError> {
        let Some(response) = self.entries.lock().use_entry(key).and_then(|entry| entry.response.clone()) else {
            return Ok(None);
        };
        let is_valid = response.read_at >= requested_at || response.version == store.version()?;
        // A token expires without a commit.
        let has_expired = response.permit.as_ref().is_some_and(|permit| has_expired(&permit.token_expires_at));
        Ok(Some(response).filter(|_| is_valid && !has_expired))
    }

    /// Size of the response when it was last made; `None` if it is not known.
    pub fn last_bytes(&self, key: &Key) -> Option<usize> {
        self.entries.lock().by_key.get(key).map(|entry| entry.body_bytes)
    }

    /// True if the response took little time when it was last made.
    pub fn was_quick(&self, key: &Key) -> bool {
        let entries = self.entries.lock();
        let response = entries.by_key.get(key).and_then(|entry| entry.response.as_ref());
        response.is_some_and(|response| response.took < QUICK)
    }

    pub fn insert(&self, key: Key, response: CachedResponse) {
        let (body_bytes, version) = (response.body.len(), response.version);
        let mut lease = self.budget.empty_lease(None);
        let counted = if body_bytes < LARGE_RESPONSE { ENTRY_BYTES + body_bytes } else { ENTRY_BYTES };
        if lease.try_grow_to(counted).is_err() {
            return self.clear();
        }
        let mut entries = self.entries.lock();
        entries.uses += 1;
        let entry = Entry { response: Some(response), body_bytes, last_use: entries.uses, _lease: lease };
        entries.bytes += entry.bytes();
        let replaced = entries.by_key.insert(key, entry);
        entries.bytes -= replaced.map_or(0, |entry| entry.bytes());
        if entries.bytes > entries.sweep_at {
            entries.remove_outdated(key.0, version);
            entries.sweep_at = MIN_SWEEP_BYTES.max(2 * entries.bytes);
        }
        if entries.bytes > self.max_bytes {
            entries.remove_least_recently_used(self.max_bytes / 8 * 7);
        }
    }

    /// Removes a response that is about to be made again, so that there are never two copies.
    pub fn give_up(&self, key: &Key) {
        let mut entries = self.entries.lock();
        let bytes = entries.by_key.get_mut(key).and_then(|entry| entry.response.take()).map_or(0, |old| old.body.len());
        entries.bytes -= bytes;
    }

    pub fn remove(&self, key: &Key) {
        let mut entries = self.entries.lock();
        entries.bytes -= entries.by_key.remove(key).map_or(0, |entry| entry.bytes());
    }

    /// Removes all responses. Those being sent keep their memory until then.
    pub fn clear(&self) {
        let mut entries = self.entries.lock();
        entries.by_key.retain(|_, entry| {
            entry.response = None;
            entry.body_bytes >= LARGE_RESPONSE
        });
        entries.bytes = entries.by_key.len() * ENTRY_BYTES;
    }

    /// Forgets the responses of a database that is closed.
    pub fn remove_database(&self, database: DatabaseNumber) {
        let mut entries = self.entries.lock();
        entries.by_key.retain(|(of, _), _| *of != database);
        entries.bytes = entries.by_key.values().map(Entry::bytes).sum();
    }
}

impl Entries {
    fn use_entry(&mut self, key: &Key) -> Option<&Entry> {
        self.uses += 1;
        let entry = self.by_key.get_mut(key)?;
        entry.last_use = self.uses;
        Some(entry)
    }

    /// Removes responses read from an earlier version of a database. The sizes of large ones are kept.
    fn remove_outdated(&mut self, database: DatabaseNumber, version: i64) {
        self.by_key.retain(|(of, _), entry| {
            if *of == database && entry.response.as_ref().is_some_and(|response| response.version < version) {
                entry.response = None;
                return entry.body_bytes >= LARGE_RESPONSE;
            }
            true
        });
        self.bytes = self.by_key.values().map(Entry::bytes).sum();
    }

    /// Removes the least recently used entries. The newest stays whatever its size: others wait for it.
    fn remove_least_recently_used(&mut self, max_bytes: usize) {
        let mut uses: Vec<(u64, Key)> = self.by_key.iter().map(|(key, entry)| (entry.last_use, *key)).collect();
        uses.sort_unstable_by_key(|(last_use, _)| *last_use);
        uses.pop();
        for (_, key) in uses {
            if self.bytes <= max_bytes {
                break;
            }
            self.bytes -= self.by_key.remove(&key).map_or(0, |entry| entry.bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{ProjectKey, UserKey};

    fn cache() -> ResponseCache {
        ResponseCache { max_bytes: 80_000, ..ResponseCache::new(ByteBudget::new(1_000_000, 500_000)) }
    }

    fn key(number: u8) -> Key {
        (DatabaseNumber(1), [number; 32])
    }

    fn permit(token_expires_at: &str) -> Option<Arc<Permit>> {
        let (user, project, changeid) = (UserKey(1), ProjectKey(1), String::new());
        Some(Arc::new(Permit {
            user,
            project,
            token_expires_at: token_expires_at.to_owned(),
            changeid,
            shows_names: true,
        }))
    }

    /// Reads all creation codes as a response to a token that expires then.
    fn read(cache: &ResponseCache, store: &Store, token_expires_at: &str) {
        let (read_at, version) = (Instant::now(), store.version().unwrap());
        let body = store.read(|read| read.creation_codes()).unwrap().join(" ").into();
        let (permit, took) = (permit(token_expires_at), read_at.elapsed());
        cache.insert(key(1), CachedResponse { permit, body, length: None, version, read_at, took });
    }

    fn cached(cache: &ResponseCache, store: &Store) -> Option<Bytes> {
        cache.get(&key(1), store, Instant::now()).unwrap().map(|response| response.body)
    }

    /// Keeps a body of this length.
    fn insert(cache: &ResponseCache, number: u8, length: usize) {
        let body = vec![b' '; length].into();
        let (version, read_at, took) = (1, Instant::now(), Duration::ZERO);
        cache.insert(key(number), CachedResponse { permit: None, body, length: None, version, read_at, took });
    }

    #[test]
    fn a_response_is_cached_until_the_next_commit_of_the_store() {
        let (cache, store) = (cache(), Store::open(None).unwrap());
        assert_eq!(cached(&cache, &store), None);
        read(&cache, &store, "9999");
        assert_eq!(cached(&cache, &store).unwrap(), "");
        store.write(|write| write.add_creation_code("FADO")).unwrap();
        assert_eq!(cached(&cache, &store), None);
        read(&cache, &store, "9999");
        assert_eq!(cached(&cache, &store).unwrap(), "FADO");
    }

    #[test]
    fn a_commit_through_another_opening_of_the_file_counts_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("workshop.sqlite");
        let (cache, store, other) = (cache(), Store::open(Some(&path)).unwrap(), Store::open(Some(&path)).unwrap());
        for code in ["A", "B", "C"] {
            read(&cache, &store, "9999");
            assert!(cached(&cache, &store).is_some());
            other.write(|write| write.add_creation_code(code)).unwrap();
            assert_eq!(cached(&cache, &store), None, "{code}");
        }
    }

    #[test]
    fn what_was_read_after_the_request_arrived_is_good_enough_whatever_was_written_since() {
        let (cache, store, requested_at) = (cache(), Store::open(None).unwrap(), Instant::now());
        read(&cache, &store, "9999");
        store.write(|write| write.add_creation_code("FADO")).unwrap();
        assert!(cache.get(&key(1), &store, requested_at).unwrap().is_some());
        assert_eq!(cached(&cache, &store), None);
    }

    #[test]
    fn a_response_is_not_given_again_once_its_token_has_expired() {
        let (cache, store) = (cache(), Store::open(None).unwrap());
        read(&cache, &store, "2020-01-01T00:00:00.000000");
        assert_eq!(cached(&cache, &store), None);
        read(&cache, &store, "9999-01-01T00:00:00.000000");
        assert!(cached(&cache, &store).is_some());
    }

    #[test]
    fn the_least_recently_used_responses_go_first() {
        let cache = cache();
        (1..=3).for_each(|number| insert(&cache, number, 25_000));
        cache.entries.lock().use_entry(&key(1));
        insert(&cache, 4, 25_000);
        assert_eq!([1, 2, 3, 4].map(|number| cache.last_bytes(&key(number)).is_some()), [true, false, false, true]);
        insert(&cache, 5, 100_000);
        assert_eq!([1, 4, 5].map(|number| cache.last_bytes(&key(number)).is_some()), [false, false, true]);
    }

    #[test]
    fn outdated_responses_go_before_they_fill_the_cache() {
        let cache = ResponseCache::new(ByteBudget::new(100_000_000, 50_000_000));
        cache.entries.lock().sweep_at = 60_000;
        let body = || Bytes::from(vec![b' '; 25_000]);
        let insert = |database, number, version| {
            let (read_at, took) = (Instant::now(), Duration::ZERO);
            let response = CachedResponse { permit: None, body: body(), length: None, version, read_at, took };
            cache.insert((DatabaseNumber(database), [number; 32]), response);
        };
        insert(1, 1, 1);
        insert(2, 2, 1);
        insert(1, 3, 2);
        let left = [(1, 1), (2, 2), (1, 3)]
            .map(|(of, number)| cache.last_bytes(&(DatabaseNumber(of), [number; 32])).is_some());
        assert_eq!(left, [false, true, true]);
        assert_eq!(cache.entries.lock().bytes, 2 * (25_000 + ENTRY_BYTES));
        assert_eq!(cache.entries.lock().sweep_at, MIN_SWEEP_BYTES);
    }

    #[test]
    fn only_what_took_little_time_is_made_where_requests_are_served() {
        let (cache, read_at) = (cache(), Instant::now());
        let made = |took| CachedResponse { permit: None, body: Bytes::new(), length: None, version: 1, read_at, took };
        assert!(!cache.was_quick(&key(1)));
        cache.insert(key(1), made(Duration::from_micros(100)));
        assert!(cache.was_quick(&key(1)));
        cache.insert(key(1), made(Duration::from_millis(100)));
        assert!(!cache.was_quick(&key(1)));
        cache.remove(&key(1));
        assert_eq!(cache.entries.lock().bytes, 0);
    }

    #[test]
    fn the_size_of_a_large_response_is_remembered_when_it_is_given_up() {
        let cache = cache();
        insert(&cache, 1, 100);
        insert(&cache, 2, LARGE_RESPONSE);
        cache.clear();
        assert_eq!([1, 2].map(|number| cache.last_bytes(&key(number))), [None, Some(LARGE_RESPONSE)]);
        assert!(cache.get(&key(2), &Store::open(None).unwrap(), Instant::now()).unwrap().is_none());
        assert_eq!(cache.entries.lock().bytes, ENTRY_BYTES);
        cache.remove_database(DatabaseNumber(1));
        assert_eq!(cache.budget.pressure(None), 0.0);
    }
}
