//! Watching a project: its changes as server-sent events, for one member.
//!
//! This is not an operation of the table: its response has no end, and programs that call every operation of the OpenAPI document
//! would wait for it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRef, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http_body::Frame;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, Sleep, sleep};

use super::error::{ApiError, Result};
use super::gate::{Pass, Ticket};
use super::presence::Stay;
use super::request::auth::{Access, Member};
use super::request::id::RequestId;
use super::response::Uncompressed;
use super::state::AppState;
use crate::ROOT;
use crate::peer::{ActiveRequest, Peer};
use crate::store::{ProjectKey, ProjectVersion, Store, StoreError, Subscription};

pub fn router() -> Router<AppState> {
    Router::new().route(&format!("{ROOT}/projects/{{projectid}}/events/"), get(events))
}

#[derive(Deserialize)]
struct Resume {
    /// The id of the last change known, for programs that cannot set a header.
    last_event_id: Option<String>,
    /// True if the response ends with the latest change so far, for programs behind a proxy that passes on complete responses only.
    #[serde(default)]
    ends: bool,
}

async fn events(
    member: Member,
    State(state): State<AppState>,
    query: std::result::Result<Query<Resume>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response> {
    let in_header = headers.get(LAST_EVENT_ID).map(|id| id.to_str().unwrap_or_default());
    let in_query = query.as_ref().ok().and_then(|Query(query)| query.last_event_id.as_deref());
    let last_event = in_header.or(in_query).filter(|id| !id.is_empty());
    let ends = query.as_ref().is_ok_and(|Query(query)| query.ends);
    let events = EventStream::open(&state, member.of_a_stream(), last_event, ends)?;
    // Proxies that hold back streams recognise them by their type, and may pass on nothing of one that ends.
    let kind = if ends { "text/plain; charset=utf-8" } else { "text/event-stream" };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        // Makes nginx pass on each event at once.
        (X_ACCEL_BUFFERING, HeaderValue::from_static("no")),
    ];
    let mut response = (headers, Body::new(events)).into_response();
    response.extensions_mut().insert(Uncompressed);
    Ok(response)
}

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Number of earlier changes read at a time.
const REPLAYED_AT_ONCE: usize = 500;
/// Events are sent only to a member whose membership was confirmed within this time.
const MAX_UNCONFIRMED: Duration = Duration::from_secs(1);

/// A response body that ends when the service stops, when the member may no longer read the project, or when the member reads
/// too slowly.
pub struct EventStream {
    store: Store,
    member: Member,
    project: ProjectKey,
    /// True if the member sees whose selection or membership changed.
    shows_names: bool,
    subscription: Subscription,
    /// The first event, until it is sent.
    hello: Option<Bytes>,
    /// The id of the last change that was sent, or that the member knew.
    sent: i64,
    /// The last change made before the stream was opened.
    replay_end: i64,
    /// Changes that are being read.
    replaying: Option<Replaying>,
    pass: Pass,
    /// Counts the stream as open.
    _ticket: Option<Ticket>,
    /// Counts the member as here; `None` for guests and for a response that ends.
    _stay: Option<Stay>,
    heartbeat: Pin<Box<Sleep>>,
    heartbeat_time: Duration,
    confirmed: Instant,
    /// True if the response ends with the changes made before the stream was opened.
    ends: bool,
    has_ended: bool,
    /// Marks the connection as active: the service does not close it in favour of others.
    _request: Option<ActiveRequest>,
    /// Names the request in log lines.
    request: String,
}

impl EventStream {
    /// Opens a stream. `last_event` is the id of the last change that the member knows, as received.
    pub fn open(state: &AppState, member: Member, last_event: Option<&str>, ends: bool) -> Result<Self> {
        let (store, limits) = (Store::from_ref(state), state.limits());
        let confirm = |member: Member| store.read(|read| Ok(member.grant(read)))?;
        let confirmed = confirm(member.clone())?;
        let (project, user, shows_names) = (confirmed.project, confirmed.user, confirmed.shows_names());
        let pass = Pass::current();
        let ticket = pass.open_stream()?;
        // Before the version is read, so that no change falls in between.
        let feed = store.feed().ok_or(StoreError::OtherProcess)?;
        let username = store.read(|read| read.name_of(user))?;
        let stay = (!ends && !user.is_guest()).then(|| state.presence().arrive(feed, (project, user), username));
        let subscription = feed.subscribe(project, usize::try_from(limits.watcher_changes).unwrap_or(usize::MAX >> 4));
        let (now, oldest, administers) = store.read(|read| {
            let oldest = read.project_changes_after(project, 0, 1)?.first().map(|change| change.number);
            Ok((read.project_version(project)?, oldest, read.is_administrator(project, user)?))
        })?;
        let now = now.ok_or(ApiError::NotFound("project"))?;
        let known = last_event.map(|id| id.trim().parse::<i64>().ok());
        let reaches_back = |id: &i64| *id <= now.version && oldest.is_none_or(|oldest| *id >= oldest - 1);
        let (sent, hello) = match known {
            None => (now.version, hello(now.version, &now, administers)),
            Some(known) => match known.filter(reaches_back) {
                // Its id is the last change that the member knows: a member who is cut off now comes back with it.
                Some(known) => (known, hello(known, &now, administers)),
                None => (now.version, [hello(now.version, &now, administers), reset(&now)].concat()),
            },
        };
        let heartbeat_time = Duration::from_secs(limits.heartbeat_seconds);
        Ok(EventStream {
            request: RequestId::shown(),
            _request: member.sent().peer.as_ref().map(Peer::begin_request),
            store,
            member,
            project,
            shows_names,
            subscription,
            hello: Some(hello.into()),
            sent,
            replay_end: now.version,
            replaying: None,
            pass,
            _ticket: ticket,
            _stay: stay,
            heartbeat: Box::pin(sleep(heartbeat_time)),
            heartbeat_time,
            confirmed: Instant::now(),
            ends,
            has_ended: false,
        })
    }

    /// Reads earlier changes that the member does not know yet, on another thread.
    fn replay(&self) -> Replaying {
        let (store, pass, project) = (self.store.clone(), self.pass.clone(), self.project);
        let (sent, shows_names) = (self.sent, self.shows_names);
        Box::pin(async move { pass.run(move || changes_after(&store, project, sent, shows_names)).await? })
    }

    /// Returns the last event if the member may no longer read the project.
    fn check_membership(&mut self) -> Option<Bytes> {
        let member = self.member.clone();
        let reason = match self.store.read(|read| Ok(member.grant(read))) {
            Ok(Ok(_)) => {
                self.confirmed = Instant::now();
                return None;
            }
            Ok(Err(ApiError::NotFound(_))) => "The user is no longer a member of the project.".to_owned(),
            Ok(Err(refusal)) => refusal.to_string(),
            // The service stops, or its disk fails. The member may come back.
            Err(_) => return Some(self.end(Bytes::new())),
        };
        Some(self.end(event("end", &json!({ "reason": reason }))))
    }

    fn end(&mut self, last: Bytes) -> Bytes {
        self.has_ended = true;
        last
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(hello) = self.hello.take() {
            return Poll::Ready(Some(hello));
        }
        if self.has_ended {
            return Poll::Ready(None);
        }
        if self.sent < self.replay_end {
            let mut replaying = self.replaying.take().unwrap_or_else(|| self.replay());
            let Poll::Ready(replayed) = replaying.as_mut().poll(cx) else {
                self.replaying = Some(replaying);
                return Poll::Pending;
            };
            return Poll::Ready(match replayed {
                Ok((sent, events)) => {
                    self.sent = sent;
                    Some(events)
                }
                // The member comes back for the rest.
                Err(ApiError::Overload(_)) => Some(self.end(Bytes::new())),
                Err(error) => {
                    tracing::error!("{error}{}", self.request);
                    None
                }
            });
        }
        if self.ends {
            return Poll::Ready(None);
        }
        while let Poll::Ready(change) = self.subscription.changes.poll_recv(cx) {
            let Some(change) = change else {
                let last = if self.subscription.was_slow() {
                    event("dropped", &json!({ "reason": "Too many changes waited to be read." }))
                } else {
                    Bytes::new()
                };
                return Poll::Ready(Some(self.end(last)));
            };
            if change.number.is_some_and(|number| number <= self.sent) {
                continue;
            }
            if (change.ends_membership || self.confirmed.elapsed() > MAX_UNCONFIRMED)
                && let Some(end) = self.check_membership()
            {
                return Poll::Ready(Some(end));
            }
            self.sent = change.number.unwrap_or(self.sent);
            if change.names_somebody && !self.shows_names {
                continue;
            }
            self.heartbeat.as_mut().reset(Instant::now() + self.heartbeat_time);
            return Poll::Ready(Some(change.event.clone()));
        }
        ready!(self.heartbeat.as_mut().poll(cx));
        self.heartbeat.as_mut().reset(Instant::now() + self.heartbeat_time);
        Poll::Ready(Some(self.check_membership().unwrap_or(Bytes::from_static(b":\n\n"))))
    }
}

impl HttpBody for EventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        let stream = self.get_mut();
        loop {
            match ready!(stream.poll_event(cx)) {
                Some(event) if event.is_empty() => {}
                event => return Poll::Ready(event.map(|event| Ok(Frame::data(event)))),
            }
        }
    }
}

/// The id of the last change read, and the events of all.
type Replaying = Pin<Box<dyn Future<Output = Result<(i64, Bytes)>> + Send>>;

/// Reads the next changes after `sent`.
fn changes_after(store: &Store, project: ProjectKey, sent: i64, shows_names: bool) -> Result<(i64, Bytes)> {
    let (changes, now) = store.read(|read| {
        Ok((read.project_changes_after(project, sent, REPLAYED_AT_ONCE)?, read.project_version(project)?))
    })?;
    let now = now.ok_or(ApiError::NotFound("project"))?;
    // Forgotten meanwhile.
    if changes.first().is_none_or(|change| change.number != sent + 1) {
        return Ok((now.version, reset(&now).into()));
    }
    let shown = changes.iter().filter(|change| shows_names || !change.names_somebody());
    let events = shown.map(|change| change.to_event()).collect::<Vec<_>>().concat();
    Ok((changes.last().map_or(sent, |change| change.number), events.into()))
}

/// Makes the first event. `administers` is true for an administrator: pages offer what the member may do.
fn hello(id: i64, now: &ProjectVersion, administers: bool) -> Vec<u8> {
    let data = json!({ "changeid": now.changeid, "administrator": administers });
    [format!("id: {id}\n").as_bytes(), &event("hello", &data)].concat()
}

/// Asks the member to read everything again.
fn reset(now: &ProjectVersion) -> Vec<u8> {
    [format!("id: {}\n", now.version).as_bytes(), &event("reset", &json!({ "changeid": now.changeid }))].concat()
}

fn event(name: &str, data: &serde_json::Value) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}
