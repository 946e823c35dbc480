//! Geometries that Python passes in. `pygeodesign._inputs` takes them out of frames, shapes and GeoJSON; here they are read and
//! checked, all of them before anything is sent.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyDict;
use serde::de::DeserializeSeed;

use super::arguments::{Choice, choice};
use super::errors::input_error;
use super::from_python::attributes_from_python;
use super::heights::volume_information;
use crate::client::NewDiagram;
use crate::geometry::{Geometry, GeometrySeed, read_wkb};
use crate::model::{
    AreaFeatures, DiagramKind, DrawnDiagram, DrawnFeatures, DrawnGeometry, DrawnProperties, EvaluationFeatures,
    EvaluationProperties, Feature, FeatureType, FundingType, InvalidDrawing, JsonObject,
};
use crate::python::engine::interrupts::{compute, look};

/// So many rows are converted in some milliseconds.
const ROWS_PER_LOOK: usize = 256;
/// Geometries of fewer bytes than this are checked so fast that no other thread is worth it.
const LARGE_GEOMETRIES: usize = 64 * 1024;

/// The features of a GeoDataFrame, a shape, GeoJSON or an Arrow stream, in WGS 84.
pub struct Features(Vec<Row>);

struct Row {
    label: Py<PyAny>,
    properties: Py<PyDict>,
    geometry: DrawnGeometry,
}

/// A geometry as `_inputs` passes it. The bytes are Python's own.
#[derive(FromPyObject)]
pub enum Encoded {
    Wkb(PyBackedBytes),
    Geojson(PyBackedStr),
}

/// Why a geometry of a feature cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UnfitGeometry {
    #[error("its shape is of a kind that GeoJSON does not have")]
    Kind,
    #[error(transparent)]
    Geojson(#[from] serde_json::Error),
    #[error("it has no geometry")]
    Missing,
    #[error(transparent)]
    Drawing(#[from] InvalidDrawing),
}

impl Encoded {
    /// Decodes the geometry, without a check.
    pub fn decode(&self) -> Result<Geometry, UnfitGeometry> {
        match self {
            Encoded::Wkb(wkb) => read_wkb(wkb).ok_or(UnfitGeometry::Kind),
            Encoded::Geojson(text) => {
                let geometry = GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(text));
                geometry?.ok_or(UnfitGeometry::Missing)
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Encoded::Wkb(wkb) => wkb.len(),
            Encoded::Geojson(text) => text.len(),
        }
    }

    fn check(&self) -> Result<DrawnGeometry, UnfitGeometry> {
        Ok(DrawnGeometry::new(&self.decode()?)?)
    }
}

impl FromPyObject<'_, '_> for Features {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let rows = py.import("pygeodesign._inputs")?.call_method1("rows", (object,))?;
        let (mut attributes, mut encoded) = (Vec::new(), Vec::new());
        for (index, row) in rows.try_iter()?.enumerate() {
            look_sometimes(py, index)?;
            let (label, geometry, properties): (Py<PyAny>, Encoded, Py<PyDict>) = row?.extract()?;
            attributes.push((label, properties));
            encoded.push(geometry);
        }
        let geometries = checked(py, encoded)?.map_err(|(index, problem)| {
            input_error(format!("{}: {problem}", feature_name(index, attributes[index].0.bind(py))))
        })?;
        let rows = attributes.into_iter().zip(geometries);
        Ok(Features(rows.map(|((label, properties), geometry)| Row { label, properties, geometry }).collect()))
    }
}

/// The geometries, if all of them can be drawn. Else the number of the first that cannot, and why.
fn checked(py: Python<'_>, encoded: Vec<Encoded>) -> PyResult<Result<Vec<DrawnGeometry>, (usize, UnfitGeometry)>> {
    let check_all = |encoded: &[Encoded], is_over: &dyn Fn() -> bool| {
        let checks = encoded.iter().enumerate().take_while(|_| !is_over());
        checks.map(|(index, encoded)| encoded.check().map_err(|problem| (index, problem))).collect()
    };
    match encoded.iter().map(Encoded::bytes).sum::<usize>() < LARGE_GEOMETRIES {
        true => Ok(py.detach(|| check_all(&encoded, &|| false))),
        false => compute(py, move |interrupted| check_all(&encoded, &|| interrupted.is_set())),
    }
}

/// Looks for Ctrl-C now and then; `index` is that of a row.
fn look_sometimes(py: Python<'_>, index: usize) -> PyResult<()> {
    if index % ROWS_PER_LOOK == ROWS_PER_LOOK - 1 { look(py) } else { Ok(()) }
}

/// A feature as errors name it: its number, and its label in the index where that is another.
fn feature_name(index: usize, label: &Bound<'_, PyAny>) -> String {
    let label = label.repr().map_or_else(|_| String::new(), |label| label.to_string());
    if label == index.to_string() { format!("feature {index}") } else { format!("feature {index} (row {label})") }
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
        let features = Python::attach(|py| {
            let features = self.0.into_iter().enumerate().map(|(index, row)| {
                look_sometimes(py, index)?;
                let name = feature_name(index, row.label.bind(py));
                row.into_feature(py).map_err(|error| about(py, &name, error))
            });
            features.collect::<PyResult<DrawnFeatures>>()
        })?;
        diagram(features, title, kind, funding, feature_type)
    }

    /// One diagram for each feature.
    pub fn into_diagrams(self, columns: &DiagramColumns) -> PyResult<Vec<LabelledDiagram>> {
        Python::attach(|py| {
            let rows = self.0.into_iter().enumerate();
            let diagrams = rows.map(|(index, row)| {
                look_sometimes(py, index)?;
                row.into_diagram(py, columns)
            });
            diagrams.collect()
        })
    }

    /// An evaluation map; every feature has an `areatype`.
    pub fn into_evaluation(self) -> PyResult<EvaluationFeatures> {
        let areas = self.0.into_iter().enumerate().map(|(index, row)| {
            Python::attach(|py| look_sometimes(py, index))?;
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
            Python::attach(|py| look_sometimes(py, index))?;
            let name = format!("feature {index}");
            let properties: JsonObject = Python::attach(|py| attributes_from_python(row.properties.bind(py), &name))?;
            Ok(Feature::new(Some(properties), row.geometry))
        });
        areas.collect()
    }
}

impl Row {
    /// The feature with its heights, the only attributes that a diagram keeps.
    fn into_feature(self, py: Python<'_>) -> PyResult<Feature<Option<DrawnProperties>, DrawnGeometry>> {
        let volume_information = volume_information(self.properties.bind(py))?;
        let properties = volume_information.map(|volume| DrawnProperties { volume_information: Some(volume) });
        Ok(Feature::new(properties, self.geometry))
    }

    fn into_diagram(self, py: Python<'_>, columns: &DiagramColumns) -> PyResult<LabelledDiagram> {
        let row_label = self.label.clone_ref(py);
        let label = row_label.bind(py).repr()?.to_string();
        let properties = self.properties.clone_ref(py).into_bound(py);
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
            let kind = value_or_cell(&properties, &columns.kind)?;
            let funding = value_or_cell(&properties, &columns.funding)?;
            let feature_type = columns.feature_type.as_deref();
            let feature_type = feature_type.map(|name| value_or_cell(&properties, name)).transpose()?;
            diagram([self.into_feature(py)?].into_iter().collect(), title.clone(), kind, funding, feature_type)
        };
        let diagram = diagram().map_err(|error| about(py, &format!("row {label}"), error))?;
        Ok(LabelledDiagram { label: row_label, title, diagram })
    }
}

/// The same error, with the name of the feature that it is about.
fn about(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    match error.value(py).str() {
        // An interrupt, for example, is about no feature.
        _ if !error.is_instance_of::<PyException>(py) => error,
        Ok(problem) => input_error(format!("{name}: {problem}")),
        Err(_) => error,
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
    geometry: DrawnFeatures,
    description: String,
    kind: DiagramKind,
    fundingtype: FundingType,
    feature_type: Option<FeatureType>,
) -> PyResult<NewDiagram> {
    let featuretype = match feature_type {
        Some(feature_type) => feature_type,
        None => geometry.feature_type().map_err(|problem| input_error(problem.to_string()))?,
    };
    let drawn = DrawnDiagram { geometry, featuretype, description, fundingtype };
    drawn.check().map_err(|problem| input_error(problem.to_string()))?;
    Ok(NewDiagram { kind, drawn })
}
