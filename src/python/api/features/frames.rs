//! `FeatureCollection` as columns: for GeoPandas, pyarrow and any reader of Arrow.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, StringArray, StructArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict};

use super::collection::FeatureCollection;
use crate::features::RaggedArrays;
use crate::python::convert::arrow::{ArrowArray, arrow_error, arrow_stream};
use crate::python::convert::extras::import_extra;
use crate::python::convert::garbage_collection::GarbageCollectionPaused;

#[pymethods]
impl FeatureCollection {
    /// The collection as a GeoDataFrame.
    ///
    /// A diagram of several features has several rows, each with all fields of the diagram. To sum a field of diagrams, such
    /// as their cost, take `CostReport.to_geopandas()`, which has one row per diagram.
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
    #[pyo3(signature = () -> "GeoDataFrame")]
    pub(super) fn to_geopandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        import_extra(slf.py(), "geopandas")?;
        import_extra(slf.py(), "pyarrow")?;
        let frames = slf.py().import("pygeodesign._frames")?;
        let _paused = GarbageCollectionPaused::new(slf.py())?;
        frames.call_method1("to_geopandas", (slf,))
    }

    /// Draws the features on a map, as `pygeodesign.plots.plot_map` does.
    ///
    /// Args:
    ///     boundary: The outline of the study area, such as `Project.boundaries` returned.
    ///     ax: The matplotlib axes to draw on. Default: new ones.
    ///     options: Further arguments of `plot_map`, such as `title="Staten Island"`, `units="us"` or `theme="dark"`.
    ///
    /// Returns:
    ///     The axes.
    ///
    /// Raises:
    ///     ImportError: matplotlib is missing; `pip install 'pygeodesign[notebook]'` brings it.
    ///
    /// Examples:
    ///     >>> axes = project.diagrams().plot(project.boundaries(), title="Staten Island 2050")
    #[pyo3(signature = (boundary: "FeatureCollection | GeoDataFrame | None" = None, ax: "Axes | None" = None, **options: "Any") -> "Axes")]
    fn plot<'py>(
        slf: &Bound<'py, Self>,
        boundary: Option<Bound<'py, PyAny>>,
        ax: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        import_extra(slf.py(), "matplotlib")?;
        slf.py().import("pygeodesign.plots")?.getattr("plot_map")?.call((slf, boundary, ax), options)
    }

    /// The features on a map to look around in, as `pygeodesign.maps.web_map` makes it.
    ///
    /// Args:
    ///     boundary: The outline of the study area, such as `Project.boundaries` returned.
    ///     options: Further arguments of `web_map`, such as `title="Staten Island"`, `units="us"`, `theme="dark"` or
    ///         `basemap="light"`.
    ///
    /// Returns:
    ///     A `pygeodesign.maps.WebMap`, which a notebook shows; `to_html` writes it as one file, which needs no network.
    ///
    /// Raises:
    ///     ImportError: matplotlib or GeoPandas is missing; `pip install 'pygeodesign[notebook]'` brings them.
    ///
    /// Examples:
    ///     >>> view = project.evaluation("Water").explore(project.boundaries(), title="Where water needs room")
    ///     >>> view.to_html("water.html")
    #[pyo3(signature = (boundary: "FeatureCollection | GeoDataFrame | None" = None, **options: "Any") -> "WebMap")]
    fn explore<'py>(
        slf: &Bound<'py, Self>,
        boundary: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        import_extra(slf.py(), "matplotlib")?;
        slf.py().import("pygeodesign.maps")?.getattr("web_map")?.call((slf, boundary), options)
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
    #[pyo3(signature = () -> "Table")]
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

    /// For GeoPandas: the columns without the geometries, as one Arrow array of structs. Text columns have the type that pandas
    /// uses, so that nothing is converted.
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

    /// For GeoPandas: the rows in ranges of `rows` at most, fewer where their geometries are large.
    fn _row_ranges(&self, rows: usize) -> Vec<(usize, usize)> {
        self.0.row_ranges(rows).map(|range| (range.start, range.end)).collect()
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
}

type PyRaggedArray = (&'static str, usize, ArrowArray, ArrowArray, Vec<ArrowArray>);

/// The same texts with wider offsets. The texts themselves are not copied.
fn with_long_offsets(texts: &StringArray) -> LargeStringArray {
    let offsets = texts.offsets().iter().map(|offset| i64::from(*offset)).collect();
    LargeStringArray::new(OffsetBuffer::new(offsets), texts.values().clone(), texts.nulls().cloned())
}
