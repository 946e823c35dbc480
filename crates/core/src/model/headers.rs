//! Headers that client and service share: the key by which a service recognises a repeated request that adds something
//! (<https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>), and the id of a request.

use http::HeaderName;

/// The header with the key. The service keeps its first response, and sends it again instead of adding the same thing twice.
pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Name of the limit by which a service shows that it keeps the responses to requests with a key.
pub const LIMIT_OF_KEYS: &str = "idempotency_keys";

/// Header of a response, and of a request: the id of the request, which is also in the service's log.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum number of characters in the id of a request.
const MAX_REQUEST_ID: usize = 64;

/// True if a text may be the id of a request: short, and without any character that a log or a terminal would interpret.
pub fn is_request_id(text: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    (1..=MAX_REQUEST_ID).contains(&text.len()) && text.bytes().all(is_safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_request_is_short_plain_text() {
        assert!(["7", "3f2b-9c.A_z:1", &"a".repeat(64)].into_iter().all(is_request_id));
        assert!(!["", "a b", "a\n", "é", "<b>", &"a".repeat(65)].into_iter().any(is_request_id));
    }
}
