//! Values of the database: keys, random ids, and contents of columns.

use std::error::Error;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::TimeZone;
use rusqlite::Row;
use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed};

use super::error::{Result, StoreError};
use geodesign::model::ObjectText;
use geodesign_common::digest::{hex, sha256};
use geodesign_geometry::json::Scanner;
use geodesign_geometry::{Geometry, GeometrySeed, extent_of};

/// A GeoJSON FeatureCollection without features.
pub const NO_FEATURES: &str = r#"{"type":"FeatureCollection","features":[]}"#;

/// Parses a text column.
pub fn parsed<T: FromStr<Err: Into<Box<dyn Error + Send + Sync>>>>(row: &Row, column: usize) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(StoreError::content)?;
    text.parse().map_err(|error: T::Err| StoreError::content(error))
}

/// Reads a column of JSON text.
pub fn from_json<T: DeserializeOwned>(row: &Row, column: usize) -> Result<T> {
    let text = row.get_ref(column)?.as_str().map_err(StoreError::content)?;
    serde_json::from_str(text).map_err(StoreError::content)
}

/// Reads a column with the text of a JSON object.
pub fn object_text(row: &Row, column: usize) -> Result<ObjectText> {
    ObjectText::stored(row.get(column)?).map_err(StoreError::content)
}

/// Writes JSON text for a column.
pub fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(StoreError::content)
}

/// Reads a GeoJSON geometry; `None` if the text is `null`.
pub fn to_geometry(text: &str) -> Result<Option<Geometry>> {
    let mut scanner = Scanner::new(text);
    if let Ok(geometry) = GeometrySeed.deserialize(&mut scanner)
        && scanner.end().is_ok()
    {
        return Ok(geometry);
    }
    // Gives a more precise error.
    GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(StoreError::content)
}

/// Returns west, south, east and north of a geometry as GeoJSON text; `None` if it is null, has no positions or cannot be read.
pub fn extent_in(text: &str) -> Option<[f64; 4]> {
    to_geometry(text).ok().flatten().and_then(|geometry| extent_of(&geometry))
}

/// Returns the current time in UTC. Columns hold date-times without a time zone.
pub fn utc_now() -> DateTime {
    TimeZone::UTC.to_datetime(Timestamp::now())
}

/// Formats a date-time for a column, always with six decimals of a second: sorting the texts sorts the times.
pub fn date_time_text(time: DateTime) -> String {
    const WITH_MICROSECONDS: DateTimePrinter = DateTimePrinter::new().precision(Some(6));
    WITH_MICROSECONDS.datetime_to_string(&time)
}

/// True if a date-time of a column has passed.
pub fn has_expired(date_time: &str) -> bool {
    *date_time <= *date_time_text(utc_now())
}

/// The stored form of a token.
pub type Digest = [u8; 32];

pub fn digest(token: &str) -> Digest {
    sha256(&[token.as_bytes()])
}

/// The key of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UserKey(pub(crate) i64);

impl UserKey {
    /// The key for people without an account.
    pub const NOBODY: UserKey = UserKey(0);
    /// The file owner's key, see [`Store::admit_file_owner`](super::store::Store::admit_file_owner). No account has it.
    pub const FILE_OWNER: UserKey = UserKey(i64::MAX);

    /// True for a guest, who has no account: the key is that of the guest's link, and negative, so that no user has it.
    pub fn is_guest(self) -> bool {
        self.0 < 0
    }
}

/// The key of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ProjectKey(pub(crate) i64);

/// Distinguishes the databases of a process. One that is opened again gets another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DatabaseNumber(pub(crate) u32);

/// A user of one of the databases of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DatabaseUser {
    pub database: DatabaseNumber,
    pub user: UserKey,
}

impl DatabaseNumber {
    /// Returns a number that no other database of this process has.
    pub(super) fn next() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        DatabaseNumber(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub const fn user(self, user: UserKey) -> DatabaseUser {
        DatabaseUser { database: self, user }
    }
}

pub fn new_uuid() -> Result<String> {
    Ok(uuid_text(random_bytes()?, 4))
}

/// Returns a UUID made from the first 122 bits of a digest (version 5 of RFC 9562).
pub fn digest_uuid(digest: &[u8]) -> String {
    // Version 5, an id made of a digest: programs refuse versions above it.
    uuid_text(std::array::from_fn(|index| digest.get(index).copied().unwrap_or_default()), 5)
}

/// Sets the bits of the version and of the variant (RFC 9562).
fn uuid_text(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = hex(&bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// Returns 16 random letters and digits (80 random bits).
pub fn new_id() -> Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    Ok(random_bytes::<16>()?.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

/// Normalises a code: removes what people add when they read it aloud or type it.
pub fn normal_code(code: &str) -> String {
    code.chars().filter(|letter| letter.is_ascii_alphanumeric()).map(|letter| letter.to_ascii_lowercase()).collect()
}

pub fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
