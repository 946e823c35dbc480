//! SHA-256, from the library that also provides TLS.

use std::fmt::Write;

use std::num::NonZeroU32;

use ring::digest::{Context, SHA256};
use ring::pbkdf2::{PBKDF2_HMAC_SHA256, derive};

/// Returns the digest of these parts, joined together.
pub fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut context = Context::new(&SHA256);
    parts.iter().for_each(|part| context.update(part));
    let mut digest = [0; 32];
    digest.copy_from_slice(context.finish().as_ref());
    digest
}

/// Returns a key from a short secret (PBKDF2 with HMAC-SHA-256). Each guess at the secret takes this many rounds.
pub fn slow_key(secret: &[u8], salt: &[u8], rounds: NonZeroU32) -> [u8; 32] {
    let mut key = [0; 32];
    derive(PBKDF2_HMAC_SHA256, rounds, salt, secret, &mut key);
    key
}

/// True if the digests are equal. The time that this takes does not depend on them.
pub fn are_same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    one.iter().zip(other).fold(0, |differing, (one, other)| differing | (one ^ other)) == 0
}

/// Returns the bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_parts_is_that_of_the_whole() {
        // From FIPS 180-4's examples: the digest of "abc".
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hex(&sha256(&[b"a", b"bc"])), digest);
    }

    #[test]
    fn a_slow_key_is_the_one_of_rfc_7914() {
        let key = slow_key(b"passwd", b"salt", NonZeroU32::MIN);
        assert_eq!(hex(&key), "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc");
    }

    #[test]
    fn digests_that_differ_in_a_bit_are_not_the_same() {
        let mut other = [7; 32];
        assert!(are_same(&[7; 32], &other));
        other[31] ^= 1;
        assert!(!are_same(&[7; 32], &other));
    }
}
