//! What pricing needs of diagrams: figures only, as long as the geometries were measured when they were stored; and the land that
//! projects claim.

use std::collections::HashMap;

use rusqlite::{Row, params_from_iter};

use super::database::error::Result;
use super::database::transaction::Reader;
use super::database::values::{ProjectKey, to_geometry};
use super::diagrams::DiagramFilter;
use geodesign::costs::{DiagramFacts, FeatureSize};
use geodesign::model::{Diagram, DiagramId, DiagramKind, JsonObject, ObjectText, SystemId};
use geodesign_geometry::{Geometry, Measure};

impl Reader<'_> {
    /// The facts of diagrams of a project, in the order of all its diagrams.
    pub fn cost_facts(&self, project: ProjectKey, filter: &DiagramFilter) -> Result<Vec<DiagramFacts>> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "SELECT diagrams.id, type, square_metres, metres, CASE WHEN square_metres IS NULL THEN geometry END \
             FROM features JOIN diagrams ON diagram = diagrams.id WHERE {condition} ORDER BY features.key"
        );
        let mut features = HashMap::<i64, (Option<DiagramKind>, Vec<FeatureSize>)>::new();
        self.all(&sql, params_from_iter(values), |row| {
            let (kind, sizes) = features.entry(row.get(0)?).or_default();
            *kind = kind.or(DiagramKind::from_name(row.get_ref(1)?.as_str().unwrap_or_default()));
            sizes.push(size(row)?);
            Ok(())
        })?;
        let facts = |diagram: &Diagram<ObjectText>| {
            let (kind, sizes) = features.remove(&diagram.id.0).unwrap_or_default();
            DiagramFacts::of(diagram, kind, &sizes)
        };
        Ok(self.priced_diagrams(project, filter)?.iter().map(facts).collect())
    }

    /// The features of these diagrams, or of those of a kind among them. A diagram without features has one without a geometry.
    pub fn land_of(&self, filter: &DiagramFilter, kind: Option<DiagramKind>) -> Result<Vec<FeatureOfDiagram>> {
        let (condition, values) = filter.condition();
        let of_kind = kind.map(|kind| format!("AND type = '{}'", kind.name())).unwrap_or_default();
        let sql = format!(
            "SELECT diagrams.id, system, diagrams.description, geometry FROM diagrams LEFT JOIN features ON diagram = diagrams.id \
             WHERE {condition} {of_kind} ORDER BY diagrams.id, features.key"
        );
        self.all(&sql, params_from_iter(values), |row| {
            let (id, system) = (DiagramId(row.get(0)?), SystemId(row.get(1)?));
            Ok(FeatureOfDiagram { id, system, description: row.get(2)?, geometry: row.get(3)? })
        })
    }

    /// The fields of diagrams that costs follow from, as an archive told them where it did; without all others.
    fn priced_diagrams(&self, project: ProjectKey, filter: &DiagramFilter) -> Result<Vec<Diagram<ObjectText>>> {
        let (condition, values) = filter.condition();
        let sql = format!(
            "SELECT diagrams.id, system, description, type, length, area, cost_override, cost_override_type \
             FROM diagrams WHERE {condition} ORDER BY diagrams.id"
        );
        let diagrams = self.all(&sql, params_from_iter(values), |row| {
            Ok(Diagram {
                id: DiagramId(row.get(0)?),
                sysid: SystemId(row.get(1)?),
                description: row.get(2)?,
                kind: row.get(3)?,
                length: row.get(4)?,
                area: row.get(5)?,
                cost_override: row.get(6)?,
                cost_override_type: row.get(7)?,
                rank: None,
                fundingtype: None,
                building_data: None,
                notes: None,
                created_at: None,
                start_date: None,
                end_date: None,
                undated: None,
                additional_metadata: None,
                tag_codes: None,
                flat_geobuf_url: None,
                external_geometries: None,
                extra: JsonObject::new(),
            })
        })?;
        self.as_loaded(project, diagrams)
    }
}

/// A feature of a diagram, with the fields of that.
pub struct FeatureOfDiagram {
    pub id: DiagramId,
    pub system: SystemId,
    pub description: String,
    /// GeoJSON text.
    geometry: Option<String>,
}

impl FeatureOfDiagram {
    pub fn text(&self) -> Option<&str> {
        self.geometry.as_deref()
    }

    /// `None` for null.
    pub fn geometry(&self) -> Result<Option<Geometry>> {
        self.geometry.as_deref().map_or(Ok(None), to_geometry)
    }
}

fn size(row: &Row) -> Result<FeatureSize> {
    let measure: Option<f64> = row.get(2)?;
    Ok(match measure.zip(row.get(3)?) {
        Some((square_metres, metres)) => FeatureSize::Known(Measure { square_metres, metres }),
        None => FeatureSize::Geometry(row.get::<_, Option<String>>(4)?.map_or(Ok(None), |text| to_geometry(&text))?),
    })
}
