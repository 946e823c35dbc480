//! Which diagrams a query is about.

use rusqlite::ToSql;

use super::database::keys::{ProjectKey, UserKey};
use crate::model::{DesignId, DiagramId, DiagramKind, SystemId};

/// A choice of diagrams, as a condition of SQL queries.
#[derive(Debug, Clone)]
pub enum DiagramFilter {
    InProject(ProjectKey),
    One(ProjectKey, DiagramId),
    /// Diagrams that a member selected; with `system` or `kind`, only those of them in that system or of that kind.
    Selected {
        project: ProjectKey,
        member: UserKey,
        system: Option<SystemId>,
        kind: Option<DiagramKind>,
    },
    /// Diagrams in a design; with `projects_of`, only the projects among them that belong to that system.
    InDesign {
        design: DesignId,
        projects_of: Option<SystemId>,
    },
}

impl DiagramFilter {
    /// The condition, and the values of its parameters.
    pub(super) fn condition(&self) -> (String, Vec<Box<dyn ToSql>>) {
        let (mut sql, mut values): (String, Vec<Box<dyn ToSql>>) = match self {
            DiagramFilter::InProject(project) => ("diagrams.project = ?".into(), vec![Box::new(project.0)]),
            DiagramFilter::One(project, id) => {
                ("diagrams.project = ? AND diagrams.id = ?".into(), vec![Box::new(project.0), Box::new(id.0)])
            }
            DiagramFilter::Selected { project, member, .. } => {
                let sql = "diagrams.project = ? AND diagrams.id IN (SELECT diagram FROM selections WHERE user = ?)";
                (sql.into(), vec![Box::new(project.0), Box::new(member.0)])
            }
            DiagramFilter::InDesign { design, .. } => {
                let sql = "diagrams.id IN (SELECT diagram FROM design_diagrams WHERE design = ?)";
                (sql.into(), vec![Box::new(design.to_string())])
            }
        };
        let (system, kind) = match self {
            DiagramFilter::Selected { system, kind, .. } => (*system, *kind),
            DiagramFilter::InDesign { projects_of: Some(system), .. } => (Some(*system), Some(DiagramKind::Project)),
            _ => (None, None),
        };
        if let Some(system) = system {
            sql.push_str(" AND system = ?");
            values.push(Box::new(system.0));
        }
        if let Some(kind) = kind {
            sql.push_str(" AND type = ?");
            values.push(Box::new(kind.name()));
        }
        (sql, values)
    }
}
