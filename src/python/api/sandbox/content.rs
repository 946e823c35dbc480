//! Figures, maps and groups of a project, its history, and copies of the database.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Sandbox;
use crate::features::{self, Layout};
use crate::model::{DiagramId, EntryId, HistoryEntry, ProjectId, SystemId};
use crate::python::api::features::FeatureCollection;
use crate::python::convert::errors::input_error;
use crate::python::convert::from_python::from_python;
use crate::python::convert::geometries::Features;
use crate::python::convert::to_python::Json;
use crate::service::{DiagramSettings, Geography, InputError, SystemSettings, Undone};

#[pymethods]
impl Sandbox {
    /// Who changed what in a project and when, newest first, as `Project.history` tells it to administrators.
    ///
    /// Args:
    ///     project_id: One of `project_ids`. Default: changes of the service as a whole, such as users that were added.
    ///
    /// Returns:
    ///     A list of `HistoryEntry` dicts. `username` is None for what was changed with methods of `Sandbox`, the setup file or
    ///     options of the command line.
    ///
    /// Raises:
    ///     InputError: There is no such project.
    ///
    /// Examples:
    ///     >>> sandbox.add_user("noor.haddad")
    ///     >>> sandbox.add_member("StatenIsland2050", "noor.haddad")
    ///     >>> entry = sandbox.history("StatenIsland2050")[0]
    ///     >>> entry["username"], entry["operation"], entry["subject"]
    ///     (None, 'add_member', 'member noor.haddad')
    #[pyo3(signature = (project_id=None))]
    fn history(&self, py: Python<'_>, project_id: Option<ProjectId>) -> PyResult<Json<Vec<HistoryEntry>>> {
        let history = py.detach(|| {
            self.service.store().read(|read| {
                let project = project_id.map(|id| read.project_key(&id)).transpose()?;
                read.history(project)
            })
        });
        Ok(Json(history?))
    }

    /// Copies the database into one file while the service runs. The copy holds everything that was written before the call. It
    /// is checked, and then takes the place of an earlier copy.
    ///
    /// Args:
    ///     path: The file to write: a new one, or an earlier copy that no service uses.
    ///
    /// Raises:
    ///     ConfigurationError: The file is not a database of pygeodesign, is in use, or cannot be written. It stays as it was.
    ///
    /// Examples:
    ///     >>> import os, tempfile
    ///     >>> copy = os.path.join(tempfile.mkdtemp(), "copy.sqlite")
    ///     >>> sandbox.backup(copy)
    ///     >>> with Sandbox(copy) as copied:
    ///     ...     copied.project_ids == sandbox.project_ids
    ///     True
    fn backup(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        Ok(py.detach(|| self.service.store().backup(&path))?)
    }
}

project_methods! {
    "Sets the cost, budget, areas and maps of a system. What is not given stays as it is."
    write_in_project set_system(
        sysid: SystemId, "The system's id.";
        * cost: Option<f64> = None, "Per hectare of a project, or per kilometre of one that has lines only.";
        budget: Option<f64> = None, "For the whole system.";
        current_ha: Option<f64> = None, "Hectares that the system covers today.";
        target_ha: Option<f64> = None, "Hectares that it is planned to cover.";
        evaluation: Option<Features> = None, "Polygons with an `areatype`, as `Project.set_evaluation` takes them.";
        impact: Option<Features> = None, "Polygons, as `Project.set_impact` takes them.";
    ) -> ();
    " or system, or an invalid figure."
    let evaluation = evaluation.map(Features::into_evaluation).transpose()?;
    let impact = impact.map(Features::into_map).transpose()?;
    let settings = SystemSettings { cost, budget, current_ha, target_ha, evaluation, impact };
    |write, project| write.set_system(project, sysid, &settings);
    ///     >>> sandbox.set_system("StatenIsland2050", 9, budget=4e9, target_ha=900)
    ///     >>> project.system(9)["budget"]
    ///     4000000000.0

    "Sets the cost override and the building data of a diagram. What is not given stays as it is."
    write_in_project set_diagram(
        diagram: DiagramId, "The diagram's id.";
        * cost_override: Option<f64> = None, "An amount; 0 means no override.";
        cost_override_type: Option<String> = None, "`total`, or anything else for a cost per hectare.";
        building_data: Option<Bound<'_, PyDict>> = None,
        "A dict, such as one with `storeys_above_ground` and `storeys_below_ground`.";
    ) -> ();
    " or diagram, or an invalid amount."
    let building_data = building_data.map(|data| from_python(&data, "building_data")).transpose()?;
    let settings = DiagramSettings { cost_override, cost_override_type, building_data };
    |write, project| write.set_diagram(project, diagram, &settings);
    ///     >>> sandbox.set_diagram("StatenIsland2050", 1180, cost_override=1e6, cost_override_type="total")
    ///     >>> project.costs(diagrams=[1180]).total
    ///     1000000.0

    "Sets the boundaries of a project."
    write_in_project set_boundaries(
        features: Features,
        "Polygons, as `Project.add_diagram` takes them; a `bname` or `name` among their attributes names them.";
        description: &str = "", "The name of the boundaries.";
        * second: bool = false, "Whether to set the second set of boundaries.";
    ) -> ();
    ", or an invalid geometry."
    let role = if second { Geography::SecondBoundaries } else { Geography::Boundaries };
    let map = features.into_map()?;
    |write, project| write.set_geography(project, role, description, &map);
    ///     >>> sandbox.set_boundaries("StatenIsland2050", project.boundaries().to_geopandas(), "Staten Island")

    "Sets the constraints of a project: land that no system may change."
    write_in_project set_constraints(
        features: Features, "Polygons or lines, as `Project.add_diagram` takes them.";
        description: &str = "", "The name of the constraints.";
    ) -> ();
    ", or an invalid geometry."
    let map = features.into_map()?;
    |write, project| write.set_geography(project, Geography::Constraints, description, &map);
    ///     >>> sandbox.set_constraints("StatenIsland2050", project.constraints().to_geopandas(), "Reserves")

    "The diagram groups of a project, which operations can set but not read."
    read_project diagram_groups() -> BTreeMap<String, Vec<i64>>, "A dict from group name to diagram ids.";
    "."
    |read, project| read.groups(project);
    then |groups| {
        let ids = |diagrams: Vec<DiagramId>| diagrams.into_iter().map(|id| id.0).collect();
        groups.into_iter().map(|group| (group.group_name, ids(group.diagrams))).collect()
    };
    ///     >>> message = project.group_diagrams({"Harbour": [1003, 1004]})
    ///     >>> sandbox.diagram_groups("StatenIsland2050")["Harbour"]
    ///     [1003, 1004]

    "The impact map of a system, which operations can set but not read."
    read_project impact(sysid: SystemId, "The system's id.";) -> FeatureCollection, "A `FeatureCollection`.";
    " or system."
    |read, project| read.impact(project, sysid);
    then |map| features::FeatureCollection::from_json(map.0, Layout::Collection)?.into();
    ///     >>> len(sandbox.impact("StatenIsland2050", 9))
    ///     0

    "Makes a diagram, its note or a map what it was before a change, as `Project.undo` does for administrators."
    write_in_project undo(
        entry: EntryId, "The `id` of an entry of `history(project_id)` that `can_be_undone`.";
    ) -> ();
    " or entry, or the change cannot be undone."
    |write, project| write.undo(project, entry);
    then |undone| match undone {
        Undone::Yes => {}
        Undone::NoSuchEntry => return Err(input_error(format!("the history of the project has no entry {entry}"))),
        Undone::Impossible => return Err(input_error(format!("entry {entry} is a change that cannot be undone"))),
    };
    ///     >>> sandbox.set_diagram("StatenIsland2050", 1007, cost_override=5.0)
    ///     >>> sandbox.undo("StatenIsland2050", sandbox.history("StatenIsland2050")[0]["id"])

    "Removes a diagram. `undo` restores it, with its places in designs, groups and selections."
    write_in_project remove_diagram(diagram: DiagramId, "The diagram's id. No other diagram ever gets it.";) -> ();
    " or diagram."
    |write, project| {
        let is_removed = write.remove_diagram(project, diagram)?;
        is_removed.then_some(()).ok_or_else(|| InputError::UnknownDiagram(diagram).into())
    };
    ///     >>> sandbox.remove_diagram("StatenIsland2050", 1178)
    ///     >>> sandbox.undo("StatenIsland2050", sandbox.history("StatenIsland2050")[0]["id"])
}
