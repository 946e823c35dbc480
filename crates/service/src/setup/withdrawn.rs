//! Users and members that a setup still names although they have been removed.

use std::collections::BTreeSet;

use crate::store::{ProjectKey, Result, Writer};
use geodesign::model::Username;

/// Removed people who were not added again. That takes an explicit command, such as `pygeodesign users --add`.
#[derive(Debug, Default)]
#[must_use]
pub struct Withdrawn(pub BTreeSet<String>);

impl Withdrawn {
    /// Adds users, except those who were removed.
    pub fn add_users<'u>(&mut self, write: &Writer, users: impl IntoIterator<Item = &'u Username>) -> Result<()> {
        users.into_iter().try_for_each(|user| {
            if write.add_user_unless_removed(user)?.is_none() {
                self.0.insert(user.to_string());
            }
            Ok(())
        })
    }

    /// Adds members and administrators, and the users among them that do not exist yet.
    pub fn add_members(
        &mut self,
        write: &Writer,
        project: ProjectKey,
        members: &[Username],
        administrators: &[Username],
    ) -> Result<()> {
        // A user in both lists becomes an administrator at once, not a member first.
        let administrating: BTreeSet<&Username> = administrators.iter().collect();
        let members = members.iter().filter(|member| !administrating.contains(member)).map(|member| (member, false));
        let all = members.chain(administrators.iter().map(|administrator| (administrator, true)));
        for (username, administrates) in all {
            if self.stays(write, project, username)? {
                let user = write.add_user(username)?;
                // A user who became an administrator since the file was written stays one.
                write.add_member(project, user, administrates || write.is_administrator(project, user)?)?;
            }
        }
        Ok(())
    }

    /// True if this user was not removed from the service or from the project. Notes a user who was.
    pub fn stays(&mut self, write: &Writer, project: ProjectKey, username: &Username) -> Result<bool> {
        let is_withdrawn = write.is_withdrawn(project, username)?;
        if is_withdrawn {
            self.0.insert(username.to_string());
        }
        Ok(!is_withdrawn)
    }

    /// Returns a line for the operator; `None` if all were added.
    pub fn note(&self) -> Option<String> {
        let names: Vec<&str> = self.0.iter().map(String::as_str).collect();
        (!names.is_empty()).then(|| {
            format!(
                "Removed earlier, so not added again: {}. Add them with `pygeodesign users PROJECT --add NAME`",
                names.join(", ")
            )
        })
    }
}
