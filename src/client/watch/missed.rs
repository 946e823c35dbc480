//! Which diagrams changed while nobody watched, as the service's events tell it.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::timeout;

use super::events::{change_of, open};
use crate::client::Project;
use crate::client::http::EventStream;
use crate::model::DiagramId;

/// A service greets at once. A proxy that passes on whole responses only would keep the greeting back for ever.
const GREETING_TIMEOUT: Duration = Duration::from_secs(2);
/// More changes than this are not read: comparing is faster.
const MAX_CHANGES: usize = 10_000;

impl Project {
    /// The id of the last event of the project. `None` if the service has no events, or a proxy holds them back.
    pub(in crate::client) async fn last_event(&self) -> Option<String> {
        let limit = self.client().config().timeout.min(GREETING_TIMEOUT);
        timeout(limit, connect(self, None)).await.ok()?.map(|(_, id)| id)
    }

    /// The diagrams that changed after one event, up to and with a later one. `None` if the service cannot tell all of them.
    pub(in crate::client) async fn diagrams_changed_between(
        &self,
        event: &str,
        later: &str,
    ) -> Option<BTreeSet<DiagramId>> {
        let mut changed = BTreeSet::new();
        if event == later {
            return Some(changed);
        }
        let read = async {
            let (mut stream, _) = connect(self, Some(event)).await?;
            for _ in 0..MAX_CHANGES {
                let event = stream.next().await.ok()??;
                // Anything else says that events are missing or that the stream ends.
                changed.extend(change_of(&event)?.diagram());
                if event.id? == later {
                    return Some(());
                }
            }
            None
        };
        timeout(self.client().config().timeout, read).await.ok()??;
        Some(changed)
    }
}

/// The stream, and the id in the greeting of the service.
async fn connect(project: &Project, last_event: Option<&str>) -> Option<(EventStream, String)> {
    let mut stream = open(project, last_event).await.ok()?;
    let hello = stream.next().await.ok()??;
    Some((stream, hello.id.filter(|_| hello.name == "hello")?))
}
