//! Responses to an operator's monitoring: the service's health, and figures in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use parking_lot::Mutex;
use serde_json::json;

use super::error::{ApiError, Result};
use super::request::auth::{INVALID_TOKEN, token_in};
use crate::peer::Peer;
use crate::store::{self, Store};

/// The path of the health check, for load balancers and monitoring that know no project.
pub const HEALTH: &str = "/health/";
pub const METRICS: &str = "/metrics";

/// The upper bounds of the histogram of latencies, in milliseconds.
const BUCKETS_MS: [u64; 12] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];
/// Headers of proxies: a request with one of these may come from another machine.
const PROXY_HEADERS: [&str; 5] = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/// Counters since the service started.
#[derive(Debug, Default)]
pub struct Metrics {
    /// Answered requests by route.
    requests: Mutex<BTreeMap<String, Outcomes>>,
    /// Requests per bucket, each counted in the smallest that holds it; the last bucket is for those beyond all bounds.
    latencies: [AtomicU64; BUCKETS_MS.len() + 1],
    latency_sum_us: AtomicU64,
    connections: AtomicU64,
}

/// The number of requests by method and status.
type Outcomes = BTreeMap<(&'static str, u16), u64>;

/// Figures of other parts of the service at this moment.
pub struct Gauges {
    pub watchers: usize,
    pub queued_writes: usize,
    pub database_bytes: u64,
    /// Number of open workshops, for a service of many.
    pub open_workshops: Option<usize>,
}

/// Counts a connection as open until it is dropped.
#[derive(Debug)]
pub struct OpenConnection(Arc<Metrics>);

impl Metrics {
    pub fn begin_connection(self: &Arc<Self>) -> OpenConnection {
        self.connections.fetch_add(1, Ordering::Relaxed);
        OpenConnection(self.clone())
    }

    /// Counts an answered request. `route` is an operation's path with names in braces, so that there are few routes.
    pub fn count(&self, method: &Method, route: Option<&str>, status: StatusCode, took: Duration) {
        let bucket = BUCKETS_MS.partition_point(|&bound| Duration::from_millis(bound) < took);
        self.latencies[bucket].fetch_add(1, Ordering::Relaxed);
        self.latency_sum_us.fetch_add(took.as_micros() as u64, Ordering::Relaxed);
        let key = (name_of(method), status.as_u16());
        let route = route.unwrap_or("other");
        let mut requests = self.requests.lock();
        match requests.get_mut(route) {
            Some(of_route) => *of_route.entry(key).or_default() += 1,
            None => drop(requests.insert(route.to_owned(), BTreeMap::from([(key, 1)]))),
        }
    }

    /// All figures.
    pub fn respond(&self, gauges: &Gauges) -> Response {
        let mut text = String::new();
        match self.write(&mut text, gauges) {
            Ok(()) => {
                let content_type = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
                ([(header::CONTENT_TYPE, content_type)], text).into_response()
            }
            Err(fmt::Error) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }

    fn write(&self, text: &mut String, gauges: &Gauges) -> fmt::Result {
        let name = "geodesign_requests_total";
        writeln!(text, "# HELP {name} Requests that were answered.\n# TYPE {name} counter")?;
        for (route, counts) in self.requests.lock().iter() {
            for ((method, status), count) in counts {
                writeln!(text, "{name}{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {count}")?;
            }
        }
        let name = "geodesign_request_seconds";
        writeln!(text, "# HELP {name} Time from a request to the head of its response.\n# TYPE {name} histogram")?;
        let mut total = 0;
        for (bound, latency) in BUCKETS_MS.iter().zip(&self.latencies) {
            total += latency.load(Ordering::Relaxed);
            writeln!(text, "{name}_bucket{{le=\"{}\"}} {total}", *bound as f64 / 1000.)?;
        }
        total += self.latencies[BUCKETS_MS.len()].load(Ordering::Relaxed);
        let sum = self.latency_sum_us.load(Ordering::Relaxed) as f64 / 1e6;
        writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {total}\n{name}_sum {sum}\n{name}_count {total}")?;
        let figures = [
            ("connections", "Open connections.", self.connections.load(Ordering::Relaxed)),
            ("watchers", "Open streams of changes.", gauges.watchers as u64),
            ("queued_writes", "Writes that wait for their transaction.", gauges.queued_writes as u64),
            ("database_bytes", "The database file and its log.", gauges.database_bytes),
        ];
        let open =
            gauges.open_workshops.map(|open| ("open_workshops", "Workshops whose databases are open.", open as u64));
        for (name, help, figure) in figures.into_iter().chain(open) {
            writeln!(text, "# HELP geodesign_{name} {help}\n# TYPE geodesign_{name} gauge\ngeodesign_{name} {figure}")?;
        }
        Ok(())
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

const NOT_OPERATOR: ApiError =
    ApiError::Forbidden("From another machine, only the operator (the user admin) may read the metrics.");

/// Allows only the operator, and programs on this machine without a token, to read the figures. `is_operator` returns true for the
/// operator's token, false for another's, and `None` for an invalid one.
pub fn check_reader(
    headers: &HeaderMap,
    peer: &Peer,
    is_operator: impl FnOnce(&str) -> store::Result<Option<bool>>,
) -> Result<()> {
    if peer.is_local && !PROXY_HEADERS.iter().any(|name| headers.contains_key(*name)) {
        return Ok(());
    }
    if !headers.contains_key(header::AUTHORIZATION) {
        return Err(NOT_OPERATOR);
    }
    match is_operator(&token_in(METRICS, headers)?)? {
        Some(true) => Ok(()),
        Some(false) => Err(NOT_OPERATOR),
        None => Err(INVALID_TOKEN),
    }
}

/// Reports whether the service can answer: it can if its database does.
pub fn respond_health(store: &Store) -> Response {
    let (code, status) = match store.check_place().and_then(|()| store.read(|read| read.check_readable())) {
        Ok(()) => (StatusCode::OK, "ok"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
    };
    (code, Json(json!({ "status": status, "version": env!("CARGO_PKG_VERSION") }))).into_response()
}

/// Returns the method's name, or `other`: a client may send any word.
fn name_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
