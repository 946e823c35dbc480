//! Small answers that a connection has read, cached until the database changes.
//!
//! Each connection for reading has a cache of its own, so that SQLite itself says whether the cache is outdated: its
//! `PRAGMA data_version` changes on a connection with the first read after any commit of any other connection, in this process
//! or another. No cached answer can be older than a commit that anybody has seen before the request arrived.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use super::columns::{date_time_text, utc_now};
use super::keys::UserKey;
use crate::service::store::tokens::Digest;

/// What a cached answer takes beside its body.
const ENTRY_BYTES: usize = 256;

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
}

impl AnswerCache {
    pub fn new(max_bytes: usize) -> Self {
        AnswerCache { answers: HashMap::new(), version: 0, bytes: 0, max_bytes }
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

    pub fn insert(&mut self, version: i64, key: Digest, answer: CachedAnswer) {
        self.remove_outdated(version);
        let bytes = ENTRY_BYTES + answer.body.len();
        if bytes > self.max_bytes / 4 {
            return;
        }
        if self.bytes + bytes > self.max_bytes {
            self.clear();
        }
        if self.answers.insert(key, answer).is_none() {
            self.bytes += bytes;
        }
    }

    fn remove_outdated(&mut self, version: i64) {
        if self.version != version {
            self.clear();
            self.version = version;
        }
    }

    fn clear(&mut self) {
        self.answers = HashMap::new();
        self.bytes = 0;
    }
}
