//! Requests and bodies: authorization, retries, limits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Certificate, Method, StatusCode, Url, redirect};
use serde::Serialize;
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
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Sends requests below one API root as one user. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Transport {
    http: reqwest::Client,
    /// The same for writes, which a redirect must not turn into reads.
    http_writes: reqwest::Client,
    root: Url,
    retries: u32,
    slots: Arc<Semaphore>,
}

struct Answer {
    headers: HeaderMap,
    body: Bytes,
}

/// What is asked: how, where, and with what.
#[derive(Clone)]
struct Call<'c> {
    method: Method,
    path: &'c str,
    body: Option<Bytes>,
}

impl<'c> Call<'c> {
    fn get(path: &'c str) -> Self {
        Call { method: Method::GET, path, body: None }
    }

    fn request(&self) -> Request {
        let path = self.path.split_once('?').map_or(self.path, |(path, _)| path);
        let method = match self.method {
            Method::POST => "POST",
            Method::DELETE => "DELETE",
            _ => "GET",
        };
        Request { method, path: format!("/{path}") }
    }

    fn is_read(&self) -> bool {
        self.method == Method::GET
    }
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
        let mut certificates = Vec::new();
        if let Some(path) = &config.ca_bundle {
            let unreadable = |problem: &dyn std::fmt::Display| {
                Error::Configuration(format!(
                    "ca_bundle {}: {problem}; give a PEM file of certificates",
                    path.display()
                ))
            };
            let pem = std::fs::read(path).map_err(|problem| unreadable(&problem))?;
            certificates = Certificate::from_pem_bundle(&pem).map_err(|problem| unreadable(&problem))?;
            if certificates.is_empty() {
                return Err(unreadable(&"no certificate in it"));
            }
        }
        let headers = HeaderMap::from_iter([(AUTHORIZATION, authorization), (ACCEPT, accept)]);
        let build = |redirects: redirect::Policy| {
            let mut http = reqwest::Client::builder()
                .default_headers(headers.clone())
                .user_agent(concat!("pygeodesign/", env!("CARGO_PKG_VERSION")))
                .timeout(config.timeout)
                .connect_timeout(config.connect_timeout)
                .pool_idle_timeout(IDLE_CONNECTIONS_LIVE)
                .pool_max_idle_per_host(config.max_concurrency)
                .redirect(redirects)
                .gzip(compression)
                .brotli(compression)
                .zstd(compression)
                .tls_certs_merge(certificates.clone());
            if is_loopback(&root) {
                http = http.no_proxy();
            }
            http.build().map_err(|problem| Error::Configuration(describe(&problem)))
        };
        let (http, http_writes) = (build(within_origin(&root, false))?, build(within_origin(&root, true))?);
        let slots = Arc::new(Semaphore::new(config.max_concurrency));
        Ok(Transport { http, http_writes, root, retries: config.retries, slots })
    }

    pub fn root(&self) -> &str {
        self.root.as_str()
    }

    /// Reads a JSON resource.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        decode(path, &self.read(path).await?)
    }

    /// Sends a JSON body; decodes what comes back.
    pub async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        let body = serde_json::to_vec(body).map_err(|problem| Error::Input(problem.to_string()))?;
        let call = Call { method: Method::POST, path, body: Some(body.into()) };
        let answer = self.exchange(&call).await?;
        check_is_json(&call, &answer)?;
        decode_answer(&call, &answer.body)
    }

    pub async fn delete(&self, path: &str) -> Result<()> {
        self.exchange(&Call { method: Method::DELETE, path, body: None }).await.map(drop)
    }

    /// Reads a PNG image.
    pub async fn png(&self, path: &str) -> Result<Bytes> {
        let call = Call::get(path);
        let answer = self.exchange(&call).await?;
        match answer.body.starts_with(PNG_SIGNATURE) {
            true => Ok(answer.body),
            false => {
                let kind =
                    answer.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("no content type");
                Err(Error::Decode { request: call.request(), problem: format!("it sent {kind} that is no PNG image") })
            }
        }
    }

    /// Reads a geography. Large bodies are taken apart off the threads that other requests need.
    pub async fn features(&self, path: &str, layout: Layout) -> Result<FeatureCollection> {
        let body = self.read(path).await?;
        let large = body.len() >= LARGE_BODY;
        let read = move || FeatureCollection::from_json(body, layout);
        let collection = match large {
            true => tokio::task::spawn_blocking(read).await?,
            false => read(),
        };
        collection.map_err(|problem| Error::Decode { request: Call::get(path).request(), problem: problem.to_string() })
    }

    /// The bytes of JSON at a path.
    pub async fn read(&self, path: &str) -> Result<Bytes> {
        let call = Call::get(path);
        let answer = self.exchange(&call).await?;
        check_is_json(&call, &answer)?;
        Ok(answer.body)
    }

    /// Sends a request until it is answered well. A read is tried again while its failure may pass; a write only where the
    /// service cannot have carried it out.
    async fn exchange(&self, call: &Call<'_>) -> Result<Answer> {
        let started = Instant::now();
        let mut attempt = 0;
        loop {
            attempt += 1;
            let effort = || Effort { attempts: attempt, elapsed: started.elapsed() };
            let (error, wait) = match self.try_once(call).await {
                Ok((status, answer)) if status.is_success() => return Ok(answer),
                Ok((status, answer)) => {
                    let again = match call.is_read() {
                        true => retry::may_pass(status.as_u16()),
                        false => retry::was_turned_away(status.as_u16(), &answer.headers),
                    };
                    let wait = retry::wait(attempt, Some(&answer.headers));
                    let body = String::from_utf8_lossy(&answer.body).into_owned();
                    let error = Error::Api { request: call.request(), status: status.as_u16(), body };
                    (error, again.then_some(wait))
                }
                Err(problem) => {
                    let again = match call.is_read() {
                        true => !problem.is_builder() && !problem.is_redirect() && !problem.is_timeout(),
                        false => problem.is_connect() && !problem.is_timeout(),
                    };
                    (self.no_answer(call, &problem, effort()), again.then(|| retry::wait(attempt, None)))
                }
            };
            match wait {
                Some(wait) if attempt <= self.retries => tokio::time::sleep(wait).await,
                _ => return Err(error),
            }
        }
    }

    async fn try_once(&self, call: &Call<'_>) -> reqwest::Result<(StatusCode, Answer)> {
        // Never closed, so there is always a permit to wait for.
        let _slot = self.slots.acquire().await;
        let http = if call.is_read() { &self.http } else { &self.http_writes };
        let mut request = http.request(call.method.clone(), format!("{}{}", self.root, call.path));
        if let Some(body) = &call.body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        let response = request.send().await?;
        let (status, headers) = (response.status(), response.headers().clone());
        Ok((status, Answer { headers, body: response.bytes().await? }))
    }

    fn no_answer(&self, call: &Call<'_>, problem: &reqwest::Error, effort: Effort) -> Error {
        let request = call.request();
        if problem.is_timeout() {
            return Error::Timeout { request, effort };
        }
        Error::Transport { request, root: self.root.to_string(), cause: describe(problem), effort }
    }
}

/// Follows redirects within the origin of the API root; the token goes nowhere else. A write follows those only that keep
/// its method and body.
fn within_origin(root: &Url, writes: bool) -> redirect::Policy {
    let origin = root.origin();
    redirect::Policy::custom(move |attempt| {
        if writes && !matches!(attempt.status().as_u16(), 307 | 308) {
            attempt.error("it redirects, which would turn the write into a read; check base_url")
        } else if attempt.url().origin() != origin {
            let to = attempt.url().origin().ascii_serialization();
            attempt.error(format!("it redirects to {to}, where the token must not go; check base_url"))
        } else if attempt.previous().len() > REDIRECTS {
            attempt.error(format!("more than {REDIRECTS} redirects"))
        } else {
            attempt.follow()
        }
    })
}

fn check_is_json(call: &Call, answer: &Answer) -> Result<()> {
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
            Err(Error::Decode { request: call.request(), problem })
        }
    }
}

/// Decodes what was read from a path; an error names the field that it is about.
pub fn decode<T: DeserializeOwned>(path: &str, body: &[u8]) -> Result<T> {
    decode_answer(&Call::get(path), body)
}

fn decode_answer<T: DeserializeOwned>(call: &Call, body: &[u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| {
        let mut json = serde_json::Deserializer::from_slice(body);
        let located = serde_path_to_error::deserialize::<_, T>(&mut json);
        let at = located.err().map(|error| error.path().to_string()).filter(|path| path != ".");
        let place = at.map(|path| format!("{path}: ")).unwrap_or_default();
        Error::Decode { request: call.request(), problem: format!("{place}{error}") }
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
