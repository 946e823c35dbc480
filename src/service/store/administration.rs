//! What whoever runs the service decides, and the wire can only read.

use rusqlite::params;
use serde::Deserialize;

use super::{
    Geography, ProjectKey, Reader, Result, StoreError, UserKey, Writer, moment, new_id, parsed, to_json, utc_now,
};
use crate::model::{DesignId, DiagramId, JsonObject, NegotiationSession, ProjectId, SystemId, TeamId, Username, Uuid};

/// A user of the service, as the list of accounts has them.
#[derive(Debug, Clone)]
pub struct Account {
    pub username: Username,
    /// The projects that the user administers.
    pub administers: Vec<ProjectId>,
}

/// What a system costs and is to reach; `None` leaves a figure as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemFigures {
    pub cost: Option<f64>,
    pub budget: Option<f64>,
    pub current_ha: Option<f64>,
    pub target_ha: Option<f64>,
}

/// What is said of a diagram beside its geography; `None` leaves it as it is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiagramFigures {
    pub cost_override: Option<f64>,
    pub cost_override_type: Option<String>,
    pub building_data: Option<JsonObject>,
}

impl Reader<'_> {
    /// All users, in order of their names.
    pub fn accounts(&self) -> Result<Vec<Account>> {
        let users = self.all("SELECT key, username FROM users ORDER BY username", [], |row| {
            Ok((row.get::<_, i64>(0)?, parsed(row, 1)?))
        })?;
        let administers = "SELECT id FROM projects JOIN members ON project = key WHERE user = ?1 AND administrator \
                           ORDER BY key";
        let account = |(key, username)| {
            Ok(Account { username, administers: self.all(administers, [key], |row| parsed(row, 0))? })
        };
        users.into_iter().map(account).collect()
    }

    /// Every project with its title, oldest first.
    pub fn all_projects(&self) -> Result<Vec<(ProjectId, String)>> {
        self.all("SELECT id, title FROM projects ORDER BY key", [], |row| Ok((parsed(row, 0)?, row.get(1)?)))
    }

    pub fn user(&self, username: &Username) -> Result<UserKey> {
        let key = self.one("SELECT key FROM users WHERE username = ?1", [username.as_str()], |row| Ok(row.get(0)?))?;
        key.map(UserKey).ok_or_else(|| match self.names("SELECT username FROM users ORDER BY username") {
            Ok(known) => StoreError::Input(format!(
                "there is no user {username:?}; the users are {known}",
                username = username.as_str()
            )),
            Err(error) => error,
        })
    }

    pub fn project_key(&self, id: &ProjectId) -> Result<ProjectKey> {
        let key = self.one("SELECT key FROM projects WHERE id = ?1", [id.as_str()], |row| Ok(row.get(0)?))?;
        key.map(ProjectKey).ok_or_else(|| match self.names("SELECT id FROM projects ORDER BY key") {
            Ok(known) => StoreError::Input(format!("there is no project {id}; the projects are {known}")),
            Err(error) => error,
        })
    }

    pub fn creation_codes(&self) -> Result<Vec<String>> {
        self.all("SELECT code FROM creation_codes ORDER BY code", [], |row| Ok(row.get(0)?))
    }

    pub fn has_creation_code(&self, code: &str) -> Result<bool> {
        self.exists("SELECT 1 FROM creation_codes WHERE code = ?1", [code])
    }

    pub fn has_linked_project(&self, id: &str) -> Result<bool> {
        self.exists("SELECT 1 FROM linked_projects WHERE id = ?1", [id])
    }

    pub fn is_administrator(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        let sql = "SELECT 1 FROM members WHERE project = ?1 AND user = ?2 AND administrator";
        self.exists(sql, params![project.0, user.0])
    }

    fn names(&self, sql: &str) -> Result<String> {
        let names: Vec<String> = self.all(sql, [], |row| Ok(row.get(0)?))?;
        Ok(if names.is_empty() { "none yet".into() } else { names.join(", ") })
    }

    fn member_of(&self, project: ProjectKey, username: &Username) -> Result<UserKey> {
        let member = self.member(project, username.as_str())?;
        member.ok_or_else(|| StoreError::Input(format!("{} is not a member of the project", username.as_str())))
    }

    fn team_of(&self, project: ProjectKey, team: TeamId) -> Result<TeamId> {
        match self.has_team(project, team)? {
            true => Ok(team),
            false => Err(StoreError::Input(format!("the project has no change team {team}"))),
        }
    }

    fn diagrams_of(&self, project: ProjectKey, diagrams: &[DiagramId]) -> Result<()> {
        for &id in diagrams {
            if !self.has_diagram(project, id)? {
                return Err(StoreError::Input(format!("the project has no diagram {id}")));
            }
        }
        Ok(())
    }
}

impl Writer<'_> {
    /// A user; the same one where the name is known.
    pub fn add_user(&self, username: &Username) -> Result<UserKey> {
        self.run("INSERT INTO users (username) VALUES (?1) ON CONFLICT DO NOTHING", [username.as_str()])?;
        self.user(username)
    }

    /// Ends all tokens of a user.
    pub fn revoke_tokens(&self, user: UserKey) -> Result<usize> {
        self.run("DELETE FROM tokens WHERE user = ?1", [user.0])
    }

    /// Makes a user a member, or changes what the member may do.
    pub fn add_member(&self, project: ProjectKey, user: UserKey, administrator: bool) -> Result<()> {
        let sql = "INSERT INTO members (project, user, administrator) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO UPDATE SET administrator = excluded.administrator";
        self.run(sql, params![project.0, user.0, administrator]).map(drop)
    }

    /// Ends a membership. What the member drew stays.
    pub fn remove_member(&self, project: ProjectKey, username: &Username) -> Result<()> {
        let user = self.member_of(project, username)?;
        let of_project = "(SELECT id FROM diagrams WHERE project = ?1)";
        self.run(
            &format!("DELETE FROM selections WHERE diagram IN {of_project} AND user = ?2"),
            params![project.0, user.0],
        )?;
        let teams = "DELETE FROM team_members WHERE team IN (SELECT id FROM teams WHERE project = ?1) AND user = ?2";
        self.run(teams, params![project.0, user.0])?;
        self.run("DELETE FROM members WHERE project = ?1 AND user = ?2", params![project.0, user.0]).map(drop)
    }

    /// A code with which a user may create projects.
    pub fn add_creation_code(&self, code: &str) -> Result<()> {
        if code.trim().is_empty() {
            return Err(StoreError::Input("a creation code is not empty".into()));
        }
        self.run("INSERT INTO creation_codes (code) VALUES (?1) ON CONFLICT DO NOTHING", [code]).map(drop)
    }

    pub fn new_creation_code(&self) -> Result<String> {
        let code = new_id()?;
        self.add_creation_code(&code)?;
        Ok(code)
    }

    /// A project of the companion platform from which a user may create a linked project.
    pub fn add_linked_project(&self, id: &str) -> Result<()> {
        if id.trim().is_empty() {
            return Err(StoreError::Input("the id of a linked project is not empty".into()));
        }
        self.run("INSERT INTO linked_projects (id) VALUES (?1) ON CONFLICT DO NOTHING", [id]).map(drop)
    }

    /// A plugin that projects can use, or its new description.
    pub fn add_plugin(&self, id: &Uuid, description: &str) -> Result<()> {
        let sql = "INSERT INTO plugins (id, description) VALUES (?1, ?2) \
                   ON CONFLICT DO UPDATE SET description = excluded.description";
        self.run(sql, params![id.as_str().to_ascii_lowercase(), description]).map(drop)
    }

    pub fn add_team(&self, project: ProjectKey, id: Option<TeamId>, title: &str) -> Result<TeamId> {
        let values = params![id.map(|id| id.0), project.0, title];
        self.insert("INSERT INTO teams (id, project, title) VALUES (?1, ?2, ?3)", values).map(TeamId)
    }

    /// Makes these members the team.
    pub fn set_team_members(&self, project: ProjectKey, team: TeamId, members: &[Username]) -> Result<()> {
        let team = self.team_of(project, team)?;
        self.run("DELETE FROM team_members WHERE team = ?1", [team.0])?;
        for member in members {
            let user = self.member_of(project, member)?;
            let sql = "INSERT INTO team_members (team, user) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![team.0, user.0])?;
        }
        Ok(())
    }

    /// A design of a team, as it saves one.
    pub fn add_design(
        &self,
        project: ProjectKey,
        team: TeamId,
        description: &str,
        diagrams: &[DiagramId],
    ) -> Result<DesignId> {
        let id: DesignId = new_id()?.parse().map_err(|error| StoreError::Content(format!("{error}")))?;
        self.insert_design(project, team, &id, &moment(utc_now()), description, diagrams)?;
        Ok(id)
    }

    pub fn insert_design(
        &self,
        project: ProjectKey,
        team: TeamId,
        id: &DesignId,
        creationdate: &str,
        description: &str,
        diagrams: &[DiagramId],
    ) -> Result<()> {
        let team = self.team_of(project, team)?;
        self.diagrams_of(project, diagrams)?;
        let sql = "INSERT INTO designs (id, team, creationdate, description) VALUES (?1, ?2, ?3, ?4)";
        self.run(sql, params![id.as_str(), team.0, creationdate, description])?;
        for diagram in diagrams {
            let sql = "INSERT INTO design_diagrams (design, diagram) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![id.as_str(), diagram.0])?;
        }
        Ok(())
    }

    /// Makes these diagrams what a member selected.
    pub fn set_selection(&self, project: ProjectKey, member: &Username, diagrams: &[DiagramId]) -> Result<()> {
        let user = self.member_of(project, member)?;
        self.diagrams_of(project, diagrams)?;
        let of_project =
            "DELETE FROM selections WHERE user = ?2 AND diagram IN (SELECT id FROM diagrams WHERE project = ?1)";
        self.run(of_project, params![project.0, user.0])?;
        for diagram in diagrams {
            let sql = "INSERT INTO selections (user, diagram) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![user.0, diagram.0])?;
        }
        Ok(())
    }

    /// Sets boundaries or constraints: what is said beside the features, and the features.
    pub fn set_geography(
        &self,
        project: ProjectKey,
        role: Geography,
        resource: &impl serde::Serialize,
        geojson: &impl serde::Serialize,
    ) -> Result<()> {
        let sql = "INSERT INTO geographies (project, role, resource, geojson) VALUES (?1, ?2, ?3, ?4) \
                   ON CONFLICT DO UPDATE SET resource = excluded.resource, geojson = excluded.geojson";
        self.run(sql, params![project.0, role.name(), to_json(resource)?, to_json(geojson)?])?;
        self.run("UPDATE projects SET appearance = appearance + 1 WHERE key = ?1", [project.0]).map(drop)
    }

    pub fn set_system_figures(&self, project: ProjectKey, system: SystemId, figures: SystemFigures) -> Result<()> {
        let SystemFigures { cost, budget, current_ha, target_ha } = figures;
        let named = [("cost", cost), ("budget", budget), ("current_ha", current_ha), ("target_ha", target_ha)];
        for (name, figure) in named {
            if let Some(figure) = figure.filter(|figure| !figure.is_finite() || *figure < 0.0) {
                return Err(StoreError::Input(format!("{name} is a number of 0 or more, not {figure}")));
            }
        }
        let sql = "UPDATE systems SET cost = coalesce(?3, cost), budget = coalesce(?4, budget), \
                   current_ha = coalesce(?5, current_ha), target_ha = coalesce(?6, target_ha) WHERE project = ?1 AND id = ?2";
        match self.run(sql, params![project.0, system.0, cost, budget, current_ha, target_ha])? {
            0 => Err(StoreError::Input(format!("the project has no system {system}"))),
            _ => Ok(()),
        }
    }

    pub fn set_diagram_figures(&self, project: ProjectKey, id: DiagramId, figures: &DiagramFigures) -> Result<()> {
        if let Some(amount) = figures.cost_override.filter(|amount| !amount.is_finite()) {
            return Err(StoreError::Input(format!("cost_override is a number, not {amount}")));
        }
        self.diagrams_of(project, &[id])?;
        let building_data = figures.building_data.as_ref().map(to_json).transpose()?;
        self.changing(project, id, |write| {
            let sql = "UPDATE diagrams SET cost_override = coalesce(?2, cost_override), \
                       cost_override_type = coalesce(?3, cost_override_type), \
                       building_data = coalesce(?4, building_data) WHERE id = ?1";
            write.run(sql, params![id.0, figures.cost_override, figures.cost_override_type, building_data]).map(drop)
        })
    }

    /// Adds a session to the negotiation logs, or replaces the one of the same id.
    pub fn add_negotiation(&self, project: ProjectKey, session: &NegotiationSession) -> Result<()> {
        let sql = "INSERT INTO negotiations (session_id, project, log) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO UPDATE SET log = excluded.log WHERE project = excluded.project";
        match self.run(sql, params![session.session_id, project.0, to_json(session)?])? {
            0 => Err(StoreError::Input(format!("the session {} belongs to another project", session.session_id))),
            _ => Ok(()),
        }
    }
}
