//! What both ways to watch a project share: the changes that they find, and how long they wait after a failure.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::{Advice, Error, Result};
use geodesign::features::FeatureCollection;
use geodesign::model::DiagramId;

/// How long to wait before a service that does not respond is asked again.
const FIRST_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Something in a project that was added, changed or removed.
#[derive(Debug, Clone)]
pub struct ProjectChange {
    /// What it is: `diagram`, `tag`, `design`, `selection`, `system`, `project`, or another word of the service.
    pub kind: String,
    pub action: ChangeAction,
    pub id: ChangedId,
    /// A diagram that was added or changed, as it is when the change is read. `None` if it is gone again, and for other things.
    pub diagram: Option<FeatureCollection>,
}

/// What happened.
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

/// An id: a number where the methods of a project take one, otherwise a text.
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

    /// The id of the diagram, if this is about one.
    pub fn diagram(&self) -> Option<DiagramId> {
        match self.id {
            ChangedId::Number(id) if self.kind == "diagram" => Some(DiagramId(id)),
            _ => None,
        }
    }

    /// The id of the diagram that is to be read.
    pub fn diagram_to_read(&self) -> Option<DiagramId> {
        self.diagram().filter(|_| self.action != ChangeAction::Removed)
    }
}

/// Counts failures that follow one another.
#[derive(Debug, Default)]
pub struct Backoff {
    failures: u32,
}

impl Backoff {
    pub fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Waits, each time longer, and at random, so that many watchers do not come back at the same moment.
    pub async fn wait(&mut self) {
        let longest = FIRST_DELAY.saturating_mul(2u32.saturating_pow(self.failures)).min(MAX_DELAY);
        self.failures = self.failures.saturating_add(1);
        sleep(longest.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
    }

    /// Waits after a failure that may pass, such as a restart of the service. Any other is an error.
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
