//! A change of a project.

use serde::{Deserialize, Serialize};

use crate::features::FeatureCollection;
use crate::model::DiagramId;

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
