//! Headers of a client's settings, which each request to the service has. Their values may be secret, so no output shows them.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use super::config::ConfigError;

/// Headers that the client sets itself.
const OWN: [&str; 15] = [
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "last-event-id",
    "transfer-encoding",
    "upgrade",
];

/// Reads headers from names and values. An error shows the name alone.
pub fn read_headers<'h>(given: impl IntoIterator<Item = (&'h str, &'h str)>) -> Result<HeaderMap, ConfigError> {
    given.into_iter().map(|(name, value)| read_header(name, value)).collect()
}

fn read_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), ConfigError> {
    let refused = |problem| ConfigError::Header { name: name.to_owned(), problem };
    let header: HeaderName = name.parse().map_err(|_| refused("is not the name of a header"))?;
    if header == "authorization" {
        return Err(refused("is set from the token: pass token=, and leave this header out"));
    }
    if header == "proxy-authorization" {
        return Err(refused("would reach the service: put user and password into proxy="));
    }
    if OWN.contains(&header.as_str()) {
        return Err(refused("is set by the client: leave it out"));
    }
    let mut value: HeaderValue = value.parse().map_err(|_| refused("has a value with invalid characters"))?;
    value.set_sensitive(true);
    Ok((header, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_client_itself_are_refused_and_no_value_is_shown() {
        for (name, word) in [
            ("Authorization", "token="),
            ("AUTHORIZATION", "token="),
            ("Proxy-Authorization", "proxy="),
            ("host", "leave it out"),
            ("two words", "name of a header"),
            ("", "name of a header"),
        ] {
            let error = read_headers([(name, "s3cr3t")]).unwrap_err().to_string();
            assert!(error.contains(word) && !error.contains("s3cr3t"), "{error}");
        }
        let error = read_headers([("X-Key", "s3cr3t\n")]).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cr3t"));
        assert!(!format!("{:?}", read_headers([("X-Key", "s3cr3t")]).unwrap()).contains("s3cr3t"));
    }
}
