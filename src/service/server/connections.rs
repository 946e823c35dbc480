//! The connections of a service: how many it serves at once, which of them it closes, and how they end with it.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep};

use super::listener::{Connection, Listener};
use super::write_stall_timeout::WriteStallTimeout;
use crate::service::http::Operations;
use crate::service::limits::Limits;

/// How long a connection may stay open without a complete request head. Longer than clients keep an idle connection, so
/// that it is they who close it.
const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(75);
/// At [`Limits::connections`], the connection that has been idle longest is closed, but none that was idle for less than this.
const MIN_IDLE_TIME: Duration = Duration::from_secs(10);
/// How often a service at [`Limits::connections`] looks for a connection to close.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// How long a client may accept none of the bytes of its response.
const WRITE_STALL_TIMEOUT: Duration = Duration::from_secs(30);

/// Accepts connections and answers their requests until `stop` is ready; then finishes the responses that were begun.
pub async fn serve(
    mut listener: Listener,
    operations: Operations,
    limits: Arc<Limits>,
    stop: impl Future<Output = ()>,
) {
    let (draining, _) = watch::channel(false);
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    let mut connections: Vec<TrackedConnection> = Vec::new();
    let mut stop = pin!(stop);
    loop {
        let full = tasks.len() as u64 >= limits.connections;
        tokio::select! {
            () = &mut stop => break,
            Some(_) = tasks.join_next() => connections.retain(|connection| !connection.task.is_finished()),
            () = sleep(IDLE_CHECK_INTERVAL), if full => close_longest_idle(&connections, start),
            connection = listener.accept(), if !full => {
                let activity = Arc::new(Activity::new(start));
                let task =
                    serve_connection(connection, operations.clone(), activity.clone(), draining.subscribe());
                connections.push(TrackedConnection { task: tasks.spawn(task), activity });
            }
        }
    }
    drop(listener);
    draining.send_replace(true);
    while tasks.join_next().await.is_some() {}
}

/// A connection that is being served.
struct TrackedConnection {
    task: AbortHandle,
    activity: Arc<Activity>,
}

/// Whether a connection is idle, and since when.
struct Activity {
    /// When the service started.
    start: Instant,
    /// Requests of this connection that are being answered.
    active_requests: AtomicUsize,
    /// Milliseconds from `start` to when a request last arrived or was answered; at first, to when the connection opened.
    last_active_ms: AtomicU64,
}

impl Activity {
    fn new(start: Instant) -> Self {
        let activity = Activity { start, active_requests: AtomicUsize::new(0), last_active_ms: AtomicU64::new(0) };
        activity.touch();
        activity
    }

    fn touch(&self) {
        self.last_active_ms.store(self.start.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Counts a request as active until the guard is dropped.
    fn begin_request(self: &Arc<Self>) -> ActiveRequest {
        self.touch();
        self.active_requests.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(self.clone())
    }
}

struct ActiveRequest(Arc<Activity>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.0.touch();
        self.0.active_requests.fetch_sub(1, Ordering::Relaxed);
    }
}

fn close_longest_idle(connections: &[TrackedConnection], start: Instant) {
    let latest = start.elapsed().saturating_sub(MIN_IDLE_TIME).as_millis() as u64;
    let last_active = |connection: &&TrackedConnection| connection.activity.last_active_ms.load(Ordering::Relaxed);
    let is_idle = |connection: &&TrackedConnection| connection.activity.active_requests.load(Ordering::Relaxed) == 0;
    let longest_idle = connections.iter().filter(is_idle).min_by_key(last_active);
    if let Some(connection) = longest_idle.filter(|connection| last_active(connection) <= latest) {
        connection.task.abort();
    }
}

async fn serve_connection(
    connection: Connection,
    operations: Operations,
    activity: Arc<Activity>,
    mut draining: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let active_request = activity.begin_request();
        let operations = operations.clone();
        async move {
            let response = operations.answer(request).await;
            drop(active_request);
            Ok::<_, Infallible>(response)
        }
    });
    let stream = TokioIo::new(WriteStallTimeout::new(connection, WRITE_STALL_TIMEOUT));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_HEAD_TIMEOUT)
        .serve_connection(stream, service);
    let mut connection = pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = draining.wait_for(|draining| *draining) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
