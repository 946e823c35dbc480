//! Users, and the members of projects.

use rusqlite::params;

use super::database::columns::columns;
use super::database::error::{InputError, Result, StoreError};
use super::database::store::Store;
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey, date_time_text, utc_now};
use super::history::Change;
use geodesign::model::{JsonObject, Member, ProjectId, UserAccount, Username, folded, problem_of_name};

/// The account of the operator of the service. It reads and writes loaded projects without being listed among their members, and reads
/// metrics from other machines.
pub const OPERATOR: &str = "admin";

/// A user of the service, with the projects that the user administers.
#[derive(Debug, Clone)]
pub struct Account {
    pub username: Username,
    pub administers: Vec<ProjectId>,
}

impl Store {
    /// Returns the names of all users, sorted.
    pub fn usernames(&self) -> Result<Vec<Username>> {
        self.read(|read| read.usernames())
    }
}

impl Reader<'_> {
    /// Returns the names of all users, sorted.
    pub fn usernames(&self) -> Result<Vec<Username>> {
        self.values("SELECT username FROM users WHERE NOT removed ORDER BY username", [])
    }

    /// Returns the name of a user, even of a removed one.
    pub fn name_of(&self, user: UserKey) -> Result<String> {
        let name = self.value("SELECT username FROM users WHERE key = ?1", [user.0])?;
        Ok(name.unwrap_or_default())
    }

    /// True if this name is, or was, the name of an account.
    pub fn has_account(&self, username: &Username) -> Result<bool> {
        let sql = "SELECT 1 FROM users WHERE username IN (?1, ?2)";
        self.exists(sql, [username.as_str(), username.composed().as_str()])
    }

    /// True if this is the account of the operator.
    pub fn is_operator(&self, user: UserKey) -> Result<bool> {
        Ok(user == UserKey::FILE_OWNER || self.name_of(user)? == OPERATOR)
    }

    /// Returns all users, sorted by name.
    pub fn accounts(&self) -> Result<Vec<Account>> {
        let administers = "SELECT id FROM projects JOIN members ON project = projects.key JOIN users ON user = users.key \
                           WHERE username = ?1 AND administrator ORDER BY projects.key";
        let account = |username: Username| {
            let administers = self.values(administers, [username.as_str()])?;
            Ok(Account { username, administers })
        };
        self.usernames()?.into_iter().map(account).collect()
    }

    /// Returns all accounts, including withdrawn ones, sorted by name. Authors from an archive whose names cannot be usernames have none.
    pub fn user_accounts(&self) -> Result<Vec<UserAccount>> {
        let memberships = "FROM members JOIN users ON users.key = user JOIN projects ON projects.key = project \
                           ORDER BY projects.key";
        let memberships: Vec<(String, ProjectId, bool)> =
            self.select(columns!((username, id, administrator)), memberships, [])?;
        let names: Vec<(String, bool)> =
            self.select(columns!((username, removed)), "FROM users ORDER BY username", [])?;
        let mut accounts: Vec<UserAccount> = names
            .into_iter()
            .filter_map(|(name, withdrawn)| {
                let username = name.parse().ok()?;
                Some(UserAccount {
                    username,
                    projects: Vec::new(),
                    administers: Vec::new(),
                    withdrawn,
                    extra: JsonObject::new(),
                })
            })
            .collect();
        for (name, project, administers) in memberships {
            let Ok(index) = accounts.binary_search_by(|account| account.username.as_str().cmp(&name)) else { continue };
            if administers {
                accounts[index].administers.push(project.clone());
            }
            accounts[index].projects.push(project);
        }
        Ok(accounts)
    }

    /// True if a member is only in this project, came with it and is not the operator: its administrators are then responsible for the account.
    pub fn is_member_of_this_alone(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let of_others = "SELECT 1 FROM members WHERE user = ?2 AND project <> ?1 \
                         UNION ALL SELECT 1 FROM accounts_of_others WHERE user = ?2 AND project = ?1";
        Ok(!self.is_operator(user)? && !self.exists(of_others, params![project.0, user.0])?)
    }

    /// True if a user is a member of the project, or was one.
    pub(super) fn was_member(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let sql = "SELECT 1 FROM members WHERE project = ?1 AND user = ?2 \
                   UNION ALL SELECT 1 FROM withdrawn_members WHERE project = ?1 AND user = ?2";
        self.exists(sql, params![project.0, user.0])
    }

    /// True if somebody has a token of a user, or the user is or was in another project.
    fn is_used(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let sql = "SELECT 1 FROM tokens WHERE user = ?2 AND expires_at > ?3 \
                   UNION ALL SELECT 1 FROM members WHERE user = ?2 AND project <> ?1 \
                   UNION ALL SELECT 1 FROM withdrawn_members WHERE user = ?2 AND project <> ?1 \
                   UNION ALL SELECT 1 FROM all_diagrams WHERE author = ?2 AND project <> ?1";
        self.exists(sql, params![project.0, user.0, date_time_text(utc_now())])
    }

    /// True if the administrators of another project made a card for a user. The card ends when the user becomes a member of this one.
    pub fn has_card_of_others(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let sql = "SELECT 1 FROM tokens WHERE user = ?2 AND project <> ?1 AND expires_at > ?3";
        self.exists(sql, params![project.0, user.0, date_time_text(utc_now())])
    }

    /// True if an account or a waiting walk-in has this name or a look-alike.
    pub fn is_taken(&self, username: &Username) -> Result<bool> {
        let waiting = self.name_like(username, "SELECT username FROM walk_ins")?;
        Ok(waiting.is_some() || self.account_like(username)?.is_some())
    }

    /// Returns the name of an account with this name or a look-alike. The operator's name counts even without such an account.
    fn account_like(&self, username: &Username) -> Result<Option<String>> {
        self.name_like(username, &format!("SELECT username FROM users UNION ALL SELECT '{OPERATOR}'"))
    }

    fn name_like(&self, username: &Username, names: &str) -> Result<Option<String>> {
        let wanted = folded(username.as_str());
        let names: Vec<String> = self.values(names, [])?;
        Ok(names.into_iter().find(|name| folded(name) == wanted))
    }

    /// Returns the key of a user. Fails if there is no such user.
    pub fn user(&self, username: &Username) -> Result<UserKey> {
        let sql = "SELECT key FROM users WHERE username IN (?1, ?2) AND NOT removed ORDER BY username = ?1 DESC";
        let key = self.value(sql, [username.as_str(), username.composed().as_str()])?;
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
    /// Adds a user, unless there is one of that name. A removed user of that name gets the account back, as the author of the same
    /// diagrams. A new name must look different from all others.
    pub fn add_user(&self, username: &Username) -> Result<UserKey> {
        let is_known = |name: &Username| self.exists("SELECT 1 FROM users WHERE username = ?1", [name.as_str()]);
        if is_known(username)? {
            return self.add_loaded_user(username);
        }
        let username = username.composed();
        if !is_known(&username)? {
            if let Some(problem) = problem_of_name(username.as_str()) {
                return Err(InputError::Name { username, problem }.into());
            }
            let other = self.account_like(&username)?.filter(|other| other != username.as_str());
            if let Some(other) = other {
                return Err(InputError::LooksAlike { username, other }.into());
            }
        }
        self.add_loaded_user(&username)
    }

    /// The same for a member from an archive, whose name is kept as it is.
    pub fn add_loaded_user(&self, username: &Username) -> Result<UserKey> {
        let sql = "INSERT INTO users (username) VALUES (?1) ON CONFLICT DO UPDATE SET removed = 0 WHERE removed";
        if self.run(sql, params![username.as_str()])? > 0 {
            self.record(None, Change::of("add_user").subject(format_args!("user {}", username.as_str())))?;
        }
        self.user(username)
    }

    /// The same, but returns `None` for a removed user, who stays removed.
    pub fn add_user_unless_removed(&self, username: &Username) -> Result<Option<UserKey>> {
        let is_removed = self.exists(
            "SELECT 1 FROM users WHERE username IN (?1, ?2) AND removed",
            [username.as_str(), username.composed().as_str()],
        )?;
        if is_removed { Ok(None) } else { self.add_user(username).map(Some) }
    }

    /// Removes a user with all tokens, memberships and selections. The user's diagrams stay, with the name of their author.
    pub fn remove_user(&self, username: &Username) -> Result<()> {
        let user = self.user(username)?;
        let sql = "SELECT project FROM members WHERE user = ?1";
        for project in self.values(sql, [user.0])? {
            self.remove_member(project, username)?;
        }
        self.run("DELETE FROM tokens WHERE user = ?1", [user.0])?;
        self.run("UPDATE users SET removed = 1 WHERE key = ?1", [user.0])?;
        self.record(None, Change::of("remove_user").subject(format_args!("user {}", username.as_str())))
    }
}

/// Joins names for an error message.
pub fn comma_separated(names: &[impl ToString]) -> String {
    if names.is_empty() {
        return "none yet".into();
    }
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl Reader<'_> {
    pub fn members(&self, project: ProjectKey) -> Result<Vec<Member>> {
        let columns = columns!(Member { username, extra: (JsonObject::new()) });
        let rest = "FROM users JOIN members ON user = key WHERE project = ?1 AND listed ORDER BY username";
        self.as_loaded(project, self.select(columns, rest, [project.0])?)
    }

    /// Returns the project with this id and its change id, if the user is a member or a guest of it.
    pub fn project_of_member(&self, id: &ProjectId, user: UserKey) -> Result<Option<(ProjectKey, String)>> {
        let rest = "FROM projects WHERE id = ?1 \
                    AND (?3 OR EXISTS (SELECT 1 FROM members WHERE project = projects.key AND user = ?2) \
                    OR EXISTS (SELECT 1 FROM links WHERE project = projects.key AND links.key = -?2))";
        let values = params![id.as_str(), user.0, user == UserKey::FILE_OWNER];
        self.select_one(columns!((key, changeid)), rest, values)
    }

    /// Returns the user of this name, if a member of the project.
    pub fn member(&self, project: ProjectKey, username: &str) -> Result<Option<UserKey>> {
        let sql = "SELECT key FROM users JOIN members ON user = key WHERE project = ?1 AND username = ?2";
        self.value(sql, params![project.0, username])
    }

    /// Returns the operator, if a member, or else an administrator or any member; `None` if the project has no members.
    pub fn who_leads(&self, project: ProjectKey) -> Result<Option<Username>> {
        let sql = "SELECT username FROM users JOIN members ON user = key WHERE project = ?1 \
                   ORDER BY username = ?2 DESC, administrator DESC, key LIMIT 1";
        self.value(sql, params![project.0, OPERATOR])
    }

    /// Counts the listed members that administer a project.
    pub fn count_administrators(&self, project: ProjectKey) -> Result<u64> {
        let sql = "SELECT count(*) FROM members WHERE project = ?1 AND administrator AND listed";
        Ok(self.value(sql, [project.0])?.unwrap_or_default())
    }

    /// True if this user was removed, or was a member of the project and was removed from it.
    pub fn is_withdrawn(&self, project: ProjectKey, username: &Username) -> Result<bool> {
        let sql = "SELECT 1 FROM users WHERE username = ?2 AND (removed OR EXISTS \
                   (SELECT 1 FROM withdrawn_members WHERE project = ?1 AND user = key))";
        self.exists(sql, params![project.0, username.as_str()])
    }

    pub fn is_administrator(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let sql = "SELECT 1 FROM members WHERE project = ?1 AND user = ?2 AND administrator";
        Ok(user == UserKey::FILE_OWNER || self.exists(sql, params![project.0, user.0])?)
    }

    /// Returns the role of a listed member; `None` for any other user.
    fn role(&self, project: ProjectKey, user: UserKey) -> Result<Option<&'static str>> {
        let sql = "SELECT administrator FROM members WHERE project = ?1 AND user = ?2 AND listed";
        let administrator: Option<bool> = self.value(sql, params![project.0, user.0])?;
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
        self.run("DELETE FROM withdrawn_members WHERE project = ?1 AND user = ?2", params![project.0, user.0])?;
        let sql = "INSERT INTO members (project, user, administrator) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO UPDATE SET administrator = excluded.administrator, listed = 1";
        self.run(sql, params![project.0, user.0, administrator])?;
        // Tokens made by the administrator of another project, which may not open this one.
        self.run("DELETE FROM tokens WHERE user = ?2 AND project <> ?1", params![project.0, user.0])?;
        let change = Change::of("add_member").subject(format_args!("member {}", self.name_of(user)?)).after(after);
        self.record(project, before.iter().fold(change, |change, before| change.before(before)))
    }

    /// Notes, before an account becomes a member of a project, whether the project's administrators will be responsible for it. They are if
    /// the operator adds it, if it was a member before, or if it is unused.
    pub fn note_whose_account(&self, project: ProjectKey, user: UserKey, by_operator: bool) -> Result<()> {
        let sql = if by_operator {
            "DELETE FROM accounts_of_others WHERE project = ?1 AND user = ?2"
        } else if self.was_member(project, user)? || !self.is_used(project, user)? {
            return Ok(());
        } else {
            "INSERT OR IGNORE INTO accounts_of_others (project, user) VALUES (?1, ?2)"
        };
        self.run(sql, params![project.0, user.0]).map(drop)
    }

    /// Ends a membership, and removes the user's selection and team memberships in the project. The user's diagrams stay.
    pub fn remove_member(&self, project: ProjectKey, username: &Username) -> Result<()> {
        let user = self.require_member(project, username)?;
        self.clear_selection(project, user)?;
        self.clear_votes(project, user)?;
        let teams = "DELETE FROM team_members WHERE team IN (SELECT id FROM teams WHERE project = ?1) AND user = ?2";
        self.run(teams, params![project.0, user.0])?;
        let role = self.role(project, user)?.unwrap_or_default();
        self.run("DELETE FROM members WHERE project = ?1 AND user = ?2", params![project.0, user.0])?;
        self.run(
            "INSERT OR IGNORE INTO withdrawn_members (project, user) VALUES (?1, ?2)",
            params![project.0, user.0],
        )?;
        let change = Change::of("remove_member").subject(format_args!("member {}", username.as_str())).before(role);
        self.record(project, change)
    }
}
