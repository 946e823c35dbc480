//! The users of a new service, and the codes with which they create projects.

use crate::model::Username;
use crate::service::store::{Result, Store};

/// Users and codes to add. What is there already stays.
#[derive(Debug, Default)]
pub struct Accounts {
    pub users: Vec<Username>,
    /// Users who become members of every project; who administers it stays an administrator.
    pub members: Vec<Username>,
    /// Users who become administrators of every project.
    pub administrators: Vec<Username>,
    /// If the database has none then, a random one is added.
    pub creation_codes: Vec<String>,
}

impl Accounts {
    /// Adds all of them, or, if one is impossible, none.
    pub fn apply(&self, store: &Store) -> Result<()> {
        store.write(|write| {
            // Members and administrators get an account also where there is no project yet.
            let users = self.users.iter().chain(&self.members).chain(&self.administrators);
            users.into_iter().try_for_each(|user| write.add_user(user).map(drop))?;
            for project in write.project_ids()? {
                let project = write.project_key(&project)?;
                let members = self.members.iter().map(|member| (member, false));
                for (user, administers) in members.chain(self.administrators.iter().map(|user| (user, true))) {
                    let user = write.add_user(user)?;
                    // Who became an administrator since the last start stays one.
                    write.add_member(project, user, administers || write.is_administrator(project, user)?)?;
                }
            }
            self.creation_codes.iter().try_for_each(|code| write.add_creation_code(code))?;
            if write.creation_codes()?.is_empty() {
                write.new_creation_code()?;
            }
            Ok(())
        })
    }
}
