//! Changes of diagrams. The change id of a diagram changes exactly when the diagram or its tags do.

use jiff::Span;
use jiff::civil::DateTime;
use rusqlite::params;
use serde::Serialize;

use super::database::columns::{date_time_text, to_json, utc_now};
use super::database::error::Result;
use super::database::keys::ProjectKey;
use super::database::transaction::Writer;
use super::diagram_filter::DiagramFilter;
use crate::model::{DiagramId, DiagramUpdate, Note, UtcMillis};

impl Writer<'_> {
    /// Runs a change of a diagram. Sets the time of its last change if the diagram or its tags are different afterwards.
    pub(super) fn change_diagram<T>(
        &self,
        project: ProjectKey,
        id: DiagramId,
        change: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        let state = || Result::Ok((self.diagram_details(&DiagramFilter::One(project, id))?, self.diagram_tag_ids(id)?));
        let before = state()?;
        let result = change(self)?;
        if state()? != before {
            let last: String = self
                .one("SELECT changed_at FROM diagrams WHERE id = ?1", [id.0], |row| Ok(row.get(0)?))?
                .unwrap_or_default();
            self.run("UPDATE diagrams SET changed_at = ?2 WHERE id = ?1", params![id.0, now_after(&last)])?;
        }
        Ok(result)
    }

    /// Replaces the tags of a diagram, given by their ids.
    pub fn set_diagram_tags(&self, project: ProjectKey, id: DiagramId, tags: &[String]) -> Result<()> {
        self.change_diagram(project, id, |write| write.replace_diagram_tags(id, tags))
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
        self.change_diagram(project, id, |write| {
            let DiagramUpdate { additional_metadata, title, tag_codes: _, start_date, end_date } = update;
            let day = |date: &Option<UtcMillis>| date.map(|date| date.date().to_string());
            let sql = "UPDATE diagrams SET additional_metadata = ?2, description = coalesce(?3, description), \
                       start_date = coalesce(?4, start_date), end_date = coalesce(?5, end_date) WHERE id = ?1";
            let values = params![id.0, to_json(additional_metadata)?, title, day(start_date), day(end_date)];
            write.run(sql, values)?;
            tags.map_or(Ok(()), |tags| write.replace_diagram_tags(id, tags))
        })
    }

    pub fn set_diagram_note(&self, project: ProjectKey, id: DiagramId, notes: &str) -> Result<Option<Note>> {
        self.change_diagram(project, id, |write| {
            write.run("UPDATE diagrams SET notes = ?2 WHERE id = ?1", params![id.0, notes]).map(drop)
        })?;
        self.diagram_note(project, id)
    }
}

/// The current time, or a microsecond after `last` if the clock has not advanced since.
fn now_after(last: &str) -> String {
    let now = utc_now();
    let last: Option<DateTime> = last.parse().ok();
    let next = last.and_then(|last| last.checked_add(Span::new().microseconds(1)).ok());
    date_time_text(next.map_or(now, |next| next.max(now)))
}
