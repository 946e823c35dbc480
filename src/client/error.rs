//! The errors of requests: which request, what went wrong, and what to do about it. No message shows the token, nor text of a
//! server that could pass for something else.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::Method;
use serde_json::Value;

use super::cause::Cause;
use super::config::ConfigError;
use super::external::ExternalFileError;
use super::shown::shown;
use super::token::Token;
use crate::archive::ArchiveError;
use crate::costs::CostError;
use crate::model::DiagramId;
use crate::model::operations::Endpoint;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client cannot be made with these settings.
    #[error(transparent)]
    Configuration(#[from] ConfigError),

    /// An argument that cannot be sent.
    #[error("{0}")]
    Input(String),

    #[error("{request} got no answer from {root}: {} ({attempts}). {advice}", shown(problem))]
    Transport {
        request: Request,
        root: Box<str>,
        problem: String,
        attempts: Attempts,
        advice: Advice,
        source: Option<Cause>,
    },

    #[error("{request} was not answered in time: {} ({attempts}). {}, or give the client more time", shown(problem), if request.method == "GET" { "Ask again" } else { "It may have been carried out: look before you send it again" })]
    Timeout { request: Request, problem: String, attempts: Attempts, source: Option<Cause> },

    #[error("{request} answered what cannot be read: {}", shown(problem))]
    Decode { request: Request, problem: String, source: Option<Cause> },

    /// The service answered with an error status. `body` is the start of the answer as it was sent; the message shows what can be
    /// shown safely.
    #[error("{}", describe_error_status(.request, *.status, .body, *.attempts))]
    Api { request: Request, status: u16, body: String, attempts: Attempts },

    /// An archive of a project cannot be read or written.
    #[error(transparent)]
    Archive(#[from] Arc<ArchiveError>),

    /// All answers arrived, but the costs cannot be computed from them.
    #[error(transparent)]
    Costs(#[from] CostError),

    /// The file of an external diagram, which is on another server.
    #[error("the file of diagram {diagram}, {}, cannot be opened: {source}", shown(url))]
    ExternalFile { diagram: DiagramId, url: Box<str>, source: ExternalFileError },

    /// A defect of this library.
    #[error("a task of pygeodesign itself failed ({0}); please report this")]
    Internal(String),
}

impl Error {
    /// An argument that cannot be sent, for this reason.
    pub(super) fn input(problem: impl fmt::Display) -> Self {
        Error::Input(problem.to_string())
    }
}

/// A request as errors name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    /// The path below the API root, without a query.
    pub path: Box<str>,
}

impl From<&Endpoint> for Request {
    fn from(endpoint: &Endpoint) -> Self {
        let method = match endpoint.method {
            Method::POST => "POST",
            Method::DELETE => "DELETE",
            _ => "GET",
        };
        Request { method, path: format!("/{}", endpoint.path).into() }
    }
}

/// What to do where no answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    CheckTheService,
    RenewTheCertificate,
    UseTheNameInTheCertificate,
    TrustTheCertificate,
    MakeACertificateForTheService,
}

/// How often a request was sent before it failed for good, and how long that took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempts {
    pub count: u32,
    pub elapsed: Duration,
}

impl Error {
    /// The same error without the token, which the service may have repeated in its answer.
    pub(super) fn without_token(mut self, token: &Token) -> Self {
        let (texts, source) = match &mut self {
            Error::Transport { problem, source, .. }
            | Error::Timeout { problem, source, .. }
            | Error::Decode { problem, source, .. } => (problem, source),
            Error::Api { body, .. } => (body, &mut None),
            Error::Configuration(_)
            | Error::Input(_)
            | Error::Archive(_)
            | Error::Costs(_)
            | Error::ExternalFile { .. }
            | Error::Internal(_) => return self,
        };
        *texts = token.hide_in(texts);
        if source.as_ref().is_some_and(|source| source.shows(token)) {
            *source = None;
        }
        self
    }
}

impl From<ArchiveError> for Error {
    fn from(error: ArchiveError) -> Self {
        Error::Archive(Arc::new(error))
    }
}

impl From<tokio::task::JoinError> for Error {
    fn from(failure: tokio::task::JoinError) -> Self {
        Error::Internal(failure.to_string())
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Advice::CheckTheService => "Check that the service runs there and that the network reaches it",
            Advice::RenewTheCertificate => "Tell the administrator of the service, and check the clock of this machine",
            Advice::UseTheNameInTheCertificate => "Give base_url with the name that the certificate has",
            Advice::TrustTheCertificate => {
                "If it is your own service, pass ca_bundle= with the PEM file of its certificate authority, which \
                 `pygeodesign serve` names when it starts; otherwise do not send it a token"
            }
            Advice::MakeACertificateForTheService => {
                "Make one for the service itself, as `pygeodesign serve --tls-self-signed` does (with openssl: -addext \
                 basicConstraints=critical,CA:FALSE)"
            }
        })
    }
}

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let tries = if self.count == 1 { "try" } else { "tries" };
        write!(f, "{} {tries} in {:.1} s", self.count, self.elapsed.as_secs_f64())
    }
}

fn describe_error_status(request: &Request, status: u16, body: &str, attempts: Attempts) -> String {
    let reason = reqwest::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let mut message = format!("{request} answered {status} {}", reason.unwrap_or("(unknown status)"));
    if let Some(explanation) = explanation(body) {
        message.push_str(&format!(": {}", shown(explanation.trim_end_matches('.'))));
    }
    if attempts.count > 1 {
        message.push_str(&format!(" ({attempts})"));
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

/// The sentence in an error body: its `detail`, `status` or `message`.
fn explanation(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let sentence = ["detail", "status", "message"].iter().find_map(|key| body.get(key)?.as_str().map(str::to_owned));
    sentence.filter(|sentence| !sentence.trim().is_empty())
}
