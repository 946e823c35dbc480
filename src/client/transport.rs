//! Requests and bodies: authorization, retries, limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Certificate, StatusCode, Url, redirect};
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::config::{Config, is_loopback};
use super::error::Effort;
use super::{Error, Request, Result, retry};
use crate::features::{FeatureCollection, Layout};

const REDIRECTS: usize = 5;
const IDLE_CONNECTIONS_LIVE: Duration = Duration::from_secs(60);
/// Bodies from here on are read into columns on a thread of their own.
const LARGE_BODY: usize = 64 * 1024;

/// Sends requests below one API root as one user. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Transport {
    http: reqwest::Client,
    root: Url,
    retries: u32,
    slots: Arc<Semaphore>,
}

struct Answer {
    headers: HeaderMap,
    body: Bytes,
}

impl Transport {
    pub fn new(config: Config) -> Result<Self> {
        config.check()?;
        let root = config.root()?;
        // Another library in this process may have chosen a provider before; either does.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut authorization = HeaderValue::from_str(&format!("Token {}", config.token.expose()))
            .map_err(|_| Error::Configuration("the token holds characters that no token has".into()))?;
        authorization.set_sensitive(true);
        let accept = HeaderValue::from_static("application/json");
        // On this machine, packing a body takes longer than moving it.
        let compression = !is_loopback(&root);
        let mut http = reqwest::Client::builder()
            .default_headers(HeaderMap::from_iter([(AUTHORIZATION, authorization), (ACCEPT, accept)]))
            .user_agent(concat!("pygeodesign/", env!("CARGO_PKG_VERSION")))
            .timeout(config.timeout)
            .connect_timeout(config.connect_timeout)
            .pool_idle_timeout(IDLE_CONNECTIONS_LIVE)
            .pool_max_idle_per_host(config.max_concurrency)
            .redirect(within_origin(&root))
            .gzip(compression)
            .brotli(compression)
            .zstd(compression);
        if is_loopback(&root) {
            http = http.no_proxy();
        }
        if let Some(path) = &config.ca_bundle {
            let unreadable = |problem: &dyn std::fmt::Display| {
                Error::Configuration(format!(
                    "ca_bundle {}: {problem}; give a PEM file of certificates",
                    path.display()
                ))
            };
            let pem = std::fs::read(path).map_err(|problem| unreadable(&problem))?;
            let certificates = Certificate::from_pem_bundle(&pem).map_err(|problem| unreadable(&problem))?;
            if certificates.is_empty() {
                return Err(unreadable(&"no certificate in it"));
            }
            http = http.tls_certs_merge(certificates);
        }
        let http = http.build().map_err(|problem| Error::Configuration(describe(&problem)))?;
        Ok(Transport { http, root, retries: config.retries, slots: Arc::new(Semaphore::new(config.max_concurrency)) })
    }

    pub fn root(&self) -> &str {
        self.root.as_str()
    }

    /// Reads a JSON resource.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        let answer = self.read(path).await?;
        decode(path, &answer.body)
    }

    /// Reads a geography. Large bodies are taken apart off the threads that other requests need.
    pub async fn features(&self, path: &str, layout: Layout) -> Result<FeatureCollection> {
        let body = self.read(path).await?.body;
        let large = body.len() >= LARGE_BODY;
        let read = move || FeatureCollection::from_json(body, layout);
        let collection = match large {
            true => tokio::task::spawn_blocking(read).await?,
            false => read(),
        };
        collection.map_err(|problem| Error::Decode { request: get_request(path), problem: problem.to_string() })
    }

    /// The bytes of a page of a list, for [`super::paging`].
    pub async fn page(&self, path_and_query: &str) -> Result<Bytes> {
        Ok(self.read(path_and_query).await?.body)
    }

    /// A GET that is tried again while its failure may pass.
    async fn read(&self, path: &str) -> Result<Answer> {
        let started = Instant::now();
        let mut attempt = 0;
        loop {
            attempt += 1;
            let effort = || Effort { attempts: attempt, elapsed: started.elapsed() };
            let (error, wait) = match self.try_read(path).await {
                Ok((status, answer)) if status.is_success() => {
                    return check_is_json(path, &answer).map(|()| answer);
                }
                Ok((status, answer)) => {
                    let wait = retry::wait(attempt, Some(&answer.headers));
                    let body = String::from_utf8_lossy(&answer.body).into_owned();
                    let error = Error::Api { request: get_request(path), status: status.as_u16(), body };
                    (error, retry::may_pass(status.as_u16()).then_some(wait))
                }
                Err(problem) => {
                    let may_pass = !problem.is_builder() && !problem.is_redirect() && !problem.is_timeout();
                    (self.no_answer(path, &problem, effort()), may_pass.then(|| retry::wait(attempt, None)))
                }
            };
            match wait {
                Some(wait) if attempt <= self.retries => tokio::time::sleep(wait).await,
                _ => return Err(error),
            }
        }
    }

    async fn try_read(&self, path: &str) -> reqwest::Result<(StatusCode, Answer)> {
        // Never closed, so there is always a permit to wait for.
        let _slot = self.slots.acquire().await;
        let response = self.http.get(format!("{}{path}", self.root)).send().await?;
        let (status, headers) = (response.status(), response.headers().clone());
        Ok((status, Answer { headers, body: response.bytes().await? }))
    }

    fn no_answer(&self, path: &str, problem: &reqwest::Error, effort: Effort) -> Error {
        let request = get_request(path);
        if problem.is_timeout() {
            return Error::Timeout { request, effort };
        }
        Error::Transport { request, root: self.root.to_string(), cause: describe(problem), effort }
    }
}

fn get_request(path: &str) -> Request {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    Request { method: "GET", path: format!("/{path}") }
}

/// Follows redirects within the origin of the API root; the token goes nowhere else.
fn within_origin(root: &Url) -> redirect::Policy {
    let origin = root.origin();
    redirect::Policy::custom(move |attempt| {
        if attempt.url().origin() != origin {
            let to = attempt.url().origin().ascii_serialization();
            attempt.error(format!("it redirects to {to}, where the token must not go; check base_url"))
        } else if attempt.previous().len() > REDIRECTS {
            attempt.error(format!("more than {REDIRECTS} redirects"))
        } else {
            attempt.follow()
        }
    })
}

fn check_is_json(path: &str, answer: &Answer) -> Result<()> {
    let first = answer.body.iter().find(|byte| !byte.is_ascii_whitespace());
    let kind = answer.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("no content type");
    match first {
        Some(b'{' | b'[' | b'"' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => Ok(()),
        _ => {
            let came = match first {
                None => "an empty body".into(),
                Some(_) if kind.contains("json") => format!("{kind} that does not begin like JSON"),
                Some(_) => format!("{kind} instead of JSON"),
            };
            let problem = format!(
                "it sent {came}. Check that base_url is the API root of the service and that no sign-in page stands in between"
            );
            Err(Error::Decode { request: get_request(path), problem })
        }
    }
}

/// Decodes a body; an error names the field that it is about.
pub fn decode<T: DeserializeOwned>(path: &str, body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| {
        let mut json = serde_json::Deserializer::from_slice(body);
        let located = serde_path_to_error::deserialize::<_, T>(&mut json);
        let at = located.err().map(|error| error.path().to_string()).filter(|path| path != ".");
        let place = at.map(|path| format!("{path}: ")).unwrap_or_default();
        Error::Decode { request: get_request(path), problem: format!("{place}{error}") }
    })
}

/// An error of the HTTP library with its causes, without the address it went to.
fn describe(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    let mut text = String::new();
    while let Some(deeper) = cause.source() {
        text = deeper.to_string();
        cause = deeper;
    }
    if text.is_empty() { error.to_string() } else { text }
}
