//! Geometries that Python hands in. `pygeodesign._inputs` takes apart whatever holds them; here they are read and checked,
//! all before anything is sent.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use pythonize::depythonize;
use serde::de::DeserializeSeed;

use super::errors::input_error;
use crate::client::NewDiagram;
use crate::geometry::{Geometry, GeometrySeed, read_wkb};
use crate::model::{
    AreaFeatures, DiagramKind, DrawnDiagram, DrawnFeatures, DrawnGeometry, EvaluationFeatures, EvaluationProperties,
    Feature, FeatureType, FundingType, JsonObject,
};

/// The features of a GeoDataFrame, a shape, GeoJSON or an Arrow stream, in WGS 84.
pub struct Features(Vec<Row>);

struct Row {
    label: Py<PyAny>,
    properties: Py<PyDict>,
    geometry: DrawnGeometry,
}

enum Sent {
    Wkb(Vec<u8>),
    Geojson(String),
}

impl FromPyObject<'_, '_> for Features {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let rows = py.import("pygeodesign._inputs")?.call_method1("rows", (object,))?;
        let rows: Vec<(Py<PyAny>, Bound<PyAny>, Py<PyDict>)> = rows.extract()?;
        let mut geometries = Vec::with_capacity(rows.len());
        for (_, geometry, _) in &rows {
            geometries.push(match geometry.cast::<PyBytes>() {
                Ok(wkb) => Sent::Wkb(wkb.as_bytes().to_vec()),
                Err(_) => Sent::Geojson(geometry.cast::<PyString>()?.extract()?),
            });
        }
        let checked = py.detach(|| {
            let checks = geometries.iter().enumerate();
            checks.map(|(at, sent)| check(sent).map_err(|problem| (at, problem))).collect::<Result<Vec<_>, _>>()
        });
        let geometries = checked.map_err(|(at, problem)| {
            let label = rows[at].0.bind(py).repr().map_or_else(|_| String::new(), |label| label.to_string());
            // What the index calls the row, where that is not its number.
            let row = if label == at.to_string() { String::new() } else { format!(" (row {label})") };
            input_error(format!("feature {at}{row}: {problem}"))
        })?;
        let parts = rows.into_iter().zip(geometries);
        Ok(Features(parts.map(|((label, _, properties), geometry)| Row { label, properties, geometry }).collect()))
    }
}

fn check(sent: &Sent) -> Result<DrawnGeometry, String> {
    let geometry = match sent {
        Sent::Wkb(wkb) => read_wkb(wkb).ok_or_else(|| "its shape is of a kind that GeoJSON does not have".to_owned()),
        Sent::Geojson(text) => read_geojson(text),
    };
    geometry.and_then(|geometry| DrawnGeometry::new(&geometry).map_err(|problem| problem.to_string()))
}

fn read_geojson(text: &str) -> Result<Geometry, String> {
    let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text));
    geometry.map_err(|problem| problem.to_string())?.ok_or_else(|| "it has no geometry".into())
}

/// How the diagrams of a frame are called and what they are: each the name of a column, or the same for all.
pub struct Columns {
    pub title: String,
    pub kind: String,
    pub funding: String,
    pub feature_type: Option<String>,
}

/// A diagram of a frame, what its row is called there, and its title.
pub struct LabelledDiagram {
    pub label: Py<PyAny>,
    pub title: String,
    pub diagram: NewDiagram,
}

impl Features {
    /// One diagram of all features.
    pub fn into_diagram(
        self,
        title: String,
        kind: &str,
        funding: &str,
        feature_type: Option<&str>,
    ) -> PyResult<NewDiagram> {
        diagram(self.0.into_iter().map(|row| row.geometry), title, kind, funding, feature_type)
    }

    /// One diagram of each feature.
    pub fn into_diagrams(self, columns: &Columns) -> PyResult<Vec<LabelledDiagram>> {
        Python::attach(|py| self.0.into_iter().map(|row| row.into_diagram(py, columns)).collect())
    }

    /// An evaluation map; every feature says how suitable its area is.
    pub fn into_evaluation(self) -> PyResult<EvaluationFeatures> {
        let areas = self.0.into_iter().enumerate().map(|(index, row)| {
            let properties = Python::attach(|py| depythonize::<EvaluationProperties>(row.properties.bind(py)));
            let properties = properties.map_err(|problem| {
                input_error(format!(
                    "feature {index}: {problem}; an evaluation map has an areatype, such as \"green\", for each area"
                ))
            })?;
            Ok(Feature::new(properties, row.geometry))
        });
        areas.collect()
    }

    /// An impact map, with whatever properties the features have.
    pub fn into_map(self) -> PyResult<AreaFeatures> {
        let areas = self.0.into_iter().enumerate().map(|(index, row)| {
            let properties = Python::attach(|py| depythonize::<JsonObject>(row.properties.bind(py)));
            let properties = properties.map_err(|problem| input_error(format!("feature {index}: {problem}")))?;
            Ok(Feature::new(Some(properties), row.geometry))
        });
        areas.collect()
    }
}

impl Row {
    fn into_diagram(self, py: Python<'_>, columns: &Columns) -> PyResult<LabelledDiagram> {
        let label = self.label.bind(py).repr()?.to_string();
        let properties = self.properties.bind(py);
        let title = properties.get_item(&columns.title)?.ok_or_else(|| {
            input_error(format!(
                "there is no column {:?} for the titles; the columns are {}",
                columns.title,
                properties.keys()
            ))
        })?;
        if title.is_none() {
            return Err(input_error(format!("row {label} has no {:?}, which is to be its title", columns.title)));
        }
        let title = title.str()?.to_string();
        // A name that means something is meant; any other is that of a column.
        let cell = |name: &str, is_known: bool| match properties.get_item(name)?.filter(|_| !is_known) {
            Some(value) => Ok(value.str()?.to_string()),
            None => PyResult::Ok(name.to_owned()),
        };
        let kind = cell(&columns.kind, DiagramKind::from_name(&columns.kind).is_some())?;
        let funding = cell(&columns.funding, FundingType::from_name(&columns.funding).is_some())?;
        let feature_type = columns.feature_type.as_deref();
        let feature_type = feature_type.map(|name| cell(name, FeatureType::from_name(name).is_some())).transpose()?;
        let diagram = diagram([self.geometry], title.clone(), &kind, &funding, feature_type.as_deref());
        let diagram = diagram.map_err(|error| match error.value(py).str() {
            Ok(problem) => input_error(format!("row {label}: {problem}")),
            Err(_) => error,
        })?;
        Ok(LabelledDiagram { label: self.label, title, diagram })
    }
}

fn diagram(
    geometries: impl IntoIterator<Item = DrawnGeometry>,
    description: String,
    kind: &str,
    funding: &str,
    feature_type: Option<&str>,
) -> PyResult<NewDiagram> {
    let geometry = DrawnFeatures::from_geometries(geometries);
    let featuretype = match feature_type {
        Some(name) => self::feature_type(name)?,
        None => geometry.feature_type().map_err(|problem| input_error(problem.to_string()))?,
    };
    let drawn = DrawnDiagram { geometry, featuretype, description, fundingtype: funding_type(funding)? };
    drawn.check().map_err(|problem| input_error(problem.to_string()))?;
    Ok(NewDiagram { kind: diagram_kind(kind)?, drawn })
}

pub fn diagram_kind(name: &str) -> PyResult<DiagramKind> {
    DiagramKind::from_name(name)
        .ok_or_else(|| input_error(format!("kind {name:?} is neither \"project\" nor \"policy\"")))
}

pub fn funding_type(name: &str) -> PyResult<FundingType> {
    FundingType::from_name(name).ok_or_else(|| input_error(format!("funding {name:?} is not {}", FundingType::NAMES)))
}

pub fn feature_type(name: &str) -> PyResult<FeatureType> {
    FeatureType::from_name(name)
        .ok_or_else(|| input_error(format!("feature_type {name:?} is not {}", FeatureType::NAMES)))
}
