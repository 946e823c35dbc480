//! Pickling of large objects: with protocol 5 their bytes travel beside the pickle (out of band), so that nobody copies them.

use bytes::Bytes;
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The first protocol of pickle that knows buffers.
const BUFFERS: u8 = 5;

/// Bytes as an argument of the function that makes an object again.
pub fn pickled<'py>(py: Python<'py>, content: &[u8], protocol: u8) -> PyResult<Bound<'py, PyAny>> {
    let content = PyBytes::new(py, content);
    match protocol < BUFFERS {
        true => Ok(content.into_any()),
        false => py.import("pickle")?.getattr("PickleBuffer")?.call1((content,)),
    }
}

/// The same bytes as they arrive: `bytes`, or any other buffer where they travelled beside the pickle.
pub fn unpickled(py: Python<'_>, content: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    Ok(PyBuffer::<u8>::get(content)?.to_vec(py)?.into())
}
