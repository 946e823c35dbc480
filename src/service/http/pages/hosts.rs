//! Hosts from which the pages may load pictures, such as those of tiles.

use std::str::FromStr;

/// A host, perhaps with its port, such as `tile.openstreetmap.org`. It is asked by https only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileHost(String);

/// Why a text is no such host.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is no host; one looks like tile.openstreetmap.org or tiles.example.org:8443, without https:// and without a path. For each \
     further host, repeat the option: *.example.org is not taken"
)]
pub struct InvalidTileHost(String);

/// A host has no more characters (RFC 1035).
const MAX_HOST: usize = 253;

impl TileHost {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for TileHost {
    type Err = InvalidTileHost;

    /// Strict, because the text becomes a part of the policy of the pages, where a space or a semicolon would begin another rule.
    fn from_str(text: &str) -> Result<Self, InvalidTileHost> {
        let lower = text.to_ascii_lowercase();
        let (host, port) = lower.split_once(':').map_or((lower.as_str(), None), |(host, port)| (host, Some(port)));
        let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_label = |label: &str| {
            !label.is_empty() && label.bytes().all(is_inside) && !label.starts_with('-') && !label.ends_with('-')
        };
        let is_host = host.len() <= MAX_HOST && host.split('.').all(is_label);
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        let is_valid = is_host && port.is_none_or(is_port);
        if is_valid { Ok(TileHost(lower)) } else { Err(InvalidTileHost(text.to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_cannot_add_a_rule_to_the_policy() {
        for host in ["tile.openstreetmap.org", "localhost:8080", "Tiles.Example.org", "10.0.0.7"] {
            assert_eq!(host.parse::<TileHost>().unwrap().as_str(), host.to_ascii_lowercase());
        }
        let others = [
            "",
            "*",
            "*.example.org",
            "https://a.org",
            "a.org/",
            "a.org/x",
            "a.org;",
            "a.org b.org",
            "a.org:",
            "a.org:x",
            "a.org:70000",
            "a..org",
            ".org",
            "-a.org",
            "'self'",
            "data:",
            "u@a.org",
            "a.org:+1",
            "bücher.de",
            "a.org\r\n",
        ];
        for text in others {
            assert!(text.parse::<TileHost>().is_err(), "{text}");
        }
    }
}
