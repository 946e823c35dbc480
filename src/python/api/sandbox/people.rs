//! Users and their tokens, members, change teams with their designs, selections and negotiations.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Sandbox;
use crate::model::{DesignId, ProjectId, TeamId, Username, Uuid};
use crate::python::convert::arguments::DiagramIds;
use crate::python::convert::from_python::from_python;

#[pymethods]
impl Sandbox {
    /// Adds a user. An existing user of that name stays as it is.
    ///
    /// Args:
    ///     username: 1 to 150 characters.
    ///
    /// Raises:
    ///     InputError: The name is not a valid user name.
    ///
    /// Examples:
    ///     >>> sandbox.add_user("noor.haddad")
    ///     >>> "noor.haddad" in sandbox.usernames
    ///     True
    fn add_user(&self, py: Python<'_>, username: Username) -> PyResult<()> {
        self.write(py, |write| write.add_user(&username).map(drop))
    }

    /// Revokes all tokens of a user.
    ///
    /// Args:
    ///     username: One of `usernames`.
    ///
    /// Raises:
    ///     InputError: There is no such user.
    ///
    /// Examples:
    ///     >>> sandbox.add_user("guest")
    ///     >>> sandbox.revoke_tokens("guest")
    fn revoke_tokens(&self, py: Python<'_>, username: Username) -> PyResult<()> {
        self.write(py, |write| write.revoke_tokens(write.user(&username)?).map(drop))?;
        self.tokens()?.lock().remove(username.as_str());
        Ok(())
    }

    /// Removes a user's account, with all tokens, memberships and selections. This takes effect at once.
    ///
    /// The diagrams that the user added stay, with the name of their author. Whoever is added under the same name later gets
    /// the account back, without its memberships.
    ///
    /// Args:
    ///     username: One of `usernames`.
    ///
    /// Raises:
    ///     InputError: There is no such user.
    ///
    /// Examples:
    ///     >>> sandbox.add_user("guest")
    ///     >>> sandbox.remove_user("guest")
    ///     >>> "guest" in sandbox.usernames
    ///     False
    fn remove_user(&self, py: Python<'_>, username: Username) -> PyResult<()> {
        self.write(py, |write| write.remove_user(&username))?;
        self.tokens()?.lock().remove(username.as_str());
        Ok(())
    }

    /// Makes a user a member of a project, or changes what the member may do. The user is added if there is none of that name.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     username: The user.
    ///     administrator: Whether the member administers the project.
    ///
    /// Raises:
    ///     InputError: There is no such project.
    ///
    /// Examples:
    ///     >>> sandbox.add_member("StatenIsland2050", "noor.haddad", administrator=True)
    #[pyo3(signature = (project_id, username, *, administrator=false))]
    fn add_member(
        &self,
        py: Python<'_>,
        project_id: ProjectId,
        username: Username,
        administrator: bool,
    ) -> PyResult<()> {
        self.write_in_project(py, &project_id, |write, project| {
            write.add_member(project, write.add_user(&username)?, administrator)
        })
    }

    /// Removes a member from a project and from its teams, with the member's selections. The member's diagrams stay.
    ///
    /// Args:
    ///     project_id: One of `project_ids`.
    ///     username: A member.
    ///
    /// Raises:
    ///     InputError: There is no such project or member.
    ///
    /// Examples:
    ///     >>> sandbox.add_member("StatenIsland2050", "guest")
    ///     >>> sandbox.remove_member("StatenIsland2050", "guest")
    fn remove_member(&self, py: Python<'_>, project_id: ProjectId, username: Username) -> PyResult<()> {
        self.write_in_project(py, &project_id, |write, project| write.remove_member(project, &username))
    }

    /// Issues a code with which users create projects, as often as they like.
    ///
    /// Args:
    ///     code: Default: a random one.
    ///
    /// Returns:
    ///     The code.
    ///
    /// Raises:
    ///     InputError: The code is empty.
    ///
    /// Examples:
    ///     >>> sandbox.creation_code("WORKSHOP")
    ///     'WORKSHOP'
    #[pyo3(signature = (code=None))]
    fn creation_code(&self, py: Python<'_>, code: Option<String>) -> PyResult<String> {
        self.write(py, |write| match code {
            Some(code) => write.add_creation_code(&code).map(|()| code),
            None => write.new_creation_code(),
        })
    }

    /// Registers a project of the companion planning platform, so that users can create projects that are linked to it.
    ///
    /// Args:
    ///     gpl_project_id: The id of the project on that platform.
    ///
    /// Raises:
    ///     InputError: The id is empty.
    ///
    /// Examples:
    ///     >>> sandbox.add_linked_project("GPL-7")
    fn add_linked_project(&self, py: Python<'_>, gpl_project_id: String) -> PyResult<()> {
        self.write(py, |write| write.add_linked_project(&gpl_project_id))
    }

    /// Adds a plugin that projects can use, or replaces its description.
    ///
    /// Args:
    ///     id: A UUID.
    ///     description: What the plugin does.
    ///
    /// Raises:
    ///     InputError: The id is not a UUID.
    ///
    /// Examples:
    ///     >>> sandbox.add_plugin("0b0e5f6c-54a6-4c8c-9d4f-3f8f5f1f7a10", "Shadow study")
    fn add_plugin(&self, py: Python<'_>, id: Uuid, description: String) -> PyResult<()> {
        self.write(py, |write| write.add_plugin(&id, &description))
    }

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
