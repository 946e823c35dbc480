//! Change teams, designs, selections and negotiations.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::model::{DesignId, ProjectId, TeamId, Username};
use crate::python::api::sandbox::Sandbox;
use crate::python::convert::arguments::DiagramIds;
use crate::python::convert::from_python::from_python;

#[pymethods]
impl Sandbox {
    /// Adds a change team.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     title: The team's name.
    ///     members: Members of the project.
    ///
    /// Returns:
    ///     The team's id.
    ///
    /// Raises:
    ///     InputError: There is no such project or member.
    ///
    /// Examples:
    ///     >>> sandbox.add_team("StatenIsland2050", "Youth council", ["amara.okafor"])
    ///     5
    #[pyo3(signature = (project_id, title, members=Vec::new()), text_signature = "($self, project_id, title, members=())")]
    fn add_team(&self, py: Python<'_>, project_id: ProjectId, title: String, members: Vec<Username>) -> PyResult<i64> {
        self.write_in_project(py, &project_id, |write, project| {
            let team = write.add_team(project, None, &title)?;
            write.set_team_members(project, team, &members)?;
            Ok(team.0)
        })
    }

    /// Replaces the members of a change team.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     team: The team's id.
    ///     members: Members of the project.
    ///
    /// Raises:
    ///     InputError: There is no such project, team or member.
    ///
    /// Examples:
    ///     >>> sandbox.set_team_members("StatenIsland2050", 4, ["amara.okafor", "jose.villanueva"])
    fn set_team_members(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        team: TeamId,
        members: Vec<Username>,
    ) -> PyResult<()> {
        self.write_in_project(py, &project_id, |write, project| write.set_team_members(project, team, &members))
    }

    /// Removes a change team with its designs. The diagrams of the designs stay.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     team: The team's id. No other team ever gets it.
    ///
    /// Raises:
    ///     InputError: There is no such project or team.
    ///
    /// Examples:
    ///     >>> team = sandbox.add_team("StatenIsland2050", "A mistake")
    ///     >>> sandbox.remove_team("StatenIsland2050", team)
    fn remove_team(&self, py: Python<'_>, project_id: ProjectId, team: TeamId) -> PyResult<()> {
        self.write_in_project(py, &project_id, |write, project| write.remove_team(project, team))
    }

    /// Saves a design of a change team.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     team: The team's id.
    ///     description: The design's name.
    ///     diagrams: The ids of its diagrams.
    ///
    /// Returns:
    ///     The design's id: 16 characters.
    ///
    /// Raises:
    ///     InputError: There is no such project, team or diagram.
    ///
    /// Examples:
    ///     >>> len(sandbox.add_design("StatenIsland2050", 1, "After lunch", [1001, 1002]))
    ///     16
    fn add_design(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        team: TeamId,
        description: String,
        diagrams: DiagramIds,
    ) -> PyResult<String> {
        self.write_in_project(py, &project_id, |write, project| {
            write.add_design(project, team, &description, &diagrams.0).map(|id| id.to_string())
        })
    }

    /// Removes a design of a change team. Its diagrams stay.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     team: The team's id.
    ///     design: The design's id: 16 characters.
    ///
    /// Raises:
    ///     InputError: There is no such project, team or design.
    ///
    /// Examples:
    ///     >>> design = sandbox.add_design("StatenIsland2050", 1, "A mistake", [1001])
    ///     >>> sandbox.remove_design("StatenIsland2050", 1, design)
    fn remove_design(&self, py: Python<'_>, project_id: ProjectId, team: TeamId, design: DesignId) -> PyResult<()> {
        self.write_in_project(py, &project_id, |write, project| write.remove_design(project, team, &design))
    }

    /// Replaces the diagrams that a member selected.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     username: A member.
    ///     diagrams: Diagram ids.
    ///
    /// Raises:
    ///     InputError: There is no such project, member or diagram.
    ///
    /// Examples:
    ///     >>> sandbox.set_selection("StatenIsland2050", "jose.villanueva", [1001, 1040])
    fn set_selection(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        username: Username,
        diagrams: DiagramIds,
    ) -> PyResult<()> {
        self.write_in_project(py, &project_id, |write, project| write.set_selection(project, &username, &diagrams.0))
    }

    /// Adds a session to the negotiation logs of a project, or replaces the one with the same id.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     session: A dict with `session_id`, `cteams` (team ids) and `moves` (dicts with `diagram`, `move`, `timestamp`).
    ///
    /// Raises:
    ///     InputError: There is no such project, or the session has another form.
    ///
    /// Examples:
    ///     >>> sandbox.add_negotiation("StatenIsland2050", {"session_id": "tuesday", "cteams": [1, 2], "moves": []})
    fn add_negotiation(&self, py: Python<'_>, project_id: ProjectId, session: Bound<'_, PyDict>) -> PyResult<()> {
        let session = from_python(&session, "session")?;
        self.write_in_project(py, &project_id, |write, project| write.add_negotiation(project, &session))
    }
}
