//! What operations of the service can set but not read.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use crate::features::{self, Layout};
use crate::model::{DiagramId, ProjectId, SystemId};
use crate::python::api::features::FeatureCollection;
use crate::python::api::sandbox::Sandbox;

#[pymethods]
impl Sandbox {
    /// The diagram groups of a project, which operations can set but not read.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///
    /// Returns:
    ///     A dict from group name to diagram ids.
    ///
    /// Raises:
    ///     InputError: There is no such project.
    ///
    /// Examples:
    ///     >>> message = project.group_diagrams({"Harbour": [1003, 1004]})
    ///     >>> sandbox.diagram_groups("StatenIsland2050")["Harbour"]
    ///     [1003, 1004]
    fn diagram_groups(&self, py: Python<'_>, project_id: ProjectId) -> PyResult<BTreeMap<String, Vec<i64>>> {
        let groups = self.read_project(py, &project_id, |read, project| read.groups(project))?;
        let ids = |diagrams: Vec<DiagramId>| diagrams.into_iter().map(|id| id.0).collect();
        Ok(groups.into_iter().map(|group| (group.group_name, ids(group.diagrams))).collect())
    }

    /// The impact map of a system, which operations can set but not read.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: There is no such project or system.
    ///
    /// Examples:
    ///     >>> len(sandbox.impact("StatenIsland2050", 9))
    ///     0
    fn impact(&self, py: Python<'_>, project_id: ProjectId, sysid: SystemId) -> PyResult<FeatureCollection> {
        let map = self.read_project(py, &project_id, |read, project| read.impact(project, sysid))?;
        Ok(features::FeatureCollection::from_json(map.0, Layout::Collection)?.into())
    }
}
