//! The tokens of users. A token is shown once, when it is issued; the database holds its digest.

use jiff::{Span, ToSpan};
use rusqlite::params;
use sha2::{Digest as _, Sha256};

use super::database::columns::{date_time_text, hex, utc_now};
use super::database::error::{Result, StoreError};
use super::database::keys::UserKey;
use super::database::random_ids::random_bytes;
use super::database::store::Store;
use super::database::transaction::{Reader, Writer};
use super::history::Change;
use crate::model::Username;

/// Random bytes in a token.
const TOKEN_BYTES: usize = 20;

impl Store {
    /// A new token for a user, valid for six months.
    pub fn issue_token(&self, user: &Username) -> Result<String> {
        self.issue_token_for(user, 6.months())
    }

    /// A new token for a user, valid for `lifetime`. With a lifetime of 0 or less it has expired already.
    pub fn issue_token_for(&self, user: &Username, lifetime: Span) -> Result<String> {
        let token = new_secret()?;
        let now = utc_now();
        let expires = now.checked_add(lifetime).map_err(StoreError::content)?;
        self.write(|write| {
            let user = write.user(user)?;
            write.run(
                "INSERT INTO tokens (digest, user, issued_at, expires_at) VALUES (?1, ?2, ?3, ?4)",
                params![digest(&token), user.0, date_time_text(now), date_time_text(expires)],
            )?;
            Ok(token)
        })
    }
}

/// A token that has not expired.
pub struct ValidToken {
    pub user: UserKey,
    /// As the database has it.
    pub expires_at: String,
}

impl Reader<'_> {
    /// The user of a token; `None` if the token is unknown or has expired.
    pub fn user_of_token(&self, token: &str) -> Result<Option<UserKey>> {
        Ok(self.token_with_digest(&digest(token))?.map(|token| token.user))
    }

    /// `None` if the token is unknown or has expired.
    pub fn token_with_digest(&self, digest: &Digest) -> Result<Option<ValidToken>> {
        let sql = "SELECT user, expires_at FROM tokens WHERE digest = ?1 AND expires_at > ?2";
        self.one(sql, params![digest, date_time_text(utc_now())], |row| {
            Ok(ValidToken { user: UserKey(row.get(0)?), expires_at: row.get(1)? })
        })
    }
}

impl Writer<'_> {
    /// Makes all tokens of a user invalid. Returns how many there were.
    pub fn revoke_tokens(&self, user: UserKey) -> Result<usize> {
        let revoked = self.run("DELETE FROM tokens WHERE user = ?1", [user.0])?;
        if revoked > 0 {
            let change = Change::of("revoke_tokens").subject(format_args!("user {}", self.name_of(user)?));
            self.record(None, change.before(format_args!("{revoked} tokens")))?;
        }
        Ok(revoked)
    }
}

/// What is kept of a token.
pub type Digest = [u8; 32];

pub fn digest(token: &str) -> Digest {
    Sha256::digest(token.as_bytes()).into()
}

/// A new token, of nobody yet.
pub fn new_secret() -> Result<String> {
    Ok(hex(&random_bytes::<TOKEN_BYTES>()?))
}
