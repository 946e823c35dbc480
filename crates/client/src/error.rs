//! The errors of requests: the request, the problem, and what to do about it. No message shows the token, or server text that could pass
//! for something else.

use std::sync::Arc;
use std::time::Duration;
use std::{fmt, iter};

use http::{Method, StatusCode};
use serde_json::Value;

use super::advice::Advice;
use super::cause::Cause;
use super::config::ConfigError;
use super::external_error::ExternalFileError;
use super::token::Token;
use geodesign::archive::ArchiveError;
use geodesign::archive::contents::Undecodable;
use geodesign::costs::CostError;
use geodesign::model::operations::Endpoint;
use geodesign::model::{AddedDiagram, DiagramId};
use geodesign::named::BASE_URL;

/// At most this many characters of server text are shown. Longer text loses its middle, because the end often shows the fault.
const MAX_CHARS: usize = 500;
const END_CHARS: usize = 150;
const GAP: &str = " … ";

/// Message to users after a panic. The panic's own text is for developers and goes to the standard error.
pub const PANICKED: &str = "a computation failed because of a defect in pygeodesign; please report it";

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Clone, thiserror::Error)]
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

    /// The service cannot prove that it is the room of a link. The token was not sent.
    #[error(
        "{address} is not the room of this link: {}. Either somebody else answers at this address, such as a firewall that opens encrypted \
         connections, or the room has a new authority since the link was made: ask the facilitator for a new card, or the \
         administrator of the network for an exception. The token was not sent",
        shown(reason)
    )]
    OtherRoom { address: Box<str>, reason: String },

    #[error("{request} was not answered in time: {} ({attempts}). {}, or give the client more time", shown(problem), if request.method == "GET" { "Ask again" } else { "It may have been carried out: look before you send it again" })]
    Timeout { request: Request, problem: String, attempts: Attempts, source: Option<Cause> },

    #[error("the response to {request} cannot be read: {}", shown(problem))]
    Decode { request: Request, problem: String, source: Option<Cause> },

    /// The service responded with an error status. `body` is the start of the response as sent; the message shows what can be shown
    /// safely. `request_id` is the service's id for the request, if it gave one.
    #[error("{}", describe_error_status(.request, *.status, .body, *.attempts, .request_id.as_deref()))]
    Api { request: Request, status: StatusCode, body: String, attempts: Attempts, request_id: Option<Box<str>> },

    /// A diagram was added, but not its dates.
    #[error("diagram {} was added without its dates, which update_diagram can set: {source}", added.diagram_id)]
    WithoutDates { added: Box<AddedDiagram>, source: Box<Error> },

    /// An archive of a project cannot be read or written.
    #[error(transparent)]
    Archive(#[from] Arc<ArchiveError>),

    /// All responses arrived, but the costs cannot be computed from them.
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
    /// An argument that cannot be sent, with the reason.
    pub(super) fn input(problem: impl fmt::Display) -> Self {
        Error::Input(problem.to_string())
    }
}

/// A request as shown in errors.
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
            Method::PUT => "PUT",
            Method::PATCH => "PATCH",
            Method::DELETE => "DELETE",
            _ => "GET",
        };
        Request { method, path: format!("/{}", endpoint.path).into() }
    }
}

/// Number of attempts before a request failed for good, and the time they took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempts {
    pub count: u32,
    pub elapsed: Duration,
}

impl Error {
    /// Returns the same error without the token, which the service may have repeated in its response.
    pub(super) fn without_token(mut self, token: &Token) -> Self {
        let (texts, source) = match &mut self {
            Error::Transport { problem, source, .. }
            | Error::Timeout { problem, source, .. }
            | Error::Decode { problem, source, .. } => (problem, source),
            Error::Api { body, request_id, .. } => {
                request_id.take_if(|id| token.is_in(id));
                (body, &mut None)
            }
            Error::WithoutDates { source, .. } => {
                **source = source.clone().without_token(token);
                return self;
            }
            Error::Configuration(_)
            | Error::OtherRoom { .. }
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

impl From<Undecodable> for Error {
    fn from(Undecodable { endpoint, source }: Undecodable) -> Self {
        Error::Decode { request: (&endpoint).into(), problem: source.to_string(), source: Some(source.into()) }
    }
}

impl From<tokio::task::JoinError> for Error {
    fn from(failure: tokio::task::JoinError) -> Self {
        // Without the panic's text, which does not help users.
        Error::Internal(if failure.is_panic() { PANICKED } else { "it was cancelled" }.to_owned())
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let tries = if self.count == 1 { "try" } else { "tries" };
        write!(f, "{} {tries} in {:.1} s", self.count, self.elapsed.as_secs_f64())
    }
}

fn describe_error_status(
    request: &Request,
    status: StatusCode,
    body: &str,
    attempts: Attempts,
    request_id: Option<&str>,
) -> String {
    let reason = status.canonical_reason().unwrap_or("(unknown status)");
    let mut message = format!("{request} answered {} {reason}", status.as_u16());
    if let Some(explanation) = explanation(body) {
        message.push_str(&format!(": {}", shown(explanation.trim_end_matches('.'))));
    }
    if attempts.count > 1 {
        message.push_str(&format!(" ({attempts})"));
    }
    let advice = match status.as_u16() {
        400 => "Correct what it names and send again",
        401 => "Check the token: it comes from the API page of the service and expires six months after issue",
        403 => advice_where_refused(&request.path),
        404 => advice_where_nothing_is(&request.path),
        409 => "",
        429 => "Wait and ask again, or lower max_concurrency=",
        500.. => "The fault is the service's: ask again later, and tell its administrator if it persists",
        _ => &format!("Check that {BASE_URL} is the API root of the service"),
    };
    if !advice.is_empty() {
        message.push_str(". ");
        message.push_str(advice);
    }
    if let Some(id) = request_id {
        message.push_str(&format!(" (request {id})"));
    }
    message
}

/// Returns advice for status 403. Below a project's path, its administrators can help; elsewhere, the response says who can.
fn advice_where_refused(path: &str) -> &'static str {
    match path.strip_prefix("/projects/") {
        Some(below) if below.contains('/') && !below.starts_with("create") => {
            "Ask an administrator of the project for the right to do this"
        }
        _ => "",
    }
}

/// Returns advice for status 404, which names parts that only pygeodesign's service has.
fn advice_where_nothing_is(path: &str) -> &'static str {
    if path == "/limits/" {
        "This service does not list its limits; only pygeodesign's does"
    } else if path.contains("/history/") {
        "Either this service has no history, which only pygeodesign's keeps, or it has no such project or entry"
    } else if path.ends_with("/context/") {
        "Either this service has no context, which only pygeodesign's keeps, or it has no such project"
    } else {
        "Check the ids in the path, and that the token's user is a member of the project"
    }
}

/// Returns the sentence in an error body: its `detail`, `status` or `message`.
fn explanation(body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let sentence = ["detail", "status", "message"].iter().find_map(|key| body.get(key)?.as_str().map(str::to_owned));
    sentence.filter(|sentence| !sentence.trim().is_empty())
}

/// Makes server text safe for errors and log records. Characters that a terminal would obey, or that would disguise the text, are
/// written as Python escapes: control characters, escapes, marks that change the direction of writing and characters without a width.
pub fn shown(text: &str) -> String {
    let whole = up_to(MAX_CHARS, text.chars().map(escaped));
    if whole.len() == text.chars().take(MAX_CHARS + 1).count() {
        return whole.concat();
    }
    let start = up_to(MAX_CHARS - END_CHARS - GAP.chars().count(), text.chars().map(escaped));
    let end = up_to(END_CHARS, text.chars().rev().map(escaped));
    start.into_iter().chain(iter::once(GAP.to_owned())).chain(end.into_iter().rev()).collect()
}

/// Returns the first pieces that have at most this many characters together.
fn up_to(max_chars: usize, pieces: impl Iterator<Item = String>) -> Vec<String> {
    let mut chars = 0;
    let counted = pieces.take_while(|piece| {
        chars += piece.chars().count();
        chars <= max_chars
    });
    counted.collect()
}

/// Makes text safe for a terminal, uncut and with its lines.
pub fn harmless(text: &str) -> String {
    text.chars().map(|character| if character == '\n' { character.to_string() } else { escaped(character) }).collect()
}

fn escaped(character: char) -> String {
    match character {
        '\n' => r"\n".to_owned(),
        '\r' => r"\r".to_owned(),
        '\t' => r"\t".to_owned(),
        _ if !is_unseen(character) => character.to_string(),
        ..='\u{FF}' => format!(r"\x{:02x}", u32::from(character)),
        ..='\u{FFFF}' => format!(r"\u{:04x}", u32::from(character)),
        _ => format!(r"\U{:08x}", u32::from(character)),
    }
}

/// True if a character is invisible and acts on the text around it, or on a terminal.
pub fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
            '\u{AD}' | '\u{61C}' | '\u{180E}'
            // Zero width, direction marks, separators of lines and paragraphs, embeddings and overrides.
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            // Joiners, isolates, byte-order mark, annotations, tags.
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(shown("\x1b[2Jgone\r\n\u{9b}"), r"\x1b[2Jgone\r\n\x9b");
        assert_eq!(shown("user\u{202e}nimda\u{2066}\u{200b}\u{e0041}"), r"user\u202enimda\u2066\u200b\U000e0041");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", "Fläche „Süd“ 10 m² 😀", r"C:\new", "مساحة"] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown(&"é".repeat(500)), "é".repeat(500));
    }

    #[test]
    fn a_conflict_is_said_by_the_service_and_not_blamed_on_the_address() {
        let request = Request { method: "POST", path: "/walk_ins/".into() };
        let attempts = Attempts { count: 1, elapsed: Duration::ZERO };
        let message = |status, body| describe_error_status(&request, status, body, attempts, None);
        let taken = message(StatusCode::CONFLICT, r#"{"detail": "The name is taken. Choose another name."}"#);
        assert_eq!(taken, "POST /walk_ins/ answered 409 Conflict: The name is taken. Choose another name");
        assert!(message(StatusCode::IM_A_TEAPOT, "").contains(&BASE_URL.to_string()));
    }

    #[test]
    fn the_middle_of_a_long_text_is_left_out() {
        let text = format!("start{}end", "-".repeat(1_000_000));
        let text = shown(&text);
        assert_eq!(text.chars().count(), 500);
        assert!(text.starts_with("start---") && text.contains("- … -") && text.ends_with("---end"), "{text}");
        assert!(shown(&"\x1b".repeat(200)).chars().count() <= 500);
        assert_eq!(shown(&text), text);
    }
}
