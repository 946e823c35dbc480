//! Host names given as options: for tiles that the pages load, and for the service itself.

use std::str::FromStr;

/// A host, with or without a port, such as `tile.openstreetmap.org`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName(String);

/// Error for a string that is not a host.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is not a host: give one such as tile.openstreetmap.org or tiles.example.org:8443, without https:// and without a path. \
     Repeat the option for each further host; wildcards such as *.example.org are not supported"
)]
pub struct InvalidHostName(String);

/// At most this many characters per host (RFC 1035).
const MAX_HOST: usize = 253;

impl HostName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if this is the host of an authority. Without a port here, any port matches.
    pub fn is_of(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = authority.rsplit_once(':').map_or(&*authority, |(host, _)| host);
        [&*authority, host].contains(&&*self.0)
    }
}

impl FromStr for HostName {
    type Err = InvalidHostName;

    /// Parses strictly, because the text becomes part of the pages' policy, where a space or a semicolon would begin another rule.
    fn from_str(text: &str) -> Result<Self, InvalidHostName> {
        let lower = text.to_ascii_lowercase();
        let (host, port) = lower.split_once(':').map_or((lower.as_str(), None), |(host, port)| (host, Some(port)));
        let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let is_label = |label: &str| {
            !label.is_empty() && label.bytes().all(is_inside) && !label.starts_with('-') && !label.ends_with('-')
        };
        let is_host = host.len() <= MAX_HOST && host.split('.').all(is_label);
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        let is_valid = is_host && port.is_none_or(is_port);
        if is_valid { Ok(HostName(lower)) } else { Err(InvalidHostName(text.to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_cannot_add_a_rule_to_the_policy() {
        for host in ["tile.openstreetmap.org", "localhost:8080", "Tiles.Example.org", "10.0.0.7"] {
            assert_eq!(host.parse::<HostName>().unwrap().as_str(), host.to_ascii_lowercase());
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
            assert!(text.parse::<HostName>().is_err(), "{text}");
        }
    }
}
