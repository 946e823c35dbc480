//! Codes of cards: eight letters and digits to type in place of a card's link. A code ends with the token of its card.
//!
//! A code has 40 random bits, which is enough for guesses that the service counts, and few for somebody who has the database. So a key
//! that is slow to compute is made of the code. The database has a digest of the key, and the token under the key.

use std::num::NonZeroU32;

use rusqlite::params;

use super::database::columns::columns;
use super::database::error::{Result, StoreError};
use super::database::transaction::Reader;
use super::database::values::{Digest, date_time_text, new_id, normal_code, utc_now};
use geodesign::model::{CardHolder, DateTime, JsonObject, Username};
use geodesign_common::digest::{are_same, sha256, slow_key};

const ROUNDS: NonZeroU32 = NonZeroU32::new(20_000).unwrap();
const SALT: &[u8] = b"geodesign card code";

/// A new code, with the columns of its token.
pub struct CardCode {
    pub code: String,
    pub digest: Digest,
    pub sealed: Vec<u8>,
}

impl CardCode {
    /// Returns two groups of four letters and digits for a token.
    pub fn new(token: &str) -> Result<Self> {
        let id = new_id()?;
        let code = format!("{}-{}", &id[..4], &id[4..8]);
        let key = key_of(&code);
        Ok(CardCode { code, digest: digest_of(&key), sealed: under_key(&key, token.as_bytes()) })
    }
}

fn key_of(code: &str) -> Digest {
    slow_key(normal_code(code).as_bytes(), SALT, ROUNDS)
}

fn digest_of(key: &Digest) -> Digest {
    sha256(&[key, b"digest"])
}

/// Seals a token, or opens a sealed one.
fn under_key(key: &Digest, token: &[u8]) -> Vec<u8> {
    let pad = [sha256(&[key, b"first"]), sha256(&[key, b"second"])].concat();
    token.iter().zip(pad).map(|(byte, pad)| byte ^ pad).collect()
}

impl Reader<'_> {
    /// Returns the member with this code on a card, and the token; `None` if no card that is valid has the code. Every code is compared,
    /// each in the same time.
    pub fn holder_of_card(&self, code: &str) -> Result<Option<CardHolder>> {
        let columns = columns!((code, sealed, username, expires_at));
        let rest = "FROM tokens JOIN users ON users.key = user WHERE code IS NOT NULL AND expires_at > ?1 \
                    AND EXISTS (SELECT 1 FROM members WHERE members.user = tokens.user)";
        let cards: Vec<(Digest, Vec<u8>, Username, DateTime)> =
            self.select(columns, rest, params![date_time_text(utc_now())])?;
        let key = key_of(code);
        let digest = digest_of(&key);
        let found =
            cards.into_iter().fold(None, |found, card| if are_same(&digest, &card.0) { Some(card) } else { found });
        let Some((_, sealed, username, expires_at)) = found else { return Ok(None) };
        let token = String::from_utf8(under_key(&key, &sealed)).map_err(StoreError::content)?;
        Ok(Some(CardHolder { username, token, expires_at, extra: JsonObject::new() }))
    }
}
