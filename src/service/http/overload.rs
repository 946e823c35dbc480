//! Refusals of requests that the same sender may send again a little later.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode};

/// What there is too much of now, and which limit that exceeds.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("{problem}; the limit {limit} is {value}.")]
pub struct Overload {
    problem: &'static str,
    limit: &'static str,
    value: u64,
    status: StatusCode,
    retry_after: Duration,
}

impl Overload {
    /// The sender alone exceeds a limit.
    pub fn of_sender(problem: &'static str, limit: &'static str, value: u64) -> Self {
        Overload { problem, limit, value, status: StatusCode::TOO_MANY_REQUESTS, retry_after: Duration::ZERO }
    }

    /// All senders together exceed a limit.
    pub fn of_service(problem: &'static str, limit: &'static str, value: u64) -> Self {
        Overload { status: StatusCode::SERVICE_UNAVAILABLE, ..Overload::of_sender(problem, limit, value) }
    }

    pub fn retry_after(self, retry_after: Duration) -> Self {
        Overload { retry_after, ..self }
    }

    pub fn status_code(&self) -> StatusCode {
        self.status
    }

    /// The value of `Retry-After`: whole seconds, at least one.
    pub fn retry_after_header(&self) -> HeaderValue {
        let seconds = self.retry_after.as_secs() + u64::from(self.retry_after.subsec_nanos() > 0);
        seconds.max(1).into()
    }
}
