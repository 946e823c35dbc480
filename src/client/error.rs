//! What can go wrong: what was asked, what came back, what to do next. No message holds the token.

use std::fmt;
use std::time::Duration;

use http::Method;
use serde_json::Value;

use crate::costs::CostError;
use crate::model::operations::Endpoint;

pub type Result<T> = std::result::Result<T, Error>;

/// A request as errors name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    /// Below the API root.
    pub path: String,
}

impl From<&Endpoint> for Request {
    fn from(endpoint: &Endpoint) -> Self {
        let method = match endpoint.method {
            Method::POST => "POST",
            Method::DELETE => "DELETE",
            _ => "GET",
        };
        Request { method, path: format!("/{}", endpoint.path) }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// What was spent on a request before it was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempts {
    pub attempts: u32,
    pub elapsed: Duration,
}

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let tries = if self.attempts == 1 { "try" } else { "tries" };
        write!(f, "{} {tries} in {:.1} s", self.attempts, self.elapsed.as_secs_f64())
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Configuration(String),

    #[error(
        "plain http to {host} would show the token to everyone on the way; use https:// (http is for this machine only)"
    )]
    HttpsRequired { host: String },

    /// An argument that cannot be sent.
    #[error("{0}")]
    Input(String),

    #[error(
        "{request} got no answer from {root}: {cause} ({attempts_made}). Check that the service runs there and that the network reaches it"
    )]
    Transport { request: Request, root: String, cause: String, attempts_made: Attempts },

    #[error("{request} was not answered in time: {cause} ({attempts_made}). {}, or give the client more time", if request.method == "GET" { "Ask again" } else { "It may have been carried out: look before you send it again" })]
    Timeout { request: Request, cause: String, attempts_made: Attempts },

    #[error("{request} answered what cannot be read: {problem}")]
    Decode { request: Request, problem: String },

    #[error("{}", describe_answer(.request, *.status, .body, *.attempts_made))]
    Api { request: Request, status: u16, body: String, attempts_made: Attempts },

    /// Everything arrived, but the diagrams cannot be priced.
    #[error(transparent)]
    Costs(#[from] CostError),

    /// A fault of this library.
    #[error("a task of pygeodesign itself failed ({0}); please report this")]
    Internal(String),
}

impl From<tokio::task::JoinError> for Error {
    fn from(failure: tokio::task::JoinError) -> Self {
        Error::Internal(failure.to_string())
    }
}

fn describe_answer(request: &Request, status: u16, body: &str, attempts_made: Attempts) -> String {
    let reason = reqwest::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let mut message = format!("{request} answered {status} {}", reason.unwrap_or("(unknown status)"));
    if let Some(said) = what_it_said(body) {
        message.push_str(&format!(": {}", said.trim_end_matches('.')));
    }
    if attempts_made.attempts > 1 {
        message.push_str(&format!(" ({attempts_made})"));
    }
    message.push_str(". ");
    message.push_str(match status {
        400 => "Correct what it names and send again",
        401 => "Check the token: it comes from the API page of the service and expires six months after issue",
        403 => "Ask an administrator of the project for the right to do this",
        404 => "Check the ids in the path, and that the token's user is a member of the project",
        429 => "Wait and ask again, or lower max_concurrency=",
        500.. => "The fault is the service's: ask again later, and tell its administrator if it stays",
        _ => "Check that base_url is the API root of the service",
    });
    message
}

/// The sentence of an error body: its `detail`, `status` or `message`.
fn what_it_said(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let sentence = ["detail", "status", "message"].iter().find_map(|key| body.get(key)?.as_str().map(str::to_owned));
    sentence.filter(|sentence| !sentence.trim().is_empty())
}
