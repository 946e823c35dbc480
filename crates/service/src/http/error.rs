//! Reasons for which the service refuses or fails a request. Every such response is JSON.

use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::task::JoinError;

use super::request::id::RequestId;
use crate::basemap::BasemapError;
use crate::limits::LimitExceeded;
use crate::processes::ProcessError;
use crate::store::StoreError;
use crate::thumbnail::ThumbnailError;
use crate::workshops::WorkshopError;
use geodesign::model::{Activity, DiagramId};

pub type Result<T> = std::result::Result<T, ApiError>;

/// Seconds until a client retries a request that found the database locked or too slow. The request has already waited for some seconds.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("2");

/// Message for people in the room. The log and the operator's list of workshops have the path and the reason.
const DISPLACED: &str = "Tell the operator of the service that its database was moved, deleted or replaced while it was open. Nothing is \
                         written until the service starts again.";

/// The message is sent in the response. If the service itself failed, it goes to the service's log instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// No user has that token, or it has expired.
    #[error("{0}")]
    Unauthorized(&'static str),
    #[error("{0}")]
    Forbidden(&'static str),
    #[error("No such {0}.")]
    NotFound(&'static str),
    /// The service has no certificate, or one from another authority.
    #[error("This service has no certificate authority of its own, so you do not need its certificate.")]
    NoAuthority,
    /// The request's host name is not one of the service's.
    #[error(
        "The service does not answer to the name {0:?}. Use a name of this machine, such as localhost, or start the service with that \
         name (serve --public-host)."
    )]
    OtherHost(String),
    /// The client has this response already.
    #[error("Nothing has changed.")]
    NotModified,
    /// `If-Match` names another state.
    #[error("It has changed since you read it. Read it again, then repeat your change.")]
    Changed,
    /// An administrator closed this activity to members.
    #[error("{} is closed.{message}", capital(.activity.name()))]
    Closed { activity: Activity, message: String },
    #[error("This path does not support that method.")]
    MethodNotAllowed,
    /// The body or the query cannot be accepted.
    #[error("{0}")]
    Invalid(String),
    /// The body contradicts what the project holds.
    #[error("{0}")]
    Conflict(String),
    /// An earlier, different request of the user in the project had this `Idempotency-Key`.
    #[error("The Idempotency-Key {0:?} was used for another request. Use a new key for each request.")]
    KeyOfAnother(String),
    /// More than a limit of the service allows.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    #[error("The body is too large.")]
    TooLarge,
    #[error("The body did not arrive in time.")]
    TooSlow,
    #[error(transparent)]
    Overload(#[from] Overload),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The workshop does not exist, or its database cannot be opened.
    #[error(transparent)]
    Workshop(#[from] Arc<WorkshopError>),
    #[error("the thumbnail of diagram {diagram} could not be drawn: {source}")]
    Thumbnail { diagram: DiagramId, source: ThumbnailError },
    #[error(transparent)]
    Basemap(#[from] Arc<BasemapError>),
    /// An error of a Python program.
    #[error(transparent)]
    Process(#[from] ProcessError),
    #[error("the service cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// A task of the service panicked or was cancelled.
    #[error("a task of the service failed: {0}")]
    Task(#[from] JoinError),
    #[error("the service panicked")]
    Panic,
}

/// The reason for refusing a request.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorBody<'e> {
    /// Absent from a 400 response to a write that has one of the other fields: the reference shows that field alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'e str>,
    /// The same reason, for writes whose response has this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'e str>,
    /// The same reason, for writes whose response has this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'e str>,
}

/// The field of a write's response that reports the result. Programs written for the public platform look for the error there.
#[derive(Debug, Clone, Copy)]
pub enum OwnField {
    Status,
    Message,
}

/// Marks a response with its reason.
#[derive(Clone)]
struct Told(Arc<str>);

/// Marks a response about a missing thing with its kind.
#[derive(Clone, Copy)]
struct Missing(&'static str);

impl<'e> ErrorBody<'e> {
    fn of(detail: &'e str) -> Self {
        ErrorBody { detail: Some(detail), status: None, message: None }
    }
}

impl OwnField {
    /// Returns the response. If it is an error, this field also has the reason. `is_of_reference` is true if the reference shows the body
    /// of a 400, which has no other field.
    pub fn tell_in(self, mut response: Response, is_of_reference: bool) -> Response {
        let Some(Told(detail)) = response.extensions_mut().remove() else { return response };
        let told = Some(&*detail);
        let body = match self {
            OwnField::Status => ErrorBody { status: told, ..ErrorBody::of(&detail) },
            OwnField::Message => ErrorBody { message: told, ..ErrorBody::of(&detail) },
        };
        let is_alone = is_of_reference && response.status() == StatusCode::BAD_REQUEST;
        let body = if is_alone { ErrorBody { detail: None, ..body } } else { body };
        *response.body_mut() = Json(body).into_response().into_body();
        response
    }
}

/// Returns the response. If something was missing, the reason names it by the id that `id_of` returns for its kind.
pub fn naming_the_missing(mut response: Response, id_of: impl FnOnce(&str) -> Option<String>) -> Response {
    let kind = response.extensions_mut().remove::<Missing>();
    let Some(detail) = kind.and_then(|Missing(kind)| Some(format!("No such {kind}: {}.", id_of(kind)?))) else {
        return response;
    };
    *response.body_mut() = Json(ErrorBody::of(&detail)).into_response().into_body();
    response.extensions_mut().insert(Told(detail.into()));
    response
}

/// Returns the response. For an error, `body` makes the body that another standard requires, from the status and the reason.
pub fn told_as(mut response: Response, body: impl FnOnce(StatusCode, &str) -> serde_json::Value) -> Response {
    let Some(Told(detail)) = response.extensions_mut().remove() else { return response };
    *response.body_mut() = Json(body(response.status(), &detail)).into_response().into_body();
    response
}

impl ApiError {
    pub fn invalid(problem: impl Display) -> Self {
        ApiError::Invalid(problem.to_string())
    }

    fn status_code(&self) -> StatusCode {
        match self {
            ApiError::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            ApiError::Forbidden(_) => StatusCode::FORBIDDEN,
            ApiError::NotFound(_) | ApiError::NoAuthority => StatusCode::NOT_FOUND,
            ApiError::OtherHost(_) => StatusCode::MISDIRECTED_REQUEST,
            ApiError::NotModified => StatusCode::NOT_MODIFIED,
            ApiError::Changed => StatusCode::PRECONDITION_FAILED,
            ApiError::Closed { .. } => StatusCode::FORBIDDEN,
            ApiError::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            ApiError::Invalid(_) => StatusCode::BAD_REQUEST,
            ApiError::Limit(exceeded) => status_of(exceeded),
            ApiError::Conflict(_) => StatusCode::CONFLICT,
            ApiError::KeyOfAnother(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ApiError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ApiError::TooSlow => StatusCode::REQUEST_TIMEOUT,
            ApiError::Overload(overload) => overload.status_code(),
            ApiError::Store(error) if error.is_busy() => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Store(error) if error.is_full() => StatusCode::INSUFFICIENT_STORAGE,
            ApiError::Store(error) if error.is_interrupted() => StatusCode::SERVICE_UNAVAILABLE,
            // The request names something that the project does not have.
            ApiError::Store(StoreError::Input(_)) => StatusCode::BAD_REQUEST,
            ApiError::Workshop(error) => status_of_workshop(error),
            ApiError::Process(ProcessError::Refused(_)) => StatusCode::BAD_REQUEST,
            ApiError::Process(ProcessError::TooSlow(_) | ProcessError::Stopping) => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Basemap(error) if error.is_slow() => StatusCode::SERVICE_UNAVAILABLE,
            ApiError::Store(_)
            | ApiError::Thumbnail { .. }
            | ApiError::Basemap(_)
            | ApiError::Process(_)
            | ApiError::Thread(_)
            | ApiError::Task(_)
            | ApiError::Panic => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The reason given in the response. The cause of a service failure stays in the service's log.
    fn detail(&self, status: StatusCode) -> String {
        match self {
            ApiError::Store(_) if status == StatusCode::INSUFFICIENT_STORAGE => {
                "The service has no room left on its disk.".to_owned()
            }
            ApiError::Store(error) if error.is_busy() => {
                "Another program is using the database of the service.".to_owned()
            }
            ApiError::Store(error) if error.is_interrupted() => {
                "This took the service too long, and nothing was changed. Try again, perhaps with less at a time."
                    .to_owned()
            }
            ApiError::Store(StoreError::Input(problem)) => problem.to_string(),
            ApiError::Store(error) if error.is_displaced() => DISPLACED.to_owned(),
            ApiError::Workshop(error) if error.is_displaced() => DISPLACED.to_owned(),
            ApiError::Store(_) => "The service could not use its database.".to_owned(),
            ApiError::Workshop(_) if status.is_server_error() => {
                "The database of this workshop cannot be opened. The operator of the service finds the reason in the list of workshops."
                    .to_owned()
            }
            ApiError::Process(_) if status == StatusCode::INTERNAL_SERVER_ERROR => {
                "A Python program failed. The service's log has the reason.".to_owned()
            }
            ApiError::Basemap(_) => "The service could not read its basemap.".to_owned(),
            ApiError::Thumbnail { .. } | ApiError::Thread(_) | ApiError::Task(_) | ApiError::Panic => {
                "The service failed.".to_owned()
            }
            refusal => refusal.to_string(),
        }
    }
}

/// Capitalises the first letter.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns 413 for too many bytes in a body, 507 for too many stored bytes, and 400 for any other limit.
fn status_of(exceeded: &LimitExceeded) -> StatusCode {
    match exceeded {
        LimitExceeded::Part { limit, .. } if limit.name == "text_body_bytes" => StatusCode::PAYLOAD_TOO_LARGE,
        LimitExceeded::Total { limit, .. } if limit.unit == "bytes" => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::BAD_REQUEST,
    }
}

fn status_of_workshop(error: &WorkshopError) -> StatusCode {
    match error {
        WorkshopError::Unknown(_) => StatusCode::NOT_FOUND,
        WorkshopError::Exists(_) => StatusCode::CONFLICT,
        WorkshopError::Name(_) | WorkshopError::Limits(_) | WorkshopError::Store(StoreError::Input(_)) => {
            StatusCode::BAD_REQUEST
        }
        WorkshopError::Store(error) if error.is_busy() => StatusCode::SERVICE_UNAVAILABLE,
        WorkshopError::Folder { .. } | WorkshopError::Locked(_) | WorkshopError::Empty(_) | WorkshopError::Store(_) => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status_code();
        if status == StatusCode::NOT_MODIFIED {
            return status.into_response();
        }
        let retry_after = match &self {
            ApiError::Overload(overload) => Some(overload.retry_after_header()),
            ApiError::Store(error) if error.is_busy() || error.is_interrupted() => Some(RETRY_AFTER_SECONDS),
            ApiError::Workshop(_) | ApiError::Basemap(_) if status == StatusCode::SERVICE_UNAVAILABLE => {
                Some(RETRY_AFTER_SECONDS)
            }
            _ => None,
        };
        // A workshop that cannot be opened was logged when that was tried. A basemap's problem is not logged for each tile, nor a
        // database's for each request.
        let was_logged = match &self {
            ApiError::Workshop(_) | ApiError::Basemap(_) => true,
            ApiError::Store(error) => error.is_displaced(),
            _ => false,
        };
        if status.is_server_error() && retry_after.is_none() && !was_logged {
            tracing::error!("{self}{}", RequestId::shown());
        }
        let detail = self.detail(status);
        let mut response = (status, Json(ErrorBody::of(&detail))).into_response();
        response.extensions_mut().insert(Told(detail.into()));
        if let ApiError::NotFound(kind) = self {
            response.extensions_mut().insert(Missing(kind));
        }
        if status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Token"));
        }
        response.headers_mut().extend(retry_after.map(|seconds| (header::RETRY_AFTER, seconds)));
        response
    }
}

/// A limit that is exceeded for the moment, and the problem.
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
    /// A limit exceeded by the sender alone.
    pub fn of_sender(problem: &'static str, limit: &'static str, value: u64) -> Self {
        Overload { problem, limit, value, status: StatusCode::TOO_MANY_REQUESTS, retry_after: Duration::ZERO }
    }

    /// A limit exceeded by all senders together.
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
