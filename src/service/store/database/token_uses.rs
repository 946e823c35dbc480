//! When tokens were last used. Writing it with each request would be a commit for each read: it is kept in memory, and written with
//! the next change, once a minute at most.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jiff::civil::DateTime;
use parking_lot::Mutex;
use rusqlite::{Connection, params};

use super::error::Result;
use super::values::{Digest, date_time_text, utc_now};

const WRITE_INTERVAL: Duration = Duration::from_secs(60);

/// The uses of tokens and of links for guests since they were last written.
#[derive(Debug, Default)]
pub struct TokenUses(Mutex<Uses>);

#[derive(Debug, Default)]
struct Uses {
    unwritten: HashMap<Digest, DateTime>,
    written: Option<Instant>,
}

impl TokenUses {
    pub fn note(&self, token: &Digest) {
        self.0.lock().unwritten.insert(*token, utc_now());
    }

    /// When a token was used, if that is not in the database yet.
    pub fn last(&self, token: &Digest) -> Option<DateTime> {
        self.0.lock().unwritten.get(token).copied()
    }

    /// Writes the uses in a transaction, if it is time to. Returns those to [`TokenUses::forget`] once it was committed.
    pub fn write(&self, transaction: &Connection) -> Result<Vec<(Digest, DateTime)>> {
        let due: Vec<_> = {
            let uses = self.0.lock();
            if uses.written.is_some_and(|written| written.elapsed() < WRITE_INTERVAL) {
                return Ok(Vec::new());
            }
            uses.unwritten.iter().map(|(token, time)| (*token, *time)).collect()
        };
        for table in ["tokens", "links"] {
            let sql = format!("UPDATE {table} SET last_used_at = ?2 WHERE digest = ?1");
            let mut statement = transaction.prepare_cached(&sql)?;
            for (token, time) in &due {
                statement.execute(params![token, date_time_text(*time)])?;
            }
        }
        Ok(due)
    }

    /// Forgets uses that were committed.
    pub fn forget(&self, committed: &[(Digest, DateTime)]) {
        if committed.is_empty() {
            return;
        }
        let mut uses = self.0.lock();
        uses.written = Some(Instant::now());
        for (token, time) in committed {
            // One that was used again meanwhile stays.
            if uses.unwritten.get(token) == Some(time) {
                uses.unwritten.remove(token);
            }
        }
    }
}
