//! The settings of a client: the address of the service, the token, time limits and other limits.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderMap;

use super::authority::{Authority, InvalidAuthority};
use super::cause::{Cause, root_cause};
use super::given_proxy::{GivenProxy, InvalidProxy};
use super::profile::{LoginError, Profile};
use super::token::{InvalidToken, Token, looks_like_url};
use geodesign::model::{InvalidLink, JOIN, is_private};
use geodesign::named::{ALLOW_HTTP, BASE_URL, CERTIFI, CLIENT_JOIN};

/// The path that every API root ends in.
const VERSION_PATH: &str = "/api/v1";

/// The settings of a client. [`Config::new`] has the same defaults as the Python classes.
#[derive(Debug, Clone)]
pub struct Config {
    pub token: Token,
    /// The service's address, with or without `/api/v1`, with or without a slash at the end.
    pub base_url: String,
    /// The saved login that the address and the token come from, if any.
    pub profile: Option<Profile>,
    /// True to allow plain http to a private network: to one of its addresses, or to a name that ends with `.local`. Everyone in that
    /// network can read the token.
    pub allow_http: bool,
    /// Time limit for a complete request, from connecting to the last byte, with its retries. A list of several pages may take ten times
    /// as long.
    pub timeout: Duration,
    /// Time limit for connecting.
    pub connect_timeout: Duration,
    /// Time limit for the next byte. `None`: only `timeout` applies.
    pub read_timeout: Option<Duration>,
    /// Number of retries after a failure that may be temporary.
    pub retries: u32,
    /// At most this many requests are under way at the same time. `None`: 16, each on a connection, or 200 on one connection if the
    /// service speaks HTTP/2.
    pub max_concurrency: Option<usize>,
    /// Size limit for a body, and for the sum of a list's pages, in bytes after decompression.
    pub max_response_bytes: usize,
    /// The proxy for requests. `None`: the one of the environment or the system, if any.
    pub proxy: Option<GivenProxy>,
    /// Further headers of each request to the service, from [`read_headers`](crate::read_headers).
    pub headers: HeaderMap,
    /// A PEM file of certificate authorities to trust in addition to the system's, or a folder of such files.
    pub ca_bundle: Option<PathBuf>,
    /// The only authority that may have issued the service's certificate. Then neither the system's authorities nor those of
    /// `ca_bundle` are trusted, except for files of external diagrams, which are on other servers.
    pub authority: Option<Authority>,
    /// True to request compressed responses. `None`: except from a service on this machine, where compressing takes longer than
    /// sending.
    pub compression: Option<bool>,
    /// Storage of cached responses, so that unchanged ones are not sent again.
    pub cache: CacheSetting,
    /// At most this many bytes of responses are cached, each in memory and in the folder.
    pub max_cache_bytes: usize,
    /// An object that lives as long as the client and its projects, such as a service in this process.
    pub keeps: Option<Arc<dyn Any + Send + Sync>>,
    /// True to treat unreadable rows and wrong values as errors. Otherwise the row stays, without the unreadable parts, and a warning
    /// names it.
    pub strict: bool,
}

/// Storage of the responses that a client has read, at most `max_cache_bytes` of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheSetting {
    /// No cache: every read downloads everything.
    #[default]
    Off,
    /// In memory, as long as the client lives.
    Memory,
    /// Also in files of this folder, which only its owner can read. Clients and processes may share it.
    Folder(PathBuf),
}

/// Settings that no client can use. No message shows the token, or a `base_url` that may be the token.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    #[error(transparent)]
    Token(#[from] InvalidToken),

    #[error(
        "no {BASE_URL}: pass {BASE_URL}=… or set GEODESIGN_URL to the address of the service. The address of a saved login goes with its own \
         token only"
    )]
    NoBaseUrl,

    #[error(
        "{BASE_URL} is not a URL, which begins with https:// or http://; it is not shown here, because it may be the token: check \
         that token and {BASE_URL} are not swapped. The token comes first, then the address of the service, such as \
         https://example.org/api/v1/"
    )]
    BaseUrlIsNoUrl,

    #[error("{BASE_URL} {0:?} has no scheme: write https://{0}, or http://{0} for a service on this machine")]
    NoScheme(String),

    #[error("{BASE_URL} {base_url:?} {problem}; give the address of the service, such as https://example.org/api/v1/")]
    BaseUrl { base_url: String, problem: String, source: Option<Cause> },

    #[error(
        "{BASE_URL} {base_url:?} is the address of a page or a project; give {BASE_URL}={service:?}, the address of the service"
    )]
    BaseUrlIsPage { base_url: String, service: String },

    /// The message does not show the secret.
    #[error("{BASE_URL} holds a user or a password; pass token=… instead")]
    BaseUrlHoldsCredentials,

    #[error(
        "{BASE_URL} has a query or a fragment, which is not shown here, because it may hold the token; give the address of the \
         service, such as https://example.org/api/v1/, or join with the link of a card: {CLIENT_JOIN}"
    )]
    BaseUrlHasQuery,

    #[error(
        "plain http to {host} would show the token to everyone on the way; use https:// (http is for this machine only, and with \
         {ALLOW_HTTP} for a private network: a private address, or a name that ends with .local)"
    )]
    HttpsRequired { host: String },

    #[error("timeout, connect_timeout and read_timeout must be greater than 0 seconds")]
    ZeroTimeout,

    #[error("max_concurrency, the number of requests at the same time, must be at least 1")]
    NoConcurrency,

    #[error("max_response_bytes, the size limit for a body, must be at least 1")]
    NoResponseBytes,

    /// `setting`: `ca_bundle`, or the name of a variable.
    #[error("{setting} {}: {problem}; give a PEM file of certificates", .path.display())]
    CaBundle { setting: &'static str, path: PathBuf, problem: String, source: Option<Cause> },

    #[error("authority {0}; join with the link of a card ({CLIENT_JOIN}), which asks the service for it")]
    Authority(#[from] InvalidAuthority),

    #[error(transparent)]
    Login(#[from] LoginError),

    #[error(transparent)]
    Link(#[from] InvalidLink),

    #[error(transparent)]
    Proxy(#[from] InvalidProxy),

    #[error(
        "proxy is for https: in plain http, the proxy would read the token. Leave proxy out, or give the https address of the service"
    )]
    ProxyOfPlainHttp,

    #[error(
        "the variable {name} is not the address of a proxy, such as http://proxy.example.org:3128; correct or unset it. It is not shown \
         here, because it may hold a password. Write special characters of a password as %XX"
    )]
    ProxyVariable { name: &'static str },

    #[error("headers: {name:?} {problem}")]
    Header { name: String, problem: &'static str },

    #[error("cache {} {problem}", .path.display())]
    Cache { path: PathBuf, problem: String },

    #[error(
        "this machine has no certificate authorities, so no service can be verified: install the package ca-certificates, or pass {CERTIFI}. \
         If SSL_CERT_FILE or SSL_CERT_DIR is set, only its authorities count: correct or unset it"
    )]
    NoAuthorities { source: Cause },

    #[error("no HTTP client can be made with these settings: {problem}")]
    HttpClient { problem: String, source: Cause },
}

impl ConfigError {
    /// Makes the error for a client that the HTTP library could not create.
    pub(super) fn http_client(error: reqwest::Error) -> Self {
        let problem = root_cause(&error).to_string();
        // Text of the library that reads the system's certificates, which has no type for this.
        match problem.contains("No CA certificates") {
            true => ConfigError::NoAuthorities { source: error.into() },
            false => ConfigError::HttpClient { problem, source: error.into() },
        }
    }
}

impl Config {
    pub fn new(token: impl Into<String>, base_url: impl Into<String>) -> Self {
        Config {
            token: Token::new(token),
            base_url: base_url.into(),
            profile: None,
            allow_http: false,
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            read_timeout: None,
            retries: 3,
            max_concurrency: None,
            max_response_bytes: 1 << 28,
            proxy: None,
            headers: HeaderMap::new(),
            ca_bundle: None,
            authority: None,
            compression: None,
            cache: CacheSetting::Off,
            max_cache_bytes: 1 << 29,
            keeps: None,
            strict: false,
        }
    }

    /// The API root: scheme, host and path, ending in `/api/v1/`. Plain http is allowed to this machine, and
    /// with `allow_http` into a private network.
    pub fn root(&self) -> Result<Url, ConfigError> {
        let given = self.base_url.trim();
        if given.is_empty() {
            return Err(ConfigError::NoBaseUrl);
        }
        if !looks_like_url(given) {
            return Err(match is_host_and_port(given) {
                true => ConfigError::NoScheme(given.to_owned()),
                false => ConfigError::BaseUrlIsNoUrl,
            });
        }
        if has_credentials(given) {
            return Err(ConfigError::BaseUrlHoldsCredentials);
        }
        if given.contains(['?', '#']) {
            return Err(ConfigError::BaseUrlHasQuery);
        }
        let invalid = |problem: &str, source: Option<Cause>| ConfigError::BaseUrl {
            base_url: given.to_owned(),
            problem: problem.to_owned(),
            source,
        };
        let mut root =
            Url::parse(given).map_err(|error| invalid(&format!("is not a URL ({error})"), Some(error.into())))?;
        if !matches!(root.scheme(), "https" | "http") {
            return Err(invalid("is neither https nor http", None));
        }
        let Some(host) = root.host_str().filter(|host| !host.is_empty()) else {
            return Err(invalid("names no host", None));
        };
        let may_be_http = is_loopback(&root) || (self.allow_http && is_in_private_network(host));
        if root.scheme() == "http" && !may_be_http {
            return Err(ConfigError::HttpsRequired { host: host.to_owned() });
        }
        let path = root.path().trim_end_matches('/');
        if let Some(service) = before_page(path) {
            let (base_url, origin) = (given.to_owned(), root.origin().ascii_serialization());
            return Err(ConfigError::BaseUrlIsPage { base_url, service: format!("{origin}{service}/") });
        }
        let path = path.strip_suffix(VERSION_PATH).unwrap_or(path);
        root.set_path(&format!("{path}{VERSION_PATH}/"));
        Ok(root)
    }

    /// Makes paths absolute, so that they stay valid if the working folder changes here or in a process that gets a copy.
    pub fn with_absolute_paths(mut self) -> Result<Self, ConfigError> {
        if let Some(path) = &mut self.ca_bundle {
            *path = std::path::absolute(&*path).map_err(|error| ConfigError::CaBundle {
                setting: "ca_bundle",
                path: path.clone(),
                problem: error.to_string(),
                source: Some(error.into()),
            })?;
        }
        if let CacheSetting::Folder(path) = &mut self.cache {
            *path = std::path::absolute(&*path)
                .map_err(|error| ConfigError::Cache { path: path.clone(), problem: error.to_string() })?;
        }
        Ok(self)
    }

    /// Checks all settings but `base_url`, which [`Config::root`] checks, and `ca_bundle`, which is checked when it is read.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.token.check()?;
        let timeouts = [Some(self.timeout), Some(self.connect_timeout), self.read_timeout];
        if timeouts.contains(&Some(Duration::ZERO)) {
            return Err(ConfigError::ZeroTimeout);
        }
        if self.max_concurrency == Some(0) {
            return Err(ConfigError::NoConcurrency);
        }
        if self.max_response_bytes == 0 {
            return Err(ConfigError::NoResponseBytes);
        }
        Ok(())
    }
}

/// True if a user or a password precedes the host. URLs that cannot be parsed are checked, too.
fn has_credentials(url: &str) -> bool {
    let after_scheme = url.split_once(':').map_or(url, |(_, after)| after).trim_start_matches(['/', '\\']);
    after_scheme.split(['/', '\\']).next().is_some_and(|authority| authority.contains('@'))
}

/// Returns a service's path, without its page for joining or its projects, which may be copied from a browser.
fn before_page(path: &str) -> Option<&str> {
    let projects = || {
        let (service, below) = path.split_once("/projects")?;
        ((below.is_empty() || below.starts_with('/')) && !below.ends_with(VERSION_PATH)).then_some(service)
    };
    let service = path.strip_suffix(JOIN.trim_end_matches('/')).or_else(projects)?;
    Some(service.strip_suffix(VERSION_PATH).unwrap_or(service))
}

/// True if a URL leads to this machine, so that requests never reach a network.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => host.trim_matches(['[', ']']).parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback()),
        None => false,
    }
}

/// True if a host is in a network that cannot be reached from the Internet. Names that end with `.local` are resolved in the network
/// itself (RFC 6762).
fn is_in_private_network(host: &str) -> bool {
    host.ends_with(".local") || host.trim_matches(['[', ']']).parse().is_ok_and(is_private)
}

/// True if a text is `HOST:PORT`, perhaps with a path. No token looks like that.
fn is_host_and_port(text: &str) -> bool {
    let authority = text.split('/').next().unwrap_or_default();
    let Some((host, port)) = authority.rsplit_once(':') else { return authority == "localhost" };
    let is_named =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-[]:".contains(&byte));
    is_named && port.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(base_url: &str) -> Result<String, ConfigError> {
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
            assert!(matches!(root(elsewhere), Err(ConfigError::HttpsRequired { .. })), "{elsewhere}");
        }
        let allowed = |base_url: &str| Config { allow_http: true, ..Config::new("t", base_url) }.root();
        for private in
            ["http://10.0.0.1:8443", "http://192.168.7.1", "http://[fd00::1]:9", "http://laptop.local:8443/w/a/"]
        {
            assert!(root(private).is_err() && allowed(private).is_ok(), "{private}");
        }
        for public in
            ["http://a.org", "http://8.8.8.8", "http://10.0.0.1.a.org", "http://[2001:db8::1]", "http://local"]
        {
            assert!(allowed(public).is_err(), "{public}");
        }
    }

    #[test]
    fn an_invalid_address_is_refused_without_showing_what_may_be_secret() {
        for given in [
            "",
            "a.org",
            "ftp://a.org",
            "ftp://u:secret@a.org",
            "https://",
            "https://u:secret@a.org",
            "https://u:secret@a.org:port",
            "https:u:secret@a.org",
            "https://a.org?x=secret",
            "https://a.org:port/?x=secret",
            "secret",
        ] {
            let error = root(given).unwrap_err();
            assert!(error.to_string().contains("base_url"), "{given}: {error}");
            assert!(!format!("{error} {error:?}").contains("secret"), "{given}: {error:?}");
        }
    }

    #[test]
    fn swapped_token_and_address_are_noticed_and_neither_is_shown() {
        for address in ["https://a.org/api/v1/", "http://127.0.0.1:8000", "HTTPS://a.org", "https:a.org"] {
            let swapped = Config::new(address, "s3cr3t");
            let errors = [swapped.check().unwrap_err(), swapped.root().unwrap_err()];
            assert!(matches!(errors[0], ConfigError::Token(InvalidToken::IsUrl)), "{:?}", errors[0]);
            for error in errors {
                assert!(error.to_string().contains("swapped"), "{error}");
                assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
            }
        }
    }
}
