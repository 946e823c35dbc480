//! Changes that the service tells, as server-sent events.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::change::{Backoff, Change, ChangeAction};
use crate::client::http::{EventStream, ServerEvent};
use crate::client::{Error, Project, Result};
use crate::model::DiagramId;
use crate::model::operations::{ALL_DIAGRAM_DETAILS, PROJECT_EVENTS};

/// More changes are not read before these have been handed on.
const MAX_CHANGES: usize = 100;
/// How often the start is repeated because the project changed just then.
const MAX_STARTS: usize = 5;

/// Reads the events of a project. After a broken connection it goes on after the last event that it has read.
#[derive(Debug)]
pub struct Events {
    /// `None` while there is no connection.
    stream: Option<EventStream>,
    /// The id of the event that was read last.
    last_id: Option<String>,
    /// The id in the greeting of this connection: the version of the project at that time.
    hello_id: Option<String>,
    /// Whether events are missing: what the project is now must be compared with what it was.
    has_missed: bool,
    known: DiagramDigests,
    changes: VecDeque<Change>,
    backoff: Backoff,
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
    /// `None` if the service has no events.
    pub async fn start(project: &Project) -> Result<Option<Self>> {
        let mut starts = 0;
        loop {
            starts += 1;
            let mut stream = match open(project, None).await {
                Ok(stream) => stream,
                Err(Error::Api { status: 404..=406, .. } | Error::Decode { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            let Some(hello) = stream.next().await?.filter(|event| event.name == "hello") else { return Ok(None) };
            let known = DiagramDigests::read(project).await?;
            let version = serde_json::from_str(&hello.data).map(|data: HelloData| data.changeid).ok();
            // What is known must be as old as the connection: otherwise changes in between are in both.
            if starts == MAX_STARTS || version == Some(project.change_id().await?) {
                let (last_id, hello_id) = (hello.id.clone(), hello.id);
                let (changes, backoff) = (VecDeque::new(), Backoff::default());
                return Ok(Some(Events {
                    stream: Some(stream),
                    last_id,
                    hello_id,
                    has_missed: false,
                    known,
                    changes,
                    backoff,
                }));
            }
        }
    }

    /// Waits for changes. Those that it returns stay until they are [forgotten](Self::forget_first). Dropping the future loses nothing.
    pub async fn wait(&mut self, project: &Project) -> Result<Vec<Change>> {
        while self.changes.is_empty() {
            if self.has_missed {
                self.compare(project).await?;
                continue;
            }
            let Some(stream) = &mut self.stream else {
                self.connect(project).await?;
                continue;
            };
            let Some(event) = stream.next().await? else {
                self.stream = None;
                self.backoff.wait().await;
                continue;
            };
            self.add(event);
            while self.changes.len() < MAX_CHANGES
                && !self.has_missed
                && let Some(event) = self.stream.as_mut().and_then(EventStream::next_received)
            {
                self.add(event);
            }
        }
        Ok(self.changes.iter().cloned().collect())
    }

    /// Forgets the first of the changes that [`wait`](Self::wait) returned.
    pub fn forget_first(&mut self, count: usize) {
        for change in self.changes.drain(..count) {
            if let (ChangeAction::Removed, Some(id)) = (change.action, change.diagram()) {
                self.known.remove(id);
            }
        }
    }

    /// Notes what a diagram is now.
    pub fn set_diagram(&mut self, id: DiagramId, fields: Map<String, Value>) {
        self.known.set(id, fields);
    }

    async fn connect(&mut self, project: &Project) -> Result<()> {
        match open(project, self.last_id.as_deref()).await {
            Ok(stream) => {
                self.hello_id = None;
                self.stream = Some(stream);
                Ok(())
            }
            Err(error) => self.backoff.wait_after(error).await,
        }
    }

    fn add(&mut self, event: ServerEvent) {
        match event.name.as_str() {
            "hello" => {
                self.backoff.succeeded();
                // When events are sent again that this client has not seen, this is the id of the last of them.
                if self.last_id.is_none() {
                    self.last_id.clone_from(&event.id);
                }
                self.hello_id = event.id;
            }
            "reset" => {
                self.has_missed = true;
                self.last_id = event.id.or(self.hello_id.take());
            }
            // The service closes the connection: it stops, or this client was too slow.
            "dropped" | "end" => self.stream = None,
            _ => {
                self.changes.extend(change_of(&event));
                if event.id.is_some() {
                    self.last_id = event.id;
                }
            }
        }
    }

    /// Finds what happened while events were missed.
    async fn compare(&mut self, project: &Project) -> Result<()> {
        let now = match DiagramDigests::read(project).await {
            Ok(now) => now,
            Err(error) => return self.backoff.wait_after(error).await,
        };
        // Only diagrams can be compared: the rest of the project may have changed too.
        self.changes.push_back(Change::new("project".to_owned(), ChangeAction::Changed, project.id().as_str()));
        self.changes.extend(self.known.changes_to(&now));
        self.known = now;
        self.has_missed = false;
        Ok(())
    }
}

/// The change that an event tells. `None` for any other event.
fn change_of(event: &ServerEvent) -> Option<Change> {
    let ChangeData { action, kind, id } = serde_json::from_str(&event.data).ok()?;
    Some(Change::new(kind, action, &id))
}

async fn open(project: &Project, last_event_id: Option<&str>) -> Result<EventStream> {
    let endpoint = PROJECT_EVENTS.at(project.in_project());
    project.client().transport.open_events(&endpoint, last_event_id).await
}

/// What all diagrams of a project were when they were last looked at: a digest of all fields of each but its features, which
/// cannot be changed.
#[derive(Debug, Default)]
struct DiagramDigests(HashMap<DiagramId, u64>);

impl DiagramDigests {
    /// One request for all diagrams.
    async fn read(project: &Project) -> Result<Self> {
        let diagrams: Vec<Map<String, Value>> = project.get(ALL_DIAGRAM_DETAILS.at(project.in_project())).await?;
        let id = |diagram: &Map<String, Value>| diagram.get("id").and_then(Value::as_i64).map(DiagramId);
        Ok(DiagramDigests(diagrams.into_iter().filter_map(|fields| Some((id(&fields)?, digest(fields)))).collect()))
    }

    /// Notes what a diagram is now.
    fn set(&mut self, id: DiagramId, fields: Map<String, Value>) {
        self.0.insert(id, digest(fields));
    }

    fn remove(&mut self, id: DiagramId) {
        self.0.remove(&id);
    }

    /// What happened from these to those.
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
