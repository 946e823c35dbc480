//! The users of the service.

use rusqlite::params;

use super::database::columns::parsed;
use super::database::error::{InputError, Result, StoreError};
use super::database::keys::{ProjectKey, UserKey};
use super::database::store::Store;
use super::database::transaction::{Reader, Writer};
use super::history::Change;
use crate::model::{ProjectId, Username};

/// The account of who runs the service. It reads and writes loaded projects without being listed among their members, and
/// reads metrics from other machines.
pub const OPERATOR: &str = "admin";

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
        self.all("SELECT username FROM users WHERE NOT removed ORDER BY username", [], |row| parsed(row, 0))
    }

    /// The name of a user, also of one who was removed.
    pub(super) fn name_of(&self, user: UserKey) -> Result<String> {
        let name = self.one("SELECT username FROM users WHERE key = ?1", [user.0], |row| Ok(row.get(0)?))?;
        Ok(name.unwrap_or_default())
    }

    /// Whether this is the account of who runs the service.
    pub fn is_operator(&self, user: UserKey) -> Result<bool> {
        Ok(self.name_of(user)? == OPERATOR)
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
        let sql = "SELECT key FROM users WHERE username = ?1 AND NOT removed";
        let key = self.one(sql, [username.as_str()], |row| Ok(row.get(0)?))?;
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
    /// Adds a user, unless there is one of that name. One of that name who was removed gets the account back, as the author of
    /// the same diagrams.
    pub fn add_user(&self, username: &Username) -> Result<UserKey> {
        let sql = "INSERT INTO users (username) VALUES (?1) ON CONFLICT DO UPDATE SET removed = 0 WHERE removed";
        if self.run(sql, params![username.as_str()])? > 0 {
            self.record(None, Change::of("add_user").subject(format_args!("user {}", username.as_str())))?;
        }
        self.user(username)
    }

    /// Removes a user with all tokens, memberships and selections. The diagrams that the user added stay, with the name of
    /// their author.
    pub fn remove_user(&self, username: &Username) -> Result<()> {
        let user = self.user(username)?;
        let sql = "SELECT project FROM members WHERE user = ?1";
        for project in self.all(sql, [user.0], |row| Ok(ProjectKey(row.get(0)?)))? {
            self.remove_member(project, username)?;
        }
        self.run("DELETE FROM tokens WHERE user = ?1", [user.0])?;
        self.run("UPDATE users SET removed = 1 WHERE key = ?1", [user.0])?;
        self.record(None, Change::of("remove_user").subject(format_args!("user {}", username.as_str())))
    }
}

/// Names for an error message.
pub fn comma_separated(names: &[impl ToString]) -> String {
    if names.is_empty() {
        return "none yet".into();
    }
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
