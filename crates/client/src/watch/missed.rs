//! Finds diagrams that changed while no client watched, from the service's events.

use std::collections::BTreeSet;

use tokio::time::timeout;

use super::events::{Greeting, change_of, greeting};
use crate::Project;
use crate::http::{EventStream, Reading};
use geodesign::model::DiagramId;

/// Beyond this many changes, comparing is faster.
const MAX_CHANGES: usize = 10_000;

impl Project {
    /// The id of the project's last event; `None` if the service has no events, or a proxy holds them back.
    pub(crate) async fn last_event(&self) -> Option<String> {
        connect(self, None).await.map(|(_, id)| id)
    }

    /// The diagrams that changed after one event, up to and including a later one. `None` if the service cannot report all of them.
    pub(crate) async fn diagrams_changed_between(&self, event: &str, later: &str) -> Option<BTreeSet<DiagramId>> {
        let mut changed = BTreeSet::new();
        if event == later {
            return Some(changed);
        }
        let read = async {
            let (mut stream, _) = connect(self, Some(event)).await?;
            for _ in 0..MAX_CHANGES {
                let event = stream.next().await.ok()??;
                // Any other event means that events are missing or that the stream ends.
                // News without an id is about nothing that is kept.
                let Some(id) = &event.id else { continue };
                changed.extend(change_of(&event)?.diagram());
                if *id == later {
                    return Some(());
                }
            }
            None
        };
        timeout(self.client().config().timeout, read).await.ok()??;
        Some(changed)
    }
}

/// Returns the stream, and the id in the service's greeting.
async fn connect(project: &Project, last_event: Option<&str>) -> Option<(Box<EventStream>, String)> {
    match greeting(project, last_event, Reading::Stream).await.ok()? {
        Greeting::Heard(stream, hello) if hello.name == "hello" => Some((stream, hello.id?)),
        _ => None,
    }
}
