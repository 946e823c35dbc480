//! The last uses of tokens. Writing them with each request would need a commit per read. So they are kept in memory, and written with the
//! next change, at most once a minute.

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

    /// Returns the last use of a token, if it is not in the database yet.
    pub fn last(&self, token: &Digest) -> Option<DateTime> {
        self.0.lock().unwritten.get(token).copied()
    }

    /// Writes the uses in a transaction, if it is time to. Returns those to [`TokenUses::forget`] once it is committed.
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

#[cfg(test)]
mod tests {
    use super::super::values::digest;
    use crate::store::Store;

    #[test]
    fn a_use_is_told_at_once_and_written_with_the_next_change() {
        let store = Store::open(None).unwrap();
        let username = "amara.okafor".parse().unwrap();
        store.write(|write| write.add_user(&username)).unwrap();
        let token = digest(&store.issue_token(&username).unwrap());
        let told = || store.read(|read| Ok(read.tokens(None)?.remove(0).last_used_at)).unwrap();
        let written = || {
            let sql = "SELECT last_used_at FROM tokens";
            store.read(|read| read.one(sql, [], |row| Ok(row.get::<_, Option<String>>(0)?))).unwrap().flatten()
        };
        assert_eq!(told(), None);

        store.note_token_use(&token);
        let noted = told().unwrap();
        assert_eq!(written(), None);
        store.write(|write| write.add_creation_code("FADO")).unwrap();
        assert_eq!(written(), Some(noted.to_string()));
        assert_eq!(told(), Some(noted));

        // Not with each change.
        store.note_token_use(&token);
        let again = told().unwrap();
        store.write(|write| write.add_creation_code("MORNA")).unwrap();
        assert_ne!(written(), Some(again.to_string()));
    }
}
