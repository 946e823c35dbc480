//! Boundaries and constraints of a project.

use pyo3::prelude::*;

use crate::model::ProjectId;
use crate::python::api::sandbox::Sandbox;
use crate::python::convert::geometries::Features;
use crate::service::Geography;

#[pymethods]
impl Sandbox {
    /// Sets the boundaries of a project.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     features: Polygons, as `Project.add_diagram` takes them; a `bname` or `name` among their attributes names them.
    ///     description: The name of the boundaries.
    ///     second: Whether to set the second set of boundaries.
    ///
    /// Raises:
    ///     InputError: There is no such project, or an invalid geometry.
    ///
    /// Examples:
    ///     >>> sandbox.set_boundaries("StatenIsland2050", project.boundaries().to_geopandas(), "Staten Island")
    #[pyo3(signature = (project_id, features, description="", *, second=false))]
    fn set_boundaries(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        features: Features,
        description: &str,
        second: bool,
    ) -> PyResult<()> {
        let role = if second { Geography::SecondBoundaries } else { Geography::Boundaries };
        let map = features.into_map()?;
        self.write_in_project(py, &project_id, |write, project| write.set_geography(project, role, description, &map))
    }

    /// Sets the constraints of a project: land that no system may change.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     features: Polygons or lines, as `Project.add_diagram` takes them.
    ///     description: The name of the constraints.
    ///
    /// Raises:
    ///     InputError: There is no such project, or an invalid geometry.
    ///
    /// Examples:
    ///     >>> sandbox.set_constraints("StatenIsland2050", project.constraints().to_geopandas(), "Reserves")
    #[pyo3(signature = (project_id, features, description=""))]
    fn set_constraints(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        features: Features,
        description: &str,
    ) -> PyResult<()> {
        let map = features.into_map()?;
        self.write_in_project(py, &project_id, |write, project| {
            write.set_geography(project, Geography::Constraints, description, &map)
        })
    }
}
