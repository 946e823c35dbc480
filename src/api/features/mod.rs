//! `FeatureCollection`: as dicts, and as columns for GeoPandas, pyarrow and any reader of Arrow.

mod files;

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, StringArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyIterator, PyType};
use serde_json::{Map, Value};

use crate::convert::errors::{Result, decode_error};
use crate::convert::from_python::list_from_python;
use crate::convert::results::{ArrowArray, Reduced, arrow_error, arrow_stream, pickled, unpickled};
use crate::convert::to_python::Json;
use crate::engine::interrupts::compute;
use crate::engine::logging::warn;
use geodesign::features::{self, HtmlPreview, Layout, Problem, RaggedArrays, RowProblem, SystemLabel, summary};
use geodesign::model::EsriFeature;

/// Features with their properties, in WGS 84, longitude before latitude. Immutable.
///
/// It keeps the bytes of the response; Python objects are made on demand. GeoPandas, pyarrow, polars, DuckDB and
/// lonboard read it directly, through `__geo_interface__` or `__arrow_c_stream__`.
///
/// Tables have a column for each property, named as in the service. A diagram's `type` is called `kind`, because the `type` of a
/// GeoDataFrame is the type of its geometries. Thousands of properties that only a few features have would make nearly empty columns: they
/// share the column `properties`, which has a JSON object in each row.
///
/// Examples:
///     >>> diagrams = project.diagrams()
///     >>> diagrams
///     <FeatureCollection: 214 features, 180 diagrams>
///     >>> frame = diagrams.to_geopandas()
///     >>> frame.crs.to_epsg()
///     4326
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct FeatureCollection(pub(in crate::api) features::FeatureCollection);

impl From<features::FeatureCollection> for FeatureCollection {
    fn from(collection: features::FeatureCollection) -> Self {
        FeatureCollection(collection)
    }
}

/// The body of a pickled collection, true for a collection of diagrams, the labels of the systems, and the errors in rows.
type PickledBody<'py> = (Bound<'py, PyAny>, bool, Option<String>, Option<String>);

#[pymethods]
impl FeatureCollection {
    /// Makes a collection from feature-JSON, such as from `Project.design_esri`.
    ///
    /// Attributes become properties. Rings become polygons: a ring inside another is a hole, whatever its direction.
    ///
    /// Args:
    ///     features: A list of dicts with `attributes` and `geometry`, in WGS 84 (wkid 4326) or Web Mercator (3857,
    ///         102100).
    ///
    /// Raises:
    ///     InputError: Another wkid, or an invalid geometry; the message names the feature.
    ///
    /// Warns:
    ///     UserWarning: A ring runs in the same direction as the one around it, so it may be land.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> esri = FeatureCollection.from_esri(project.design(design, 1).esri())
    ///     >>> set(esri.to_arrow()["diagramid"].to_pylist()) == set(project.design(design, 1).diagram_ids())
    ///     True
    #[classmethod]
    #[pyo3(signature = (features: "Iterable[EsriFeature]"))]
    fn from_esri(class: &Bound<'_, PyType>, features: &Bound<'_, PyAny>) -> Result<Self> {
        let features: Vec<EsriFeature> = list_from_python(features, "feature-JSON")?;
        let collection = compute(class.py(), move |_| features::FeatureCollection::from_esri(&features))??;
        for RowProblem { row, reason, .. } in collection.row_problems() {
            warn(class.py(), &format!("feature {row}: {reason}"))?;
        }
        Ok(collection.into())
    }

    /// The fields outside the features: a diagram's fields, or the description of boundaries. A new dict each time.
    #[getter]
    fn metadata(&self) -> Json<&Map<String, Value>> {
        Json(self.0.metadata())
    }

    /// West, south, east, north of all geometries in degrees; None without geometries.
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
    ///     >>> project.study_area.boundaries().to_dict()["type"]
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

    fn __reduce_ex__<'py>(slf: &Bound<'py, Self>, protocol: u8) -> Reduced<'py, PickledBody<'py>> {
        let collection = &slf.get().0;
        let (body, layout) = collection.source();
        let labels = collection.labels().map(serde_json::to_string).transpose();
        let labels = labels.map_err(|error| decode_error(error.to_string()))?;
        let problems = Some(collection.row_problems()).filter(|problems| !problems.is_empty());
        let problems = problems.map(serde_json::to_string).transpose();
        let problems = problems.map_err(|error| decode_error(error.to_string()))?;
        let arguments = (pickled(slf.py(), body, protocol)?, layout == Layout::Diagrams, labels, problems);
        Ok((slf.get_type().getattr("_from_body")?, arguments))
    }

    /// For pickling: the same collection from the same bytes, and from the labels of the systems and the errors in rows as JSON.
    #[staticmethod]
    #[pyo3(signature = (body, diagrams, labels=None, problems=None))]
    fn _from_body(
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        diagrams: bool,
        labels: Option<&str>,
        problems: Option<&str>,
    ) -> Result<Self> {
        let layout = if diagrams { Layout::Diagrams } else { Layout::Collection };
        let body = unpickled(py, body)?;
        let mut collection = compute(py, move |_| features::FeatureCollection::from_json(body, layout))??;
        if let Some(problems) = problems {
            let problems: Vec<RowProblem> =
                serde_json::from_str(problems).map_err(|error| decode_error(error.to_string()))?;
            collection = collection.with_problems(problems);
        }
        let Some(labels) = labels else { return Ok(collection.into()) };
        let labels: Vec<SystemLabel> = serde_json::from_str(labels).map_err(|error| decode_error(error.to_string()))?;
        Ok(collection.with_labels(labels).into())
    }

    /// Errors in the rows: geometries that could not be drawn as a diagram today, and unreadable values.
    ///
    /// Another service may send invalid values, such as the date 2024-13-45, a position with null, features in another CRS, or a
    /// cost per m². The row has its readable values. A service may hold self-intersecting polygons, holes outside their exterior or
    /// overlapping parts. They are read and measured as they are, so their area may be wrong. The rules are those of
    /// `add_diagram`, and agree with `shapely.is_valid`.
    ///
    /// Returns:
    ///     A dict for each fault, in the order of the rows; for an invalid geometry, only its first fault: `diagramid`, its `row` and
    ///     `part` (counted from 0), its `position` (longitude and latitude in degrees) and the `reason`, which
    ///     says how to repair it. Faults that are not about a geometry have neither part nor position. The list is empty if there are none.
    ///     A missing geometry is not a fault.
    ///
    /// Examples:
    ///     >>> project.diagrams().problems()
    ///     []
    #[pyo3(signature = () -> "list[GeometryProblem]")]
    fn problems(&self, py: Python<'_>) -> PyResult<Json<Vec<Problem>>> {
        let collection = self.0.clone();
        compute(py, move |_| collection.problems()).map(Json)
    }

    /// The columns as an Arrow stream (PyCapsule interface), for any library that reads Arrow. Nothing is copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer give its own schema.
        let _ = requested_schema;
        let table = self.0.table();
        arrow_stream(py, table.schema(), table.batches().collect())
    }

    /// For GeoPandas: the columns without the geometries, as one Arrow array of structs. String columns have the type that pandas
    /// uses, so that nothing is converted.
    fn _properties(&self, py: Python<'_>) -> PyResult<ArrowArray> {
        py.detach(|| {
            let properties = self.0.table().named_properties();
            let columns = properties.schema_ref().fields().iter().zip(properties.columns());
            let columns = columns.map(|(field, column)| match column.as_string_opt::<i32>() {
                Some(texts) => {
                    let field = field.as_ref().clone().with_data_type(DataType::LargeUtf8);
                    (Arc::new(field), Arc::new(with_long_offsets(texts)) as ArrayRef)
                }
                None => (field.clone(), column.clone()),
            });
            let (fields, arrays): (Vec<_>, Vec<_>) = columns.unzip();
            let rows = properties.num_rows();
            let properties =
                StructArray::try_new_with_length(fields.into(), arrays, None, rows).map_err(arrow_error)?;
            Ok(ArrowArray(Arc::new(properties)))
        })
    }

    /// For GeoPandas: the rows in ranges of at most `rows`, fewer if their geometries are large.
    fn _row_ranges(&self, rows: usize) -> Vec<(usize, usize)> {
        self.0.row_ranges(rows).map(|range| (range.start, range.end)).collect()
    }

    /// For GeoPandas: the geometries of the rows from `start` to before `end`. For each kind of shape, the arguments of
    /// `shapely.from_ragged_array`: the name of the kind, the number of ordinates of a position, and as Arrow arrays the row
    /// numbers, the ordinates and the offsets of each level. Then the row number and WKB of every other geometry.
    fn _ragged_arrays<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> (Vec<PyRaggedArray>, Vec<(i64, Bound<'py, PyBytes>)>) {
        let RaggedArrays { arrays, others } = py.detach(|| self.0.ragged_arrays(start..end.min(self.0.len())));
        let integers = |numbers: Vec<i64>| ArrowArray(Arc::new(Int64Array::from(numbers)));
        let arrays = arrays.into_iter().map(|array| {
            let ordinates = ArrowArray(Arc::new(Float64Array::from(array.ordinates)));
            let offsets = array.offsets.into_iter().map(integers).collect();
            (array.kind.name(), array.stride, integers(array.rows), ordinates, offsets)
        });
        (arrays.collect(), others.into_iter().map(|(row, wkb)| (row, PyBytes::new(py, wkb))).collect())
    }
}

impl FeatureCollection {
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict().into_pyobject(py)?.get_item("features")
    }
}

type PyRaggedArray = (&'static str, usize, ArrowArray, ArrowArray, Vec<ArrowArray>);

/// The same strings with wider offsets. The strings themselves are not copied.
fn with_long_offsets(texts: &StringArray) -> LargeStringArray {
    let offsets = texts.offsets().iter().map(|offset| i64::from(*offset)).collect();
    LargeStringArray::new(OffsetBuffer::new(offsets), texts.values().clone(), texts.nulls().cloned())
}
