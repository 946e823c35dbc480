//! Requests and bodies: authorization, retries, limits.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Certificate, Method, Response, Url, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

use super::config::{Config, is_loopback};
use super::error::Attempts;
use super::failure::{Attempt, Failure, describe};
use super::{Error, Request, Result};
use crate::blocking;
use crate::features::{DiagramStream, Diagrams, FeatureCollection, Layout};
use crate::fork::PerProcess;
use crate::json;

const REDIRECTS: usize = 5;
/// A connection that nobody uses is closed after that, or when it is next looked for such, which is as seldom.
pub const IDLE_CONNECTIONS_LIVE: Duration = Duration::from_secs(60);
/// Bodies from here on are read into columns on a thread of their own.
const LARGE_BODY: usize = 64 * 1024;
/// What is reserved at most for a body before it comes. Memory that nothing comes to is not taken from the system.
const MAX_RESERVED: usize = 1024 * 1024 * 1024;
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Sends requests below one API root as one user. Cheap to clone; clones share their connections.
#[derive(Debug, Clone)]
pub struct Transport(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    root: Url,
    config: Config,
    certificates: Vec<Certificate>,
    connections: PerProcess<Result<Connections>>,
}

#[derive(Debug)]
struct Connections {
    http: reqwest::Client,
    /// For a runtime without threads; made when one first sends a request.
    caller_runtime: OnceLock<Result<reqwest::Client>>,
    slots: Semaphore,
}

struct Answer {
    headers: HeaderMap,
    body: BytesMut,
    /// The diagrams that were taken off the front of the body, where any were asked for.
    diagrams: Option<DiagramStream>,
}

/// What is asked: how, where, and with what.
#[derive(Clone)]
struct Call<'c> {
    method: Method,
    path: &'c str,
    body: Option<Bytes>,
    /// What is wanted of diagrams, which are read on the way.
    diagrams: Option<Diagrams>,
}

impl<'c> Call<'c> {
    fn get(path: &'c str) -> Self {
        Call { method: Method::GET, path, body: None, diagrams: None }
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
    /// Checks the configuration; connects to nothing.
    pub fn new(config: Config) -> Result<Self> {
        config.check()?;
        let root = config.root()?;
        // Another library in this process may have chosen a provider before; either does.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let certificates = config.ca_bundle.as_deref().map(read_certificates).transpose()?.unwrap_or_default();
        let shared = Shared { root, config, certificates, connections: PerProcess::new() };
        shared.connections()?;
        Ok(Transport(Arc::new(shared)))
    }

    pub fn config(&self) -> &Config {
        &self.0.config
    }

    pub fn root(&self) -> &str {
        self.0.root.as_str()
    }

    pub fn is_on_this_machine(&self) -> bool {
        self.0.is_on_this_machine()
    }

    /// Reads a JSON resource. A large one is decoded off the threads that other requests need.
    pub async fn get<T: DeserializeOwned + Send + 'static>(&self, path: &str) -> Result<T> {
        let body = self.read(path).await?;
        if body.len() < LARGE_BODY {
            return decode(path, &body);
        }
        let path = path.to_owned();
        blocking::run(move || decode(&path, &body)).await?
    }

    /// Sends a JSON body; decodes what comes back.
    pub async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        let body = serde_json::to_vec(body).map_err(|problem| Error::Input(problem.to_string()))?;
        let call = Call { method: Method::POST, body: Some(body.into()), ..Call::get(path) };
        decode_answer(&call, &self.json(&call).await?.body)
    }

    pub async fn delete(&self, path: &str) -> Result<()> {
        self.exchange(&Call { method: Method::DELETE, ..Call::get(path) }).await.map(drop)
    }

    /// Reads a PNG image.
    pub async fn png(&self, path: &str) -> Result<Bytes> {
        let call = Call::get(path);
        let answer = self.exchange(&call).await?;
        match answer.body.starts_with(PNG_SIGNATURE) {
            true => Ok(answer.body.freeze()),
            false => {
                let kind =
                    answer.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or("no content type");
                Err(Error::Decode { request: call.request(), problem: format!("it sent {kind} that is no PNG image") })
            }
        }
    }

    /// Reads a FeatureCollection, or diagrams, of which the caller says what is wanted. Large bodies are taken apart off the
    /// threads that other requests need.
    pub async fn features(&self, path: &str, diagrams: Option<Diagrams>) -> Result<FeatureCollection> {
        let call = Call { diagrams, ..Call::get(path) };
        let Answer { body, diagrams, .. } = self.json(&call).await?;
        let large = body.len() >= LARGE_BODY || diagrams.as_ref().is_some_and(DiagramStream::has_some);
        let read = move || match diagrams {
            Some(diagrams) => diagrams.finish(body),
            None => FeatureCollection::from_json(body, Layout::Collection),
        };
        let collection = match large {
            true => blocking::run(read).await?,
            false => read(),
        };
        collection.map_err(|problem| Error::Decode { request: call.request(), problem: problem.to_string() })
    }

    /// The bytes of JSON at a path.
    pub async fn read(&self, path: &str) -> Result<Bytes> {
        Ok(self.json(&Call::get(path)).await?.body.freeze())
    }

    async fn json(&self, call: &Call<'_>) -> Result<Answer> {
        let answer = self.exchange(call).await?;
        check_is_json(call, &answer)?;
        Ok(answer)
    }

    /// Sends a request until it is answered well. A read is tried again while its failure may pass; a write only where the
    /// service cannot have carried it out. All of it takes no longer than the timeout, from when its turn has come.
    async fn exchange(&self, call: &Call<'_>) -> Result<Answer> {
        let Shared { root, config, .. } = &*self.0;
        let connections = self.0.connections()?;
        let http = self.0.http_of_this_runtime(connections)?;
        // Never closed, so there is always a permit to wait for.
        let _slot = connections.slots.acquire().await;
        let started = Instant::now();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let left = config.timeout.saturating_sub(started.elapsed());
            let answered = tokio::time::timeout(left, self.try_once(http, call)).await;
            let failure = match answered {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(failure)) => failure,
                Err(_) => Failure::Late(format!("no whole answer within timeout={} s", config.timeout.as_secs_f64())),
            };
            let attempts_made = Attempts { attempts, elapsed: started.elapsed() };
            match failure.wait(call.is_read(), attempts) {
                Some(wait) if attempts <= config.retries && started.elapsed() + wait < config.timeout => {
                    tracing::warn!(
                        "{} failed ({failure}) after {attempts_made}; trying again in {:.2} s",
                        call.request(),
                        wait.as_secs_f64()
                    );
                    tokio::time::sleep(wait).await;
                }
                _ => return Err(failure.into_error(call.request(), root, &config.token, attempts_made)),
            }
        }
    }

    /// One attempt. Follows redirects within the origin of the API root; the token goes nowhere else.
    async fn try_once(&self, http: &reqwest::Client, call: &Call<'_>) -> Attempt<Answer> {
        let root = &self.0.root;
        let mut url = root.join(call.path).map_err(|problem| Failure::Final(problem.to_string()))?;
        for _ in 0..=REDIRECTS {
            let mut request = http.request(call.method.clone(), url.clone());
            if let Some(body) = &call.body {
                request = request.header(CONTENT_TYPE, "application/json").body(body.clone());
            }
            let response = request.send().await?;
            let status = response.status();
            let location = response.headers().get(LOCATION).filter(|_| status.is_redirection());
            let Some(location) = location else { return self.receive(response, call).await };
            let next = location.to_str().ok().and_then(|location| url.join(location).ok());
            let next = next.ok_or_else(|| Failure::Final("it redirects to what is no address".into()))?;
            if !call.is_read() && !matches!(status.as_u16(), 307 | 308) {
                let problem = "it redirects, which would turn the write into a read; check base_url";
                return Err(Failure::Final(problem.into()));
            }
            if next.origin() != root.origin() {
                let to = next.origin().ascii_serialization();
                let problem = format!("it redirects to {to}, where the token must not go; check base_url");
                return Err(Failure::Final(problem));
            }
            url = next;
        }
        Err(Failure::Final(format!("more than {REDIRECTS} redirects")))
    }

    /// The whole body, up to the largest that is allowed.
    async fn receive(&self, mut response: Response, call: &Call<'_>) -> Attempt<Answer> {
        let (status, headers) = (response.status(), response.headers().clone());
        let limit = self.0.config.max_response_bytes;
        let announced = response.content_length().unwrap_or_default();
        if announced > limit as u64 {
            return Err(Failure::TooLarge { limit });
        }
        let announced = announced as usize;
        let mut body = BytesMut::with_capacity(announced.min(MAX_RESERVED));
        let wanted = call.diagrams.filter(|_| status.is_success());
        let mut diagrams = wanted.map(|wanted| DiagramStream::of(announced, wanted));
        let mut received = 0;
        while let Some(chunk) = response.chunk().await? {
            received += chunk.len();
            if received > limit {
                return Err(Failure::TooLarge { limit });
            }
            body.extend_from_slice(&chunk);
            if let Some(diagrams) = &mut diagrams {
                diagrams.feed(&mut body);
            }
        }
        match status.is_success() {
            true => Ok(Answer { headers, body, diagrams }),
            false => Err(Failure::Refused { status, headers, body: body.freeze() }),
        }
    }
}

impl Shared {
    /// The connections of this process. Those of its parent are not touched: their other end knows one peer only.
    fn connections(&self) -> Result<&Connections> {
        self.connections.get_or_make(|| self.connect()).as_ref().map_err(Clone::clone)
    }

    /// No other root may do without https.
    fn is_on_this_machine(&self) -> bool {
        self.root.scheme() == "http"
    }

    fn connect(&self) -> Result<Connections> {
        let slots = Semaphore::new(self.config.max_concurrency);
        Ok(Connections { http: self.http()?, caller_runtime: OnceLock::new(), slots })
    }

    /// A connection is served by the runtime that opened it, so another kind of runtime must not take it over.
    fn http_of_this_runtime<'c>(&self, connections: &'c Connections) -> Result<&'c reqwest::Client> {
        match Handle::current().runtime_flavor() {
            RuntimeFlavor::CurrentThread => {
                connections.caller_runtime.get_or_init(|| self.http()).as_ref().map_err(Clone::clone)
            }
            _ => Ok(&connections.http),
        }
    }

    fn http(&self) -> Result<reqwest::Client> {
        let Config { token, connect_timeout, read_timeout, max_concurrency, .. } = &self.config;
        // On this machine, packing a body takes longer than moving it.
        let local = is_loopback(&self.root);
        let accept = HeaderValue::from_static("application/json");
        let mut headers = HeaderMap::from_iter([(AUTHORIZATION, token.header()?), (ACCEPT, accept)]);
        if local {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        let mut http = reqwest::Client::builder()
            .default_headers(headers)
            .user_agent(concat!("pygeodesign/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(*connect_timeout)
            .pool_idle_timeout(IDLE_CONNECTIONS_LIVE)
            .pool_max_idle_per_host(*max_concurrency)
            .redirect(redirect::Policy::none());
        // Reading the system's certificates takes longer than a request on this machine, where none is shown.
        http = match self.is_on_this_machine() {
            true => http.tls_certs_only([]),
            false => http.tls_certs_merge(self.certificates.clone()),
        };
        if let Some(read_timeout) = read_timeout {
            http = http.read_timeout(*read_timeout);
        }
        if local {
            http = http.no_proxy();
        }
        http.build().map_err(|problem| Error::Configuration(describe(&problem)))
    }
}

fn read_certificates(path: &Path) -> Result<Vec<Certificate>> {
    let unreadable = |problem: &dyn fmt::Display| {
        Error::Configuration(format!("ca_bundle {}: {problem}; give a PEM file of certificates", path.display()))
    };
    let pem = std::fs::read(path).map_err(|problem| unreadable(&problem))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|problem| unreadable(&problem))?;
    match certificates.is_empty() {
        true => Err(unreadable(&"no certificate in it")),
        false => Ok(certificates),
    }
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
    json::decode(body).map_err(|(at, error)| {
        let place = at.map(|path| format!("{path}: ")).unwrap_or_default();
        Error::Decode { request: call.request(), problem: format!("{place}{}", json::explain(body, &error)) }
    })
}
