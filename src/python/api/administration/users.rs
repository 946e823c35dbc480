//! Users and their tokens, members, and what users create projects with.

use pyo3::prelude::*;

use crate::model::{ProjectId, Username, Uuid};
use crate::python::api::sandbox::Sandbox;

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
}
