//! The changes of a project: an iterator and an asynchronous iterator.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex as ShortLock;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::features::FeatureCollection;
use crate::convert::errors::Result;
use crate::engine::coroutine::{Coroutine, Undelivered};
use crate::engine::runtime::{awaitable, request, wait_on_workers};
use geodesign_client as client;
use geodesign_client::{ChangedId, Watch};

/// An iterator of the changes of a project.
#[pyclass(frozen, weakref, module = "pygeodesign._core")]
pub struct Changes {
    watch: Arc<Mutex<Watch>>,
    timeout: Option<Duration>,
}

impl Changes {
    /// Starts watching now. The iterator ends after `timeout` without a change.
    pub fn start(
        py: Python<'_>,
        project: client::Project,
        interval: Duration,
        timeout: Option<Duration>,
    ) -> Result<Self> {
        let watch = wait_on_workers(py, async move { Ok(project.watch(interval).await?) })?;
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
        let found = wait_on_workers(py, async move { next_change(&mut *watch.lock().await, timeout).await })?;
        Ok(found.map(ProjectChange))
    }
}

/// An asynchronous iterator of the changes of a project.
#[pyclass(frozen, weakref, module = "pygeodesign._core")]
pub struct AsyncChanges {
    project: client::Project,
    interval: Duration,
    /// `None` before the first step.
    watch: Arc<Mutex<Option<Watch>>>,
    /// Changes found by steps that were then cancelled.
    returned: Returned,
    timeout: Option<Duration>,
}

type Returned = Arc<ShortLock<VecDeque<client::ProjectChange>>>;

impl AsyncChanges {
    /// Starts watching at its first step. The iterator ends after `timeout` without a change.
    pub fn start(
        _py: Python<'_>,
        project: client::Project,
        interval: Duration,
        timeout: Option<Duration>,
    ) -> Result<Self> {
        Ok(AsyncChanges { project, interval, watch: Arc::default(), returned: Arc::default(), timeout })
    }
}

#[pymethods]
impl AsyncChanges {
    fn __aiter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __anext__(&self) -> Coroutine {
        let (project, interval) = (self.project.clone(), self.interval);
        let (watch, returned, timeout) = (self.watch.clone(), self.returned.clone(), self.timeout);
        let step = async move {
            let mut watch = watch.lock().await;
            let before = returned.lock().pop_front();
            if let Some(change) = before {
                return Ok(Delivery { change: Some(change), returned });
            }
            let watch = match &mut *watch {
                Some(watch) => watch,
                none => none.insert(project.watch(interval).await?),
            };
            let change = next_change(watch, timeout).await?.ok_or_else(|| PyStopAsyncIteration::new_err(()))?;
            Ok(Delivery { change: Some(change), returned })
        };
        awaitable("AsyncProject.watch", request(step))
    }
}

/// `None` if nothing changed for the given time.
async fn next_change(watch: &mut Watch, limit: Option<Duration>) -> Result<Option<client::ProjectChange>> {
    let change = match limit {
        Some(limit) => match timeout(limit, watch.next()).await {
            Ok(change) => change,
            Err(_) => return Ok(None),
        },
        None => watch.next().await,
    };
    Ok(Some(change?))
}

/// A change on its way to a step. If the step is cancelled meanwhile, the next one gets it.
struct Delivery {
    change: Option<client::ProjectChange>,
    returned: Returned,
}

impl Drop for Delivery {
    fn drop(&mut self) {
        self.returned.lock().extend(self.change.take());
    }
}

impl<'py> IntoPyObject<'py> for Delivery {
    type Target = Undelivered;
    type Output = Bound<'py, Undelivered>;
    type Error = PyErr;

    fn into_pyobject(mut self, py: Python<'py>) -> PyResult<Bound<'py, Undelivered>> {
        let take = move |py: Python<'_>| self.change.take().map(ProjectChange).into_py_any(py);
        Bound::new(py, Undelivered::new(take))
    }
}

/// A change, which is a `ProjectChange` dict in Python.
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
