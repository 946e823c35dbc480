//! Requests on the thread that makes them.
//!
//! A service on this machine answers sooner than one thread wakes another and is woken by it again. So a call that asks one
//! runs where it is made, on a runtime that has no threads.
//!
//! The service has to be woken all the same, and a virtual processor that sleeps is woken many times slower than it answers.
//! So while calls follow each other closely, the second of two processors stays awake with them.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::sleep;

use crate::client::IDLE_CONNECTION_TIMEOUT;

/// How long a call stays awake for its answer. Whoever else wants the processor gets it meanwhile.
const SPIN_TIME: Duration = Duration::from_millis(1);
/// A call that starts sooner after the last one follows it closely.
const CLOSELY: Duration = Duration::from_micros(200);
const REAP_INTERVAL: Duration = Duration::from_millis(250);
/// By then a connection that nobody uses was closed.
const REAP_FOR: Duration = IDLE_CONNECTION_TIMEOUT.saturating_mul(2).saturating_add(Duration::from_secs(30));

/// Takes one call at a time.
pub struct CallerRuntime {
    inner: Mutex<Inner>,
    companion: Companion,
}

struct Inner {
    runtime: Runtime,
    last_call: Instant,
    looked_after: bool,
}

/// A turn of [`CallerRuntime`], for one call.
pub struct Lease {
    caller_runtime: &'static CallerRuntime,
    inner: MutexGuard<'static, Inner>,
}

impl CallerRuntime {
    pub fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let inner = Mutex::new(Inner { runtime, last_call: Instant::now(), looked_after: false });
        Ok(CallerRuntime { inner, companion: Companion::new() })
    }

    /// `None` while another call has it.
    pub fn try_acquire(&'static self) -> Option<Lease> {
        let inner = match self.inner.try_lock() {
            Ok(inner) => inner,
            // What panicked was the request.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        Some(Lease { caller_runtime: self, inner })
    }

    /// Connections are served only while somebody waits. Between calls, those that end must find somebody who lets them.
    async fn reap_idle_connections(&'static self) {
        loop {
            sleep(REAP_INTERVAL).await;
            let reap_once = || self.try_acquire().is_none_or(|mut turn| turn.inner.reap_once());
            if !spawn_blocking(reap_once).await.unwrap_or_default() {
                return;
            }
        }
    }
}

impl Lease {
    /// RaggedArrays a request to its end. `others` has the threads that do what is left.
    pub fn block_on<T>(mut self, others: &Handle, request: impl Future<Output = T>) -> T {
        let (caller_runtime, inner) = (self.caller_runtime, &mut *self.inner);
        if inner.last_call.elapsed() < CLOSELY && caller_runtime.companion.is_wanted_for(SPIN_TIME) {
            others.spawn_blocking(|| caller_runtime.companion.stay_awake());
        }
        let answer = inner.runtime.block_on(async {
            // What was closed since the last call must not be asked.
            poll_io().await;
            let answer = stay_awake(request).await;
            poll_io().await;
            answer
        });
        inner.last_call = Instant::now();
        caller_runtime.companion.sleeps_in(CLOSELY);
        if !std::mem::replace(&mut inner.looked_after, true) {
            others.spawn(caller_runtime.reap_idle_connections());
        }
        answer
    }
}

impl Inner {
    /// Whether it should be looked after any longer.
    fn reap_once(&mut self) -> bool {
        self.runtime.block_on(poll_io());
        self.looked_after = self.last_call.elapsed() < REAP_FOR;
        self.looked_after
    }
}

/// A thread that keeps the other processor awake, and lets whoever else wants it have it.
struct Companion {
    /// Whether there is one other. Of several, the service would be woken on one that sleeps.
    possible: bool,
    began: Instant,
    /// Microseconds after it began.
    asleep: AtomicU64,
    is_awake: AtomicBool,
}

impl Companion {
    fn new() -> Self {
        let possible = available_parallelism().is_ok_and(|processors| processors.get() == 2);
        Companion { possible, began: Instant::now(), asleep: AtomicU64::new(0), is_awake: AtomicBool::new(false) }
    }

    fn sleeps_in(&self, time: Duration) {
        self.asleep.store(micros(self.began.elapsed() + time), Ordering::Relaxed);
    }

    /// Whether somebody has to be found who [stays awake](Companion::stay_awake).
    fn is_wanted_for(&self, time: Duration) -> bool {
        self.sleeps_in(time);
        self.possible && !self.is_awake.swap(true, Ordering::Relaxed)
    }

    fn stay_awake(&self) {
        while micros(self.began.elapsed()) < self.asleep.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        self.is_awake.store(false, Ordering::Relaxed);
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The first turn brings the news in, the second has the connections act on it.
async fn poll_io() {
    yield_now().await;
    yield_now().await;
}

async fn stay_awake<T>(request: impl Future<Output = T>) -> T {
    let mut request = pin!(request);
    let asleep = Instant::now() + SPIN_TIME;
    while Instant::now() < asleep {
        tokio::select! {
            biased;
            answer = &mut request => return answer,
            () = yield_now() => std::thread::yield_now(),
        }
    }
    request.await
}
