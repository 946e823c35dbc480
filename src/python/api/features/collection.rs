//! `FeatureCollection`.

use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyType};
use serde_json::{Map, Value};

use crate::features::{self, HtmlPreview, Layout, SystemLabel, summary};
use crate::model::EsriFeature;
use crate::python::convert::answers::Reduced;
use crate::python::convert::errors::decode_error;
use crate::python::convert::from_python::list_from_python;
use crate::python::convert::pickling::{pickled, unpickled};
use crate::python::convert::to_python::Json;
use crate::python::engine::interrupts::compute;

/// Features with their properties, in WGS 84, longitude before latitude. Immutable.
///
/// It keeps the bytes of the answer; Python objects are made on demand. GeoPandas, pyarrow, polars, DuckDB and
/// lonboard read it directly, through `__geo_interface__` or `__arrow_c_stream__`.
///
/// Tables have a column for each property. Only where these would be nearly empty, because thousands of properties are each of few
/// features, such properties share the column `properties`, which has a JSON object in each row.
///
/// Examples:
///     >>> diagrams = project.diagrams()
///     >>> diagrams
///     <FeatureCollection: 214 features, 180 diagrams>
///     >>> frame = diagrams.to_geopandas()
///     >>> frame.crs.to_epsg()
///     4326
#[pyclass(frozen, module = "pygeodesign")]
pub struct FeatureCollection(pub(in crate::python::api) features::FeatureCollection);

impl From<features::FeatureCollection> for FeatureCollection {
    fn from(collection: features::FeatureCollection) -> Self {
        FeatureCollection(collection)
    }
}

#[pymethods]
impl FeatureCollection {
    /// Makes a collection from feature-JSON, such as `Project.design_esri` gives.
    ///
    /// Attributes become properties; rings become polygons, each hole inside the exterior around it.
    ///
    /// Args:
    ///     features: A list of dicts with `attributes` and `geometry`, in WGS 84 (wkid 4326) or Web Mercator (3857,
    ///         102100).
    ///
    /// Raises:
    ///     InputError: Another wkid, or an invalid geometry; the message names the feature.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> esri = FeatureCollection.from_esri(project.design_esri(1, design))
    ///     >>> len(esri) == len(project.design(1, design))
    ///     True
    #[classmethod]
    #[pyo3(signature = (features: "Iterable[EsriFeature]"))]
    fn from_esri(class: &Bound<'_, PyType>, features: &Bound<'_, PyAny>) -> PyResult<Self> {
        let features: Vec<EsriFeature> = list_from_python(features, "feature-JSON")?;
        Ok(compute(class.py(), move |_| features::FeatureCollection::from_esri(&features))??.into())
    }

    /// The fields beside the features: those of a diagram, or the description of boundaries. A new dict each time.
    #[getter]
    fn metadata(&self) -> Json<&Map<String, Value>> {
        Json(self.0.metadata())
    }

    /// West, south, east, north of all geometries in degrees; None where there are none.
    #[getter]
    fn bounds(&self) -> Option<(f64, f64, f64, f64)> {
        self.0.bounds().map(|bounds| (bounds.west, bounds.south, bounds.east, bounds.north))
    }

    /// The collection as a GeoJSON dict: `type` and `features`. A new one each time.
    ///
    /// Returns:
    ///     A dict for `GeoDataFrame.from_features` and `json.dump`.
    ///
    /// Examples:
    ///     >>> project.boundaries().to_dict()["type"]
    ///     'FeatureCollection'
    fn to_dict(&self) -> Json<&features::FeatureCollection> {
        Json(&self.0)
    }

    /// The same as `to_dict()`, under the name that other libraries look for.
    #[getter]
    fn __geo_interface__(&self) -> Json<&features::FeatureCollection> {
        Json(&self.0)
    }

    /// The number of rows: one per feature, and one for each diagram without any.
    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.features(py)?.try_iter()
    }

    /// A member of the GeoJSON dict, such as `collection["features"]`.
    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict().into_pyobject(py)?.get_item(key)
    }

    fn __repr__(&self) -> String {
        format!("<FeatureCollection: {}>", summary(&self.0))
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        py.detach(|| HtmlPreview(&self.0).to_string())
    }

    fn __reduce_ex__<'py>(
        slf: &Bound<'py, Self>,
        protocol: u8,
    ) -> Reduced<'py, (Bound<'py, PyAny>, bool, Option<String>)> {
        let collection = &slf.get().0;
        let (body, layout) = collection.source();
        let labels = collection.labels().map(serde_json::to_string).transpose();
        let labels = labels.map_err(|error| decode_error(error.to_string()))?;
        let arguments = (pickled(slf.py(), body, protocol)?, layout == Layout::Diagrams, labels);
        Ok((slf.get_type().getattr("_from_body")?, arguments))
    }

    /// For pickling: the same collection from the same bytes, and from the labels of the systems as JSON.
    #[staticmethod]
    #[pyo3(signature = (body, diagrams, labels=None))]
    fn _from_body(py: Python<'_>, body: &Bound<'_, PyAny>, diagrams: bool, labels: Option<&str>) -> PyResult<Self> {
        let layout = if diagrams { Layout::Diagrams } else { Layout::Collection };
        let body = unpickled(py, body)?;
        let collection = compute(py, move |_| features::FeatureCollection::from_json(body, layout))??;
        let Some(labels) = labels else { return Ok(collection.into()) };
        let labels: Vec<SystemLabel> = serde_json::from_str(labels).map_err(|error| decode_error(error.to_string()))?;
        Ok(collection.with_labels(labels).into())
    }
}

impl FeatureCollection {
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict().into_pyobject(py)?.get_item("features")
    }
}
