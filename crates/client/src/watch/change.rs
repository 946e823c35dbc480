//! Shared by both ways to watch a project: the changes they find, and the delay after a failure.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::{Advice, Error, Result};
use geodesign::features::FeatureCollection;
use geodesign::model::DiagramId;

/// First delay before a service that does not respond is asked again.
const FIRST_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(10);

/// A thing in a project that was added, changed or removed.
#[derive(Debug, Clone)]
pub struct ProjectChange {
    /// The kind of thing: `diagram`, `tag`, `design`, `selection`, `system`, `project`, or another word of the service.
    pub kind: String,
    pub action: ChangeAction,
    pub id: ChangedId,
    /// A diagram that was added or changed, in its state when the change is read. `None` if it no longer exists, and for other things.
    pub diagram: Option<FeatureCollection>,
}

/// The kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeAction {
    Added,
    Changed,
    Removed,
}

impl ChangeAction {
    pub fn name(self) -> &'static str {
        match self {
            ChangeAction::Added => "added",
            ChangeAction::Changed => "changed",
            ChangeAction::Removed => "removed",
        }
    }
}

/// An id: a number where a project's methods take one, otherwise text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ChangedId {
    Number(i64),
    Text(String),
}

/// A change before the diagram has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub kind: String,
    pub action: ChangeAction,
    pub id: ChangedId,
}

impl Change {
    pub fn new(kind: String, action: ChangeAction, id: &str) -> Self {
        let has_number = matches!(kind.as_str(), "diagram" | "system");
        let number = id.parse().ok().filter(|_| has_number);
        let id = number.map_or_else(|| ChangedId::Text(id.to_owned()), ChangedId::Number);
        Change { kind, action, id }
    }

    pub fn of_diagram(action: ChangeAction, id: DiagramId) -> Self {
        Change { kind: "diagram".to_owned(), action, id: ChangedId::Number(id.0) }
    }

    /// The diagram's id, if the change is about a diagram.
    pub fn diagram(&self) -> Option<DiagramId> {
        match self.id {
            ChangedId::Number(id) if self.kind == "diagram" => Some(DiagramId(id)),
            _ => None,
        }
    }

    /// The id of the diagram to read.
    pub fn diagram_to_read(&self) -> Option<DiagramId> {
        self.diagram().filter(|_| self.action != ChangeAction::Removed)
    }
}

/// Counts consecutive failures.
#[derive(Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    pub fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Waits, longer each time and for a random time, so that many watchers do not return at the same moment.
    pub async fn wait(&mut self) {
        let longest = FIRST_DELAY.saturating_mul(2u32.saturating_pow(self.failures)).min(MAX_DELAY);
        self.failures = self.failures.saturating_add(1);
        sleep(longest.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
    }

    /// Waits after a failure that may be temporary, such as a restart of the service. Any other failure is an error.
    pub async fn wait_after(&mut self, error: Error) -> Result<()> {
        let may_pass = match &error {
            Error::Transport { advice, .. } => *advice == Advice::CheckTheService,
            Error::Timeout { .. } => true,
            Error::Api { status, .. } => matches!(status.as_u16(), 408 | 425 | 429 | 500..),
            _ => false,
        };
        if !may_pass {
            return Err(error);
        }
        tracing::info!("watching a project was interrupted ({error}); trying again");
        self.wait().await;
        Ok(())
    }
}
