//! How many processors a computation takes.

use pyo3::prelude::*;

use crate::parallel::limit_processors;

/// For workers of a cluster, whose tasks have a thread each: from now on a computation takes so many processors at most.
#[pyfunction]
pub fn _limit_processors(count: usize) {
    limit_processors(count);
}
