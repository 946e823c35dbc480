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
}

project_methods! {
    "Makes a user a member of a project, or changes what the member may do. The user is added if there is none of that name."
    write_in_project add_member(
        username: Username, "The user.";
        * administrator: bool = false, "Whether the member administers the project.";
    ) -> ();
    "."
    |write, project| write.add_member(project, write.add_user(&username)?, administrator);
    ///     >>> sandbox.add_member("StatenIsland2050", "noor.haddad", administrator=True)

    "Removes a member from a project and from its teams, with the member's selections. The member's diagrams stay."
    write_in_project remove_member(username: Username, "A member.";) -> ();
    " or member."
    |write, project| write.remove_member(project, &username);
    ///     >>> sandbox.add_member("StatenIsland2050", "guest")
    ///     >>> sandbox.remove_member("StatenIsland2050", "guest")

    "Replaces the members of a change team."
    write_in_project set_team_members(
        team: TeamId, "The team's id.";
        members: Vec<Username>, "Members of the project.";
    ) -> ();
    ", team or member."
    |write, project| write.set_team_members(project, team, &members);
    ///     >>> sandbox.set_team_members("StatenIsland2050", 4, ["amara.okafor", "jose.villanueva"])

    "Removes a change team with its designs. The diagrams of the designs stay."
    write_in_project remove_team(team: TeamId, "The team's id. No other team ever gets it.";) -> ();
    " or team."
    |write, project| write.remove_team(project, team);
    ///     >>> team = sandbox.add_team("StatenIsland2050", "A mistake")
    ///     >>> sandbox.remove_team("StatenIsland2050", team)

    "Saves a design of a change team."
    write_in_project add_design(
        team: TeamId, "The team's id.";
        description: String, "The design's name.";
        diagrams: DiagramIds, "The ids of its diagrams.";
    ) -> String, "The design's id: 16 characters.";
    ", team or diagram."
    |write, project| write.add_design(project, team, &description, &diagrams.0).map(|id| id.to_string());
    ///     >>> len(sandbox.add_design("StatenIsland2050", 1, "After lunch", [1001, 1002]))
    ///     16

    "Removes a design of a change team. Its diagrams stay."
    write_in_project remove_design(
        team: TeamId, "The team's id.";
        design: DesignId, "The design's id: 16 characters.";
    ) -> ();
    ", team or design."
    |write, project| write.remove_design(project, team, &design);
    ///     >>> design = sandbox.add_design("StatenIsland2050", 1, "A mistake", [1001])
    ///     >>> sandbox.remove_design("StatenIsland2050", 1, design)

    "Replaces the diagrams that a member selected."
    write_in_project set_selection(
        username: Username, "A member.";
        diagrams: DiagramIds, "Diagram ids.";
    ) -> ();
    ", member or diagram."
    |write, project| write.set_selection(project, &username, &diagrams.0);
    ///     >>> sandbox.set_selection("StatenIsland2050", "jose.villanueva", [1001, 1040])

    "Adds a session to the negotiation logs of a project, or replaces the one with the same id."
    write_in_project add_negotiation(
        session: Bound<'_, PyDict>,
        "A dict with `session_id`, `cteams` (team ids) and `moves` (dicts with `diagram`, `move`, `timestamp`).";
    ) -> ();
    ", or the session has another form."
    let session = from_python(&session, "session")?;
    |write, project| write.add_negotiation(project, &session);
    ///     >>> sandbox.add_negotiation("StatenIsland2050", {"session_id": "tuesday", "cteams": [1, 2], "moves": []})
}
