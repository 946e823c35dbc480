//! The changes of a project: an iterator and an asynchronous iterator.

use std::sync::Arc;
use std::time::Duration;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::features::FeatureCollection;
use crate::client::{self, ChangedId, Watch};
use crate::python::engine::coroutine::Coroutine;
use crate::python::engine::runtime::{awaitable, request, wait_on_workers};

/// An iterator of the changes of a project.
#[pyclass(frozen, module = "pygeodesign._core")]
pub struct Changes {
    watch: Arc<Mutex<Watch>>,
    timeout: Option<Duration>,
}

impl Changes {
    /// Watches from now on. The iterator ends when nothing has changed for the time of `timeout`.
    pub fn start(
        py: Python<'_>,
        project: client::Project,
        interval: Duration,
        timeout: Option<Duration>,
    ) -> PyResult<Self> {
        let watch = wait_on_workers(py, Box::pin(async move { Ok(project.watch(interval).await?) }))?;
        Ok(Changes { watch: Arc::new(Mutex::new(watch)), timeout })
    }
}

#[pymethods]
impl Changes {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ProjectChange>> {
        let (watch, timeout) = (self.watch.clone(), self.timeout);
        wait_on_workers(py, Box::pin(async move { next_change(&mut *watch.lock().await, timeout).await }))
    }
}

/// An asynchronous iterator of the changes of a project.
#[pyclass(frozen, module = "pygeodesign._core")]
pub struct AsyncChanges {
    project: client::Project,
    interval: Duration,
    /// `None` before the first step.
    watch: Arc<Mutex<Option<Watch>>>,
    timeout: Option<Duration>,
}

impl AsyncChanges {
    /// Begins to watch with its first step. The iterator ends when nothing has changed for the time of `timeout`.
    pub fn start(
        _py: Python<'_>,
        project: client::Project,
        interval: Duration,
        timeout: Option<Duration>,
    ) -> PyResult<Self> {
        Ok(AsyncChanges { project, interval, watch: Arc::new(Mutex::new(None)), timeout })
    }
}

#[pymethods]
impl AsyncChanges {
    fn __aiter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __anext__(&self) -> Coroutine {
        let (project, interval) = (self.project.clone(), self.interval);
        let (watch, timeout) = (self.watch.clone(), self.timeout);
        let step = async move {
            let mut watch = watch.lock().await;
            let watch = match &mut *watch {
                Some(watch) => watch,
                none => none.insert(project.watch(interval).await?),
            };
            next_change(watch, timeout).await?.ok_or_else(|| PyStopAsyncIteration::new_err(()))
        };
        awaitable("AsyncProject.watch", request(step))
    }
}

/// `None` if nothing changed for the given time.
async fn next_change(watch: &mut Watch, limit: Option<Duration>) -> PyResult<Option<ProjectChange>> {
    let change = match limit {
        Some(limit) => match timeout(limit, watch.next()).await {
            Ok(change) => change,
            Err(_) => return Ok(None),
        },
        None => watch.next().await,
    };
    Ok(Some(ProjectChange(change?)))
}

/// In Python a `ProjectChange` dict.
pub struct ProjectChange(client::ProjectChange);

impl<'py> IntoPyObject<'py> for ProjectChange {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let client::ProjectChange { kind, action, id, diagram } = self.0;
        let id = match id {
            ChangedId::Number(id) => id.into_bound_py_any(py)?,
            ChangedId::Text(id) => id.into_bound_py_any(py)?,
        };
        Ok(dict!(py, kind, action = action.name(), id, diagram = diagram.map(FeatureCollection::from)))
    }
}
