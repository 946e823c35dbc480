//! Waiting without holding the GIL, and asyncio.

use std::pin::pin;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3_async_runtimes::tokio::{future_into_py, get_runtime};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// How often a waiting call looks for Ctrl-C.
const SIGNAL_CHECKS: Duration = Duration::from_millis(50);

/// Runs a request to its end while other Python threads go on. Ctrl-C drops the request.
pub fn wait<T: Send, E: Into<PyErr> + Send>(
    py: Python<'_>,
    request: impl Future<Output = Result<T, E>> + Send,
) -> PyResult<T> {
    py.detach(|| {
        get_runtime().block_on(async {
            let mut request = pin!(request);
            let mut checks = interval_at(Instant::now() + SIGNAL_CHECKS, SIGNAL_CHECKS);
            checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    biased;
                    answer = &mut request => return answer.map_err(Into::into),
                    _ = checks.tick() => Python::attach(|py| py.check_signals())?,
                }
            }
        })
    })
}

/// Hands a request to asyncio. Cancelling the awaitable drops the request.
pub fn spawn<'py, T, E>(
    py: Python<'py>,
    request: impl Future<Output = Result<T, E>> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>>
where
    T: for<'a> IntoPyObject<'a> + Send + 'static,
    E: Into<PyErr> + Send,
{
    future_into_py(py, async move { request.await.map_err(Into::into) })
}
