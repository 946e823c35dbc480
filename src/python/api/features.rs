//! `FeatureCollection`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch, RecordBatchIterator, StringArray,
    StructArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use bytes::Bytes;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyIterator, PyTuple, PyType};
use pythonize::depythonize;

use crate::features::{self, HtmlPreview, Layout, RaggedArrays, summary};
use crate::model::EsriFeature;
use crate::python::convert::errors::input_error;
use crate::python::convert::extras::import_extra;
use crate::python::convert::to_python::{GarbageCollectionPaused, to_python};

/// Features with their properties, in WGS 84, longitude before latitude. Immutable.
///
/// It keeps the bytes that arrived; Python objects are made when they are asked for. GeoPandas, pyarrow, polars, DuckDB and
/// lonboard take it as it is, through `__geo_interface__` or `__arrow_c_stream__`.
///
/// Examples:
///     >>> diagrams = project.diagrams()
///     >>> diagrams
///     <FeatureCollection: 214 features, 180 diagrams>
///     >>> frame = diagrams.to_geopandas()
///     >>> frame.crs.to_epsg()
///     4326
#[pyclass(frozen, module = "pygeodesign")]
pub struct FeatureCollection(features::FeatureCollection);

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
    ///     InputError: Another wkid, or a geometry that is none; it names the feature.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> esri = FeatureCollection.from_esri(project.design_esri(1, design))
    ///     >>> len(esri) == len(project.design(1, design))
    ///     True
    #[classmethod]
    fn from_esri(_class: &Bound<'_, PyType>, features: &Bound<'_, PyAny>) -> PyResult<Self> {
        let features: Vec<EsriFeature> = depythonize(features)
            .map_err(|problem| input_error(format!("not a list of feature-JSON features: {problem}")))?;
        Ok(features::FeatureCollection::from_esri(&features)?.into())
    }

    /// What came beside the features: a diagram's own fields, a boundary's description. A new dict each time.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.0.metadata())
    }

    /// West, south, east, north of all geometries in degrees; None where there are none.
    #[getter]
    fn bounds(&self) -> Option<(f64, f64, f64, f64)> {
        self.0.bounds().map(|bounds| (bounds.west, bounds.south, bounds.east, bounds.north))
    }

    /// The collection as a GeoJSON dict: `type` and `features`. A new one each time.
    ///
    /// Returns:
    ///     A dict that `GeoDataFrame.from_features` and `json.dump` take as it is.
    ///
    /// Examples:
    ///     >>> project.boundaries().to_dict()["type"]
    ///     'FeatureCollection'
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0)
    }

    /// The same as `to_dict()`, for tools that reap_once for it.
    #[getter]
    fn __geo_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)
    }

    /// The collection as a GeoDataFrame.
    ///
    /// Returns:
    ///     One row per feature, in EPSG:4326. Free-form objects are JSON text.
    ///
    /// Raises:
    ///     ImportError: GeoPandas or pyarrow is missing; `pip install 'pygeodesign[geo]'` brings both.
    ///
    /// Examples:
    ///     >>> project.diagrams().to_geopandas().dtypes["start_date"]
    ///     dtype('<M8[us]')
    fn to_geopandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        import_extra(slf.py(), "geopandas")?;
        import_extra(slf.py(), "pyarrow")?;
        let frames = slf.py().import("pygeodesign._frames")?;
        let _paused = GarbageCollectionPaused::new(slf.py())?;
        frames.call_method1("to_geopandas", (slf,))
    }

    /// The collection as a pyarrow Table.
    ///
    /// Returns:
    ///     One row per feature; the column `geometry` is WKB, marked as GeoArrow with its CRS.
    ///
    /// Raises:
    ///     ImportError: pyarrow is missing; `pip install 'pygeodesign[geo]'` brings it.
    ///
    /// Examples:
    ///     >>> project.diagrams().to_arrow().num_rows
    ///     214
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        import_extra(slf.py(), "pyarrow")?.call_method1("table", (slf,))
    }

    /// The columns as an Arrow stream (PyCapsule interface), for any library that reads Arrow. Nothing is copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer answer with its own schema.
        let _ = requested_schema;
        let table = self.0.table();
        arrow_stream(py, table.schema(), table.batches().collect())
    }

    /// Writes the collection to a file; an older one is replaced at the end, whole.
    ///
    /// Args:
    ///     path: `.geojson` and `.json` are written as GeoJSON, `.parquet` as GeoParquet; any other ending is left to
    ///         GeoPandas (`.gpkg`, `.fgb`, `.shp` …).
    ///
    /// Raises:
    ///     ImportError: GeoPandas or pyarrow is missing and the format needs it.
    ///     OSError: The file cannot be written.
    ///
    /// Examples:
    ///     >>> import pathlib, tempfile
    ///     >>> path = pathlib.Path(tempfile.mkdtemp()) / "boundaries.geojson"
    ///     >>> project.boundaries().to_file(path)
    ///     >>> path.stat().st_size > 0
    ///     True
    fn to_file(slf: &Bound<'_, Self>, path: PathBuf) -> PyResult<()> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "geojson" | "json" => {
                let collection = slf.get().0.clone();
                let unwritten = |problem| PyOSError::new_err(format!("{}: {problem}", path.display()));
                slf.py().detach(|| write_geojson(&collection, &path)).map_err(unwritten)
            }
            "parquet" => write_whole(&path, |draft| Self::to_geopandas(slf)?.call_method1("to_parquet", (draft,))),
            _ => write_whole(&path, |draft| Self::to_geopandas(slf)?.call_method1("to_file", (draft,))),
        }
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
        self.to_dict(py)?.get_item(key)
    }

    fn __repr__(&self) -> String {
        format!("<FeatureCollection: {}>", summary(&self.0))
    }

    fn _repr_html_(&self, py: Python<'_>) -> String {
        py.detach(|| HtmlPreview(&self.0).to_string())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (body, layout) = slf.get().0.source();
        let arguments = (PyBytes::new(slf.py(), body), layout == Layout::Diagrams).into_pyobject(slf.py())?;
        Ok((slf.get_type().getattr("_from_body")?, arguments))
    }

    /// For GeoPandas: the columns without the geometries, as one Arrow array of structs. Texts are of the type that pandas
    /// keeps, so that nothing is cast.
    fn _properties(&self, py: Python<'_>) -> PyResult<ArrowArray> {
        py.detach(|| {
            let properties = &self.0.table().properties;
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

    /// For GeoPandas: the geometries of the rows from `start` to before `end`. For each kind of shape the arguments of
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

    /// For pickling: the same collection from the same bytes.
    #[staticmethod]
    fn _from_body(body: &[u8], diagrams: bool) -> PyResult<Self> {
        let layout = if diagrams { Layout::Diagrams } else { Layout::Collection };
        Ok(features::FeatureCollection::from_json(Bytes::copy_from_slice(body), layout)?.into())
    }
}

impl FeatureCollection {
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.to_dict(py)?.get_item("features")
    }
}

fn arrow_error(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// The same texts, of which only the offsets are made anew.
fn with_long_offsets(texts: &StringArray) -> LargeStringArray {
    let offsets = texts.offsets().iter().map(|offset| i64::from(*offset)).collect();
    LargeStringArray::new(OffsetBuffer::new(offsets), texts.values().clone(), texts.nulls().cloned())
}

type PyRaggedArray = (&'static str, usize, ArrowArray, ArrowArray, Vec<ArrowArray>);

/// An array for pyarrow, which takes it without a copy.
#[pyclass(frozen, name = "_ArrowArray", module = "pygeodesign._core")]
struct ArrowArray(ArrayRef);

#[pymethods]
impl ArrowArray {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let (array, schema) = to_ffi(&self.0.to_data()).map_err(arrow_error)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }
}

/// Hands a table to another library, in pieces of one schema. The stream takes care of its own memory.
pub fn arrow_stream(py: Python<'_>, schema: SchemaRef, pieces: Vec<RecordBatch>) -> PyResult<Bound<'_, PyCapsule>> {
    let pieces = RecordBatchIterator::new(pieces.into_iter().map(Ok), schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(pieces));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Lets `write` make a file, and others beside it where the format has several, in a folder of its own; moves them to
/// their place when all is there.
fn write_whole<'py>(path: &Path, write: impl FnOnce(PathBuf) -> PyResult<Bound<'py, PyAny>>) -> PyResult<()> {
    let unwritten = |problem: &dyn std::fmt::Display| PyOSError::new_err(format!("{}: {problem}", path.display()));
    let name = path.file_name().ok_or_else(|| unwritten(&"that is no file name"))?;
    let drafts = tempfile::tempdir_in(folder_of(path)).map_err(|problem| unwritten(&problem))?;
    write(drafts.path().join(name)).map_err(|error| {
        match Python::attach(|py| error.is_instance_of::<PyRuntimeError>(py)) {
            // What GDAL could not do.
            true => unwritten(&error),
            false => error,
        }
    })?;
    for draft in std::fs::read_dir(drafts.path())? {
        let draft = draft?;
        std::fs::rename(draft.path(), folder_of(path).join(draft.file_name()))?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn write_geojson(collection: &features::FeatureCollection, path: &Path) -> std::io::Result<()> {
    let file = tempfile::NamedTempFile::new_in(folder_of(path))?;
    let mut out = BufWriter::new(&file);
    serde_json::to_writer(&mut out, collection)?;
    out.flush()?;
    drop(out);
    file.persist(path)?;
    Ok(())
}
