//! Changes of diagrams, their tags and groups. A change id moves when a diagram changes, and only then.

use rusqlite::params;

use super::{Diagrams, ProjectKey, Result, Writer, moment, to_json, utc_now};
use crate::model::{DiagramGroup, DiagramId, DiagramUpdate, Note};

/// How tags are named in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagsNamed {
    ById,
    ByCode,
}

impl Writer<'_> {
    /// Runs a change of a diagram; its change id moves if the diagram is another afterwards.
    pub(super) fn changing<T>(
        &self,
        project: ProjectKey,
        id: DiagramId,
        change: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<T> {
        let state = || Result::Ok((self.diagram_details(&Diagrams::One(project, id))?, self.diagram_tag_ids(id)?));
        let before = state()?;
        let result = change(self)?;
        if state()? != before {
            let last: String = self
                .one("SELECT changed_at FROM diagrams WHERE id = ?1", [id.0], |row| Ok(row.get(0)?))?
                .unwrap_or_default();
            self.run("UPDATE diagrams SET changed_at = ?2 WHERE id = ?1", params![id.0, after(&last)])?;
        }
        Ok(result)
    }

    /// The tags of a project that are named, or the first name that is of no tag in it.
    pub fn tags_named(
        &self,
        project: ProjectKey,
        named: TagsNamed,
        names: &[String],
    ) -> Result<std::result::Result<Vec<String>, String>> {
        let sql = match named {
            TagsNamed::ById => "SELECT id FROM tags WHERE project = ?1 AND id = lower(?2)",
            TagsNamed::ByCode => "SELECT id FROM tags WHERE project = ?1 AND code = ?2 AND code <> ''",
        };
        let mut tags = Vec::new();
        for name in names {
            let found: Vec<String> = self.all(sql, params![project.0, name], |row| Ok(row.get(0)?))?;
            if found.is_empty() {
                return Ok(Err(name.clone()));
            }
            tags.extend(found);
        }
        Ok(Ok(tags))
    }

    /// Makes these tags, by their ids, those of a diagram.
    pub fn set_diagram_tags(&self, project: ProjectKey, id: DiagramId, tags: &[String]) -> Result<()> {
        self.changing(project, id, |write| write.replace_tags(id, tags))
    }

    /// The bulk update, with the ids of the tags that its codes name.
    pub fn update_diagram(
        &self,
        project: ProjectKey,
        id: DiagramId,
        update: &DiagramUpdate,
        tags: Option<&[String]>,
    ) -> Result<()> {
        self.changing(project, id, |write| {
            let DiagramUpdate { additional_metadata, title, tag_codes: _, start_date, end_date } = update;
            let day = |date: &Option<crate::model::UtcMillis>| date.map(|date| date.date().to_string());
            let sql = "UPDATE diagrams SET additional_metadata = ?2, description = coalesce(?3, description), \
                       start_date = coalesce(?4, start_date), end_date = coalesce(?5, end_date) WHERE id = ?1";
            let values = params![id.0, to_json(additional_metadata)?, title, day(start_date), day(end_date)];
            write.run(sql, values)?;
            tags.map_or(Ok(()), |tags| write.replace_tags(id, tags))
        })
    }

    pub fn set_diagram_note(&self, project: ProjectKey, id: DiagramId, notes: &str) -> Result<Option<Note>> {
        self.changing(project, id, |write| {
            write.run("UPDATE diagrams SET notes = ?2 WHERE id = ?1", params![id.0, notes]).map(drop)
        })?;
        self.diagram_note(project, id)
    }

    /// Makes these diagrams the groups of those names; other groups stay.
    pub fn set_groups(&self, project: ProjectKey, groups: &[DiagramGroup]) -> Result<()> {
        for DiagramGroup { group_name, diagrams } in groups {
            self.run("DELETE FROM diagram_groups WHERE project = ?1 AND name = ?2", params![project.0, group_name])?;
            for diagram in diagrams {
                let sql =
                    "INSERT INTO diagram_groups (project, name, diagram) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
                self.run(sql, params![project.0, group_name, diagram.0])?;
            }
        }
        Ok(())
    }

    fn replace_tags(&self, id: DiagramId, tags: &[String]) -> Result<()> {
        self.run("DELETE FROM diagram_tags WHERE diagram = ?1", [id.0])?;
        for tag in tags {
            let sql = "INSERT INTO diagram_tags (diagram, tag) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![id.0, tag])?;
        }
        Ok(())
    }

    fn diagram_tag_ids(&self, id: DiagramId) -> Result<Vec<String>> {
        self.all("SELECT tag FROM diagram_tags WHERE diagram = ?1 ORDER BY tag", [id.0], |row| Ok(row.get(0)?))
    }
}

impl super::Reader<'_> {
    pub fn groups(&self, project: ProjectKey) -> Result<Vec<DiagramGroup>> {
        let sql = "SELECT name, diagram FROM diagram_groups WHERE project = ?1 ORDER BY name, diagram";
        let rows: Vec<(String, i64)> = self.all(sql, [project.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut groups: Vec<DiagramGroup> = Vec::new();
        for (group_name, diagram) in rows {
            match groups.last_mut().filter(|group| group.group_name == group_name) {
                Some(group) => group.diagrams.push(DiagramId(diagram)),
                None => groups.push(DiagramGroup { group_name, diagrams: vec![DiagramId(diagram)] }),
            }
        }
        Ok(groups)
    }
}

/// Now, or a microsecond after the last change where the clock has not moved on since.
fn after(last: &str) -> String {
    let now = utc_now();
    let last: Option<jiff::civil::DateTime> = last.parse().ok();
    let next = last.and_then(|last| last.checked_add(jiff::Span::new().microseconds(1)).ok());
    moment(next.map_or(now, |next| next.max(now)))
}
