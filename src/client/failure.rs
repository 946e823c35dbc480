//! Why an attempt failed, whether another may go better, and what it becomes when there is none.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{StatusCode, Url};

use super::error::Attempts;
use super::{Error, Request, Token, retry};

pub type Attempt<T> = Result<T, Failure>;

/// Why an attempt brought no answer.
pub enum Failure {
    /// An answer that is a refusal.
    Refused {
        status: StatusCode,
        headers: HeaderMap,
        body: Bytes,
    },
    /// The connection failed, or broke.
    Broken(reqwest::Error),
    Late(String),
    TooLarge {
        limit: usize,
    },
    /// What would fail again.
    Final(String),
}

impl From<reqwest::Error> for Failure {
    fn from(problem: reqwest::Error) -> Self {
        match problem.is_builder() {
            true => Failure::Final(describe(&problem)),
            false => Failure::Broken(problem),
        }
    }
}

impl Failure {
    /// How long to wait before the next attempt; `None` where there must be none.
    pub fn wait(&self, is_read: bool, attempts: u32) -> Option<Duration> {
        let (again, headers) = match self {
            Failure::Refused { status, headers, .. } if is_read => {
                (retry::is_retryable(status.as_u16()), Some(headers))
            }
            Failure::Refused { status, headers, .. } => {
                (retry::is_safe_to_resend(status.as_u16(), headers), Some(headers))
            }
            Failure::Broken(problem) if problem.is_connect() => (true, None),
            Failure::Broken(problem) => (is_read && !problem.is_timeout(), None),
            Failure::Late(_) | Failure::TooLarge { .. } | Failure::Final(_) => (false, None),
        };
        again.then(|| retry::wait(attempts, headers))
    }

    /// Without the token, should the other side have repeated it.
    pub fn into_error(self, request: Request, root: &Url, token: &Token, attempts_made: Attempts) -> Error {
        let without_token = |text: &str| text.replace(token.expose(), "…");
        let cause = without_token(&self.to_string());
        match self {
            Failure::Refused { status, body, .. } => {
                let body = without_token(&String::from_utf8_lossy(&body));
                Error::Api { request, status: status.as_u16(), body, attempts_made }
            }
            Failure::Broken(problem) if problem.is_timeout() => Error::Timeout { request, cause, attempts_made },
            Failure::Late(_) => Error::Timeout { request, cause, attempts_made },
            Failure::TooLarge { .. } => Error::Decode { request, problem: cause },
            Failure::Broken(_) | Failure::Final(_) => {
                Error::Transport { request, root: root.to_string(), cause, attempts_made }
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Refused { status, .. } => status.fmt(f),
            Failure::Broken(problem) if problem.is_timeout() && problem.is_connect() => {
                f.write_str("no connection within connect_timeout")
            }
            Failure::Broken(problem) if problem.is_timeout() => f.write_str("no byte came for read_timeout"),
            Failure::Broken(problem) => f.write_str(&describe(problem)),
            Failure::TooLarge { limit } => {
                write!(
                    f,
                    "it sent more than {limit} bytes; give the client a larger max_response_bytes= to read that much"
                )
            }
            Failure::Late(problem) | Failure::Final(problem) => f.write_str(problem),
        }
    }
}

/// An error of the HTTP library with its causes, without the address it went to.
pub fn describe(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    let mut text = String::new();
    while let Some(deeper) = cause.source() {
        text = deeper.to_string();
        cause = deeper;
    }
    if text.is_empty() { error.to_string() } else { text }
}
