//! The connections to the service: one pool for each process and kind of runtime, and the limits on requests.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::{Certificate, Client, Url, redirect};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

use super::authorities::{authorities_of_environment, given_authorities};
use super::proxy::{Proxy, route};
use crate::config::{Config, ConfigError, is_loopback};
use geodesign_common::per_process::PerProcess;

/// At most this many requests are under way at the same time if each has a connection.
pub const CONCURRENCY: usize = 16;
/// At most this many requests are under way at the same time if all share one connection. The embedded service allows 200; if a service
/// allows fewer, the others wait.
const CONCURRENCY_ON_ONE_CONNECTION: usize = 200;
/// Unused connections stay open this long. The pool checks at intervals of the same length, so one may stay open for twice as long.
pub const IDLE_CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);

type Pool = Result<Client, ConfigError>;

#[derive(Debug)]
pub struct Connections {
    config: Config,
    root: Url,
    proxy: Option<Proxy>,
    certificates: Vec<Certificate>,
    /// A connection works only while the runtime that opened it is running, so runtimes with and without worker threads must not share
    /// connections.
    current_thread: PerProcess<Pool>,
    multi_thread: PerProcess<Pool>,
    slots: PerProcess<Slots>,
}

/// Limit on the requests under way.
#[derive(Debug)]
struct Slots {
    permits: Semaphore,
    /// True if the limit is the one for a single HTTP/2 connection.
    are_many: AtomicBool,
}

impl Connections {
    /// Checks the configuration; connects to nothing.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        config.check()?;
        let config = config.with_absolute_paths()?;
        let root = config.root()?;
        // An error means that another library in this process has chosen a provider before, which works as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut certificates = given_authorities(&config)?;
        if root.scheme() == "https" {
            certificates.extend(authorities_of_environment()?);
        }
        let connections = Connections {
            proxy: Proxy::of(&root, config.proxy.as_ref())?,
            config,
            root,
            certificates,
            current_thread: PerProcess::new(),
            multi_thread: PerProcess::new(),
            slots: PerProcess::new(),
        };
        // Certificates that cannot be used are an error here, not at the first request.
        connections.pool(RuntimeFlavor::CurrentThread)?;
        Ok(connections)
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    pub fn root(&self) -> &Url {
        &self.root
    }

    /// The proxy that requests go through, if there is one.
    pub fn proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref()
    }

    /// True if compressed responses are requested. Without a network, compressing a body takes longer than sending it.
    pub fn is_compressed(&self) -> bool {
        self.config.compression.unwrap_or(!is_loopback(&self.root))
    }

    /// True if the service is on this machine and requests to it are not encrypted.
    pub fn is_on_this_machine(&self) -> bool {
        self.root.scheme() == "http"
    }

    /// Returns the HTTP client for the current runtime. Each process has its own: a forked process does not use its parent's
    /// connections.
    pub fn http_client(&self) -> Result<&Client, ConfigError> {
        self.pool(Handle::current().runtime_flavor())
    }

    /// Waits until fewer requests than `max_concurrency` are under way.
    pub async fn slot(&self) -> SemaphorePermit<'_> {
        self.slots().permits.acquire().await.expect("the semaphore is never closed")
    }

    /// Allows more requests at the same time, unless their number is a setting: the service has responded in HTTP/2, where requests
    /// share a connection.
    pub fn allow_many(&self) {
        let slots = self.slots();
        if self.config.max_concurrency.is_none() && !slots.are_many.swap(true, Ordering::Relaxed) {
            slots.permits.add_permits(CONCURRENCY_ON_ONE_CONNECTION - CONCURRENCY);
        }
    }

    fn slots(&self) -> &Slots {
        let concurrency = self.config.max_concurrency.unwrap_or(CONCURRENCY);
        self.slots.get_or_init(|| Slots { permits: Semaphore::new(concurrency), are_many: AtomicBool::new(false) })
    }

    fn pool(&self, flavor: RuntimeFlavor) -> Result<&Client, ConfigError> {
        let pool = match flavor {
            RuntimeFlavor::CurrentThread => &self.current_thread,
            _ => &self.multi_thread,
        };
        pool.get_or_init(|| self.new_pool()).as_ref().map_err(Clone::clone)
    }

    fn new_pool(&self) -> Pool {
        let Config { token, headers: given, connect_timeout, read_timeout, max_concurrency, .. } = &self.config;
        let authorization = token
            .header()
            .map_err(|error| ConfigError::HttpClient { problem: error.to_string(), source: error.into() })?;
        let accept = HeaderValue::from_static("application/json");
        let user_agent = HeaderValue::from_static(concat!("pygeodesign/", env!("CARGO_PKG_VERSION")));
        let mut headers =
            HeaderMap::from_iter([(AUTHORIZATION, authorization), (ACCEPT, accept), (USER_AGENT, user_agent)]);
        headers.extend(given.clone());
        if !self.is_compressed() {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        let mut builder = Client::builder()
            .default_headers(headers)
            .connect_timeout(*connect_timeout)
            .pool_idle_timeout(IDLE_CONNECTION_TIMEOUT)
            .pool_max_idle_per_host(max_concurrency.unwrap_or(CONCURRENCY))
            .redirect(redirect::Policy::none());
        // Reading the system's certificates takes longer than many requests to this machine, and plain http does not need them.
        builder = match &self.config.authority {
            _ if self.is_on_this_machine() => builder.tls_certs_only([]),
            Some(authority) => builder.tls_certs_only([authority.certificate()]),
            None => builder.tls_certs_merge(self.certificates.clone()),
        };
        if let Some(read_timeout) = read_timeout {
            builder = builder.read_timeout(*read_timeout);
        }
        if !self.is_compressed() {
            builder = builder.no_gzip().no_zstd();
        }
        route(builder, self.proxy.as_ref())?.build().map_err(ConfigError::http_client)
    }
}

/// Gives each request its turn, at equal intervals. Retries and redirects need no further turn.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    /// `requests_per_second` is greater than 0.
    pub fn new(requests_per_second: f64) -> Self {
        let interval = Duration::try_from_secs_f64(requests_per_second.recip()).unwrap_or(Duration::MAX / 2);
        Pace { interval, next: Mutex::new(Instant::now()) }
    }

    /// Waits until the next request may be sent.
    pub async fn turn(&self) {
        let turn = {
            let mut next = self.next.lock();
            let turn = (*next).max(Instant::now());
            *next = turn.checked_add(self.interval).unwrap_or(turn);
            turn
        };
        sleep_until(turn).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_have_equal_intervals() {
        let (pace, start) = (Pace::new(100.0), Instant::now());
        for _ in 0..5 {
            pace.turn().await;
        }
        assert!(start.elapsed() >= Duration::from_millis(40));
    }
}
