//! Responses to requests that added something, for clients that send such a request again.

use rusqlite::params;

use super::database::columns::columns;
use super::database::error::Result;
use super::database::transaction::{Reader, Writer};
use super::database::values::{Digest, ProjectKey, UserKey};

/// The sender of a request, and the key that distinguishes it from the sender's other requests in the project.
#[derive(Debug, Clone, Copy)]
pub struct AnswerKey<'k> {
    pub user: UserKey,
    /// `None` for a request that creates a project.
    pub project: Option<ProjectKey>,
    pub idempotency_key: &'k str,
}

/// A response, and the request that it answered.
#[derive(Debug)]
pub struct KeptAnswer {
    pub request: Digest,
    pub answer: Vec<u8>,
}

impl AnswerKey<'_> {
    /// Returns the key of its project, or 0.
    fn project(&self) -> i64 {
        self.project.map_or(0, |project| project.0)
    }
}

impl Reader<'_> {
    /// Returns the response to an earlier request with this key.
    pub fn kept_answer(&self, key: AnswerKey<'_>) -> Result<Option<KeptAnswer>> {
        let rest = "FROM answers WHERE user = ?1 AND coalesce(project, 0) = ?2 AND idempotency_key = ?3";
        let values = params![key.user.0, key.project(), key.idempotency_key];
        self.select_one(columns!(KeptAnswer { request, answer }), rest, values)
    }
}

impl Writer<'_> {
    /// Keeps the response to a request. Deletes the user's oldest ones in the project that are beyond the limit.
    pub fn keep_answer(&self, key: AnswerKey<'_>, request: &Digest, answer: &[u8]) -> Result<()> {
        if key.user == UserKey::FILE_OWNER {
            // No row could name this user, and nothing is lost on the way to the same process.
            return Ok(());
        }
        let (user, project) = (key.user.0, key.project());
        let last = "SELECT max(number) FROM answers WHERE user = ?1 AND coalesce(project, 0) = ?2";
        let last: Option<i64> = self.value(last, [user, project])?.flatten();
        let number = last.unwrap_or_default() + 1;
        let sql = "INSERT INTO answers (user, project, number, idempotency_key, request, answer) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let in_project = key.project.map(|project| project.0);
        self.insert(sql, params![user, in_project, number, key.idempotency_key, request, answer])?;
        let kept = i64::try_from(self.limits().idempotency_keys).unwrap_or(i64::MAX);
        let sql = "DELETE FROM answers WHERE user = ?1 AND coalesce(project, 0) = ?2 AND number <= ?3";
        self.run(sql, params![user, project, number.saturating_sub(kept)])?;
        Ok(())
    }
}
