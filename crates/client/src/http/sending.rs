//! Sends a request until it succeeds: decides which failures are retried, and how often.
//!
//! A write whose response was lost may have been carried out. It is sent again only if it has a key, and if the service says that it
//! recognizes repeated keys. The service is asked only when needed, which is rare.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Client, StatusCode};

use super::attempt::{OutgoingRequest, ReceivedResponse, send_once};
use super::retry::{AttemptError, request_id};
use super::transport::Transport;
use crate::error::{Attempts, Error, Result, shown};
use geodesign::archive::{Archive, ArchiveError};
use geodesign::json;
use geodesign::model::operations::{LIMITS, NoIds};
use geodesign::model::{LIMIT_OF_KEYS, Limit};
use geodesign_common::blocking;

/// The failed part of an attempt.
enum Failure {
    Request(AttemptError),
    /// The check for support of keys.
    Question(AttemptError),
    /// The service does not support keys.
    NoKeys,
}

impl Transport {
    /// Sends a request, again if necessary, until it succeeds. `timeout` limits all attempts together, counted from the moment
    /// when fewer than `max_concurrency` other requests are under way.
    pub(super) async fn send(&self, request: &OutgoingRequest<'_>) -> Result<ReceivedResponse> {
        if let Some(archive) = &self.archive {
            return read_from_archive(archive, request).await;
        }
        let config = self.config();
        let http = self.connections.http_client()?;
        let _slot = self.connections.slot().await;
        if let Some(pace) = &self.pace {
            pace.turn().await;
        }
        let started = Instant::now();
        // Outcome of the last attempt that left a keyed write in doubt.
        let mut lost: Option<AttemptError> = None;
        let mut count = 0;
        loop {
            count += 1;
            let left = config.timeout.saturating_sub(started.elapsed());
            let failure = match tokio::time::timeout(left, self.attempt(http, request, lost.is_some())).await {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(failure)) => failure,
                Err(_) => Failure::Request(AttemptError::Timeout { timeout: config.timeout }),
            };
            let attempts = Attempts { count, elapsed: started.elapsed() };
            let may_retry =
                |delay: &Duration| count <= config.retries && *delay < config.timeout.saturating_sub(started.elapsed());
            let delay = failure.delay(request, count).filter(may_retry);
            if let (Some(delay), Failure::Request(error) | Failure::Question(error)) = (delay, &failure) {
                tracing::info!(
                    "{} failed ({}) after {attempts}; trying again in {:.2} s",
                    request.named(),
                    shown(&error.to_string()),
                    delay.as_secs_f64()
                );
            }
            // A response is more informative than a lost one, and a lost one more than any other failure.
            let last = match failure {
                Failure::Request(error) if request.has_key() && error.is_lost() => {
                    lost = Some(error);
                    None
                }
                Failure::Request(error) if lost.is_none() || error.is_refusal() => Some(error),
                _ => None,
            };
            match delay {
                Some(delay) => tokio::time::sleep(delay).await,
                None => {
                    let error = last.or(lost).unwrap_or(AttemptError::Timeout { timeout: config.timeout });
                    let error = error.into_error(request.named(), &self.connections, attempts);
                    return Err(self.hide_token(error));
                }
            }
        }
    }

    /// Tries once to send a request. If its response was lost before, it is sent only if the service recognizes it.
    async fn attempt(
        &self,
        http: &Client,
        request: &OutgoingRequest<'_>,
        was_lost: bool,
    ) -> Result<ReceivedResponse, Failure> {
        if was_lost && !self.knows_keys(http).await.map_err(Failure::Question)? {
            return Err(Failure::NoKeys);
        }
        self.send_once(http, request).await.map_err(Failure::Request)
    }

    /// True if the service says that it recognizes a repeated request by its key. Only pygeodesign's service does.
    async fn knows_keys(&self, http: &Client) -> Result<bool, AttemptError> {
        let endpoint = LIMITS.at(NoIds {});
        match self.send_once(http, &OutgoingRequest::new(&endpoint)).await {
            Ok(response) => {
                let limits = json::decode::<Vec<Limit>>(&response.body).unwrap_or_default();
                Ok(limits.iter().any(|limit| limit.name == LIMIT_OF_KEYS))
            }
            Err(error) if error.repeat_delay(true, 1).is_some() => Err(error),
            Err(_) => Ok(false),
        }
    }

    async fn send_once(&self, http: &Client, request: &OutgoingRequest<'_>) -> Result<ReceivedResponse, AttemptError> {
        let started = Instant::now();
        let response = send_once(&self.connections, http, request).await;
        if tracing::enabled!(tracing::Level::DEBUG) {
            let time = started.elapsed().as_secs_f64() * 1000.0;
            let answered = |status: StatusCode, id: Option<&str>| {
                let id = id.map(|id| format!(" (request {id})")).unwrap_or_default();
                format!("answered {} in {time:.1} ms{id}", status.as_u16())
            };
            let told = match &response {
                Ok(response) => answered(response.status, response.request_id.as_deref()),
                Err(AttemptError::Status { status, headers, .. }) => answered(*status, request_id(headers).as_deref()),
                Err(error) => format!("failed after {time:.1} ms: {}", shown(&error.to_string())),
            };
            // The service may have repeated the token.
            tracing::debug!("{} {}", request.named(), self.config().token.hide_in(&told));
        }
        response
    }
}

impl Failure {
    /// Delay before the next attempt; `None` if that would fail too, or might carry out a write twice.
    fn delay(&self, request: &OutgoingRequest<'_>, attempts: u32) -> Option<Duration> {
        match self {
            Failure::Request(error) if request.has_key() => error.repeat_delay(false, attempts),
            Failure::Request(error) => error.retry_delay(request.is_read(), attempts),
            Failure::Question(error) => error.repeat_delay(true, attempts),
            Failure::NoKeys => None,
        }
    }
}

/// Returns the response that the service gave when the project was archived.
async fn read_from_archive(archive: &Arc<Archive>, request: &OutgoingRequest<'_>) -> Result<ReceivedResponse> {
    if !request.is_read() {
        let (archive, request) = (archive.path().display(), request.named());
        return Err(Error::Input(format!(
            "{request} cannot be sent: the project was opened from {archive}, an archive, which does not change"
        )));
    }
    let (archive, path, diagrams) = (archive.clone(), request.endpoint.path.clone(), request.diagrams);
    let read = move || {
        let content = archive.answer(&path)?;
        Ok::<_, ArchiveError>(content.map(|content| ReceivedResponse::from_body(content.into(), diagrams)))
    };
    blocking::run(read).await??.map_err(|status| Error::Api {
        request: request.named(),
        status: StatusCode::from_u16(status).unwrap_or(StatusCode::NOT_FOUND),
        body: r#"{"detail": "The archive has no answer to this."}"#.to_owned(),
        attempts: Attempts { count: 1, elapsed: Duration::ZERO },
        request_id: None,
    })
}
