//! Projects and what belongs to them as a whole.

use rusqlite::{Row, params};

use super::{ProjectKey, Reader, Result, StoreError, UserKey, json, parsed, parsed_optional};
use crate::model::{
    Boundaries, Bounds, Center, Constraints, GeometryText, JsonObject, Layer, LayerId, Member, NegotiationSession,
    Plugin, ProjectInfo, Stakeholder, WithGeojson,
};

const PROJECT: &str = "SELECT id, title, description, start_date, type, external_connection FROM projects";

/// A geography of a project, with the path segment that it is asked for by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geography {
    Boundaries,
    SecondBoundaries,
    Constraints,
}

impl Geography {
    pub fn name(self) -> &'static str {
        match self {
            Geography::Boundaries => "boundaries",
            Geography::SecondBoundaries => "secondboundaries",
            Geography::Constraints => "constraints",
        }
    }
}

impl Reader<'_> {
    /// A user's projects, oldest first.
    pub fn projects(&self, user: UserKey) -> Result<Vec<ProjectInfo>> {
        let sql = format!("{PROJECT} JOIN members ON project = key WHERE user = ?1 ORDER BY key");
        self.all(&sql, [user.0], project)
    }

    pub fn project(&self, key: ProjectKey) -> Result<Option<ProjectInfo>> {
        self.one(&format!("{PROJECT} WHERE key = ?1"), [key.0], project)
    }

    pub fn members(&self, project: ProjectKey) -> Result<Vec<Member>> {
        let sql = "SELECT username FROM users JOIN members ON user = key WHERE project = ?1 ORDER BY username";
        self.all(sql, [project.0], |row| Ok(Member { username: parsed(row, 0)?, extra: JsonObject::new() }))
    }

    pub fn stakeholders(&self, project: ProjectKey) -> Result<Vec<Stakeholder>> {
        let sql = "SELECT id, name FROM stakeholders WHERE project = ?1 ORDER BY name, id";
        self.all(sql, [project.0], |row| {
            Ok(Stakeholder { id: row.get(0)?, name: row.get(1)?, extra: JsonObject::new() })
        })
    }

    pub fn plugins(&self, project: ProjectKey) -> Result<Vec<Plugin>> {
        let sql = "SELECT id, description FROM plugins JOIN project_plugins ON plugin = id WHERE project = ?1 \
                   ORDER BY description, id";
        self.all(sql, [project.0], |row| {
            Ok(Plugin { id: row.get(0)?, description: row.get(1)?, extra: JsonObject::new() })
        })
    }

    pub fn layers(&self, project: ProjectKey) -> Result<Vec<Layer>> {
        let sql = "SELECT id, server_type, layer_type, url, layer_name, attribution, display_name, additional_metadata \
                   FROM layers WHERE project = ?1 ORDER BY id";
        self.all(sql, [project.0], |row| {
            Ok(Layer {
                id: LayerId(row.get(0)?),
                server_type: row.get(1)?,
                layer_type: row.get(2)?,
                url: row.get(3)?,
                layer_name: row.get(4)?,
                attribution: row.get(5)?,
                display_name: row.get(6)?,
                additional_metadata: Some(json(row, 7)?),
                extra: JsonObject::new(),
            })
        })
    }

    pub fn bounds(&self, project: ProjectKey) -> Result<Option<Bounds>> {
        self.one("SELECT bounds FROM projects WHERE key = ?1", [project.0], |row| parsed(row, 0))
    }

    pub fn center(&self, project: ProjectKey) -> Result<Option<Center>> {
        self.one("SELECT center FROM projects WHERE key = ?1", [project.0], |row| parsed(row, 0))
    }

    /// A geography of a project; one that nobody has drawn yet has no features.
    pub fn geography(&self, project: ProjectKey, role: Geography) -> Result<WithGeojson<GeometryText, JsonObject>> {
        let sql = "SELECT resource, geojson FROM geographies WHERE project = ?1 AND role = ?2";
        let stored = self.one(sql, params![project.0, role.name()], |row| {
            Ok(WithGeojson { resource: json(row, 0)?, geojson: GeometryText(row.get(1)?) })
        })?;
        stored.map_or_else(|| empty(role), Ok)
    }

    pub fn negotiations(&self, project: ProjectKey) -> Result<Vec<NegotiationSession>> {
        let sql = "SELECT log FROM negotiations WHERE project = ?1 ORDER BY rowid";
        self.all(sql, [project.0], |row| json(row, 0))
    }
}

fn project(row: &Row) -> Result<ProjectInfo> {
    Ok(ProjectInfo {
        id: parsed(row, 0)?,
        projecttitle: row.get(1)?,
        projectdesc: row.get(2)?,
        startdate: parsed_optional(row, 3)?,
        projecttype: row.get(4)?,
        external_connection: row.get(5)?,
        extra: JsonObject::new(),
    })
}

/// A geography without features.
fn empty(role: Geography) -> Result<WithGeojson<GeometryText, JsonObject>> {
    let resource = match role {
        Geography::Constraints => serde_json::to_value(Constraints::default()),
        Geography::Boundaries | Geography::SecondBoundaries => serde_json::to_value(Boundaries::default()),
    };
    let resource = resource.and_then(serde_json::from_value).map_err(|error| StoreError::Content(error.to_string()))?;
    Ok(WithGeojson { geojson: GeometryText(r#"{"type":"FeatureCollection","features":[]}"#.into()), resource })
}
