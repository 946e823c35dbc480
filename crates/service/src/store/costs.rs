//! Data for pricing diagrams: only figures, if the geometries were measured when they were stored; and the land that projects claim.

use std::collections::HashMap;

use rusqlite::params_from_iter;

use super::database::columns::columns;
use super::database::error::Result;
use super::database::transaction::Reader;
use super::database::values::{ProjectKey, to_geometry};
use super::diagrams::DiagramFilter;
use geodesign::costs::{DiagramFacts, FeatureSize};
use geodesign::model::{Diagram, DiagramId, DiagramKind, ObjectText, SystemId};
use geodesign_geometry::{Geometry, Measure};

impl Reader<'_> {
    /// Returns the facts of a project's diagrams, in the order of all its diagrams.
    pub fn cost_facts(&self, project: ProjectKey, filter: &DiagramFilter) -> Result<Vec<DiagramFacts>> {
        let (condition, values) = filter.condition();
        let columns = columns!((
            id: "diagrams.id",
            kind: "type",
            square_metres,
            metres,
            geometry: "CASE WHEN square_metres IS NULL THEN geometry END",
        ));
        let rest =
            format!("FROM features JOIN diagrams ON diagram = diagrams.id WHERE {condition} ORDER BY features.key");
        let mut features = HashMap::<DiagramId, (Option<DiagramKind>, Vec<FeatureSize>)>::new();
        // Row by row: geometries that were not measured are long.
        self.all(&columns.query(&rest), params_from_iter(values), |row| {
            let (id, of_type, square_metres, metres, geometry): (_, Option<String>, _, _, _) = columns.of(row)?;
            let (kind, sizes) = features.entry(id).or_default();
            *kind = kind.or(of_type.as_deref().and_then(DiagramKind::from_name));
            sizes.push(size(square_metres, metres, geometry)?);
            Ok(())
        })?;
        let facts = |diagram: &Diagram<ObjectText>| {
            let (kind, sizes) = features.remove(&diagram.id).unwrap_or_default();
            DiagramFacts::of(diagram, kind, &sizes)
        };
        Ok(self.priced_diagrams(project, filter)?.iter().map(facts).collect())
    }

    /// Returns the features of these diagrams, or only of those of one kind. A diagram without features gets one without a geometry.
    pub fn land_of(&self, filter: &DiagramFilter, kind: Option<DiagramKind>) -> Result<Vec<FeatureOfDiagram>> {
        let (condition, values) = filter.condition();
        let of_kind = kind.map(|kind| format!("AND type = '{}'", kind.name())).unwrap_or_default();
        let columns =
            columns!(FeatureOfDiagram { id: "diagrams.id", system, description: "diagrams.description", geometry });
        let rest = format!(
            "FROM diagrams LEFT JOIN features ON diagram = diagrams.id WHERE {condition} {of_kind} \
             ORDER BY diagrams.id, features.key"
        );
        self.select(columns, &rest, params_from_iter(values))
    }

    /// Reads only the fields that determine the costs of diagrams, with the values that an archive gave, if any.
    fn priced_diagrams(&self, project: ProjectKey, filter: &DiagramFilter) -> Result<Vec<Diagram<ObjectText>>> {
        let (condition, values) = filter.condition();
        let columns = columns!(Diagram {
            id,
            sysid: "system",
            description,
            kind: "type",
            length,
            area,
            cost_override,
            cost_override_type,
            building_data,
            ..
        });
        let rest = format!("FROM diagrams WHERE {condition} ORDER BY id");
        self.as_loaded(project, self.select(columns, &rest, params_from_iter(values))?)
    }
}

/// A feature, with fields of its diagram.
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

    /// Reads the geometry; `None` for null.
    pub fn geometry(&self) -> Result<Option<Geometry>> {
        self.geometry.as_deref().map_or(Ok(None), to_geometry)
    }
}

fn size(square_metres: Option<f64>, metres: Option<f64>, geometry: Option<String>) -> Result<FeatureSize> {
    Ok(match square_metres.zip(metres) {
        Some((square_metres, metres)) => FeatureSize::Known(Measure { square_metres, metres, pieces: 0 }),
        None => FeatureSize::Geometry(geometry.map_or(Ok(None), |text| to_geometry(&text))?),
    })
}
