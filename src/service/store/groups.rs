//! Groups of diagrams.

use rusqlite::params;

use super::database::error::Result;
use super::database::keys::ProjectKey;
use super::database::transaction::{Reader, Writer};
use super::history::{Change, joined};
use crate::model::{DiagramGroup, DiagramId};

impl Reader<'_> {
    /// The groups of a project, sorted by name.
    pub fn groups(&self, project: ProjectKey) -> Result<Vec<DiagramGroup>> {
        let sql = "SELECT name, diagram FROM diagram_groups JOIN diagrams ON id = diagram WHERE diagram_groups.project = ?1 \
                   ORDER BY name, diagram";
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

    /// The ids of the diagrams in a group, with commas between them.
    fn group(&self, project: ProjectKey, name: &str) -> Result<String> {
        let sql = "SELECT diagram FROM diagram_groups WHERE project = ?1 AND name = ?2 ORDER BY diagram";
        Ok(joined(self.all(sql, params![project.0, name], |row| Ok(DiagramId(row.get(0)?)))?))
    }
}

impl Writer<'_> {
    /// Replaces the diagrams in each of these groups. Other groups stay as they are.
    pub fn set_groups(&self, project: ProjectKey, groups: &[DiagramGroup]) -> Result<()> {
        for DiagramGroup { group_name, diagrams } in groups {
            let before = self.group(project, group_name)?;
            self.run("DELETE FROM diagram_groups WHERE project = ?1 AND name = ?2", params![project.0, group_name])?;
            for diagram in diagrams {
                let sql =
                    "INSERT INTO diagram_groups (project, name, diagram) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
                self.run(sql, params![project.0, group_name, diagram.0])?;
            }
            let after = self.group(project, group_name)?;
            if after != before {
                let change = Change::of("group_diagrams").subject(format_args!("group {group_name}"));
                self.record(project, change.before(before).after(after))?;
            }
        }
        Ok(())
    }
}
