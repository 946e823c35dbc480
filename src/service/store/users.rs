//! The users of the service.

use rusqlite::params;

use super::database::columns::parsed;
use super::database::error::{InputError, Result, StoreError};
use super::database::keys::UserKey;
use super::database::store::Store;
use super::database::transaction::{Reader, Writer};
use crate::model::{ProjectId, Username};

/// A user of the service, with the projects that the user administers.
#[derive(Debug, Clone)]
pub struct Account {
    pub username: Username,
    pub administers: Vec<ProjectId>,
}

impl Store {
    /// The names of all users, sorted.
    pub fn usernames(&self) -> Result<Vec<Username>> {
        self.read(|read| read.usernames())
    }
}

impl Reader<'_> {
    /// The names of all users, sorted.
    pub fn usernames(&self) -> Result<Vec<Username>> {
        self.all("SELECT username FROM users ORDER BY username", [], |row| parsed(row, 0))
    }

    /// All users, sorted by name.
    pub fn accounts(&self) -> Result<Vec<Account>> {
        let administers = "SELECT id FROM projects JOIN members ON project = projects.key JOIN users ON user = users.key \
                           WHERE username = ?1 AND administrator ORDER BY projects.key";
        let account = |username: Username| {
            let administers = self.all(administers, [username.as_str()], |row| parsed(row, 0))?;
            Ok(Account { username, administers })
        };
        self.usernames()?.into_iter().map(account).collect()
    }

    /// The key of a user. Fails if there is no such user.
    pub fn user(&self, username: &Username) -> Result<UserKey> {
        let key = self.one("SELECT key FROM users WHERE username = ?1", [username.as_str()], |row| Ok(row.get(0)?))?;
        match key {
            Some(key) => Ok(UserKey(key)),
            None => {
                let known = comma_separated(&self.usernames()?);
                Err(StoreError::Input(InputError::UnknownUser { username: username.clone(), known }))
            }
        }
    }
}

impl Writer<'_> {
    /// Adds a user, unless there is one of that name.
    pub fn add_user(&self, username: &Username) -> Result<UserKey> {
        self.run("INSERT INTO users (username) VALUES (?1) ON CONFLICT DO NOTHING", params![username.as_str()])?;
        self.user(username)
    }
}

/// Names for an error message.
pub fn comma_separated(names: &[impl ToString]) -> String {
    if names.is_empty() {
        return "none yet".into();
    }
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
