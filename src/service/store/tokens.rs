//! Users and their tokens. A token is shown once, when it is issued; the file holds its digest.

use jiff::{Span, ToSpan};
use rusqlite::params;
use sha2::{Digest, Sha256};

use super::{ProjectKey, Reader, Result, Store, StoreError, UserKey, moment, utc_now};
use crate::model::{ProjectId, Username};

/// Bytes of randomness in a token.
const TOKEN_BYTES: usize = 20;

impl Store {
    /// A new token for a user, valid for six months.
    pub fn issue_token(&self, user: &Username) -> Result<String> {
        self.issue_token_for(user, 6.months())
    }

    /// A new token for a user, valid for so long.
    pub fn issue_token_for(&self, user: &Username, lifetime: Span) -> Result<String> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| StoreError::Random(error.to_string()))?;
        let token = hex(&bytes);
        let now = utc_now();
        let expires = now.checked_add(lifetime).map_err(|error| StoreError::Content(error.to_string()))?;
        self.write(|write| {
            let user = write.user(user)?;
            write.run(
                "INSERT INTO tokens (digest, user, issued_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
                params![digest(&token), user.0, moment(now), moment(expires)],
            )?;
            Ok(token)
        })
    }
}

impl Reader<'_> {
    /// Whose token it is, unless it has expired.
    pub fn user_of_token(&self, token: &str) -> Result<Option<UserKey>> {
        let sql = "SELECT user FROM tokens WHERE digest = ?1 AND expires_at > ?2";
        self.one(sql, params![digest(token), moment(utc_now())], |row| Ok(UserKey(row.get(0)?)))
    }

    pub fn project_of_member(&self, id: &ProjectId, user: UserKey) -> Result<Option<ProjectKey>> {
        let sql = "SELECT key FROM projects JOIN members ON project = key WHERE id = ?1 AND user = ?2";
        self.one(sql, params![id.as_str(), user.0], |row| Ok(ProjectKey(row.get(0)?)))
    }

    /// The user of that name, if a member of the project.
    pub fn member(&self, project: ProjectKey, username: &str) -> Result<Option<UserKey>> {
        let sql = "SELECT key FROM users JOIN members ON user = key WHERE project = ?1 AND username = ?2";
        self.one(sql, params![project.0, username], |row| Ok(UserKey(row.get(0)?)))
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
