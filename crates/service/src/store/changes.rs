//! Changes of a project, and the project's change id.

use jiff::Span;
use jiff::civil::DateTime;
use rusqlite::params;
use serde::Serialize;

use super::database::columns::columns;
use super::database::error::{Result, StoreError};
use super::database::feed::ProjectChange;
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, date_time_text, to_json, utc_now};
use super::diagram_state::DiagramState;
use super::history::{Change, Undo};
use geodesign::model::{DiagramEdit, DiagramId, DiagramUpdate, Note, UtcMillis};

impl Writer<'_> {
    /// Runs a change of a diagram. If the diagram or its tags are different afterwards, records the change and sets its time.
    pub(super) fn change_diagram<T>(
        &self,
        operation: &'static str,
        project: ProjectKey,
        id: DiagramId,
        change: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        self.change_drawing(operation, project, id, false, change)
    }

    /// The same for a change that may replace the features, which are only read in that case.
    pub(super) fn change_drawing<T>(
        &self,
        operation: &'static str,
        project: ProjectKey,
        id: DiagramId,
        replaces_features: bool,
        change: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        let state = || {
            let drawing = if replaces_features { self.drawing(id)? } else { None };
            Ok::<_, StoreError>(DiagramState { drawing, ..self.diagram_state(project, id)? })
        };
        let before = state()?;
        let result = change(self)?;
        let after = state()?;
        if after == before {
            return Ok(result);
        }
        let (old, new) = (before.differing_from(&after), after.differing_from(&before));
        let change = Change::of(operation).diagram(id);
        let title = after.title.as_deref().unwrap_or_default();
        let change = change.before(self.describe_state(title, &old)?).after(self.describe_state(title, &new)?);
        self.record(project, change.undone_by(&Undo::Diagram { id, state: old.into() })?)?;
        let last = "SELECT changed_at FROM all_diagrams WHERE id = ?1";
        let last: String = self.value(last, [id.0])?.unwrap_or_default();
        self.run("UPDATE all_diagrams SET changed_at = ?2 WHERE id = ?1", params![id.0, now_after(&last)])?;
        Ok(result)
    }

    /// Replaces the tags of a diagram, given by their ids.
    pub fn set_diagram_tags(&self, project: ProjectKey, id: DiagramId, tags: &[String]) -> Result<()> {
        self.change_diagram("set_diagram_tags", project, id, |write| write.replace_diagram_tags(id, tags))
    }

    /// Updates a diagram. `tags` are the ids of the tags that the update refers to by their codes; `None` leaves the tags as
    /// they are.
    pub fn update_diagram(
        &self,
        project: ProjectKey,
        id: DiagramId,
        update: &DiagramUpdate<impl Serialize>,
        tags: Option<&[String]>,
    ) -> Result<()> {
        let DiagramUpdate { additional_metadata, title, tag_codes: _, start_date, end_date } = update;
        let state = DiagramState {
            additional_metadata: Some(to_json(additional_metadata)?),
            title: title.clone(),
            tags: tags.map(<[String]>::to_vec),
            ..self.dated(project, id, *start_date, *end_date)?
        };
        self.change_diagram("update_diagram", project, id, |write| write.set_diagram_state(id, &state))
    }

    /// Changes the given fields of a diagram.
    pub fn edit_diagram(&self, project: ProjectKey, id: DiagramId, edit: &DiagramEdit) -> Result<()> {
        let before = self.diagram_state(project, id)?;
        let dates = if edit.undated {
            let created = self.created_on(id)?;
            DiagramState {
                start_date: Some(created.clone()),
                end_date: Some(created),
                undated: Some(true),
                ..DiagramState::default()
            }
        } else {
            self.dated(project, id, edit.start_date, edit.end_date)?
        };
        let location = match edit.sysid.filter(|system| before.system != Some(system.0)) {
            Some(system) => Some((system, self.next_location(project, system)?)),
            None => None,
        };
        let state = DiagramState {
            system: location.as_ref().map(|(system, _)| system.0),
            rank: location.as_ref().map(|(_, location)| location.rank),
            grid_location: location.map(|(_, location)| location.name),
            start_date: dates.start_date,
            end_date: dates.end_date,
            undated: dates.undated,
            ..DiagramState::edited(edit)?
        };
        let replaces_features = state.drawing.is_some();
        self.change_drawing("edit_diagram", project, id, replaces_features, |write| write.set_diagram_state(id, &state))
    }

    /// Returns a diagram's new days.
    fn dated(
        &self,
        project: ProjectKey,
        id: DiagramId,
        start: Option<UtcMillis>,
        end: Option<UtcMillis>,
    ) -> Result<DiagramState> {
        let day = |date: Option<UtcMillis>| date.map(|date| date.date().to_string());
        let (mut start_date, mut end_date) = (day(start), day(end));
        let is_dated = start_date.is_some() || end_date.is_some();
        if is_dated && self.diagram_state(project, id)?.undated == Some(true) {
            // Nobody gave the other one, so it is the same day.
            start_date = start_date.or_else(|| end_date.clone());
            end_date = end_date.or_else(|| start_date.clone());
        }
        Ok(DiagramState { start_date, end_date, undated: is_dated.then_some(false), ..DiagramState::default() })
    }

    /// Returns the day on which a diagram was created.
    fn created_on(&self, id: DiagramId) -> Result<String> {
        let sql = "SELECT substr(created_at, 1, 10) FROM all_diagrams WHERE id = ?1";
        Ok(self.value(sql, [id.0])?.unwrap_or_default())
    }

    pub fn set_diagram_note(&self, project: ProjectKey, id: DiagramId, notes: &str) -> Result<Option<Note>> {
        self.change_diagram("set_notes", project, id, |write| {
            write.run("UPDATE all_diagrams SET notes = ?2 WHERE id = ?1", params![id.0, notes]).map(drop)
        })?;
        self.diagram_note(project, id)
    }

    /// Removes a diagram. From then on nothing shows it; undoing the entry in the history restores it. Returns false if the project has no
    /// such diagram.
    pub fn remove_diagram(&self, project: ProjectKey, id: DiagramId) -> Result<bool> {
        let exists = self.has_diagram(project, id)?;
        if exists {
            let removed = DiagramState { removed: Some(true), ..DiagramState::default() };
            self.change_diagram("delete_diagram", project, id, |write| write.set_diagram_state(id, &removed))?;
        }
        Ok(exists)
    }
}

/// Returns the current time, or a microsecond after `last` if the clock has not advanced since.
fn now_after(last: &str) -> String {
    let now = utc_now();
    let last: Option<DateTime> = last.parse().ok();
    let next = last.and_then(|last| last.checked_add(Span::new().microseconds(1)).ok());
    date_time_text(next.map_or(now, |next| next.max(now)))
}

/// The state of a project.
#[derive(Debug, Clone)]
pub struct ProjectVersion {
    /// The id of the last change.
    pub version: i64,
    /// A text that differs after each change.
    pub changeid: String,
}

impl Reader<'_> {
    pub fn project_version(&self, project: ProjectKey) -> Result<Option<ProjectVersion>> {
        self.select_one(columns!(ProjectVersion { version, changeid }), "FROM projects WHERE key = ?1", [project.0])
    }

    /// Fails if the database cannot be read.
    pub fn check_readable(&self) -> Result<()> {
        self.exists("SELECT 1 FROM projects LIMIT 1", []).map(drop)
    }

    /// Returns the first `count` changes of a project after this one that the database still has, oldest first.
    pub fn project_changes_after(&self, project: ProjectKey, id: i64, count: usize) -> Result<Vec<ProjectChange>> {
        let rest = "FROM changes WHERE project = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
        self.select(ProjectChange::columns(), rest, [project.0, id, count as i64])
    }
}
