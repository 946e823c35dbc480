//! A runtime on which a blocking call sends its request from its own thread.
//!
//! Otherwise one of the runtime's threads would be woken to send the request, and would wake the calling thread when the answer
//! is there. For a small answer from a service nearby, these two wake-ups take longer than the answer itself.

use std::io;
use std::pin::pin;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::{Interval, sleep};

use super::interrupts::signal_checks;
use crate::client::IDLE_CONNECTION_TIMEOUT;

/// How long a call polls for its answer before its thread sleeps until the answer wakes it. It is longer than a service on the
/// same machine takes for a small answer, and too short to cost a call to a service elsewhere anything. On one processor it does
/// not poll: a service on the same machine answers when this thread sleeps.
const SPIN_TIME: Duration = Duration::from_micros(100);
/// How often connections are polled while no call does it.
const REAP_INTERVAL: Duration = Duration::from_millis(250);
/// How long they are polled after the last call. By then the connection pool has closed every idle connection.
const REAP_FOR: Duration = IDLE_CONNECTION_TIMEOUT.saturating_mul(2).saturating_add(Duration::from_secs(30));

/// A runtime without threads, for one call at a time.
pub struct CallerRuntime(Mutex<Inner>);

struct Inner {
    runtime: Runtime,
    /// Goes on from call to call. A timer that ends before all others wakes the runtime when it is set, by two system calls;
    /// while this one is set, the time-outs of a request end after it.
    signal_checks: Interval,
    spin_time: Duration,
    last_call: Instant,
    /// Whether [`CallerRuntime::reap_idle_connections`] runs.
    is_reaped: bool,
}

/// The right of one call to use the [`CallerRuntime`].
pub struct Lease {
    caller_runtime: &'static CallerRuntime,
    inner: MutexGuard<'static, Inner>,
}

impl CallerRuntime {
    pub fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signal_checks = runtime.block_on(async { signal_checks() });
        let spin_time = if available_parallelism().is_ok_and(|processors| processors.get() == 1) {
            Duration::ZERO
        } else {
            SPIN_TIME
        };
        let last_call = Instant::now();
        Ok(CallerRuntime(Mutex::new(Inner { runtime, signal_checks, spin_time, last_call, is_reaped: false })))
    }

    /// `None` while another call uses it.
    pub fn try_acquire(&'static self) -> Option<Lease> {
        self.0.try_lock().map(|inner| Lease { caller_runtime: self, inner })
    }

    /// Nothing polls the connections of this runtime between calls. So another runtime does, for a while after the last call:
    /// a connection that the server has closed, or that belongs to a client that is gone, is then closed here too.
    async fn reap_idle_connections(&'static self) {
        loop {
            sleep(REAP_INTERVAL).await;
            let reap_once = || self.try_acquire().is_none_or(|mut lease| lease.inner.reap_once());
            if !spawn_blocking(reap_once).await.unwrap_or_default() {
                return;
            }
        }
    }
}

impl Lease {
    /// Completes a request on this thread. `workers` is the runtime with threads, for what goes on after the call. The request
    /// gets the times when it should look for Ctrl-C.
    pub fn block_on<T>(mut self, workers: &Handle, request: impl AsyncFnOnce(&mut Interval) -> T) -> T {
        let inner = &mut *self.inner;
        let answer = inner.runtime.block_on(async {
            // Connections that were closed since the last call must not be used for this one. Their tasks learn of it here,
            // and run before a request is written.
            yield_now().await;
            let start = Instant::now();
            let answer = spin_then_wait(request(&mut inner.signal_checks), start + inner.spin_time).await;
            if start.elapsed() > SPIN_TIME {
                // A request that was given up closes its connection now, not when the connections are polled next.
                poll_io().await;
            }
            answer
        });
        inner.last_call = Instant::now();
        if !std::mem::replace(&mut inner.is_reaped, true) {
            workers.spawn(self.caller_runtime.reap_idle_connections());
        }
        answer
    }
}

impl Inner {
    /// Whether to come again.
    fn reap_once(&mut self) -> bool {
        self.runtime.block_on(poll_io());
        self.is_reaped = self.last_call.elapsed() < REAP_FOR;
        self.is_reaped
    }
}

/// The first yield has the runtime collect events, the second has the connections' tasks act on them.
async fn poll_io() {
    yield_now().await;
    yield_now().await;
}

/// A processor that sleeps is slow to wake. Until the time is `until`, this thread only yields to other threads.
async fn spin_then_wait<T>(request: impl Future<Output = T>, until: Instant) -> T {
    let mut request = pin!(request);
    while Instant::now() < until {
        tokio::select! {
            biased;
            answer = &mut request => return answer,
            () = yield_now() => std::thread::yield_now(),
        }
    }
    request.await
}
