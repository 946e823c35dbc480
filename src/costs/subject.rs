//! What a report is about, in the words of the people who read it.

use serde::{Deserialize, Serialize};

/// The project, and which of its diagrams were priced. What nobody told is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSubject {
    /// The title of the project.
    pub project: Option<String>,
    /// Such as `Conservation, Design 1` or `Selection of amara.okafor`. `None` if all diagrams of the project were priced.
    pub selection: Option<String>,
}

impl ReportSubject {
    /// One line for the top of a picture or page. `None` if nothing is known.
    pub fn title(&self) -> Option<String> {
        let parts: Vec<&str> = [&self.project, &self.selection].into_iter().flatten().map(String::as_str).collect();
        (!parts.is_empty()).then(|| parts.join(": "))
    }
}
