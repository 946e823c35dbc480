//! Failed attempts to send a request: the decision to retry, the delay, and the final error.

use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};

use super::certificate::{CertificateProblem, tls_error};
use super::connections::Connections;
use super::proxy::named;
use crate::advice::Advice;
use crate::cause::{chain, root_cause};
use crate::error::{Attempts, Error, Request};
use geodesign::model::{X_REQUEST_ID, is_request_id};
use geodesign::named::BASE_URL;

/// The longest delay before the first retry. It doubles with every retry.
const FIRST_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(20);

/// The reason why one attempt to send a request failed.
#[derive(Debug, thiserror::Error)]
pub enum AttemptError {
    #[error("{status}")]
    Status { status: StatusCode, headers: HeaderMap, body: Bytes },
    /// No connection, a broken connection, or a time-out of connecting or reading.
    #[error("{}", describe(.0))]
    Http(#[from] reqwest::Error),
    #[error("no complete answer within timeout={} s", .timeout.as_secs_f64())]
    Timeout { timeout: Duration },
    #[error("it sent more than {limit} bytes; give the client a larger max_response_bytes= to read that much")]
    TooLarge { limit: usize },
    #[error("it sent 206 Partial Content, although the client asked for the complete content")]
    PartialContent,
    #[error("it sent a body in the encoding {encoding:?}, which the client did not ask for")]
    Encoding { encoding: String },
    #[error(transparent)]
    Redirect(#[from] RedirectError),
}

/// A redirect that is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedirectError {
    #[error("it redirects to an invalid address")]
    InvalidLocation,
    #[error("it redirects, which would turn the write into a read; check {BASE_URL}")]
    WriteBecomesRead,
    #[error("it redirects to {origin}, where the token must not go; check {BASE_URL}")]
    OtherOrigin { origin: String },
    #[error("more than {maximum} redirects")]
    TooMany { maximum: usize },
}

impl AttemptError {
    /// True if the service may or may not have carried out the request.
    pub fn is_lost(&self) -> bool {
        match self {
            AttemptError::Status { status, headers, .. } => {
                matches!(status.as_u16(), 502..=504) && !is_safe_to_resend(status.as_u16(), headers)
            }
            AttemptError::Http(error) => {
                !error.is_builder() && !error.is_connect() && CertificateProblem::find_in(error).is_none()
            }
            AttemptError::Timeout { .. } => true,
            AttemptError::TooLarge { .. }
            | AttemptError::PartialContent
            | AttemptError::Encoding { .. }
            | AttemptError::Redirect(_) => false,
        }
    }

    /// True if the service responded that it will not carry out the request.
    pub fn is_refusal(&self) -> bool {
        let AttemptError::Status { status, .. } = self else { return false };
        status.is_client_error() && !is_retryable(status.as_u16())
    }

    /// Same as [`AttemptError::retry_delay`], for a request that may be sent again although its response was lost.
    pub fn repeat_delay(&self, is_read: bool, attempts: u32) -> Option<Duration> {
        let headers = match self {
            AttemptError::Status { headers, .. } => Some(headers),
            _ => None,
        };
        if self.is_lost() { Some(delay(attempts, headers)) } else { self.retry_delay(is_read, attempts) }
    }

    /// Delay before the request is sent again; `None` if it must not be, or if that would fail again. A write is sent again only if the
    /// service cannot have carried it out.
    pub fn retry_delay(&self, is_read: bool, attempts: u32) -> Option<Duration> {
        let (is_retried, headers) = match self {
            AttemptError::Status { status, headers, .. } if is_read => (is_retryable(status.as_u16()), Some(headers)),
            AttemptError::Status { status, headers, .. } => {
                (is_safe_to_resend(status.as_u16(), headers), Some(headers))
            }
            AttemptError::Http(error)
                if error.is_builder() || CertificateProblem::find_in(error).is_some() || wants_password(error) =>
            {
                (false, None)
            }
            AttemptError::Http(error) if error.is_connect() => (true, None),
            AttemptError::Http(error) => (is_read && !error.is_timeout(), None),
            AttemptError::Timeout { .. }
            | AttemptError::TooLarge { .. }
            | AttemptError::PartialContent
            | AttemptError::Encoding { .. }
            | AttemptError::Redirect(_) => (false, None),
        };
        is_retried.then(|| delay(attempts, headers))
    }

    /// The error of a request whose last attempt failed this way.
    pub fn into_error(self, request: Request, connections: &Connections, attempts: Attempts) -> Error {
        let proxy =
            connections.proxy().filter(|_| matches!(self, AttemptError::Http(_) | AttemptError::Timeout { .. }));
        let (problem, scheme) = (named(proxy, self.to_string()), connections.root().scheme().to_owned());
        let root = connections.root().as_str().into();
        match self {
            AttemptError::Status { status, body, headers } => {
                let (body, request_id) = (String::from_utf8_lossy(&body).into_owned(), request_id(&headers));
                Error::Api { request, status, body, attempts, request_id }
            }
            AttemptError::Http(error) if error.is_timeout() => {
                Error::Timeout { request, problem, attempts, source: Some(error.into()) }
            }
            AttemptError::Timeout { .. } => Error::Timeout { request, problem, attempts, source: None },
            AttemptError::TooLarge { .. } | AttemptError::PartialContent | AttemptError::Encoding { .. } => {
                Error::Decode { request, problem, source: None }
            }
            AttemptError::Http(error) => {
                let found = CertificateProblem::find_in(&error).map(|problem| problem.advice);
                let (problem, advice) = match (found, speaks_otherwise(&error, &scheme)) {
                    (Some(Advice::TrustTheCertificate), _) if connections.config().authority.is_some() => {
                        (problem, Advice::AskForANewCard)
                    }
                    (Some(advice), _) => (problem, advice),
                    (None, Some((spoken, advice))) => (spoken.to_owned(), advice),
                    // If a connection exists, the fault is the service's.
                    (None, None) if proxy.is_some() && error.is_connect() => (problem, advice_at_proxy(&error)),
                    (None, None) => (problem, Advice::CheckTheService),
                };
                Error::Transport { request, root, problem, attempts, advice, source: Some(error.into()) }
            }
            AttemptError::Redirect(_) => {
                Error::Transport { request, root, problem, attempts, advice: Advice::CheckTheService, source: None }
            }
        }
    }
}

fn describe(error: &reqwest::Error) -> String {
    if let Some(CertificateProblem { reason, .. }) = CertificateProblem::find_in(error) {
        return format!("{reason} ({})", root_cause(error));
    }
    match (error.is_timeout(), error.is_connect()) {
        (true, true) => "no connection within connect_timeout".to_owned(),
        (true, false) => "no byte arrived within read_timeout".to_owned(),
        (false, _) => root_cause(error).to_string(),
    }
}

/// Advice for a connection that failed through a proxy.
pub fn advice_at_proxy(error: &reqwest::Error) -> Advice {
    if wants_password(error) { Advice::SignInAtTheProxy } else { Advice::CheckTheProxy }
}

/// True if the proxy refused a connection without a user and a password, or with wrong ones. Repeating it could lock the account.
fn wants_password(error: &reqwest::Error) -> bool {
    // Text of the library that connects to proxies, which has no public type for this.
    root_cause(error).to_string().contains("proxy authorization required")
}

/// The protocol that the service speaks instead of the one in base_url, and the advice.
fn speaks_otherwise(error: &reqwest::Error, scheme: &str) -> Option<(&'static str, Advice)> {
    match scheme {
        "https" => chain(error).find_map(|error| match tls_error(error)? {
            rustls::Error::InvalidMessage(_) => Some(("the service there speaks http, not https", Advice::WriteHttp)),
            _ => None,
        }),
        // Text of the library that reads responses. A service that expects TLS sends an alert instead.
        _ if root_cause(error).to_string().contains("invalid HTTP version") => {
            Some(("the service there speaks https, not http", Advice::WriteHttps))
        }
        _ => None,
    }
}

/// True if a read that failed with this status may succeed when sent again.
fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// True if the service rejected a request before processing it, so that a write can be sent again without being carried out twice.
fn is_safe_to_resend(status: u16, headers: &HeaderMap) -> bool {
    status == 429 || status == 503 && headers.contains_key(RETRY_AFTER)
}

/// The delay after attempt number `attempt`, counted from 1: as the service requested, else exponential with full jitter.
fn delay(attempt: u32, headers: Option<&HeaderMap>) -> Duration {
    let requested = headers.and_then(|headers| retry_after(headers, Timestamp::now()));
    requested.unwrap_or_else(|| {
        let longest = FIRST_DELAY.saturating_mul(2u32.saturating_pow(attempt - 1)).min(MAX_DELAY);
        longest.mul_f64(fastrand::f64())
    })
}

/// `Retry-After` in both its forms, seconds or a date (RFC 9110, section 10.2.3).
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

/// The service's id for a request. Text that is not an id is not shown.
pub fn request_id(headers: &HeaderMap) -> Option<Box<str>> {
    let id = headers.get(X_REQUEST_ID)?.to_str().ok()?;
    is_request_id(id).then(|| id.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &'static str) -> Option<Duration> {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, text.parse().unwrap())]);
        retry_after(&headers, "2026-03-02T09:00:00Z".parse().unwrap())
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after("Mon, 02 Mar 2026 09:00:09 GMT"), Some(Duration::from_secs(9)));
        assert_eq!(after("Mon, 02 Mar 2026 08:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(after("3600"), Some(Duration::from_secs(3600)));
        assert_eq!(after("soon"), None);
    }

    #[test]
    fn without_retry_after_the_delay_doubles_up_to_a_limit() {
        for attempt in 1..40 {
            assert!(delay(attempt, None) <= MAX_DELAY.min(FIRST_DELAY * 2u32.saturating_pow((attempt - 1).min(20))));
        }
    }
}
