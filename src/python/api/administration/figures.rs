//! What systems and diagrams cost, and how diagrams are built.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::model::{DiagramId, ProjectId, SystemId};
use crate::python::api::sandbox::Sandbox;
use crate::python::convert::from_python::from_python;
use crate::python::convert::geometries::Features;
use crate::service::{DiagramSettings, SystemSettings};

#[pymethods]
impl Sandbox {
    /// Sets the cost, budget, areas and maps of a system. What is not given stays as it is.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     sysid: The system's id.
    ///     cost: Per hectare of a project, or per kilometre of one that has lines only.
    ///     budget: For the whole system.
    ///     current_ha: Hectares that the system covers today.
    ///     target_ha: Hectares that it is planned to cover.
    ///     evaluation: Polygons with an `areatype`, as `Project.set_evaluation` takes them.
    ///     impact: Polygons, as `Project.set_impact` takes them.
    ///
    /// Raises:
    ///     InputError: There is no such project or system, or an invalid figure.
    ///
    /// Examples:
    ///     >>> sandbox.set_system("StatenIsland2050", 9, budget=4e9, target_ha=900)
    ///     >>> project.system(9)["budget"]
    ///     4000000000.0
    #[pyo3(signature = (project_id, sysid, *, cost=None, budget=None, current_ha=None, target_ha=None, evaluation=None, impact=None))]
    #[allow(clippy::too_many_arguments)]
    fn set_system(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        sysid: SystemId,
        cost: Option<f64>,
        budget: Option<f64>,
        current_ha: Option<f64>,
        target_ha: Option<f64>,
        evaluation: Option<Features>,
        impact: Option<Features>,
    ) -> PyResult<()> {
        let evaluation = evaluation.map(Features::into_evaluation).transpose()?;
        let impact = impact.map(Features::into_map).transpose()?;
        let settings = SystemSettings { cost, budget, current_ha, target_ha, evaluation, impact };
        self.write_in_project(py, &project_id, |write, project| write.set_system(project, sysid, &settings))
    }

    /// Sets the cost override and the building data of a diagram. What is not given stays as it is.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     diagram: The diagram's id.
    ///     cost_override: An amount; 0 means no override.
    ///     cost_override_type: `total`, or anything else for a cost per hectare.
    ///     building_data: A dict, such as one with `storeys_above_ground` and `storeys_below_ground`.
    ///
    /// Raises:
    ///     InputError: There is no such project or diagram, or an invalid amount.
    ///
    /// Examples:
    ///     >>> sandbox.set_diagram("StatenIsland2050", 1180, cost_override=1e6, cost_override_type="total")
    ///     >>> project.costs(diagrams=[1180]).total
    ///     1000000.0
    #[pyo3(signature = (project_id, diagram, *, cost_override=None, cost_override_type=None, building_data=None))]
    fn set_diagram(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        diagram: DiagramId,
        cost_override: Option<f64>,
        cost_override_type: Option<String>,
        building_data: Option<Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let building_data = building_data.map(|data| from_python(&data, "building_data")).transpose()?;
        let settings = DiagramSettings { cost_override, cost_override_type, building_data };
        self.write_in_project(py, &project_id, |write, project| write.set_diagram(project, diagram, &settings))
    }
}
