//! Ids that cannot be guessed.

use super::error::Result;

pub fn new_uuid() -> Result<String> {
    Ok(uuid::Builder::from_random_bytes(random_bytes()?).into_uuid().to_string())
}

/// A UUID that follows from a digest, with its first 122 bits (version 5 of RFC 9562).
pub fn digest_uuid(digest: &[u8]) -> String {
    let bytes = std::array::from_fn(|at| digest.get(at).copied().unwrap_or_default());
    // Version 5, an id made of a digest: programs refuse versions above it.
    uuid::Builder::from_sha1_bytes(bytes).into_uuid().to_string()
}

/// 16 letters and digits (80 random bits).
pub fn new_id() -> Result<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    Ok(random_bytes::<16>()?.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect())
}

pub fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
