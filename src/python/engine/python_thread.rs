//! Python code beside the threads that serve requests.

use pyo3::prelude::*;

use crate::client::Error;

/// Runs Python code in a thread that ends with it. pyproj keeps a pointer for each thread of the system, and frees what it points
/// to once the thread leaves Python: a thread that came back, such as one of a runtime, would crash.
pub fn in_new_thread<T: Send>(work: impl FnOnce(Python<'_>) -> PyResult<T> + Send) -> PyResult<T> {
    let ended = std::thread::scope(|scope| scope.spawn(|| Python::attach(work)).join());
    ended.unwrap_or_else(|_| Err(Error::Internal("it panicked".into()).into()))
}
