//! Tokens of users. Each is shown once, when it is issued; the database holds its digest.

use jiff::civil::DateTime;
use jiff::{Span, ToSpan};
use rusqlite::{Row, params};

use super::card_codes::CardCode;
use super::database::columns::{Column, columns};
use super::database::error::{InputError, Result, StoreError};
use super::database::store::Store;
use super::database::transaction::{Reader, Writer};
use super::database::values::{Digest, ProjectKey, UserKey, date_time_text, digest, parsed, random_bytes, utc_now};
use super::history::Change;
use geodesign::model::{DateTime as WrittenTime, IssuedToken, JsonObject, SecretId, TokenInfo, Username, UtcMillis};
use geodesign_common::digest::hex;

/// Random bytes in a token.
const TOKEN_BYTES: usize = 20;
/// Lifetime of a token, unless the operator sets another.
const LIFETIME_MONTHS: i64 = 6;

/// A new token, with the UTC time at which it expires.
#[derive(Debug, Clone)]
pub struct NewToken {
    pub token: String,
    issued_at: DateTime,
    expires_at: DateTime,
}

impl NewToken {
    /// Returns a token that has no user yet. With a lifetime of 0 or less it has expired already.
    pub fn valid_for(lifetime: Span) -> Result<Self> {
        let issued_at = utc_now();
        let expires_at = issued_at.checked_add(lifetime).map_err(StoreError::content)?;
        Ok(NewToken { token: new_secret()?, issued_at, expires_at })
    }

    /// Returns a token that is valid until a time or, without one, for the lifetime that the operator set.
    pub fn until(read: &Reader, end: Option<UtcMillis>) -> Result<Self> {
        let new = NewToken::valid_for(read.token_lifetime()?)?;
        let expires_at = end.map_or(new.expires_at, |end| end.utc());
        if expires_at <= new.issued_at {
            return Err(InputError::Past("expires_at").into());
        }
        Ok(NewToken { expires_at, ..new })
    }

    pub fn id(&self) -> Result<SecretId> {
        secret_id(&digest(&self.token))
    }

    /// Returns the times at which the token was made and expires, in the form of columns.
    pub(super) fn times(&self) -> [String; 2] {
        [self.issued_at, self.expires_at].map(date_time_text)
    }

    /// Returns the time at which the token expires, in the form of responses.
    pub fn expires_at(&self) -> Result<WrittenTime> {
        date_time_text(self.expires_at).parse().map_err(StoreError::content)
    }

    /// Returns the time at which the token expires, for people.
    pub fn end(&self) -> String {
        self.expires_at.strftime("%Y-%m-%d %H:%M UTC").to_string()
    }
}

impl Store {
    /// Issues a token to a user, valid for six months, unless `serve --token-lifetime` sets another lifetime.
    pub fn issue_token(&self, user: &Username) -> Result<String> {
        self.issue_token_for(user, self.read(|read| read.token_lifetime())?)
    }

    /// Issues a token to a user, valid for `lifetime`. With a lifetime of 0 or less it has expired already.
    pub fn issue_token_for(&self, user: &Username, lifetime: Span) -> Result<String> {
        let token = NewToken::valid_for(lifetime)?;
        self.write(|write| write.add_token(write.user(user)?, &token))?;
        Ok(token.token)
    }
}

/// A token that has not expired.
pub struct ValidToken {
    pub user: UserKey,
    /// In the form of the database.
    pub expires_at: String,
    /// True if its holder may see the names of members and authors.
    pub shows_names: bool,
}

impl Reader<'_> {
    /// Returns the user of a token; `None` if the token is unknown or has expired.
    pub fn user_of_token(&self, token: &str) -> Result<Option<UserKey>> {
        Ok(self.token_with_digest(&digest(token))?.map(|token| token.user))
    }

    /// Returns a token; `None` if it is unknown or has expired.
    pub fn token_with_digest(&self, digest: &Digest) -> Result<Option<ValidToken>> {
        if self.is_of_file_owner(digest) {
            let expires_at = date_time_text(DateTime::MAX);
            return Ok(Some(ValidToken { user: UserKey::FILE_OWNER, expires_at, shows_names: true }));
        }
        let columns = columns!(ValidToken { user, expires_at, shows_names });
        let rest = "FROM (SELECT user, expires_at, TRUE AS shows_names FROM tokens WHERE digest = ?1 AND expires_at > ?2 \
                    UNION ALL SELECT -key, expires_at, names FROM links WHERE digest = ?1 AND expires_at > ?2)";
        self.select_one(columns, rest, params![digest, date_time_text(utc_now())])
    }

    /// Notes that a token was used.
    pub fn note_token_use(&self, token: &Digest) {
        self.token_uses().note(token);
    }

    /// Returns the valid tokens of a user or, without one, of all.
    pub fn tokens(&self, user: Option<UserKey>) -> Result<Vec<TokenInfo>> {
        let columns = columns!((
            digest,
            token: TokenInfo {
                id: "digest",
                username,
                issued_at,
                expires_at,
                last_used_at,
                on_card,
                extra: (JsonObject::new()),
            },
        ));
        let rest = "FROM tokens JOIN users ON key = user WHERE expires_at > ?1 AND user = coalesce(?2, user) \
                    ORDER BY username, issued_at, digest";
        let tokens = self.select(columns, rest, params![date_time_text(utc_now()), user.map(|user| user.0)])?;
        tokens
            .into_iter()
            .map(|(digest, token)| Ok(TokenInfo { last_used_at: self.last_use(&digest, token.last_used_at)?, ..token }))
            .collect()
    }

    /// Returns the last use of a token: the `written` one, unless a later use was not written yet.
    pub(super) fn last_use(&self, token: &Digest, written: Option<WrittenTime>) -> Result<Option<WrittenTime>> {
        match self.token_uses().last(token) {
            Some(time) => date_time_text(time).parse().map(Some).map_err(StoreError::content),
            None => Ok(written),
        }
    }

    /// Returns the lifetime of a new token, unless the request gives another.
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

    /// Gives a new token to a user.
    pub fn add_token(&self, user: UserKey, new: &NewToken) -> Result<()> {
        let sql = "INSERT INTO tokens (digest, user, issued_at, expires_at) VALUES (?1, ?2, ?3, ?4)";
        let [issued_at, expires_at] = new.times();
        self.run(sql, params![digest(&new.token), user.0, issued_at, expires_at]).map(drop)
    }

    /// Prints the token of a user on a card. Returns the card's code.
    fn put_on_card(&self, new: &NewToken, project: Option<ProjectKey>) -> Result<String> {
        let sql = "UPDATE tokens SET on_card = 1, project = ?2, code = ?3, sealed = ?4 WHERE digest = ?1";
        let card = CardCode::new(&new.token)?;
        let project = project.map(|project| project.0);
        self.run(sql, params![digest(&new.token), project, card.digest, card.sealed])?;
        Ok(card.code)
    }

    /// Gives a new token to a user, and returns it to be shown once. `on_card` is true if it is printed on a card.
    pub fn issue_token(&self, username: &Username, new: &NewToken, on_card: bool) -> Result<IssuedToken> {
        self.add_token(self.user(username)?, new)?;
        let code = on_card.then(|| self.put_on_card(new, None)).transpose()?;
        self.issued(None, "add_token", username, new, code)
    }

    /// The same for the card of a member, by an administrator who is responsible for the member. Tokens on earlier cards stop working.
    pub fn issue_card(&self, project: ProjectKey, username: &Username, new: &NewToken) -> Result<IssuedToken> {
        let user = self.require_member(project, username)?;
        self.run("DELETE FROM tokens WHERE user = ?1 AND on_card", [user.0])?;
        self.add_token(user, new)?;
        let code = self.put_on_card(new, Some(project))?;
        self.issued(Some(project), "add_member_token", username, new, Some(code))
    }

    fn issued(
        &self,
        project: Option<ProjectKey>,
        operation: &'static str,
        username: &Username,
        new: &NewToken,
        code: Option<String>,
    ) -> Result<IssuedToken> {
        let id = new.id()?;
        let change = Change::of(operation).subject(format_args!("user {}", username.as_str()));
        self.record(project, change.after(format_args!("token {id} until {}", new.end())))?;
        Ok(IssuedToken {
            id,
            username: username.clone(),
            token: new.token.clone(),
            code,
            expires_at: new.expires_at()?,
            extra: JsonObject::new(),
        })
    }

    /// Withdraws a token. Returns false if there is none with this id.
    pub fn withdraw_token(&self, id: &SecretId) -> Result<bool> {
        let found = "FROM tokens WHERE lower(hex(substr(digest, 1, 8))) = ?1";
        let found = self.select_one(columns!((digest, user)), found, [id.as_str()])?;
        let Some((digest, user)): Option<(Digest, UserKey)> = found else { return Ok(false) };
        self.run("DELETE FROM tokens WHERE digest = ?1", [digest])?;
        let change = Change::of("withdraw_token").subject(format_args!("user {}", self.name_of(user)?));
        self.record(None, change.before(format_args!("token {id}"))).map(|()| true)
    }

    /// Withdraws all tokens of a member, by an administrator who is responsible for the member.
    pub fn withdraw_member_tokens(&self, project: ProjectKey, username: &Username) -> Result<()> {
        let user = self.require_member(project, username)?;
        let withdrawn = self.run("DELETE FROM tokens WHERE user = ?1", [user.0])?;
        if withdrawn == 0 {
            return Ok(());
        }
        let change = Change::of("withdraw_member_tokens").subject(format_args!("user {}", username.as_str()));
        self.record(project, change.before(format_args!("{withdrawn} tokens")))
    }

    /// Makes all tokens of a user invalid. Returns their number.
    pub fn revoke_tokens(&self, user: UserKey) -> Result<usize> {
        let revoked = self.run("DELETE FROM tokens WHERE user = ?1", [user.0])?;
        if revoked > 0 {
            let change = Change::of("revoke_tokens").subject(format_args!("user {}", self.name_of(user)?));
            self.record(None, change.before(format_args!("{revoked} tokens")))?;
        }
        Ok(revoked)
    }
}

/// Returns the id by which a token can be withdrawn: the beginning of its digest, which does not reveal the token.
pub fn secret_id(digest: &Digest) -> Result<SecretId> {
    hex(&digest[..8]).parse().map_err(StoreError::content)
}

impl Column for SecretId {
    fn read(row: &Row, index: usize) -> Result<Self> {
        secret_id(&row.get(index)?)
    }
}

/// Returns a new secret that has no user yet.
pub fn new_secret() -> Result<String> {
    Ok(hex(&random_bytes::<TOKEN_BYTES>()?))
}
