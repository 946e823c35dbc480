//! Changes that the service reports, as server-sent events.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep_until, timeout};

use super::change::{Backoff, Change, ChangeAction};
use crate::http::{EventStream, Reading, ServerEvent};
use crate::{Error, Project, Result};
use geodesign::model::DiagramId;
use geodesign::model::operations::{ALL_DIAGRAM_DETAILS, PROJECT_EVENTS};

/// Maximum changes in memory. Further ones are read after these have been handed on.
const MAX_CHANGES: usize = 100;
/// Attempts to start while the project keeps changing.
const MAX_STARTS: usize = 5;
/// Time limit for the greeting, which a service sends at once. A proxy that waits for complete responses never passes it on.
const GREETING_TIMEOUT: Duration = Duration::from_secs(3);
/// If a stream is held back, it is tried again after this many responses that end.
const QUESTIONS_PER_STREAM: u32 = 20;

/// Reads a project's events. After a broken connection, continues after the last event that was read. If a proxy holds back the stream,
/// asks at intervals for the events since.
#[derive(Debug)]
pub struct Events {
    /// `None` while there is no connection.
    stream: Option<Box<EventStream>>,
    /// The id of the last event that was read.
    last_id: Option<String>,
    /// The id in this connection's greeting: the version of the project at that time.
    hello_id: Option<String>,
    /// True if events are missing: then the project's current state must be compared with the earlier one.
    has_missed: bool,
    /// If a stream is held back: the interval of questions, the number left before the stream is tried again, and the time of the next
    /// one.
    interval: Duration,
    questions: u32,
    next_question: Instant,
    pub known: DiagramDigests,
}

/// The data of an event about a change.
#[derive(Deserialize)]
struct ChangeData {
    action: ChangeAction,
    kind: String,
    id: String,
}

#[derive(Deserialize)]
struct HelloData {
    changeid: String,
}

impl Events {
    /// Starts; `None` if the service has no events.
    pub async fn start(project: &Project, interval: Duration) -> Result<Option<Self>> {
        let (mut starts, mut reading) = (0, Reading::Stream);
        loop {
            starts += 1;
            let (stream, hello) = match greeting(project, None, reading).await {
                Ok(Greeting::Heard(stream, event)) if event.name == "hello" => (stream, event),
                Ok(Greeting::HeldBack) if reading == Reading::Stream => {
                    reading = Reading::UntilNow;
                    continue;
                }
                Ok(_)
                | Err(
                    Error::Api {
                        status: StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_ACCEPTABLE,
                        ..
                    }
                    | Error::Decode { .. },
                ) => return Ok(None),
                Err(error) => return Err(error),
            };
            let known = DiagramDigests::read(project).await?;
            let version = serde_json::from_str(&hello.data).map(|data: HelloData| data.changeid).ok();
            // The known state must be as old as the connection: otherwise changes in between are in both.
            if starts >= MAX_STARTS || version == Some(project.change_id().await?) {
                let (last_id, hello_id) = (hello.id.clone(), hello.id);
                let questions = if reading == Reading::UntilNow { QUESTIONS_PER_STREAM } else { 0 };
                let next_question = Instant::now() + interval;
                let stream = Some(stream);
                let has_missed = false;
                return Ok(Some(Events {
                    stream,
                    last_id,
                    hello_id,
                    has_missed,
                    interval,
                    questions,
                    next_question,
                    known,
                }));
            }
        }
    }

    /// Waits for the next step towards changes: a connection, a comparison, or events. Dropping the future loses nothing.
    pub async fn look(&mut self, project: &Project, changes: &mut Vec<Change>, backoff: &mut Backoff) -> Result<()> {
        let Some(stream) = self.stream.as_mut().filter(|_| !self.has_missed) else {
            let done = if self.has_missed {
                self.compare(project, changes).await
            } else {
                self.connect(project, changes, backoff).await
            };
            return match done {
                Ok(()) => Ok(()),
                Err(error) => backoff.wait_after(error).await,
            };
        };
        let Some(event) = stream.next().await? else {
            self.stream = None;
            // The end of a response to a question is not a failure.
            if self.questions == 0 {
                backoff.wait().await;
            }
            return Ok(());
        };
        self.add(event, changes, backoff);
        while changes.len() < MAX_CHANGES
            && !self.has_missed
            && let Some(event) = self.stream.as_mut().and_then(|stream| stream.next_received())
        {
            self.add(event, changes, backoff);
        }
        Ok(())
    }

    async fn connect(&mut self, project: &Project, changes: &mut Vec<Change>, backoff: &mut Backoff) -> Result<()> {
        let reading = if self.questions > 0 { Reading::UntilNow } else { Reading::Stream };
        if reading == Reading::UntilNow {
            sleep_until(self.next_question).await;
        }
        match greeting(project, self.last_id.as_deref(), reading).await? {
            Greeting::Heard(stream, event) => {
                self.questions = self.questions.saturating_sub(1);
                self.next_question = Instant::now() + self.interval;
                self.stream = Some(stream);
                self.hello_id = None;
                self.add(event, changes, backoff);
            }
            Greeting::HeldBack if reading == Reading::Stream => self.questions = QUESTIONS_PER_STREAM,
            Greeting::HeldBack | Greeting::Ended => backoff.wait().await,
        }
        Ok(())
    }

    fn add(&mut self, event: ServerEvent, changes: &mut Vec<Change>, backoff: &mut Backoff) {
        match event.name.as_str() {
            "hello" => {
                backoff.succeeded();
                // If events that this client has not seen are sent again, this is the id of the last of them.
                if self.last_id.is_none() {
                    self.last_id.clone_from(&event.id);
                }
                self.hello_id = event.id;
            }
            "reset" => {
                self.has_missed = true;
                self.last_id = event.id.or(self.hello_id.take());
            }
            // The service closes the connection: it is stopping, or this client was too slow.
            "dropped" | "end" => self.stream = None,
            _ => {
                changes.extend(change_of(&event));
                if event.id.is_some() {
                    self.last_id = event.id;
                }
            }
        }
    }

    /// Finds the changes while events were missed.
    async fn compare(&mut self, project: &Project, changes: &mut Vec<Change>) -> Result<()> {
        let now = DiagramDigests::read(project).await?;
        // Only diagrams can be compared: the rest of the project may have changed too.
        changes.push(Change::new("project".to_owned(), ChangeAction::Changed, project.id().as_str()));
        changes.extend(self.known.changes_to(&now));
        self.known = now;
        self.has_missed = false;
        Ok(())
    }
}

/// Returns the change in an event; `None` for any other event.
pub fn change_of(event: &ServerEvent) -> Option<Change> {
    let ChangeData { action, kind, id } = serde_json::from_str(&event.data).ok()?;
    Some(Change::new(kind, action, &id))
}

/// The start of a stream of events.
#[derive(Debug)]
pub enum Greeting {
    Heard(Box<EventStream>, ServerEvent),
    Ended,
    /// No event arrived in time.
    HeldBack,
}

/// Opens the events after a given event, and waits for the first of them.
pub async fn greeting(project: &Project, last_event_id: Option<&str>, reading: Reading) -> Result<Greeting> {
    let endpoint = PROJECT_EVENTS.at(project.in_project());
    let first = async {
        let mut stream = project.client().transport.open_events(&endpoint, last_event_id, reading).await?;
        let first = stream.next().await?;
        Ok(first.map_or(Greeting::Ended, |event| Greeting::Heard(Box::new(stream), event)))
    };
    let limit = project.client().config().timeout.min(GREETING_TIMEOUT);
    match timeout(limit, first).await {
        Ok(Err(Error::Timeout { .. })) | Err(_) => Ok(Greeting::HeldBack),
        Ok(greeting) => greeting,
    }
}

/// The earlier state of a project's diagrams: per diagram, a digest of all fields except its features, which cannot be changed.
#[derive(Debug, Default)]
pub struct DiagramDigests(HashMap<DiagramId, u64>);

impl DiagramDigests {
    /// Sends one request for all diagrams.
    async fn read(project: &Project) -> Result<Self> {
        let diagrams: Vec<Map<String, Value>> = project.get(ALL_DIAGRAM_DETAILS.at(project.in_project())).await?;
        let id = |diagram: &Map<String, Value>| diagram.get("id").and_then(Value::as_i64).map(DiagramId);
        Ok(DiagramDigests(diagrams.into_iter().filter_map(|fields| Some((id(&fields)?, digest(fields)))).collect()))
    }

    /// Notes a diagram's current state.
    pub fn set(&mut self, id: DiagramId, fields: Map<String, Value>) {
        self.0.insert(id, digest(fields));
    }

    pub fn remove(&mut self, id: DiagramId) {
        self.0.remove(&id);
    }

    /// Returns the changes from these to `now`.
    fn changes_to(&self, now: &DiagramDigests) -> Vec<Change> {
        let mut changes = Vec::new();
        for (&id, digest) in &now.0 {
            match self.0.get(&id) {
                None => changes.push(Change::of_diagram(ChangeAction::Added, id)),
                Some(before) if before != digest => changes.push(Change::of_diagram(ChangeAction::Changed, id)),
                Some(_) => {}
            }
        }
        let removed = self.0.keys().filter(|id| !now.0.contains_key(id));
        changes.extend(removed.map(|&id| Change::of_diagram(ChangeAction::Removed, id)));
        changes.sort_by_key(Change::diagram);
        changes
    }
}

fn digest(mut fields: Map<String, Value>) -> u64 {
    fields.shift_remove("geojson");
    let mut hasher = DefaultHasher::new();
    fields.sort_keys();
    Value::Object(fields).to_string().hash(&mut hasher);
    hasher.finish()
}
