//! Server-sent events (`text/event-stream`): a response that does not end.
//!
//! The parser is our own, because the widely used crates (eventsource-stream, sse-stream) do not limit the memory of an event that
//! never ends.

use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response};
use tokio::time::timeout;

use super::attempt::{OutgoingRequest, open_response, receive};
use super::retry::AttemptError;
use super::transport::Transport;
use crate::error::{Attempts, Error, Request, Result};
use geodesign::model::operations::Endpoint;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// A service sends a comment every 15 s. If three are missing, the connection counts as broken.
const MAX_SILENCE: Duration = Duration::from_secs(45);
/// Longer events are an error.
const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// Events as they arrive. Only the result of one read of the connection is in memory, so the service notices if its events are not
/// read.
#[derive(Debug)]
pub struct EventStream {
    request: Request,
    response: Response,
    parser: EventParser,
}

/// Mode of reading events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Events as they happen.
    Stream,
    /// Past events, as a response that ends: some proxies pass on complete responses only, and hold back a stream for ever.
    UntilNow,
}

impl Reading {
    fn content_type(self) -> &'static str {
        match self {
            Reading::Stream => "text/event-stream",
            Reading::UntilNow => "text/plain",
        }
    }
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerEvent {
    /// Event id that a client sends when it reconnects; `None` if the event has no id.
    pub id: Option<String>,
    /// The event's name; `message` if the service gives none.
    pub name: String,
    pub data: String,
}

impl Transport {
    /// Connects to a stream of events, once, starting after the event with this id. It does not count for `max_concurrency`, because it
    /// stays open. A response that is not such a stream is an [`Error::Decode`].
    pub async fn open_events(
        &self,
        endpoint: &Endpoint,
        last_event_id: Option<&str>,
        reading: Reading,
    ) -> Result<EventStream> {
        let endpoint = match reading {
            Reading::Stream => endpoint,
            Reading::UntilNow => &endpoint.with_query("ends=true".to_owned()),
        };
        let mut request = OutgoingRequest::new(endpoint);
        request.headers.insert(ACCEPT, HeaderValue::from_static(reading.content_type()));
        request.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        request.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        let last_event_id = last_event_id.and_then(|id| HeaderValue::from_str(id).ok());
        request.headers.extend(last_event_id.map(|id| (LAST_EVENT_ID, id)));
        let http = self.connections.http_client()?;
        let started = Instant::now();
        let limit = self.config().timeout;
        let opened = timeout(limit, self.open_once(http, &request, reading)).await;
        opened.unwrap_or(Err(AttemptError::Timeout { timeout: limit })).map_err(|error| {
            let attempts = Attempts { count: 1, elapsed: started.elapsed() };
            self.hide_token(error.into_error(request.named(), &self.connections, attempts))
        })?
    }

    async fn open_once(
        &self,
        http: &Client,
        request: &OutgoingRequest<'_>,
        reading: Reading,
    ) -> Result<Result<EventStream>, AttemptError> {
        let response = open_response(&self.connections, http, request).await?;
        if !response.status().is_success() {
            // Returns its error.
            receive(response, request, self.config().max_response_bytes).await?;
            return Ok(Err(no_events(request.named(), "no stream of events".to_owned())));
        }
        let content_type =
            response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !content_type.starts_with(reading.content_type()) {
            return Ok(Err(no_events(request.named(), format!("{content_type:?} instead of events"))));
        }
        Ok(Ok(EventStream { request: request.named(), response, parser: EventParser::default() }))
    }
}

impl EventStream {
    /// Returns the next event; `None` at the end of the stream, however it ended. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Option<ServerEvent>> {
        loop {
            if let Some(event) = self.next_received() {
                return Ok(Some(event));
            }
            let Ok(Ok(Some(bytes))) = timeout(MAX_SILENCE, self.response.chunk()).await else { return Ok(None) };
            self.parser.feed(&bytes).map_err(|error| no_events(self.request.clone(), error.to_string()))?;
        }
    }

    /// Returns the next event that has already arrived.
    pub fn next_received(&mut self) -> Option<ServerEvent> {
        self.parser.next_event()
    }
}

/// An event with more than [`MAX_EVENT_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event has more than {MAX_EVENT_BYTES} bytes")]
pub struct EventTooLarge;

/// Parses bytes into events, however the bytes are divided. The HTML standard defines the format.
#[derive(Debug, Default)]
pub struct EventParser {
    received: Vec<u8>,
    /// Number of bytes of `received` that have been parsed.
    parsed: usize,
    event: ServerEvent,
    data_lines: usize,
    /// True if a line ended with CR: a following LF belongs to its end.
    ended_with_cr: bool,
}

impl EventParser {
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        self.received.drain(..self.parsed);
        self.parsed = 0;
        self.received.extend_from_slice(bytes);
        // Bytes that arrive at once may hold many events; only the bytes of one event count.
        let rest = self.received.len().saturating_sub(bytes.len());
        if rest + self.event.data.len() > MAX_EVENT_BYTES { Err(EventTooLarge) } else { Ok(()) }
    }

    /// Returns the next complete event.
    pub fn next_event(&mut self) -> Option<ServerEvent> {
        while let Some(line) = self.next_line() {
            if !line.is_empty() {
                self.add_line(&line);
                continue;
            }
            let mut event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.data_lines) > 0 || !event.name.is_empty() {
                if event.name.is_empty() {
                    event.name = "message".to_owned();
                }
                return Some(event);
            }
        }
        None
    }

    /// Returns the next complete line, without its end: CR, LF or both.
    fn next_line(&mut self) -> Option<String> {
        if self.ended_with_cr && self.received.get(self.parsed) == Some(&b'\n') {
            self.parsed += 1;
        }
        let rest = &self.received[self.parsed..];
        let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
        self.ended_with_cr = rest[length] == b'\r';
        let line = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.parsed += length + 1;
        Some(line)
    }

    fn add_line(&mut self, line: &str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.name = value.to_owned(),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "data" => {
                if self.data_lines > 0 {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.data_lines += 1;
            }
            // A comment, which keeps the connection alive, has an empty name; other fields are ignored.
            _ => {}
        }
    }
}

fn no_events(request: Request, problem: String) -> Error {
    Error::Decode { request, problem: format!("it sent {problem}"), source: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<ServerEvent> {
        let mut parser = EventParser::default();
        let mut events = Vec::new();
        for chunk in chunks {
            parser.feed(chunk.as_ref()).unwrap();
            events.extend(std::iter::from_fn(|| parser.next_event()));
        }
        events
    }

    fn event(id: Option<&str>, name: &str, data: &str) -> ServerEvent {
        ServerEvent { id: id.map(str::to_owned), name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn an_event_has_a_name_an_id_and_lines_of_data() {
        let text = ": 15 s\n\nid: 7\nevent: diagram\ndata: {\ndata:}\n\ndata: x\n\nid: 8\nevent: reset\n\n";
        let expected =
            [event(Some("7"), "diagram", "{\n}"), event(None, "message", "x"), event(Some("8"), "reset", "")];
        assert_eq!(events([text]), expected);
    }

    #[test]
    fn bytes_may_arrive_in_any_division_and_lines_end_in_three_ways() {
        let text = "id: 1\r\nevent: tag\r\ndata: é\r\n\r\nid: 2\rdata: b\r\rid: 3\ndata: c\n\n";
        let whole = events([text]);
        assert_eq!(
            whole,
            [event(Some("1"), "tag", "é"), event(Some("2"), "message", "b"), event(Some("3"), "message", "c")]
        );
        for size in 1..text.len() {
            assert_eq!(events(text.as_bytes().chunks(size)), whole, "{size} bytes at a time");
        }
    }

    #[test]
    fn an_event_without_an_end_is_not_kept_for_ever() {
        let mut parser = EventParser::default();
        let line = format!("data: {}\n", "x".repeat(10_000));
        let refused = (0..1_000).find(|_| {
            let fed = parser.feed(line.as_bytes());
            assert_eq!(parser.next_event(), None);
            fed.is_err()
        });
        assert!(refused.is_some_and(|lines| lines <= 110));
    }
}
