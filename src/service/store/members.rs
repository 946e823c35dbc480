//! The members of projects.

use rusqlite::params;

use super::database::columns::parsed;
use super::database::error::{InputError, Result, StoreError};
use super::database::keys::{ProjectKey, UserKey};
use super::database::transaction::{Reader, Writer};
use super::history::Change;
use crate::model::{JsonObject, Member, ProjectId, Username};

impl Reader<'_> {
    pub fn members(&self, project: ProjectKey) -> Result<Vec<Member>> {
        let sql =
            "SELECT username FROM users JOIN members ON user = key WHERE project = ?1 AND listed ORDER BY username";
        self.all(sql, [project.0], |row| Ok(Member { username: parsed(row, 0)?, extra: JsonObject::new() }))
    }

    /// The project with this id, if the user is a member of it, with its change id and whether it was loaded from an archive.
    pub fn project_of_member(&self, id: &ProjectId, user: UserKey) -> Result<Option<(ProjectKey, String, bool)>> {
        let sql =
            "SELECT key, changeid, is_loaded FROM projects JOIN members ON project = key WHERE id = ?1 AND user = ?2";
        self.one(sql, params![id.as_str(), user.0], |row| Ok((ProjectKey(row.get(0)?), row.get(1)?, row.get(2)?)))
    }

    /// The user of this name, if a member of the project.
    pub fn member(&self, project: ProjectKey, username: &str) -> Result<Option<UserKey>> {
        let sql = "SELECT key FROM users JOIN members ON user = key WHERE project = ?1 AND username = ?2";
        self.one(sql, params![project.0, username], |row| Ok(UserKey(row.get(0)?)))
    }

    pub fn is_administrator(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let sql = "SELECT 1 FROM members WHERE project = ?1 AND user = ?2 AND administrator";
        self.exists(sql, params![project.0, user.0])
    }

    /// What a listed member may do; `None` for any other user.
    fn role(&self, project: ProjectKey, user: UserKey) -> Result<Option<&'static str>> {
        let sql = "SELECT administrator FROM members WHERE project = ?1 AND user = ?2 AND listed";
        let administrator: Option<bool> = self.one(sql, params![project.0, user.0], |row| Ok(row.get(0)?))?;
        Ok(administrator.map(|administrator| if administrator { "administrator" } else { "member" }))
    }

    pub(super) fn require_member(&self, project: ProjectKey, username: &Username) -> Result<UserKey> {
        let member = self.member(project, username.as_str())?;
        member.ok_or_else(|| StoreError::Input(InputError::NotAMember(username.clone())))
    }
}

impl Writer<'_> {
    /// Makes a user a member of a project, or changes whether the member administers it.
    pub fn add_member(&self, project: ProjectKey, user: UserKey, administrator: bool) -> Result<()> {
        let before = self.role(project, user)?;
        let after = if administrator { "administrator" } else { "member" };
        if before == Some(after) {
            return Ok(());
        }
        let sql = "INSERT INTO members (project, user, administrator) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO UPDATE SET administrator = excluded.administrator, listed = 1";
        self.run(sql, params![project.0, user.0, administrator])?;
        let change = Change::of("add_member").subject(format_args!("member {}", self.name_of(user)?)).after(after);
        self.record(project, before.iter().fold(change, |change, before| change.before(before)))
    }

    /// Ends a membership, and removes the user's selection and the user from the teams of the project. The diagrams that the
    /// user added stay.
    pub fn remove_member(&self, project: ProjectKey, username: &Username) -> Result<()> {
        let user = self.require_member(project, username)?;
        self.clear_selection(project, user)?;
        let teams = "DELETE FROM team_members WHERE team IN (SELECT id FROM teams WHERE project = ?1) AND user = ?2";
        self.run(teams, params![project.0, user.0])?;
        let role = self.role(project, user)?.unwrap_or_default();
        self.run("DELETE FROM members WHERE project = ?1 AND user = ?2", params![project.0, user.0])?;
        let change = Change::of("remove_member").subject(format_args!("member {}", username.as_str())).before(role);
        self.record(project, change)
    }
}
