//! The history of a project: its changes and their authors, and filters for them.

use std::fmt::Write;

use jiff::civil;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use super::dates::{DateTime, utc_date_time};
use super::fields::JsonObject;
use super::ids::{DiagramId, EntryId, Username};

/// A change of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HistoryEntry {
    /// Number of the change in the project's history.
    pub id: EntryId,
    /// UTC, without a zone.
    pub time: DateTime,
    /// User who made the change; null for the operator of the service.
    pub username: Option<Username>,
    /// The operation that made it, such as `add_project`, `set_notes` or `undo`.
    pub operation: String,
    /// Thing that was changed, such as `diagram 1002`; null for the project as a whole.
    pub subject: Option<String>,
    /// The diagram that was changed; null for anything else.
    #[serde(default)]
    pub diagram: Option<DiagramId>,
    /// Short description of the state before the change.
    pub before: Option<String>,
    /// Short description of the state after the change.
    pub after: Option<String>,
    /// True if the state before the change can be restored.
    pub can_be_undone: bool,
    #[serde(flatten)]
    pub extra: JsonObject,
}

impl HistoryEntry {
    /// Returns the same entry with its diagram, which is read from the subject if only that has it, as in older archives and services.
    pub fn with_diagram(mut self) -> Self {
        let told = || self.subject.as_deref()?.strip_prefix("diagram ")?.parse().ok().map(DiagramId);
        self.diagram = self.diagram.or_else(told);
        self
    }
}

/// Filter for the entries of a history: all, unless a field says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryFilter {
    /// Entries of this time in UTC and later.
    pub since: Option<civil::DateTime>,
    /// Entries of this user.
    pub user: Option<Username>,
    /// Entries about this diagram.
    pub diagram: Option<DiagramId>,
}

/// Reasons why a text is not a valid filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHistoryFilter {
    #[error(
        "since {0:?} is not a date or date-time; write 2030-05-01, 2030-05-01T12:30:00 (UTC) or 2030-05-01T12:30:00+02:00, \
         with + as %2B in an address"
    )]
    Since(String),
    #[error("user {0:?} is not a user name")]
    User(String),
    #[error("diagram {0:?} is not an id; ids are integers")]
    Diagram(String),
}

impl HistoryFilter {
    /// Reads the parameters of a query.
    pub fn parse(since: Option<&str>, user: Option<&str>, diagram: Option<&str>) -> Result<Self, InvalidHistoryFilter> {
        use InvalidHistoryFilter::{Diagram, Since, User};
        let since = since.map(|text| utc_date_time(text).ok_or_else(|| Since(text.to_owned())));
        let user = user.map(|text| text.parse().map_err(|_| User(text.to_owned())));
        let diagram = diagram.map(|text| text.parse().map(DiagramId).map_err(|_| Diagram(text.to_owned())));
        Ok(HistoryFilter { since: since.transpose()?, user: user.transpose()?, diagram: diagram.transpose()? })
    }

    /// Returns the parameters of a query; `None` for all entries.
    pub fn query(&self) -> Option<String> {
        let mut query = String::new();
        let mut add = |name, value: &str| {
            let and = if query.is_empty() { "" } else { "&" };
            // Writing into a String succeeds.
            let _ = write!(query, "{and}{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC));
        };
        self.since.iter().for_each(|since| add("since", &since.to_string()));
        self.user.iter().for_each(|user| add("user", user.as_str()));
        self.diagram.iter().for_each(|diagram| add("diagram", &diagram.to_string()));
        Some(query).filter(|query| !query.is_empty())
    }

    /// True if the filter includes an entry.
    pub fn has(&self, entry: &HistoryEntry) -> bool {
        self.since.is_none_or(|since| *entry.time >= since)
            && self.user.as_ref().is_none_or(|user| entry.username.as_ref() == Some(user))
            && self.diagram.is_none_or(|diagram| entry.diagram == Some(diagram))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(subject: &str) -> HistoryEntry {
        let fields = json!({"id": 1, "time": "2026-03-02T09:30:00.5", "username": "zoë", "operation": "set_notes",
            "subject": subject, "before": null, "after": "", "can_be_undone": true});
        serde_json::from_value(fields).unwrap()
    }

    #[test]
    fn the_subject_of_an_older_service_tells_the_diagram() {
        let diagrams =
            ["diagram 1002", "design 1002", "diagram x"].map(|subject| entry(subject).with_diagram().diagram);
        assert_eq!(diagrams, [Some(DiagramId(1002)), None, None]);
    }

    #[test]
    fn an_entry_of_the_time_itself_is_one_since_then() {
        for (since, is_asked_for) in [("2026-03-02T10:30:00.5+01:00", true), ("2026-03-02T09:30:00.500001", false)] {
            let filter = HistoryFilter::parse(Some(since), None, None).unwrap();
            assert_eq!(filter.has(&entry("diagram 1")), is_asked_for, "{since}");
        }
    }

    #[test]
    fn a_query_has_what_is_asked_for_and_nothing_else() {
        assert_eq!(HistoryFilter::default().query(), None);
        let filter = HistoryFilter::parse(Some("2026-03-02"), Some("zoë&a"), Some("7")).unwrap();
        assert_eq!(filter.query().unwrap(), "since=2026%2D03%2D02T00%3A00%3A00&user=zo%C3%AB%26a&diagram=7");
    }

    #[test]
    fn a_wrong_parameter_is_named() {
        for (since, user, diagram, named) in [
            (Some("monday"), None, None, "since \"monday\""),
            (Some("2026-03-02T09:30:00 02:00"), None, None, "%2B"),
            (None, Some(""), None, "user \"\""),
            (None, None, Some("1.5"), "diagram \"1.5\""),
        ] {
            let problem = HistoryFilter::parse(since, user, diagram).unwrap_err().to_string();
            assert!(problem.contains(named), "{problem}");
        }
    }
}
