//! The history, and removing diagrams, which can be undone.

use pyo3::prelude::*;

use crate::model::{DiagramId, EntryId, HistoryEntry, ProjectId};
use crate::python::api::sandbox::Sandbox;
use crate::python::convert::errors::input_error;
use crate::python::convert::to_python::Json;
use crate::service::{InputError, Undone};

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

    /// Makes a diagram, its note or a map what it was before a change, as `Project.undo` does for administrators.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     entry: The `id` of an entry of `history(project_id)` that `can_be_undone`.
    ///
    /// Raises:
    ///     InputError: There is no such project or entry, or the change cannot be undone.
    ///
    /// Examples:
    ///     >>> sandbox.set_diagram("StatenIsland2050", 1007, cost_override=5.0)
    ///     >>> sandbox.undo("StatenIsland2050", sandbox.history("StatenIsland2050")[0]["id"])
    fn undo(&self, py: Python<'_>, project_id: ProjectId, entry: EntryId) -> PyResult<()> {
        match self.write_in_project(py, &project_id, |write, project| write.undo(project, entry))? {
            Undone::Yes => Ok(()),
            Undone::NoSuchEntry => Err(input_error(format!("the history of the project has no entry {entry}"))),
            Undone::Impossible => Err(input_error(format!("entry {entry} is a change that cannot be undone"))),
        }
    }

    /// Removes a diagram. `undo` restores it, with its places in designs, groups and selections.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     diagram: The diagram's id. No other diagram ever gets it.
    ///
    /// Raises:
    ///     InputError: There is no such project or diagram.
    ///
    /// Examples:
    ///     >>> sandbox.remove_diagram("StatenIsland2050", 1178)
    ///     >>> sandbox.undo("StatenIsland2050", sandbox.history("StatenIsland2050")[0]["id"])
    fn remove_diagram(&self, py: Python<'_>, project_id: ProjectId, diagram: DiagramId) -> PyResult<()> {
        self.write_in_project(py, &project_id, |write, project| match write.remove_diagram(project, diagram)? {
            true => Ok(()),
            false => Err(InputError::UnknownDiagram(diagram).into()),
        })
    }
}
