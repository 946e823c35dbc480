//! A response that goes on: server-sent events.

use std::time::{Duration, Instant};

use reqwest::Response;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::time::timeout;

use super::body::receive;
use super::event_parser::{EventParser, ServerEvent};
use super::http_client::HttpClient;
use super::request::OutgoingRequest;
use super::retry::AttemptError;
use super::transport::Transport;
use crate::client::error::{Attempts, Error, Request, Result};
use crate::model::operations::Endpoint;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// A service sends a comment every 15 s. After three that are missing, the connection is taken for broken.
const MAX_SILENCE: Duration = Duration::from_secs(45);

/// Events as they arrive. Only what one read of the connection brings is in memory, so a service whose events are not read
/// notices it.
#[derive(Debug)]
pub struct EventStream {
    request: Request,
    response: Response,
    parser: EventParser,
}

impl Transport {
    /// Connects to a stream of events, once, and from after the event with this id. It takes none of the places of
    /// `max_concurrency`, because it stays open. An answer that is no such stream is an [`Error::Decode`].
    pub async fn open_events(&self, endpoint: &Endpoint, last_event_id: Option<&str>) -> Result<EventStream> {
        let mut request = OutgoingRequest::new(endpoint);
        request.headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        request.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        request.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        let last_event_id = last_event_id.and_then(|id| HeaderValue::from_str(id).ok());
        request.headers.extend(last_event_id.map(|id| (LAST_EVENT_ID, id)));
        let http = self.connections.http_client()?;
        let started = Instant::now();
        let limit = self.config().timeout;
        let opened = timeout(limit, self.open_once(http, &request)).await;
        opened.unwrap_or(Err(AttemptError::Timeout { timeout: limit })).map_err(|error| {
            let attempts = Attempts { count: 1, elapsed: started.elapsed() };
            self.hide_token(error.into_error(request.named(), self.connections.root(), attempts))
        })?
    }

    async fn open_once(
        &self,
        http: &HttpClient,
        request: &OutgoingRequest<'_>,
    ) -> Result<Result<EventStream>, AttemptError> {
        let response = self.respond(http, request).await?;
        if !response.status().is_success() {
            // Its error.
            receive(response, request, self.config().max_response_bytes).await?;
            return Ok(Err(no_events(request.named(), "no stream of events".to_owned())));
        }
        let content_type =
            response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !content_type.starts_with("text/event-stream") {
            return Ok(Err(no_events(request.named(), format!("{content_type:?} instead of events"))));
        }
        Ok(Ok(EventStream { request: request.named(), response, parser: EventParser::default() }))
    }
}

impl EventStream {
    /// The next event. `None` at the end of the stream, however it ended. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Option<ServerEvent>> {
        loop {
            if let Some(event) = self.next_received() {
                return Ok(Some(event));
            }
            let Ok(Ok(Some(bytes))) = timeout(MAX_SILENCE, self.response.chunk()).await else { return Ok(None) };
            self.parser.feed(&bytes).map_err(|error| no_events(self.request.clone(), error.to_string()))?;
        }
    }

    /// The next event that has arrived already.
    pub fn next_received(&mut self) -> Option<ServerEvent> {
        self.parser.next_event()
    }
}

fn no_events(request: Request, problem: String) -> Error {
    Error::Decode { request, problem: format!("it sent {problem}"), source: None }
}
