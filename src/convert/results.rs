//! Return values of methods other than resources, and pickling of large objects.

use std::convert::Infallible;

use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use pyo3::IntoPyObjectExt;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyNone};

use crate::convert::to_python::Json;
use crate::engine::package::of_package;
use geodesign::model::HistoryEntry;
use geodesign_client as client;
use geodesign_client::Traffic;

/// An image, as bytes in Python.
pub struct Image(pub Bytes);

impl<'py> IntoPyObject<'py> for Image {
    type Target = PyBytes;
    type Output = Bound<'py, PyBytes>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyBytes::new(py, &self.0))
    }
}

/// None in Python. `()` would become None in a blocking method and an empty tuple in an awaited one.
pub struct Nothing;

impl<'py> IntoPyObject<'py> for Nothing {
    type Target = PyNone;
    type Output = Borrowed<'py, 'py, PyNone>;
    type Error = Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Infallible> {
        Ok(PyNone::get(py))
    }
}

/// Changes since an archive was written: in Python a `SyncReport` dict.
pub struct SyncReport(pub client::SyncReport);

impl<'py> IntoPyObject<'py> for SyncReport {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let client::SyncReport { added, changed, removed, traffic: Traffic { downloaded, kept, bytes } } = self.0;
        let [added, changed, removed] =
            [added, changed, removed].map(|ids| ids.iter().map(|id| id.0).collect::<Vec<_>>());
        Ok(dict!(py, added, changed, removed, downloaded, kept, bytes))
    }
}

/// The entries of a history: in Python a list that converts to a frame.
pub struct History(pub Vec<HistoryEntry>);

impl<'py> IntoPyObject<'py> for History {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let entries = Json(self.0).into_pyobject(py)?;
        of_package(py, "History")?.call1((entries,))
    }
}

/// A list of dicts, or of handles that read like dicts: in Python a list that a notebook shows as a table.
pub struct Listed<T>(pub T);

impl<'py, T: IntoPyObjectExt<'py>> IntoPyObject<'py> for Listed<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_package(py, "Rows")?.call1((self.0.into_bound_py_any(py)?,))
    }
}

/// A table as a stream of its batches, which all have this schema. The stream frees its memory itself.
pub fn arrow_stream(py: Python<'_>, schema: SchemaRef, batches: Vec<RecordBatch>) -> PyResult<Bound<'_, PyCapsule>> {
    let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// An array that pyarrow accepts.
#[pyclass(frozen, name = "_ArrowArray", module = "pygeodesign._core")]
pub struct ArrowArray(pub ArrayRef);

#[pymethods]
impl ArrowArray {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface lets a producer give its own schema.
        let _ = requested_schema;
        let (array, schema) = to_ffi(&self.0.to_data()).map_err(arrow_error)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }
}

pub fn arrow_error(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// The return value of `__reduce__`, for pickling: a function that makes the object again, and its arguments.
pub type Reduced<'py, A> = PyResult<(Bound<'py, PyAny>, A)>;

/// The first pickle protocol with buffers.
const BUFFERS: u8 = 5;

/// Bytes as an argument of the function that makes an object again. With protocol 5 they travel outside the pickle (out of band), so
/// that they are not copied.
pub fn pickled<'py>(py: Python<'py>, content: &[u8], protocol: u8) -> PyResult<Bound<'py, PyAny>> {
    let content = PyBytes::new(py, content);
    if protocol < BUFFERS {
        return Ok(content.into_any());
    }
    py.import("pickle")?.getattr("PickleBuffer")?.call1((content,))
}

/// The same bytes on arrival: `bytes`, or any other buffer if they travelled out of band.
pub fn unpickled(py: Python<'_>, content: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    Ok(PyBuffer::<u8>::get(content)?.to_vec(py)?.into())
}
