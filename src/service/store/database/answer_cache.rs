//! Small answers that a connection has read, cached until the database changes.
//!
//! Each connection for reading has a cache of its own, so that SQLite itself says whether the cache is outdated: its
//! `PRAGMA data_version` changes on a connection with the first read after any commit of any other connection, in this process
//! or another. No cached answer can be older than a commit that anybody has seen before the request arrived.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use super::values::{Digest, UserKey, date_time_text, utc_now};

/// What a cached answer takes beside its body.
const ENTRY_BYTES: usize = 256;
/// So many times the bytes of the cache are refused before others take the places of those that are kept.
const REFUSED_SHARE: usize = 16;

/// To whom the database gave an answer, and about what.
#[derive(Debug)]
pub struct Permit {
    pub user: UserKey,
    /// When the token of the user expires, as the database has it: a commit is not needed for that.
    pub token_expires_at: String,
    /// The change id of the project that the answer shows.
    pub changeid: String,
}

/// An answer, encoded.
#[derive(Debug, Clone)]
pub struct CachedAnswer {
    pub permit: Arc<Permit>,
    pub body: Bytes,
}

/// The answers that were read from one state of the database, by a digest of all else that they depend on.
#[derive(Debug)]
pub struct AnswerCache {
    answers: HashMap<Digest, CachedAnswer>,
    /// The `data_version` of that state.
    version: i64,
    bytes: usize,
    max_bytes: usize,
    /// The bytes of answers that found no place.
    refused_bytes: usize,
}

impl AnswerCache {
    pub fn new(max_bytes: usize) -> Self {
        AnswerCache { answers: HashMap::new(), version: 0, bytes: 0, max_bytes, refused_bytes: 0 }
    }

    /// Whether asking for the `data_version` may be worth it.
    pub fn contains(&self, key: &Digest) -> bool {
        self.answers.contains_key(key)
    }

    /// The answer, if the database is still in the state that it was read from and the token has not expired.
    pub fn get(&mut self, version: i64, key: &Digest) -> Option<CachedAnswer> {
        self.remove_outdated(version);
        let answer = self.answers.get(key)?;
        (answer.permit.token_expires_at > date_time_text(utc_now())).then(|| answer.clone())
    }

    /// Keeps an answer where there is place for it, in as many bytes as it has.
    pub fn insert(&mut self, version: i64, key: Digest, permit: Arc<Permit>, body: Vec<u8>) -> Bytes {
        self.remove_outdated(version);
        let bytes = ENTRY_BYTES + body.len();
        if bytes > self.max_bytes / 4 || !self.has_place(bytes) {
            return body.into();
        }
        let body = Bytes::from(body.into_boxed_slice());
        if self.answers.insert(key, CachedAnswer { permit, body: body.clone() }).is_none() {
            self.bytes += bytes;
        }
        body
    }

    /// Where all answers are read in turn, keeping each for a moment would cost more than it saves. So those that are kept stay,
    /// until many others have been refused.
    fn has_place(&mut self, bytes: usize) -> bool {
        if self.bytes + bytes <= self.max_bytes {
            return true;
        }
        self.refused_bytes += bytes;
        if self.refused_bytes < REFUSED_SHARE * self.max_bytes {
            return false;
        }
        self.clear();
        true
    }

    fn remove_outdated(&mut self, version: i64) {
        if self.version != version {
            self.clear();
            self.version = version;
        }
    }

    fn clear(&mut self) {
        self.answers = HashMap::new();
        (self.bytes, self.refused_bytes) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;
    use crate::service::store::{Result, Store};

    const KEY: Digest = [1; 32];

    fn permit(token_expires_at: &str) -> Option<Arc<Permit>> {
        let (token_expires_at, changeid) = (token_expires_at.to_owned(), String::new());
        Some(Arc::new(Permit { user: UserKey(1), token_expires_at, changeid }))
    }

    /// Reads all creation codes as an answer to a token that expires then.
    fn read(store: &Store, token_expires_at: &str) -> String {
        let body = store.read_answer(KEY, |read| -> Result<_> {
            Ok((permit(token_expires_at), read.creation_codes()?.join(" ").into_bytes()))
        });
        String::from_utf8(body.unwrap().to_vec()).unwrap()
    }

    fn cached(store: &Store) -> Option<Bytes> {
        store.cached_answer(&KEY).unwrap().map(|answer| answer.body)
    }

    #[test]
    fn an_answer_is_cached_until_the_next_commit_of_the_store() {
        let store = Store::open(None).unwrap();
        assert_eq!(cached(&store), None);
        assert_eq!(read(&store, "9999"), "");
        assert_eq!(cached(&store).unwrap(), "");
        store.write(|write| write.add_creation_code("FADO")).unwrap();
        assert_eq!(cached(&store), None);
        assert_eq!(read(&store, "9999"), "FADO");
        assert_eq!(cached(&store).unwrap(), "FADO");
    }

    #[test]
    fn a_commit_through_another_opening_of_the_file_counts_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("workshop.sqlite");
        let store = Store::open(Some(&path)).unwrap();
        let other = Store::open(Some(&path)).unwrap();
        for code in ["A", "B", "C"] {
            read(&store, "9999");
            assert!(cached(&store).is_some());
            other.write(|write| write.add_creation_code(code)).unwrap();
            assert_eq!(cached(&store), None, "{code}");
        }
        assert_eq!(read(&store, "9999"), "A B C");
    }

    #[test]
    fn what_was_committed_while_an_answer_was_read_makes_it_outdated() {
        let store = Store::open(None).unwrap();
        let body = store.read_answer(KEY, |read| -> Result<_> {
            let before = read.creation_codes()?.join(" ");
            store.write(|write| write.add_creation_code("FADO"))?;
            Ok((permit("9999"), before.into_bytes()))
        });
        assert_eq!(body.unwrap(), "");
        assert_eq!(cached(&store), None);
    }

    #[test]
    fn an_answer_is_not_given_again_once_its_token_has_expired() {
        let store = Store::open(None).unwrap();
        read(&store, &date_time_text(utc_now().checked_sub(1.second()).unwrap()));
        assert_eq!(cached(&store), None);
        read(&store, &date_time_text(utc_now().checked_add(1.minute()).unwrap()));
        assert!(cached(&store).is_some());
    }

    #[test]
    fn the_answers_of_a_connection_take_no_more_than_their_limit() {
        let mut cache = AnswerCache::new(64 * 1024);
        let mut kept = |key, bytes| {
            cache.insert(1, [key; 32], permit("9999").unwrap(), vec![b' '; bytes]);
            let bytes: usize = cache.answers.values().map(|answer| ENTRY_BYTES + answer.body.len()).sum();
            assert!(bytes == cache.bytes && bytes <= 64 * 1024, "{bytes}");
            cache.get(1, &[key; 32]).is_some()
        };
        assert!((0..50).all(|key| kept(key, 1_000)));
        assert!(!kept(50, 60_000), "an answer that would leave no place for others");
    }

    #[test]
    fn answers_stay_until_many_others_have_found_no_place() {
        let mut cache = AnswerCache::new(64 * 1024);
        let read = |cache: &mut AnswerCache, key: u32| {
            let mut digest = KEY;
            digest[..4].copy_from_slice(&key.to_le_bytes());
            let is_kept = cache.get(1, &digest).is_some();
            cache.insert(1, digest, permit("9999").unwrap(), vec![b' '; 1_000]);
            is_kept
        };
        for key in 0..500 {
            read(&mut cache, key);
        }
        assert!(read(&mut cache, 0) && !read(&mut cache, 499));
        for key in 500..2_000 {
            read(&mut cache, key);
        }
        assert!(!read(&mut cache, 0));
    }
}
