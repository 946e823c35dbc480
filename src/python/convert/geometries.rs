//! Geometries that Python passes in. `pygeodesign._inputs` takes them out of frames, shapes and GeoJSON; here they are read and
//! checked, all of them before anything is sent.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use serde::de::DeserializeSeed;

use super::arguments::{Choice, choice};
use super::errors::input_error;
use super::from_python::attributes_from_python;
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

/// A geometry as `_inputs` passes it.
enum Encoded {
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
                Ok(wkb) => Encoded::Wkb(wkb.as_bytes().to_vec()),
                Err(_) => Encoded::Geojson(geometry.cast::<PyString>()?.extract()?),
            });
        }
        let checked = py.detach(|| {
            let checks = geometries.iter().enumerate();
            checks
                .map(|(index, encoded)| check(encoded).map_err(|problem| (index, problem)))
                .collect::<Result<Vec<_>, _>>()
        });
        let geometries = checked.map_err(|(index, problem)| {
            let label = rows[index].0.bind(py).repr().map_or_else(|_| String::new(), |label| label.to_string());
            // The label of the row in the index, unless it is the row's number.
            let row = if label == index.to_string() { String::new() } else { format!(" (row {label})") };
            input_error(format!("feature {index}{row}: {problem}"))
        })?;
        let rows = rows.into_iter().zip(geometries);
        Ok(Features(rows.map(|((label, _, properties), geometry)| Row { label, properties, geometry }).collect()))
    }
}

fn check(encoded: &Encoded) -> Result<DrawnGeometry, String> {
    let geometry = match encoded {
        Encoded::Wkb(wkb) => {
            read_wkb(wkb).ok_or_else(|| "its shape is of a kind that GeoJSON does not have".to_owned())
        }
        Encoded::Geojson(text) => read_geojson(text),
    };
    geometry.and_then(|geometry| DrawnGeometry::new(&geometry).map_err(|problem| problem.to_string()))
}

fn read_geojson(text: &str) -> Result<Geometry, String> {
    let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text));
    geometry.map_err(|problem| problem.to_string())?.ok_or_else(|| "it has no geometry".into())
}

/// Where the titles and types of the diagrams of a frame are: each is the name of a column, or one value for all rows.
pub struct DiagramColumns {
    pub title: String,
    pub kind: String,
    pub funding: String,
    pub feature_type: Option<String>,
}

/// A diagram made from a row of a frame, with the row's label in the index and the diagram's title.
pub struct LabelledDiagram {
    pub label: Py<PyAny>,
    pub title: String,
    pub diagram: NewDiagram,
}

impl Features {
    /// One diagram that consists of all features.
    pub fn into_diagram(
        self,
        title: String,
        kind: DiagramKind,
        funding: FundingType,
        feature_type: Option<FeatureType>,
    ) -> PyResult<NewDiagram> {
        diagram(self.0.into_iter().map(|row| row.geometry), title, kind, funding, feature_type)
    }

    /// One diagram for each feature.
    pub fn into_diagrams(self, columns: &DiagramColumns) -> PyResult<Vec<LabelledDiagram>> {
        Python::attach(|py| self.0.into_iter().map(|row| row.into_diagram(py, columns)).collect())
    }

    /// An evaluation map; every feature has an `areatype`.
    pub fn into_evaluation(self) -> PyResult<EvaluationFeatures> {
        let areas = self.0.into_iter().enumerate().map(|(index, row)| {
            let name = format!("feature {index}");
            let properties: PyResult<EvaluationProperties> =
                Python::attach(|py| attributes_from_python(row.properties.bind(py), &name));
            let properties = properties.map_err(|problem| {
                let problem = Python::attach(|py| problem.value(py).to_string());
                input_error(format!("{problem}; an evaluation map has an areatype, such as \"green\", for each area"))
            })?;
            Ok(Feature::new(properties, row.geometry))
        });
        areas.collect()
    }

    /// An impact map, with any properties that the features have.
    pub fn into_map(self) -> PyResult<AreaFeatures> {
        let areas = self.0.into_iter().enumerate().map(|(index, row)| {
            let name = format!("feature {index}");
            let properties: JsonObject = Python::attach(|py| attributes_from_python(row.properties.bind(py), &name))?;
            Ok(Feature::new(Some(properties), row.geometry))
        });
        areas.collect()
    }
}

impl Row {
    fn into_diagram(self, py: Python<'_>, columns: &DiagramColumns) -> PyResult<LabelledDiagram> {
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
        let diagram = || {
            let kind = value_or_cell(properties, &columns.kind)?;
            let funding = value_or_cell(properties, &columns.funding)?;
            let feature_type = columns.feature_type.as_deref();
            let feature_type = feature_type.map(|name| value_or_cell(properties, name)).transpose()?;
            diagram([self.geometry], title.clone(), kind, funding, feature_type)
        };
        let diagram = diagram().map_err(|error| match error.value(py).str() {
            Ok(problem) => input_error(format!("row {label}: {problem}")),
            Err(_) => error,
        })?;
        Ok(LabelledDiagram { label: self.label, title, diagram })
    }
}

/// The value of that name if there is one, else the value that the column of that name has in this row.
fn value_or_cell<C: Choice>(properties: &Bound<'_, PyDict>, name: &str) -> PyResult<C> {
    match (C::known(name), properties.get_item(name)?) {
        (None, Some(cell)) => choice(&cell.str()?.to_string()),
        _ => choice(name),
    }
}

fn diagram(
    geometries: impl IntoIterator<Item = DrawnGeometry>,
    description: String,
    kind: DiagramKind,
    fundingtype: FundingType,
    feature_type: Option<FeatureType>,
) -> PyResult<NewDiagram> {
    let geometry = DrawnFeatures::from_geometries(geometries);
    let featuretype = match feature_type {
        Some(feature_type) => feature_type,
        None => geometry.feature_type().map_err(|problem| input_error(problem.to_string()))?,
    };
    let drawn = DrawnDiagram { geometry, featuretype, description, fundingtype };
    drawn.check().map_err(|problem| input_error(problem.to_string()))?;
    Ok(NewDiagram { kind, drawn })
}
