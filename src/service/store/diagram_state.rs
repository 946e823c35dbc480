//! What of a diagram can change after it was added, and be restored.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::database::error::Result;
use super::database::keys::ProjectKey;
use super::database::transaction::{Reader, Writer};
use crate::model::DiagramId;

macro_rules! diagram_state {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)*) => {
        /// Values of a diagram, as the database holds them; `None` for one that is left out.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        pub struct DiagramState {$(
            $(#[$doc])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $field: Option<$type>,
        )*}

        impl DiagramState {
            /// The values that are others in `other`.
            pub fn differing_from(&self, other: &DiagramState) -> DiagramState {
                DiagramState {$($field: self.$field.clone().filter(|_| self.$field != other.$field),)*}
            }
        }
    };
}

diagram_state! {
    removed: bool,
    title: String,
    notes: String,
    start_date: String,
    end_date: String,
    additional_metadata: String,
    cost_override: f64,
    cost_override_type: String,
    building_data: String,
    /// Their ids, sorted.
    tags: Vec<String>,
}

impl Reader<'_> {
    /// The state of a diagram, which may have been removed; empty if the project has no such diagram.
    pub(super) fn diagram_state(&self, project: ProjectKey, id: DiagramId) -> Result<DiagramState> {
        let sql = "SELECT removed_by IS NOT NULL, description, notes, start_date, end_date, additional_metadata, cost_override, \
                   cost_override_type, building_data FROM all_diagrams WHERE project = ?1 AND id = ?2";
        let tags = "SELECT tag FROM diagram_tags WHERE diagram = ?1 ORDER BY tag";
        let state = self.one(sql, params![project.0, id.0], |row| {
            Ok(DiagramState {
                removed: row.get(0)?,
                title: row.get(1)?,
                notes: row.get(2)?,
                start_date: row.get(3)?,
                end_date: row.get(4)?,
                additional_metadata: row.get(5)?,
                cost_override: row.get(6)?,
                cost_override_type: row.get(7)?,
                building_data: row.get(8)?,
                tags: Some(self.all(tags, [id.0], |row| Ok(row.get(0)?))?),
            })
        })?;
        Ok(state.unwrap_or_default())
    }

    /// Some values of a diagram of this title in short, for people.
    pub(super) fn describe_state(&self, diagram_title: &str, state: &DiagramState) -> Result<String> {
        let DiagramState {
            removed,
            title,
            notes,
            start_date,
            end_date,
            additional_metadata,
            cost_override,
            cost_override_type,
            building_data,
            tags,
        } = state;
        let tags = tags.as_ref().map(|tags| self.tag_names(tags)).transpose()?;
        let parts = [
            removed.map(|removed| if removed { "removed" } else { diagram_title }.to_owned()),
            named("title", title),
            named("notes", notes),
            named("start_date", start_date),
            named("end_date", end_date),
            named("additional_metadata", additional_metadata),
            cost_override.map(|cost| format!("cost_override: {cost}")),
            named("cost_override_type", cost_override_type),
            named("building_data", building_data),
            named("tags", &tags),
        ];
        Ok(parts.into_iter().flatten().collect::<Vec<_>>().join("; "))
    }

    /// The names of tags, with commas between them.
    fn tag_names(&self, ids: &[String]) -> Result<String> {
        let name =
            |id: &String| self.one("SELECT tag FROM tags WHERE id = ?1", [id], |row| Ok(row.get::<_, String>(0)?));
        let names = ids.iter().filter_map(|id| name(id).transpose()).collect::<Result<Vec<_>>>()?;
        Ok(names.join(", "))
    }
}

impl Writer<'_> {
    /// Sets the values that a state has. Belongs into [`Writer::change_diagram`], which records it.
    pub(super) fn set_diagram_state(&self, id: DiagramId, state: &DiagramState) -> Result<()> {
        // A diagram is removed by the entry of the history that is recorded next.
        let sql = "UPDATE all_diagrams SET description = coalesce(?2, description), notes = coalesce(?3, notes), \
                   start_date = coalesce(?4, start_date), end_date = coalesce(?5, end_date), \
                   additional_metadata = coalesce(?6, additional_metadata), cost_override = coalesce(?7, cost_override), \
                   cost_override_type = coalesce(?8, cost_override_type), building_data = coalesce(?9, building_data), \
                   removed_by = CASE ?10 WHEN TRUE THEN coalesce(removed_by, (SELECT coalesce(max(number), 0) + 1 FROM history \
                   WHERE history.project = all_diagrams.project)) WHEN FALSE THEN NULL ELSE removed_by END WHERE id = ?1";
        let values = params![
            id.0,
            state.title,
            state.notes,
            state.start_date,
            state.end_date,
            state.additional_metadata,
            state.cost_override,
            state.cost_override_type,
            state.building_data,
            state.removed,
        ];
        self.run(sql, values)?;
        state.tags.as_ref().map_or(Ok(()), |tags| self.replace_diagram_tags(id, tags))
    }
}

fn named(name: &str, value: &Option<String>) -> Option<String> {
    value.as_ref().map(|value| format!("{name}: {value}"))
}
