//! Diagrams, their features and tags, and who selected them.

use std::collections::HashMap;

use rusqlite::{Params, Row, ToSql, params, params_from_iter};

use super::tokens::hex;
use super::{ProjectKey, Reader, Result, StoreError, UserKey, json, parsed_optional, to_geometry};
use crate::geometry::EsriGeometry;
use crate::model::{
    ChangeHash, DateError, DesignId, DesignProperties, Diagram, DiagramId, DiagramKind, DiagramProperties,
    DiagramSummary, EsriFeature, Feature, GeojsonCollection, GeometryText, JsonObject, Note, SelectionProperties,
    SystemId, Tag, VolumeInformation, WithGeojson,
};

const CODES: &str = "coalesce((SELECT group_concat(code, '|') FROM (SELECT code FROM diagram_tags JOIN tags ON tags.id = diagram_tags.tag \
                     WHERE diagram = diagrams.id AND code <> '' ORDER BY code)), '')";
const FEATURES: &str = "SELECT diagrams.id, type, username, color, systems.id, systems.name, systems.tag, min_height, \
                        max_height, geometry, diagrams.description";
const FROM: &str = "FROM diagrams JOIN systems ON systems.id = system JOIN users ON users.key = author";

/// Which diagrams are meant.
#[derive(Debug, Clone)]
pub enum Diagrams {
    Of(ProjectKey),
    One(ProjectKey, DiagramId),
    Selected { project: ProjectKey, member: UserKey, system: Option<SystemId>, kind: Option<DiagramKind> },
    InDesign { design: DesignId, projects_of: Option<SystemId> },
}

/// The features of some diagrams as a design shows them; a diagram without features keeps one without geometry.
pub type DesignFeatures = GeojsonCollection<DesignProperties>;
/// The same as a member's selection shows them.
pub type SelectionFeatures = GeojsonCollection<SelectionProperties>;

impl Diagrams {
    /// The condition in SQL, with its values.
    pub(super) fn condition(&self) -> (String, Vec<Box<dyn ToSql>>) {
        let (mut sql, mut values): (String, Vec<Box<dyn ToSql>>) = match self {
            Diagrams::Of(project) => ("diagrams.project = ?".into(), vec![Box::new(project.0)]),
            Diagrams::One(project, id) => {
                ("diagrams.project = ? AND diagrams.id = ?".into(), vec![Box::new(project.0), Box::new(id.0)])
            }
            Diagrams::Selected { project, member, .. } => {
                let sql = "diagrams.project = ? AND diagrams.id IN (SELECT diagram FROM selections WHERE user = ?)";
                (sql.into(), vec![Box::new(project.0), Box::new(member.0)])
            }
            Diagrams::InDesign { design, .. } => {
                let sql = "diagrams.id IN (SELECT diagram FROM design_diagrams WHERE design = ?)";
                (sql.into(), vec![Box::new(design.to_string())])
            }
        };
        let (system, kind) = match self {
            Diagrams::Selected { system, kind, .. } => (*system, *kind),
            Diagrams::InDesign { projects_of: Some(system), .. } => (Some(*system), Some(DiagramKind::Project)),
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

impl Reader<'_> {
    pub fn diagram_summaries(&self, project: ProjectKey) -> Result<Vec<DiagramSummary>> {
        let sql = format!(
            "SELECT diagrams.id, diagrams.description, username, created_at, rank, system {FROM} \
             WHERE diagrams.project = ?1 ORDER BY diagrams.id"
        );
        self.all(&sql, [project.0], |row| {
            Ok(DiagramSummary {
                id: DiagramId(row.get(0)?),
                worlddescription: row.get(1)?,
                author: row.get(2)?,
                created_at: parsed_optional(row, 3)?,
                rank: row.get(4)?,
                sysid: SystemId(row.get(5)?),
                extra: JsonObject::new(),
            })
        })
    }

    /// Diagrams without their geography.
    pub fn diagram_details(&self, which: &Diagrams) -> Result<Vec<Diagram>> {
        let (condition, values) = which.condition();
        let sql = format!(
            "SELECT system, rank, diagrams.id, diagrams.description, type, length, area, fundingtype, cost_override, \
             cost_override_type, building_data, notes, created_at, start_date, end_date, additional_metadata, {CODES}, \
             flat_geobuf_url, external_geometries {FROM} WHERE {condition} ORDER BY diagrams.id"
        );
        self.all(&sql, params_from_iter(values), diagram)
    }

    /// Diagrams with their features.
    pub fn diagrams(
        &self,
        which: &Diagrams,
    ) -> Result<Vec<WithGeojson<GeojsonCollection<DiagramProperties>, Diagram>>> {
        let (condition, values) = which.condition();
        let sql =
            format!("{FEATURES} {FROM} JOIN features ON diagram = diagrams.id WHERE {condition} ORDER BY features.key");
        let mut features = HashMap::<i64, Vec<Feature<DiagramProperties>>>::new();
        self.all(&sql, params_from_iter(values), |row| {
            features.entry(row.get(0)?).or_default().push(Feature::new(diagram_properties(row)?, geometry(row)?));
            Ok(())
        })?;
        let with_features = |diagram: Diagram| WithGeojson {
            geojson: features.remove(&diagram.id.0).unwrap_or_default().into_iter().collect(),
            resource: diagram,
        };
        Ok(self.diagram_details(which)?.into_iter().map(with_features).collect())
    }

    pub fn has_diagram(&self, project: ProjectKey, id: DiagramId) -> Result<bool> {
        self.exists("SELECT 1 FROM diagrams WHERE project = ?1 AND id = ?2", params![project.0, id.0])
    }

    pub fn diagram_note(&self, project: ProjectKey, id: DiagramId) -> Result<Option<Note>> {
        let sql = "SELECT notes FROM diagrams WHERE project = ?1 AND id = ?2";
        self.one(sql, params![project.0, id.0], |row| Ok(Note { id: id.to_string().into(), notes: row.get(0)? }))
    }

    pub fn change_hash(&self, project: ProjectKey, id: DiagramId) -> Result<Option<ChangeHash>> {
        use sha2::{Digest, Sha256};
        let sql = "SELECT changed_at FROM diagrams WHERE project = ?1 AND id = ?2";
        self.one(sql, params![project.0, id.0], |row| {
            let changed_at: String = row.get(0)?;
            Ok(ChangeHash { changehash: hex(&Sha256::digest(changed_at.as_bytes())) })
        })
    }

    pub fn tags(&self, project: ProjectKey) -> Result<Vec<Tag>> {
        self.tags_where("project = ?1", [project.0])
    }

    pub fn diagram_tags(&self, id: DiagramId) -> Result<Vec<Tag>> {
        self.tags_where("id IN (SELECT tag FROM diagram_tags WHERE diagram = ?1)", [id.0])
    }

    fn tags_where(&self, condition: &str, values: impl Params) -> Result<Vec<Tag>> {
        let sql = format!(
            "SELECT id, tag, slug, code, (SELECT json_group_array(diagram) FROM \
             (SELECT diagram FROM diagram_tags WHERE tag = tags.id ORDER BY diagram)) \
             FROM tags WHERE {condition} ORDER BY tag, id"
        );
        self.all(&sql, values, |row| {
            Ok(Tag {
                id: row.get(0)?,
                tag: row.get(1)?,
                slug: row.get(2)?,
                code: row.get(3)?,
                diagrams: json(row, 4)?,
                extra: JsonObject::new(),
            })
        })
    }

    pub fn selection(&self, which: &Diagrams) -> Result<SelectionFeatures> {
        let (condition, values) = which.condition();
        let sql = format!(
            "{FEATURES} {FROM} LEFT JOIN features ON diagram = diagrams.id WHERE {condition} \
             ORDER BY diagrams.id, features.key"
        );
        let features = self.all(&sql, params_from_iter(values), |row| {
            let diagram = diagram_properties(row)?;
            let rgbcolor = rgb_text(&diagram.color);
            Ok(Feature::new(SelectionProperties { diagram, description: row.get(10)?, rgbcolor }, geometry(row)?))
        })?;
        Ok(features.into_iter().collect())
    }

    pub fn design_features(&self, which: &Diagrams) -> Result<DesignFeatures> {
        let (condition, values) = which.condition();
        let sql = format!(
            "{FEATURES}, grid_location, fundingtype, cost_override, cost_override_type, notes, additional_metadata, \
             {CODES}, start_date, end_date {FROM} LEFT JOIN features ON diagram = diagrams.id WHERE {condition} \
             ORDER BY diagrams.id, features.key"
        );
        let features = self.all(&sql, params_from_iter(values), |row| {
            let diagram = diagram_properties(row)?;
            let properties = DesignProperties {
                diagramtype: diagram.areatype.clone(),
                diagram,
                description: row.get(10)?,
                grid_location: row.get(11)?,
                fundingtype: row.get(12)?,
                cost_override: row.get(13)?,
                cost_override_type: row.get(14)?,
                notes: row.get(15)?,
                additional_metadata: json(row, 16)?,
                tag_codes: row.get(17)?,
                start_date: parsed_optional(row, 18)?,
                end_date: parsed_optional(row, 19)?,
            };
            Ok(Feature::new(properties, geometry(row)?))
        })?;
        Ok(features.into_iter().collect())
    }

    /// The features of a design as feature-JSON.
    pub fn design_esri(&self, which: &Diagrams) -> Result<Vec<EsriFeature<DesignProperties>>> {
        let features = self.design_features(which)?.features.into_iter();
        features
            .map(|feature| {
                let geometry = feature.geometry.as_ref().map(to_esri).transpose()?.flatten();
                Ok(EsriFeature { attributes: feature.properties, geometry })
            })
            .collect()
    }
}

fn diagram(row: &Row) -> Result<Diagram> {
    let created_at: String = row.get(12)?;
    // The list of diagrams tells the fraction of a second; the diagram itself does not.
    let created_at = created_at.replace('T', " ");
    let created_at = created_at.split('.').next().map(str::parse).transpose();
    let created_at = created_at.map_err(|error: DateError| StoreError::Content(error.to_string()))?;
    Ok(Diagram {
        sysid: SystemId(row.get(0)?),
        rank: row.get(1)?,
        id: DiagramId(row.get(2)?),
        description: row.get(3)?,
        kind: row.get(4)?,
        length: row.get(5)?,
        area: row.get(6)?,
        fundingtype: row.get(7)?,
        cost_override: row.get(8)?,
        cost_override_type: row.get(9)?,
        building_data: Some(json(row, 10)?),
        notes: row.get(11)?,
        created_at,
        start_date: parsed_optional(row, 13)?,
        end_date: parsed_optional(row, 14)?,
        additional_metadata: Some(json(row, 15)?),
        tag_codes: row.get(16)?,
        flat_geobuf_url: row.get(17)?,
        external_geometries: row.get(18)?,
        extra: JsonObject::new(),
    })
}

/// The columns of [`FEATURES`].
fn diagram_properties(row: &Row) -> Result<DiagramProperties> {
    let height = |column: usize| Result::Ok(row.get::<_, Option<f64>>(column)?.unwrap_or(0.0));
    Ok(DiagramProperties {
        diagramid: DiagramId(row.get(0)?),
        areatype: row.get(1)?,
        author: row.get(2)?,
        color: row.get(3)?,
        sysid: SystemId(row.get(4)?),
        sysname: row.get(5)?,
        systag: row.get(6)?,
        volume_information: VolumeInformation { min_height: height(7)?, max_height: height(8)? },
    })
}

fn geometry(row: &Row) -> Result<Option<GeometryText>> {
    Ok(row.get::<_, Option<String>>(9)?.map(GeometryText))
}

fn to_esri(geojson: &GeometryText) -> Result<Option<EsriGeometry>> {
    Ok(to_geometry(&geojson.0)?.as_ref().and_then(EsriGeometry::from_geometry))
}

/// `#2b7bba` as `43, 123, 186`.
fn rgb_text(color: &str) -> String {
    let hex = color.trim_start_matches('#');
    let part = |at: usize| hex.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0);
    format!("{}, {}, {}", part(0), part(2), part(4))
}
