//! Tokens of users. One is shown once, when it is issued; the database holds its digest.

use jiff::civil::DateTime;
use jiff::{Span, ToSpan};
use rusqlite::params;

use super::database::error::{Result, StoreError};
use super::database::store::Store;
use super::database::transaction::{Reader, Writer};
use super::database::values::{Digest, UserKey, date_time_text, digest, parsed, random_bytes, utc_now};
use super::history::Change;
use crate::digest::hex;
use crate::model::Username;

/// Random bytes in a token.
const TOKEN_BYTES: usize = 20;
/// How long a token is valid where the operator decided nothing.
const LIFETIME_MONTHS: i64 = 6;

/// A new token, with the time in UTC from which on it is not valid any more.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub token: String,
    issued_at: DateTime,
    expires_at: DateTime,
}

impl NewToken {
    /// A token of nobody yet. With a lifetime of 0 or less it has expired already.
    pub fn valid_for(lifetime: Span) -> Result<Self> {
        let issued_at = utc_now();
        let expires_at = issued_at.checked_add(lifetime).map_err(StoreError::content)?;
        Ok(NewToken { token: new_secret()?, issued_at, expires_at })
    }

    /// When the token ends, for people.
    pub fn end(&self) -> String {
        self.expires_at.strftime("%Y-%m-%d %H:%M UTC").to_string()
    }

    /// When the token ends, for programs: in UTC, to the second.
    pub fn end_text(&self) -> String {
        self.expires_at.strftime("%Y-%m-%dT%H:%M:%S").to_string()
    }
}

impl Store {
    /// A new token for a user, valid for as long as the operator decided: six months, unless `serve --token-lifetime` said otherwise.
    pub fn issue_token(&self, user: &Username) -> Result<String> {
        self.issue_token_for(user, self.read(|read| read.token_lifetime())?)
    }

    /// A new token for a user, valid for `lifetime`. With a lifetime of 0 or less it has expired already.
    pub fn issue_token_for(&self, user: &Username, lifetime: Span) -> Result<String> {
        let token = NewToken::valid_for(lifetime)?;
        self.write(|write| write.add_token(write.user(user)?, &token, false))?;
        Ok(token.token)
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

    /// How long a new token is valid, unless something else is asked for.
    pub fn token_lifetime(&self) -> Result<Span> {
        let decided = self.one("SELECT lifetime FROM token_lifetime", [], |row| parsed(row, 0))?;
        Ok(decided.unwrap_or_else(|| LIFETIME_MONTHS.months()))
    }
}

impl Writer<'_> {
    pub fn set_token_lifetime(&self, lifetime: Span) -> Result<()> {
        self.run("DELETE FROM token_lifetime", [])?;
        self.run("INSERT INTO token_lifetime (lifetime) VALUES (?1)", [lifetime.to_string()]).map(drop)
    }

    /// Gives a new token to a user. `on_card` tells whether it is printed on a card.
    pub fn add_token(&self, user: UserKey, new: &NewToken, on_card: bool) -> Result<()> {
        let sql = "INSERT INTO tokens (digest, user, issued_at, expires_at, on_card) VALUES (?1, ?2, ?3, ?4, ?5)";
        let NewToken { token, issued_at, expires_at } = new;
        let [issued_at, expires_at] = [*issued_at, *expires_at].map(date_time_text);
        self.run(sql, params![digest(token), user.0, issued_at, expires_at, on_card]).map(drop)
    }

    /// Makes all tokens of a user invalid. Returns how many there were.
    pub fn revoke_tokens(&self, user: UserKey) -> Result<usize> {
        self.revoke("DELETE FROM tokens WHERE user = ?1", user)
    }

    /// Makes the tokens on earlier cards of a user invalid. Returns how many there were.
    pub fn revoke_cards(&self, user: UserKey) -> Result<usize> {
        self.revoke("DELETE FROM tokens WHERE user = ?1 AND on_card", user)
    }

    fn revoke(&self, sql: &'static str, user: UserKey) -> Result<usize> {
        let revoked = self.run(sql, [user.0])?;
        if revoked > 0 {
            let change = Change::of("revoke_tokens").subject(format_args!("user {}", self.name_of(user)?));
            self.record(None, change.before(format_args!("{revoked} tokens")))?;
        }
        Ok(revoked)
    }
}

/// A new secret, of nobody yet.
pub fn new_secret() -> Result<String> {
    Ok(hex(&random_bytes::<TOKEN_BYTES>()?))
}
