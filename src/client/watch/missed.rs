//! What changed in a project since an event, for programs that do not stay connected.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Deserialize;
use tokio::time::timeout;

use super::change::Change;
use super::events::{change_of, open};
use crate::client::Project;
use crate::client::http::EventStream;
use crate::model::DiagramId;

/// A service greets at once. A proxy that passes on whole answers only would keep it back for ever.
const HELLO_TIMEOUT: Duration = Duration::from_secs(3);
/// More changes than this are not read: comparing is faster.
const MAX_CHANGES: usize = 10_000;

/// The version of a project, as the service tells it to those who watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    pub last_event: String,
    pub changeid: Option<String>,
}

/// Everything that changed.
#[derive(Debug, Clone, Default)]
pub struct Missed {
    pub diagrams: BTreeSet<DiagramId>,
    /// What kinds of things changed, in the words of the service.
    pub kinds: BTreeSet<String>,
}

impl Project {
    /// The version of the project. `None` if the service has no events, or if they are held back.
    pub(in crate::client) async fn version(&self) -> Option<Version> {
        let held_back = &self.client().held_back_events;
        if held_back.are_held_back() {
            return None;
        }
        let limit = self.client().config().timeout.min(HELLO_TIMEOUT);
        match timeout(limit, connect(self, None)).await {
            Ok(connected) => connected.map(|(_, version)| version),
            Err(_) => {
                held_back.note();
                None
            }
        }
    }

    /// All that changed after an event, up to a later one. `None` if the service cannot tell all of it.
    pub(in crate::client) async fn missed_between(&self, event: &str, later: &str) -> Option<Missed> {
        let limit = self.client().config().timeout;
        timeout(limit, read_missed(self, event, later)).await.ok()?
    }
}

async fn read_missed(project: &Project, event: &str, later: &str) -> Option<Missed> {
    let mut missed = Missed::default();
    if event == later {
        return Some(missed);
    }
    let (mut stream, _) = connect(project, Some(event)).await?;
    for _ in 0..MAX_CHANGES {
        let event = stream.next().await.ok()??;
        // Anything else says that events are missing or that the stream ends.
        let change: Change = change_of(&event)?;
        missed.diagrams.extend(change.diagram());
        missed.kinds.insert(change.kind);
        if event.id? == later {
            return Some(missed);
        }
    }
    None
}

/// The stream, and the version of the project with which the service greets.
async fn connect(project: &Project, last_event: Option<&str>) -> Option<(EventStream, Version)> {
    #[derive(Deserialize)]
    struct HelloData {
        #[serde(default)]
        changeid: Option<String>,
    }
    let mut stream = open(project, last_event).await.ok()?;
    let hello = stream.next().await.ok()??;
    let version =
        Version { last_event: hello.id?, changeid: serde_json::from_str::<HelloData>(&hello.data).ok()?.changeid };
    (hello.name == "hello").then_some((stream, version))
}
