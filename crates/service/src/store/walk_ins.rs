//! Walk-ins: people who come with the joining code of a project and a name, and are admitted at once or by an administrator.

use rusqlite::params;

use super::database::columns::columns;
use super::database::error::{InputError, Result, StoreError};
use super::database::transaction::{Author, Reader, Writer};
use super::database::values::{
    Digest, ProjectKey, UserKey, date_time_text, digest, has_expired, new_id, normal_code, utc_now,
};
use super::history::Change;
use super::tokens::NewToken;
use geodesign::model::{JoiningCode, JsonObject, ProjectId, TeamId, Username, WaitingWalkIn, WalkIns, WalkInsEdit};

/// The rules of a valid joining code.
#[derive(Debug, Clone)]
pub struct JoiningRules {
    pub project: ProjectKey,
    pub projectid: ProjectId,
    /// True if an administrator admits each walk-in.
    pub by_hand: bool,
    /// The team that walk-ins join.
    pub team: Option<TeamId>,
    /// Number of people who came with this code, admitted or waiting.
    pub came: u64,
}

/// Returns two groups of five letters and digits (50 random bits), which can be read aloud.
fn new_joining_code() -> Result<String> {
    let id = new_id()?;
    Ok(format!("{}-{}", &id[..5], &id[5..10]))
}

impl Reader<'_> {
    /// Returns whether a project is open to walk-ins, and the people who wait.
    pub fn walk_ins(&self, project: ProjectKey) -> Result<WalkIns> {
        let waiting = columns!(WaitingWalkIn { username, asked_at, extra: (JsonObject::new()) });
        let waiting = self.select(waiting, "FROM walk_ins WHERE project = ?1 ORDER BY key", [project.0])?;
        // A team that was removed meanwhile is left out.
        let columns =
            columns!(WalkIns { open: "closes_at > ?2", closes_at, by_hand, cteamid: "teams.id", admitted, .. });
        let rest = "FROM joining_codes LEFT JOIN teams ON teams.id = team WHERE joining_codes.project = ?1";
        let code = self.select_one(columns, rest, params![project.0, date_time_text(utc_now())])?;
        Ok(WalkIns { waiting, ..code.unwrap_or_default() })
    }

    /// Returns the rules of a joining code; `None` if it is not valid.
    pub fn joining_rules(&self, code: &str) -> Result<Option<JoiningRules>> {
        let columns = columns!(JoiningRules {
            project: "joining_codes.project",
            projectid: "projects.id",
            by_hand,
            team: "teams.id",
            came: "admitted + (SELECT count(*) FROM walk_ins WHERE walk_ins.project = joining_codes.project)",
        });
        let rest = "FROM joining_codes JOIN projects ON projects.key = joining_codes.project \
                    LEFT JOIN teams ON teams.id = team WHERE digest = ?1 AND closes_at > ?2";
        self.select_one(columns, rest, params![digest(&normal_code(code)), date_time_text(utc_now())])
    }

    /// True if the token belongs to a person who waits to be admitted.
    pub fn is_of_waiting(&self, token: &Digest) -> Result<bool> {
        let sql = "SELECT 1 FROM walk_ins WHERE digest = ?1 AND expires_at > ?2";
        self.exists(sql, params![token, date_time_text(utc_now())])
    }
}

impl Writer<'_> {
    /// Opens a project to walk-ins with a new code, in place of an earlier one.
    pub fn open_walk_ins(&self, project: ProjectKey, edit: &WalkInsEdit) -> Result<JoiningCode> {
        let sql = "INSERT OR REPLACE INTO joining_codes (project, digest, closes_at, by_hand, team, admitted) \
                   VALUES (?1, ?2, ?3, ?4, ?5, 0)";
        let closes_at = date_time_text(edit.closes_at.utc());
        if has_expired(&closes_at) {
            return Err(InputError::Past("closes_at").into());
        }
        let code = new_joining_code()?;
        let team = edit.cteamid.map(|team| team.0);
        self.run(sql, params![project.0, digest(&normal_code(&code)), closes_at, edit.by_hand, team])?;
        let how = if edit.by_hand { "by hand" } else { "at once" };
        let team = team.map(|team| format!(", change team {team}")).unwrap_or_default();
        self.record(project, Change::of("open_walk_ins").after(format_args!("{how}{team}, until {closes_at}")))?;
        let closes_at = closes_at.parse().map_err(StoreError::content)?;
        Ok(JoiningCode { code, closes_at, extra: JsonObject::new() })
    }

    /// Ends the joining code of a project. People who wait keep waiting.
    pub fn close_walk_ins(&self, project: ProjectKey) -> Result<()> {
        let sql = "UPDATE joining_codes SET closes_at = ?2 WHERE project = ?1 AND closes_at > ?2";
        if self.run(sql, params![project.0, date_time_text(utc_now())])? == 0 {
            return Ok(());
        }
        self.record(project, Change::of("close_walk_ins"))
    }

    /// Admits a walk-in at once.
    pub fn walk_in(&self, rules: &JoiningRules, username: &Username, token: &NewToken) -> Result<()> {
        let user = self.new_account(username)?;
        self.by(Author::User(user)).admit(rules.project, rules.team, (user, username), "walk_in")?;
        self.add_token(user, token)
    }

    /// Makes a walk-in wait for an administrator. The token is valid from then on.
    pub fn wait_to_walk_in(&self, rules: &JoiningRules, username: &Username, token: &NewToken) -> Result<()> {
        let sql = "INSERT INTO walk_ins (project, username, asked_at, digest, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        let [asked_at, expires_at] = token.times();
        self.run(sql, params![rules.project.0, username.as_str(), asked_at, digest(&token.token), expires_at]).map(drop)
    }

    /// Admits a waiting person to a team or, without one, to the joining code's team. Returns false if no person of that name is waiting.
    pub fn admit_walk_in(&self, project: ProjectKey, name: &str, team: Option<TeamId>) -> Result<bool> {
        let columns = columns!((key, username, digest, asked_at, expires_at));
        let waiting = "FROM walk_ins WHERE project = ?1 AND username = ?2";
        let waiting: Option<(i64, Username, Digest, String, String)> =
            self.select_one(columns, waiting, params![project.0, name])?;
        let Some((key, username, digest, issued_at, expires_at)) = waiting else { return Ok(false) };
        self.run("DELETE FROM walk_ins WHERE key = ?1", [key])?;
        let user = self.new_account(&username)?;
        let team = team.or(self.walk_ins(project)?.cteamid);
        self.admit(project, team, (user, &username), "admit_walk_in")?;
        let sql = "INSERT INTO tokens (digest, user, issued_at, expires_at) VALUES (?1, ?2, ?3, ?4)";
        self.run(sql, params![digest, user.0, issued_at, expires_at])?;
        Ok(true)
    }

    /// Refuses a waiting person. Returns false if no person of that name is waiting.
    pub fn refuse_walk_in(&self, project: ProjectKey, name: &str) -> Result<bool> {
        let refused =
            self.run("DELETE FROM walk_ins WHERE project = ?1 AND username = ?2", params![project.0, name])?;
        if refused > 0 {
            self.record(project, Change::of("refuse_walk_in").subject(format_args!("user {name}")))?;
        }
        Ok(refused > 0)
    }

    /// Creates an account for an unused name.
    fn new_account(&self, username: &Username) -> Result<UserKey> {
        if self.exists("SELECT 1 FROM users WHERE username = ?1", [username.as_str()])? {
            return Err(InputError::NameTaken(username.clone()).into());
        }
        // The history of the service records it with the user, who has no key before.
        self.by(Author::Nobody).add_user(username)
    }

    fn admit(
        &self,
        project: ProjectKey,
        team: Option<TeamId>,
        (user, username): (UserKey, &Username),
        operation: &'static str,
    ) -> Result<()> {
        self.record(None, Change::of(operation).subject(format_args!("user {}", username.as_str())))?;
        self.add_member(project, user, false)?;
        if let Some(team) = team {
            let mut members = self.team_members(team)?;
            members.push(username.clone());
            self.set_team_members(project, team, &members)?;
        }
        self.run("UPDATE joining_codes SET admitted = admitted + 1 WHERE project = ?1", [project.0]).map(drop)
    }
}
