//! Joining a room with the link of a card: `https://HOST/join/#NAME:TOKEN`, or `#NAME:TOKEN:KEY` where the room has a certificate
//! authority of its own, which is then the only one that is trusted.

use std::str::FromStr;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::DATE;
use reqwest::{Certificate, StatusCode, Url, redirect};

use super::authority::Authority;
use super::config::{Config, ConfigError};
use super::error::{Advice, Attempts, Error, Request, Result};
use super::handles::Client;
use super::http::{CertificateProblem, Proxy, named, route};
use super::root_cause;
use super::token::Token;
use geodesign::model::{AuthorityKey, CA_PEM, LinkParts};

/// The most bytes of the certificate of an authority. Usual ones have one or two thousand.
const MAX_CA_PEM: usize = 64 * 1024;

/// A link with which somebody joins a room. Its `Debug` form does not show the token.
#[derive(Debug, Clone)]
pub struct JoinLink {
    /// The API root of the service.
    pub root: Box<str>,
    pub name: String,
    pub token: Token,
    /// The key of the room's authority, if it has one of its own.
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
    /// A link, which may lead into a private network in plain http if `allow_http` says so.
    pub fn of(text: &str, allow_http: bool) -> Result<Self, ConfigError> {
        let LinkParts { address, name, token, key } = LinkParts::of(text)?;
        // Checks scheme and host, and that there is neither a password nor a query.
        let root = root_of(address, allow_http)?;
        Ok(JoinLink { root: root.as_str().into(), name, token: Token::new(token), key })
    }

    /// The authority that is trusted in the room, and nobody else: its key is that of the link. `None` for a link without a key. Of the
    /// settings, the time limits apply. The token is not sent.
    pub async fn authority(&self, settings: &Config) -> Result<Option<Authority>> {
        let Some(key) = self.key else { return Ok(None) };
        let root = self.url()?;
        let other = |reason: String| Error::OtherRoom { address: origin(&root), reason };
        // Whose certificate it is, is not known before the key has been compared; so nothing secret is on this connection.
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
            return Err(other("its authority has another key than the link".to_owned()));
        }
        // Anybody can pass on a certificate of the room. Only the room can answer with its private key.
        check(&authority, told, &root, settings).await?;
        Ok(Some(authority))
    }

    /// The settings with which a client joins.
    pub async fn config(&self, settings: Config) -> Result<Config> {
        let authority = self.authority(&settings).await?;
        Ok(Config { token: self.token.clone(), base_url: self.root.to_string(), authority, ..settings })
    }

    fn url(&self) -> Result<Url, ConfigError> {
        // Whether it may be plain http was checked when the link was read.
        root_of(&self.root, true)
    }
}

impl Client {
    /// Joins with the link of a card. If it has a key, the room's authority is asked for, and trusted alone, if it has that key;
    /// else nothing is sent.
    pub async fn join(link: &str) -> Result<Self> {
        let link: JoinLink = link.parse()?;
        Client::new(link.config(Config::new("", "")).await?)
    }

    /// The service's own authority, if it has one and its certificate is from it.
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
        // Before a service with an authority of its own may be another with a certificate that everybody trusts.
        match check(&authority, told, &root, self.config()).await {
            Ok(()) => Ok(Some(authority)),
            Err(Error::OtherRoom { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whose certificates are accepted.
enum Trust<'a> {
    Anybody,
    /// `told`: the service's clock, as an earlier answer told it.
    Only {
        authority: &'a Authority,
        told: Option<Timestamp>,
    },
    /// The system's authorities and these.
    AlsoOf(Vec<Certificate>),
}

/// What a service answers that is asked for the certificate of its authority.
enum CaPem {
    /// `told`: the time in the answer.
    Sent { pem: String, told: Option<Timestamp> },
    /// It has none, with the status that it answered.
    None(StatusCode),
}

/// Whether the service at this root has a certificate from this authority.
async fn check(authority: &Authority, told: Option<Timestamp>, root: &Url, settings: &Config) -> Result<()> {
    request_ca_pem(root, settings, Trust::Only { authority, told }).await.map(|_| ())
}

/// Asks for the certificate of the authority, on a connection of its own that sends no token. Redirects are not followed.
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
    let proxy = Proxy::of(&url);
    // An error means that another library in this process has chosen a provider before, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let http = route(builder, proxy.as_ref()).build().map_err(ConfigError::http_client)?;
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
    format!("it sent more than {MAX_CA_PEM} bytes, which is no certificate of an authority")
}

fn no_answer(
    error: reqwest::Error,
    url: &Url,
    proxy: Option<Proxy>,
    elapsed: Duration,
    found: Option<CertificateProblem>,
) -> Error {
    let proxy = proxy.filter(|_| error.is_connect());
    let advice = found.as_ref().map(|found| found.advice);
    let reason = found.filter(CertificateProblem::is_about_time).map(|found| found.reason);
    let problem = reason.unwrap_or_else(|| root_cause(&error).to_string());
    let (request, problem) = (request(), named(proxy.as_ref(), problem));
    let attempts = Attempts { count: 1, elapsed };
    if error.is_timeout() {
        return Error::Timeout { request, problem, attempts, source: Some(error.into()) };
    }
    let advice = advice.unwrap_or(if proxy.is_some() { Advice::CheckTheProxy } else { Advice::CheckTheService });
    Error::Transport { request, root: origin(url), problem, attempts, advice, source: Some(error.into()) }
}

/// The address of a service as people know it.
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
