//! Joins a room with the link on a card: `https://HOST/join/#NAME:TOKEN`, or `#NAME:TOKEN:KEY` if the room has its own certificate
//! authority, which is then the only one trusted.

use std::str::FromStr;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::DATE;
use reqwest::{Certificate, StatusCode, Url, redirect};

use super::advice::Advice;
use super::authority::Authority;
use super::config::{Config, ConfigError};
use super::error::{Attempts, Error, Request, Result};
use super::handles::Client;
use super::http::{CertificateProblem, Proxy, advice_at_proxy, named, route};
use super::root_cause;
use super::token::Token;
use geodesign::model::{AuthorityKey, CA_PEM, LinkParts};

/// At most this many bytes are read of an authority's certificate. Usual ones have one or two thousand.
const MAX_CA_PEM: usize = 64 * 1024;

/// A link for joining a room. Its `Debug` form does not show the token.
#[derive(Debug, Clone)]
pub struct JoinLink {
    /// The API root of the service.
    pub root: Box<str>,
    pub name: String,
    pub token: Token,
    /// The key of the room's own authority, if it has one.
    pub key: Option<AuthorityKey>,
}

impl FromStr for JoinLink {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        JoinLink::of(text, false)
    }
}

fn root_of(address: &str, allow_http: bool) -> Result<Url, ConfigError> {
    Config { allow_http, ..Config::new("", address) }.root()
}

impl JoinLink {
    /// Parses a link. With `allow_http`, it may lead to a private network in plain http.
    pub fn of(text: &str, allow_http: bool) -> Result<Self, ConfigError> {
        let LinkParts { address, name, token, key } = LinkParts::of(text)?;
        // Checks the scheme and the host, and rejects a password or a query.
        let root = root_of(address, allow_http)?;
        Ok(JoinLink { root: root.as_str().into(), name, token: Token::new(token), key })
    }

    /// Returns the room's authority, the only one to trust: its key is the link's. `None` for a link without a key. Only the time
    /// limits of the settings apply. The token is not sent.
    pub async fn authority(&self, settings: &Config) -> Result<Option<Authority>> {
        let Some(key) = self.key else { return Ok(None) };
        let root = self.url()?;
        let other = |reason: String| Error::OtherRoom { address: origin(&root), reason };
        // Until the key has been compared, the certificate's owner is unknown, so nothing secret is sent on this connection.
        let (authority, told) = match request_ca_pem(&root, settings, Trust::Anybody).await? {
            CaPem::Sent { pem, told } => {
                (Authority::from_pem(&pem).map_err(|problem| other(format!("its {CA_PEM} {problem}")))?, told)
            }
            CaPem::None(status) => {
                return Err(other(format!(
                    "it has no authority of its own (GET {CA_PEM} answered {})",
                    status.as_u16()
                )));
            }
        };
        if *authority.key() != key {
            return Err(other("its authority's key is not the link's".to_owned()));
        }
        // Anybody can pass on the room's certificate. Only the room can respond with its private key.
        check(&authority, told, &root, settings).await?;
        Ok(Some(authority))
    }

    /// Returns a client's settings for joining.
    pub async fn config(&self, settings: Config) -> Result<Config> {
        let authority = self.authority(&settings).await?;
        Ok(Config { token: self.token.clone(), base_url: self.root.to_string(), authority, ..settings })
    }

    fn url(&self) -> Result<Url, ConfigError> {
        // Plain http was allowed or rejected when the link was read.
        root_of(&self.root, true)
    }
}

impl Client {
    /// Joins with the link on a card. If the link has a key, requests the room's authority and trusts it alone if the key matches;
    /// otherwise nothing more is sent.
    pub async fn join(link: &str) -> Result<Self> {
        let link: JoinLink = link.parse()?;
        Client::new(link.config(Config::new("", "")).await?)
    }

    /// Returns the service's own authority, if it has one that issued its certificate.
    pub async fn authority(&self) -> Result<Option<Authority>> {
        let root = root_of(self.root(), true)?;
        if root.scheme() != "https" {
            return Ok(None);
        }
        let certificates = self.transport.certificates().to_vec();
        let trust = match &self.config().authority {
            Some(authority) => Trust::Only { authority, told: None },
            None => Trust::AlsoOf(certificates),
        };
        let CaPem::Sent { pem, told } = request_ca_pem(&root, self.config(), trust).await? else { return Ok(None) };
        let Ok(authority) = Authority::from_pem(&pem) else { return Ok(None) };
        // A service with its own authority may be behind another one with a publicly trusted certificate.
        match check(&authority, told, &root, self.config()).await {
            Ok(()) => Ok(Some(authority)),
            Err(Error::OtherRoom { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The authorities whose certificates are accepted.
enum Trust<'a> {
    Anybody,
    /// `told`: the service's clock in an earlier response.
    Only {
        authority: &'a Authority,
        told: Option<Timestamp>,
    },
    /// The system's authorities and these certificates.
    AlsoOf(Vec<Certificate>),
}

/// A service's response to a request for its authority's certificate.
enum CaPem {
    /// `told`: the time in the response.
    Sent { pem: String, told: Option<Timestamp> },
    /// The service has none and responded with this status.
    None(StatusCode),
}

/// Checks that the service at this root has a certificate from this authority.
async fn check(authority: &Authority, told: Option<Timestamp>, root: &Url, settings: &Config) -> Result<()> {
    request_ca_pem(root, settings, Trust::Only { authority, told }).await.map(|_| ())
}

/// Requests the authority's certificate, on a separate connection that sends no token. Redirects are not followed.
async fn request_ca_pem(root: &Url, settings: &Config, trust: Trust<'_>) -> Result<CaPem> {
    let mut url = root.clone();
    url.set_path(CA_PEM);
    let (is_checked, told) = match trust {
        Trust::Only { told, .. } => (true, told),
        _ => (false, None),
    };
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("pygeodesign/", env!("CARGO_PKG_VERSION")))
        .https_only(true)
        .referer(false)
        .redirect(redirect::Policy::none())
        .connect_timeout(settings.connect_timeout)
        .timeout(settings.timeout);
    builder = match trust {
        Trust::Anybody => builder.tls_certs_only([]).tls_danger_accept_invalid_certs(true),
        Trust::Only { authority, .. } => builder.tls_certs_only([authority.certificate()]),
        Trust::AlsoOf(certificates) => builder.tls_certs_merge(certificates),
    };
    if let Some(read_timeout) = settings.read_timeout {
        builder = builder.read_timeout(read_timeout);
    }
    let proxy = Proxy::of(&url, settings.proxy.as_ref())?;
    // An error means that another library in this process has chosen a provider before, which works as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = route(builder, proxy.as_ref())?.build().map_err(ConfigError::http_client)?;
    let start = Instant::now();
    match receive(&http, &url).await {
        Ok(answer) => Ok(answer),
        Err(Failure::TooLarge) => Err(Error::Decode { request: request(), problem: too_large(), source: None }),
        Err(Failure::Http(error)) => Err(match CertificateProblem::find_in(&error) {
            Some(problem) if is_checked && !problem.is_about_time() => {
                Error::OtherRoom { address: origin(&url), reason: problem.reason }
            }
            problem => {
                let problem = problem.map(|problem| problem.with_clock_of_service(told));
                no_answer(error, &url, proxy, start.elapsed(), problem)
            }
        }),
    }
}

enum Failure {
    Http(reqwest::Error),
    TooLarge,
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Failure::Http(error)
    }
}

async fn receive(http: &reqwest::Client, url: &Url) -> Result<CaPem, Failure> {
    let mut response = http.get(url.clone()).send().await?;
    if response.status() != StatusCode::OK {
        return Ok(CaPem::None(response.status()));
    }
    let told = response.headers().get(DATE).and_then(|date| date.to_str().ok());
    let told = told.and_then(|date| Some(rfc2822::parse(date).ok()?.timestamp()));
    let mut pem = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if pem.len() + chunk.len() > MAX_CA_PEM {
            return Err(Failure::TooLarge);
        }
        pem.extend_from_slice(&chunk);
    }
    Ok(CaPem::Sent { pem: String::from_utf8_lossy(&pem).into_owned(), told })
}

fn request() -> Request {
    Request { method: "GET", path: CA_PEM.into() }
}

fn too_large() -> String {
    format!("it sent more than {MAX_CA_PEM} bytes, too many for an authority's certificate")
}

fn no_answer(
    error: reqwest::Error,
    url: &Url,
    proxy: Option<Proxy>,
    elapsed: Duration,
    found: Option<CertificateProblem>,
) -> Error {
    let advice = found.as_ref().map(|found| found.advice);
    let reason = found.filter(CertificateProblem::is_about_time).map(|found| found.reason);
    let problem = reason.unwrap_or_else(|| root_cause(&error).to_string());
    let (request, problem) = (request(), named(proxy.as_ref(), problem));
    let attempts = Attempts { count: 1, elapsed };
    if error.is_timeout() {
        return Error::Timeout { request, problem, attempts, source: Some(error.into()) };
    }
    let is_proxy = proxy.is_some() && error.is_connect();
    let advice = advice.unwrap_or(if is_proxy { advice_at_proxy(&error) } else { Advice::CheckTheService });
    Error::Transport { request, root: origin(url), problem, attempts, advice, source: Some(error.into()) }
}

/// A service's address as shown to people.
fn origin(url: &Url) -> Box<str> {
    url.origin().ascii_serialization().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_service_and_does_not_show_its_token() {
        let link: JoinLink = " https://a.org:8443/w/spring/join/#Ana%20%3CS%3E:0a1b\n".parse().unwrap();
        assert_eq!((&*link.root, &*link.name), ("https://a.org:8443/w/spring/api/v1/", "Ana <S>"));
        assert!(link.token.expose() == "0a1b" && !format!("{link:?}").contains("0a1b"));
        let plain: JoinLink = "http://127.0.0.1:80/join#a:b".parse().unwrap();
        assert_eq!(&*plain.root, "http://127.0.0.1/api/v1/");
    }

    #[test]
    fn an_address_that_no_client_may_have_is_refused_without_showing_the_token() {
        for (link, word) in [
            ("http://a.org/join/#ana:s3cr3t", "https://"),
            ("https://u:s3cr3t@a.org/join/#ana:s3cr3t", "password"),
            ("ftp://a.org/join/#ana:s3cr3t", "neither https nor http"),
            ("https://a.org/join/#ana", "no token"),
        ] {
            let error = link.parse::<JoinLink>().unwrap_err();
            assert!(error.to_string().contains(word), "{link}: {error}");
            assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
        }
    }
}
