//! The history of a project: the author of each change, its content, and how to undo it.

use std::collections::HashSet;
use std::fmt::Display;

use rusqlite::params;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::database::columns::columns;
use super::database::error::Result;
use super::database::transaction::{Author, Reader, Writer};
use super::database::values::{ProjectKey, UserKey, date_time_text, from_json, to_json, utc_now};
use super::diagram_state::DiagramState;
use super::system_map::SystemMap;
use geodesign::model::{DiagramId, EntryId, HistoryEntry, HistoryFilter, JsonObject, SystemId, Username};

/// An entry shows at most this many characters of the state before a change, and as many of the one after it.
const MAX_SUMMARY: usize = 200;
/// Approximate bytes of an entry without its texts.
const ENTRY_BYTES: usize = 100;
/// A thousand years: no database is older.
const MAX_DAYS: u64 = 365_000;
/// The time between two entries counts as at most this share of the time that entries are kept.
const LONGEST_PAUSE: f64 = 1.0 / 12.0;
/// The operations whose entries are about what every member can read. All others are for administrators: memberships, tokens, links,
/// walk-ins, and everything that an archive brings from elsewhere.
const READ_BY_MEMBERS: [&str; 45] = [
    "add_comment",
    "add_design",
    "add_external_policy",
    "add_external_project",
    "add_layer",
    "add_negotiation",
    "add_policy",
    "add_project",
    "add_stakeholders",
    "add_system",
    "add_team",
    "ask_for_review",
    "create_project",
    "create_tags",
    "delete_comment",
    "delete_diagram",
    "delete_layer",
    "edit_comment",
    "edit_design",
    "edit_diagram",
    "edit_project",
    "edit_system",
    "edit_team",
    "group_diagrams",
    "merge",
    "remove_design",
    "remove_system",
    "remove_team",
    "set_activities",
    "set_boundaries",
    "set_constraints",
    "set_context",
    "set_diagram",
    "set_diagram_tags",
    "set_evaluation",
    "set_impact",
    "set_notes",
    "set_plugins",
    "set_selection",
    "set_system",
    "set_team_members",
    "set_vote",
    "undo",
    "update_diagram",
    "withdraw_vote",
];

/// A change of the database, for the history.
#[derive(Debug)]
pub struct Change {
    operation: &'static str,
    subject: Option<String>,
    diagram: Option<DiagramId>,
    before: Option<String>,
    after: Option<String>,
    undo: Option<String>,
}

impl Change {
    /// `operation` is the name of the operation, or of the operator's method, that makes the change.
    pub fn of(operation: &'static str) -> Self {
        Change { operation, subject: None, diagram: None, before: None, after: None, undo: None }
    }

    /// Sets the thing that was changed, such as `team 1`.
    pub fn subject(self, subject: impl Display) -> Self {
        Change { subject: Some(shortened(subject)), ..self }
    }

    /// Sets the diagram that was changed.
    pub fn diagram(self, id: DiagramId) -> Self {
        Change { diagram: Some(id), ..self.subject(format_args!("diagram {id}")) }
    }

    /// Sets a summary of the state before.
    pub fn before(self, before: impl Display) -> Self {
        Change { before: Some(shortened(before)), ..self }
    }

    /// Sets a summary of the new state.
    pub fn after(self, after: impl Display) -> Self {
        Change { after: Some(shortened(after)), ..self }
    }

    /// Sets the way to restore the state before the change.
    pub fn undone_by(self, undo: &Undo) -> Result<Self> {
        Ok(Change { undo: Some(to_json(undo)?), ..self })
    }

    fn bytes(&self) -> usize {
        let texts = [&self.subject, &self.before, &self.after, &self.undo];
        ENTRY_BYTES + texts.into_iter().flatten().map(String::len).sum::<usize>()
    }
}

impl Reader<'_> {
    /// Returns the history of a project or, without one, of the service; newest first.
    pub fn history(&self, project: Option<ProjectKey>, wanted: &HistoryFilter) -> Result<Vec<HistoryEntry>> {
        // For one diagram, the index has the entries.
        let of_diagram = if wanted.diagram.is_some() { "diagram = ?5" } else { "?5 IS NULL" };
        let columns = columns!(HistoryEntry {
            id: "number",
            time: "changed_at",
            username,
            operation,
            subject,
            diagram,
            before,
            after,
            can_be_undone: "undo IS NOT NULL",
            extra: (JsonObject::new()),
        });
        let rest = format!(
            "FROM history LEFT JOIN users ON users.key = user WHERE project IS ?1 AND number >= ?2 AND changed_at >= ?3 \
             AND (?4 IS NULL OR username = ?4) AND {of_diagram} ORDER BY number DESC"
        );
        let values = params![
            project.map(|project| project.0),
            self.first_kept_entry(project.map(|project| project.0))?,
            wanted.since.map(date_time_text).unwrap_or_default(),
            wanted.user.as_ref().map(Username::as_str),
            wanted.diagram.map(|diagram| diagram.0),
        ];
        self.select(columns, &rest, values)
    }

    /// Returns the entries of a project's history that a member may read. Hidden votes of others are left out.
    pub fn history_for_member(
        &self,
        project: ProjectKey,
        member: UserKey,
        wanted: &HistoryFilter,
    ) -> Result<Vec<HistoryEntry>> {
        let mut entries = self.history(Some(project), wanted)?;
        entries.retain(|entry| READ_BY_MEMBERS.contains(&entry.operation.as_str()));
        if self.hides_votes_from(project, member)? {
            let sql = "SELECT number FROM history WHERE project = ?1 AND user IS NOT ?2 \
                       AND operation IN ('set_vote', 'withdraw_vote')";
            let hidden: HashSet<i64> = self.values(sql, params![project.0, member.0])?.into_iter().collect();
            entries.retain(|entry| !hidden.contains(&entry.id.0));
        }
        Ok(entries)
    }

    /// Returns the number of the oldest entry that is young enough to be kept.
    ///
    /// An entry's age is the sum of the times between entries since then. A clock that jumped would make all entries older at once, so each
    /// of these times counts as at most [`LONGEST_PAUSE`] of the time that entries are kept.
    pub(super) fn first_kept_entry(&self, project: Option<i64>) -> Result<i64> {
        let days = self.limits().history_days.min(MAX_DAYS) as f64;
        let now = date_time_text(utc_now());
        let by_the_clock =
            "SELECT julianday(?2) - julianday(changed_at) FROM history WHERE project IS ?1 ORDER BY number LIMIT 1";
        let oldest: Option<f64> = self.value(by_the_clock, params![project, now])?;
        if oldest.is_none_or(|age| age < days) {
            return Ok(0);
        }
        let sql = "WITH pauses AS (SELECT number, julianday(coalesce(lead(changed_at) OVER (ORDER BY number), ?2)) \
                   - julianday(changed_at) AS pause FROM history WHERE project IS ?1), \
                   ages AS (SELECT number, sum(max(0, min(pause, ?4))) OVER (ORDER BY number DESC) AS age FROM pauses) \
                   SELECT coalesce(min(number), ?5) FROM ages WHERE age < ?3";
        let values = params![project, now, days, days * LONGEST_PAUSE, i64::MAX];
        Ok(self.value(sql, values)?.unwrap_or_default())
    }
}

impl Writer<'_> {
    /// Records a change in the history of a project or, without one, of the service. Deletes the entries beyond the limits.
    pub(super) fn record(&self, project: impl Into<Option<ProjectKey>>, change: Change) -> Result<()> {
        let user = match self.author() {
            Author::Nobody => return Ok(()),
            Author::Operator => None,
            Author::User(user) => Some(user.0),
        };
        let project = project.into().map(|project| project.0);
        let last = "FROM history WHERE project IS ?1 ORDER BY number DESC LIMIT 1";
        let last = self.select_one(columns!((number, end: "bytes_before + bytes")), last, [project])?;
        let (last, bytes_before): (i64, i64) = last.unwrap_or_default();
        let (number, bytes) = (last + 1, change.bytes().cast_signed() as i64);
        let Change { operation, subject, diagram, before, after, undo } = change;
        let sql = "INSERT INTO history (project, number, changed_at, user, operation, subject, diagram, before, after, undo, bytes, \
                   bytes_before) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
        let (now, diagram) = (date_time_text(utc_now()), diagram.map(|diagram| diagram.0));
        self.run(
            sql,
            params![project, number, now, user, operation, subject, diagram, before, after, undo, bytes, bytes_before],
        )?;
        self.delete_old_entries(project, number, bytes_before + bytes)
    }

    /// Records that things with these names were added to a project, if there are any.
    pub(super) fn record_added(&self, operation: &'static str, project: ProjectKey, names: &[&str]) -> Result<()> {
        if names.is_empty() { Ok(()) } else { self.record(project, Change::of(operation).after(names.join(", "))) }
    }

    /// Deletes the oldest entries until the others are within the limits. The newest one stays, however large it is.
    fn delete_old_entries(&self, project: Option<i64>, newest: i64, end: i64) -> Result<()> {
        let limits = self.limits();
        let first_kept = self.first_kept_entry(project)?;
        loop {
            let oldest = "FROM history WHERE project IS ?1 ORDER BY number LIMIT 1";
            let oldest: Option<(i64, i64)> = self.select_one(columns!((number, bytes_before)), oldest, [project])?;
            let Some((number, bytes_before)) = oldest.filter(|(number, ..)| *number < newest) else {
                return Ok(());
            };
            let is_kept = newest.abs_diff(number) < limits.history_entries
                && end.abs_diff(bytes_before) <= limits.history_bytes
                && number >= first_kept;
            if is_kept {
                return Ok(());
            }
            self.discard_removed_diagrams(project, number)?;
            self.run("DELETE FROM history WHERE project IS ?1 AND number = ?2", params![project, number])?;
        }
    }

    /// Deletes the content of the diagrams that an entry removed and no later one restored: without the entry, they cannot be restored.
    /// Their ids stay taken.
    fn discard_removed_diagrams(&self, project: Option<i64>, number: i64) -> Result<()> {
        let removed = "SELECT id FROM all_diagrams WHERE project = ?1 AND removed_by = ?2";
        let removed: Vec<i64> = self.values(removed, params![project, number])?;
        for diagram in removed {
            for table in ["comments", "features", "thumbnails"] {
                self.run(&format!("DELETE FROM {table} WHERE diagram = ?1"), [diagram])?;
            }
            let sql = "UPDATE all_diagrams SET geometry_bytes = 0, description = '', notes = '', additional_metadata = '{}', \
                       building_data = '{}', flat_geobuf_url = '', external_geometries = '' WHERE id = ?1";
            self.run(sql, [diagram])?;
        }
        Ok(())
    }
}

/// Joins names or ids with commas.
pub fn joined(items: impl IntoIterator<Item = impl Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns the beginning of a text, on one line.
fn shortened(text: impl Display) -> String {
    let text = text.to_string().replace(char::is_control, " ");
    match text.char_indices().nth(MAX_SUMMARY) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The way to restore the state before a change.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// Gives the diagram the values of this state.
    Diagram {
        id: DiagramId,
        state: Box<DiagramState>,
    },
    Map {
        map: SystemMap,
        system: SystemId,
        geojson: Box<RawValue>,
    },
}

/// Outcome of a request to undo an entry of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    Yes,
    /// The history has no such entry.
    NoSuchEntry,
    /// The change cannot be undone.
    Impossible,
}

impl Writer<'_> {
    /// Restores a diagram or a map to its state before an entry of the history. This is a change that can be undone in turn.
    pub fn undo(&self, project: ProjectKey, entry: EntryId) -> Result<Undone> {
        let sql = "SELECT undo FROM history WHERE project = ?1 AND number = ?2 AND number >= ?3";
        let undo = self.one(sql, params![project.0, entry.0, self.first_kept_entry(Some(project.0))?], |row| {
            let is_possible = row.get_ref(0)?.as_str_or_null().is_ok_and(|undo| undo.is_some());
            if is_possible { from_json(row, 0).map(Some) } else { Ok(None) }
        })?;
        match undo {
            None => return Ok(Undone::NoSuchEntry),
            Some(None) => return Ok(Undone::Impossible),
            Some(Some(Undo::Diagram { id, state })) => {
                let replaces_features = state.drawing.is_some();
                self.change_drawing("undo", project, id, replaces_features, |write| {
                    write.set_diagram_state(id, &state)
                })?;
            }
            Some(Some(Undo::Map { map, system, geojson })) => {
                self.change_map("undo", project, system, map, geojson.get(), None)?;
            }
        }
        Ok(Undone::Yes)
    }
}
