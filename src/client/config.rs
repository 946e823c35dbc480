//! Where the service is, who asks, and how long to wait.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;

use super::{Error, Result, Token};

/// The path that every API root ends in.
const VERSION_PATH: &str = "/api/v1";

/// The settings of a client. [`Config::new`] has the defaults that the Python classes have too.
#[derive(Debug, Clone)]
pub struct Config {
    pub token: Token,
    /// The service's address, with or without `/api/v1`, with or without a slash at the end.
    pub base_url: String,
    /// For a whole request, from connecting to the last byte, and for its further tries.
    pub timeout: Duration,
    pub connect_timeout: Duration,
    /// For the next byte; `None` leaves it to `timeout`.
    pub read_timeout: Option<Duration>,
    /// Further tries after a failure that may pass.
    pub retries: u32,
    /// Requests under way at once.
    pub max_concurrency: usize,
    /// The largest body that is read, unpacked.
    pub max_response_bytes: usize,
    /// A PEM file of certificate authorities to trust beside the system's.
    pub ca_bundle: Option<PathBuf>,
}

impl Config {
    pub fn new(token: impl Into<String>, base_url: impl Into<String>) -> Self {
        Config {
            token: Token::new(token),
            base_url: base_url.into(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            read_timeout: None,
            retries: 3,
            max_concurrency: 16,
            max_response_bytes: 1 << 30,
            ca_bundle: None,
        }
    }

    /// The API root: scheme, host and path, ending in `/api/v1/`. Only https leaves this machine.
    pub fn root(&self) -> Result<Url> {
        let given = self.base_url.trim();
        let invalid = |problem: &str| {
            Error::Configuration(format!(
                "base_url {given:?} {problem}; give the address of the service, such as https://example.org/api/v1/"
            ))
        };
        if given.is_empty() {
            return Err(Error::Configuration(
                "no base_url: pass base_url=… or set GEODESIGN_URL to the address of the service".into(),
            ));
        }
        let mut root = Url::parse(given).map_err(|problem| invalid(&format!("is not a URL ({problem})")))?;
        match root.scheme() {
            "https" => {}
            "http" if is_loopback(&root) => {}
            "http" => return Err(Error::HttpsRequired { host: root.host_str().unwrap_or_default().to_owned() }),
            _ => return Err(invalid("is neither https nor http")),
        }
        if root.host_str().is_none_or(str::is_empty) {
            return Err(invalid("names no host"));
        }
        if !root.username().is_empty() || root.password().is_some() {
            // Not shown: what stands there is a secret.
            return Err(Error::Configuration("base_url holds a user or a password; pass token=… instead".into()));
        }
        if root.query().is_some() || root.fragment().is_some() {
            return Err(invalid("has a query or a fragment"));
        }
        let path = root.path().trim_end_matches('/');
        let path = path.strip_suffix(VERSION_PATH).unwrap_or(path);
        root.set_path(&format!("{path}{VERSION_PATH}/"));
        Ok(root)
    }

    pub fn check(&self) -> Result<()> {
        let problem = if self.token.expose().is_empty() {
            "no token: pass token=… or set GEODESIGN_TOKEN to the token from the API page of the service"
        } else if !self.token.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            "the token holds characters that no token has; copy it again from the API page of the service"
        } else if self.timeout.is_zero() || self.connect_timeout.is_zero() || self.read_timeout == Some(Duration::ZERO)
        {
            "timeout, connect_timeout and read_timeout are seconds greater than 0"
        } else if self.max_concurrency == 0 {
            "max_concurrency is the number of requests under way at once, at least 1"
        } else if self.max_response_bytes == 0 {
            "max_response_bytes is the largest body to read, at least 1"
        } else {
            return Ok(());
        };
        Err(Error::Configuration(problem.into()))
    }
}

/// Whether requests stay on this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host.trim_matches(['[', ']']).parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(base_url: &str) -> Result<String> {
        Config::new("t", base_url).root().map(String::from)
    }

    #[test]
    fn the_root_is_the_same_with_or_without_version_and_slash() {
        for given in ["https://a.org", "https://a.org/", "https://a.org/api/v1", " https://a.org/api/v1/ "] {
            assert_eq!(root(given).unwrap(), "https://a.org/api/v1/");
        }
        assert_eq!(root("https://a.org/hub/").unwrap(), "https://a.org/hub/api/v1/");
    }

    #[test]
    fn plain_http_is_for_this_machine_only() {
        for here in ["http://127.0.0.1:80", "http://localhost:8000/api/v1", "http://[::1]:9"] {
            assert!(root(here).is_ok(), "{here}");
        }
        for elsewhere in ["http://a.org", "http://10.0.0.1", "http://localhost.a.org"] {
            assert!(matches!(root(elsewhere), Err(Error::HttpsRequired { .. })), "{elsewhere}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for given in ["", "a.org", "ftp://a.org", "https://", "https://u:p@a.org", "https://a.org?x=1"] {
            let error = root(given).unwrap_err();
            assert!(matches!(error, Error::Configuration(_)), "{given}");
            assert!(!error.to_string().contains("u:p"), "{error}");
        }
    }
}
