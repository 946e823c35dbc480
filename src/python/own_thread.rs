//! Requests on the thread that makes them.
//!
//! A service on this machine answers sooner than one thread wakes another and is woken by it again. So a call that asks one
//! runs where it is made, on a runtime that has no threads.

use std::io;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::sleep;

use crate::client::IDLE_CONNECTIONS_LIVE;

/// How long a call stays awake for its answer. Whoever else wants the processor gets it meanwhile.
const STAYS_AWAKE: Duration = Duration::from_millis(1);
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);
/// By then a connection that nobody uses was closed.
const LOOKED_AFTER: Duration = IDLE_CONNECTIONS_LIVE.saturating_mul(2).saturating_add(Duration::from_secs(30));

/// Takes one call at a time.
pub struct OwnThread(Mutex<Turning>);

pub struct Turning {
    runtime: Runtime,
    last_call: Instant,
    looked_after: bool,
}

impl OwnThread {
    pub fn new() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(OwnThread(Mutex::new(Turning { runtime, last_call: Instant::now(), looked_after: false })))
    }

    /// `None` while another call has it.
    pub fn free(&self) -> Option<MutexGuard<'_, Turning>> {
        match self.0.try_lock() {
            Ok(turning) => Some(turning),
            // What panicked was the request.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Connections are served only while somebody waits. Between calls, those that end must find somebody who lets them.
    pub async fn look_after(&'static self) {
        loop {
            sleep(BETWEEN_LOOKS).await;
            let look = || self.free().is_none_or(|mut turning| turning.look());
            if !spawn_blocking(look).await.unwrap_or_default() {
                return;
            }
        }
    }
}

impl Turning {
    /// Runs a request to its end. Whether somebody has to be found who [looks after](OwnThread::look_after) the connections.
    pub fn block_on<T>(&mut self, request: impl Future<Output = T>) -> (T, bool) {
        let answer = self.runtime.block_on(async {
            // What was closed since the last call must not be asked.
            take_note().await;
            let answer = stay_awake(request).await;
            take_note().await;
            answer
        });
        self.last_call = Instant::now();
        (answer, !std::mem::replace(&mut self.looked_after, true))
    }

    /// Whether it should be looked after any longer.
    fn look(&mut self) -> bool {
        self.runtime.block_on(take_note());
        self.looked_after = self.last_call.elapsed() < LOOKED_AFTER;
        self.looked_after
    }
}

/// The first turn brings the news in, the second has the connections act on it.
async fn take_note() {
    yield_now().await;
    yield_now().await;
}

async fn stay_awake<T>(request: impl Future<Output = T>) -> T {
    let mut request = pin!(request);
    let asleep = Instant::now() + STAYS_AWAKE;
    while Instant::now() < asleep {
        tokio::select! {
            biased;
            answer = &mut request => return answer,
            () = yield_now() => std::thread::yield_now(),
        }
    }
    request.await
}
