//! Change teams with their designs and negotiations, and the diagrams that members selected or grouped.

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use rusqlite::{Params, params};

use super::database::columns::columns;
use super::database::error::{InputError, Result, StoreError};
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey, date_time_text, from_json, new_id, new_uuid, to_json, utc_now};
use super::diagrams::UNDATED;
use super::history::{Change, joined};
use super::loaded::Loadable;
use geodesign::model::{
    BoardPeriod, ChangeTeam, Design, DesignDetails, DesignId, DiagramGroup, DiagramId, JsonObject, Move,
    NegotiationSession, NewMove, Period, PresentMember, TeamEdit, TeamId, Timeline, Username,
};

/// The row of a design, with the diagrams in it.
#[derive(Debug)]
pub struct DesignRow<'d> {
    pub id: &'d DesignId,
    pub team: TeamId,
    /// UTC, without a time zone.
    pub creationdate: &'d str,
    pub description: &'d str,
    pub diagrams: &'d [DiagramId],
}

impl Reader<'_> {
    pub fn teams(&self, project: ProjectKey) -> Result<Vec<ChangeTeam>> {
        self.as_loaded(project, self.teams_where("project = ?1", [project.0])?)
    }

    pub fn team(&self, project: ProjectKey, id: TeamId) -> Result<Option<ChangeTeam>> {
        let team = self.teams_where("project = ?1 AND id = ?2", [project.0, id.0])?.pop();
        self.one_as_loaded(project, team)
    }

    fn teams_where(&self, condition: &str, values: impl Params) -> Result<Vec<ChangeTeam>> {
        let columns = columns!(ChangeTeam { id, title, color: "nullif(color, '')", .. });
        self.select(columns, &format!("FROM teams WHERE {condition} ORDER BY id"), values)
    }

    pub fn is_in_team(&self, team: TeamId, user: UserKey) -> Result<bool> {
        self.exists("SELECT 1 FROM team_members WHERE team = ?1 AND user = ?2", params![team.0, user.0])
    }

    /// Counts the designs that the teams of a project have saved.
    pub fn count_designs(&self, project: ProjectKey) -> Result<u64> {
        let sql = "SELECT count(*) FROM designs JOIN all_teams ON all_teams.id = team WHERE project = ?1";
        Ok(self.value(sql, [project.0])?.unwrap_or_default())
    }

    /// True if a team of the project has saved this design.
    pub fn has_design(&self, project: ProjectKey, design: &DesignId) -> Result<bool> {
        let sql = "SELECT 1 FROM designs JOIN teams ON teams.id = team WHERE project = ?1 AND designs.id = ?2";
        self.exists(sql, params![project.0, design.as_str()])
    }

    /// Returns the ids of a project's diagrams that a member selected, in the order of the origin if the project was loaded.
    pub fn selected_ids(&self, project: ProjectKey, member: UserKey) -> Result<Vec<DiagramId>> {
        let sql = "SELECT diagram FROM selections JOIN diagrams ON id = diagram WHERE project = ?1 AND user = ?2 \
                   ORDER BY position IS NULL, position, diagram";
        self.values(sql, params![project.0, member.0])
    }

    pub fn has_team(&self, project: ProjectKey, team: TeamId) -> Result<bool> {
        self.exists("SELECT 1 FROM teams WHERE project = ?1 AND id = ?2", params![project.0, team.0])
    }

    /// Returns members who are here, with their teams.
    pub fn present_members(&self, project: ProjectKey, here: Vec<(UserKey, DateTime)>) -> Result<Vec<PresentMember>> {
        let sql =
            "SELECT team FROM team_members JOIN teams ON id = team WHERE project = ?1 AND user = ?2 ORDER BY team";
        let present = here.into_iter().map(|(user, since)| {
            let username = self.value("SELECT username FROM users WHERE key = ?1", [user.0])?;
            let cteams = self.values(sql, params![project.0, user.0])?;
            let named = username.zip(date_time_text(since).parse().ok());
            Ok(named.map(|(username, since)| PresentMember { username, cteams, since, extra: JsonObject::new() }))
        });
        present.filter_map(Result::transpose).collect()
    }

    pub fn team_members(&self, team: TeamId) -> Result<Vec<Username>> {
        let sql = "SELECT username FROM users JOIN team_members ON user = key WHERE team = ?1 \
                   ORDER BY position IS NULL, position, username";
        self.values(sql, [team.0])
    }

    /// Returns the designs of a team, oldest first.
    pub fn designs(&self, project: ProjectKey, team: TeamId) -> Result<Vec<Design>> {
        self.as_loaded(project, self.designs_where("team = ?1", [team.0])?)
    }

    pub fn design(&self, project: ProjectKey, team: TeamId, id: &DesignId) -> Result<Option<DesignDetails>> {
        let design = self.designs_where("team = ?1 AND id = ?2", params![team.0, id.as_str()])?.pop();
        Ok(self.one_as_loaded(project, design)?.map(|design| design.details))
    }

    fn designs_where(&self, condition: &str, values: impl Params) -> Result<Vec<Design>> {
        let columns = columns!(Design {
            cteamid: "team",
            details: DesignDetails { id, creationdate, description, extra: (JsonObject::new()) },
        });
        self.select(columns, &format!("FROM designs WHERE {condition} ORDER BY creationdate, id"), values)
    }

    pub fn design_diagram_ids(&self, design: &DesignId) -> Result<Vec<DiagramId>> {
        let sql = "SELECT diagram FROM design_diagrams JOIN diagrams ON id = diagram WHERE design = ?1 \
             ORDER BY position IS NULL, position, diagram";
        self.values(sql, [design.as_str()])
    }

    /// Returns the start and the end of each diagram in a design.
    pub fn timeline(&self, design: &DesignId) -> Result<Timeline> {
        let columns = columns!((id, period: Period { start: "start_date", end: "end_date", undated: UNDATED, .. }));
        let rest = "FROM diagrams JOIN design_diagrams ON diagram = id WHERE design = ?1";
        Ok(self.select(columns, rest, [design.as_str()])?.into_iter().collect())
    }

    /// Returns the start and the end of each diagram in a project, without those that have no dates.
    pub fn board_timeline(&self, project: ProjectKey) -> Result<Vec<BoardPeriod>> {
        let columns = columns!(BoardPeriod { id, start: "start_date", end: "end_date" });
        let rest = "FROM diagrams WHERE project = ?1 AND start_date IS NOT NULL AND end_date IS NOT NULL ORDER BY id";
        self.select(columns, rest, [project.0])
    }

    fn require_team(&self, project: ProjectKey, team: TeamId) -> Result<()> {
        if self.has_team(project, team)? { Ok(()) } else { Err(InputError::UnknownTeam(team).into()) }
    }
}

impl Writer<'_> {
    /// Adds a team. Without an id it gets the next free one.
    pub fn add_team(&self, project: ProjectKey, id: Option<TeamId>, title: &str) -> Result<TeamId> {
        let values = params![id.map(|id| id.0), project.0, title];
        let id = self.insert("INSERT INTO all_teams (id, project, title) VALUES (?1, ?2, ?3)", values).map(TeamId)?;
        self.record(project, Change::of("add_team").subject(format_args!("team {id}")).after(title))?;
        Ok(id)
    }

    /// Returns the oldest team of that title, or a new one if there is none.
    pub fn team_titled(&self, project: ProjectKey, title: &str) -> Result<TeamId> {
        let teams = self.teams(project)?;
        let team = teams.into_iter().find(|team| team.title.as_deref() == Some(title));
        team.map_or_else(|| self.add_team(project, None, title), |team| Ok(team.id))
    }

    /// Removes a team with its designs.
    pub fn remove_team(&self, project: ProjectKey, team: TeamId) -> Result<()> {
        self.require_team(project, team)?;
        self.run("DELETE FROM team_members WHERE team = ?1", [team.0])?;
        self.run("DELETE FROM designs WHERE team = ?1", [team.0])?;
        // Its id stays taken: negotiation logs name it.
        let sql = "UPDATE all_teams SET removed = 1 WHERE id = ?1 RETURNING title";
        let title: Option<String> = self.value(sql, [team.0])?;
        let change = Change::of("remove_team").subject(format_args!("team {team}")).before(title.unwrap_or_default());
        self.record(project, change)
    }

    /// Replaces the members of a team. Each must be a member of the project.
    pub fn set_team_members(&self, project: ProjectKey, team: TeamId, members: &[Username]) -> Result<()> {
        self.require_team(project, team)?;
        let before = self.team_members(team)?;
        let mut changes = 0;
        // Members who stay are left alone: setting the same members again does not change the project.
        for member in before.iter().filter(|member| !members.contains(member)) {
            let sql = "DELETE FROM team_members WHERE team = ?1 AND user = (SELECT key FROM users WHERE username = ?2)";
            changes += self.run(sql, params![team.0, member.as_str()])?;
        }
        for member in members {
            let user = self.require_member(project, member)?;
            let sql = "INSERT INTO team_members (team, user) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            changes += self.run(sql, params![team.0, user.0])?;
        }
        if changes == 0 {
            return Ok(());
        }
        self.run("UPDATE team_members SET position = NULL WHERE team = ?1", [team.0])?;
        let after = self.team_members(team)?;
        let change = Change::of("set_team_members").subject(format_args!("team {team}"));
        self.record(project, change.before(joined(&before)).after(joined(&after)))
    }

    /// Saves a design of a team, created now.
    pub fn add_design(
        &self,
        project: ProjectKey,
        team: TeamId,
        description: &str,
        diagrams: &[DiagramId],
    ) -> Result<DesignId> {
        let id = new_design_id()?;
        let creationdate = date_time_text(utc_now());
        self.insert_design(project, &DesignRow { id: &id, team, creationdate: &creationdate, description, diagrams })?;
        self.record(project, Change::of("add_design").subject(format_args!("design {id}")).after(description))?;
        Ok(id)
    }

    /// Saves a design of a team, unless the team has one of that description with these diagrams.
    pub fn save_design(
        &self,
        project: ProjectKey,
        team: TeamId,
        description: &str,
        diagrams: &[DiagramId],
    ) -> Result<()> {
        let wanted: BTreeSet<_> = diagrams.iter().copied().collect();
        for design in self
            .designs(project, team)?
            .into_iter()
            .filter(|design| design.details.description.as_deref() == Some(description))
        {
            if self.design_diagram_ids(&design.details.id)?.into_iter().collect::<BTreeSet<_>>() == wanted {
                return Ok(());
            }
        }
        self.add_design(project, team, description, diagrams).map(drop)
    }

    /// Changes the given fields of a team.
    pub fn edit_team(&self, project: ProjectKey, id: TeamId, edit: &TeamEdit) -> Result<ChangeTeam> {
        let TeamEdit { title, color, members } = edit;
        let before = self.team(project, id)?.ok_or(InputError::UnknownTeam(id))?;
        let sql = "UPDATE all_teams SET title = coalesce(?2, title), color = coalesce(?3, color) WHERE id = ?1 \
                   AND (title, color) <> (coalesce(?2, title), coalesce(?3, color))";
        if self.run(sql, params![id.0, title, color])? > 0 {
            self.forget_told(project, ChangeTeam::KIND, &id.to_string(), "title")?;
            let after = self.team(project, id)?.ok_or(InputError::UnknownTeam(id))?;
            let text = |team: &ChangeTeam| joined([&team.title, &team.color].into_iter().flatten());
            let change = Change::of("edit_team").subject(format_args!("team {id}"));
            self.record(project, change.before(text(&before)).after(text(&after)))?;
        }
        members.as_deref().map_or(Ok(()), |members| self.set_team_members(project, id, members))?;
        self.team(project, id)?.ok_or_else(|| InputError::UnknownTeam(id).into())
    }

    /// Renames a design of a team.
    pub fn rename_design(&self, project: ProjectKey, team: TeamId, id: &DesignId, title: &str) -> Result<()> {
        let before = self.design(project, team, id)?.ok_or_else(|| InputError::UnknownDesign(id.clone()))?;
        let sql = "UPDATE designs SET description = ?2 WHERE id = ?1 AND description <> ?2";
        if self.run(sql, params![id.as_str(), title])? == 0 {
            return Ok(());
        }
        self.forget_told(project, Design::KIND, id.as_str(), "description")?;
        let change = Change::of("edit_design").subject(format_args!("design {id}"));
        self.record(project, change.before(before.description.unwrap_or_default()).after(title))
    }

    /// Removes a design of a team.
    pub fn remove_design(&self, project: ProjectKey, team: TeamId, design: &DesignId) -> Result<()> {
        self.require_team(project, team)?;
        let sql = "DELETE FROM designs WHERE team = ?1 AND id = ?2 RETURNING description";
        let removed: Option<String> = self.value(sql, params![team.0, design.as_str()])?;
        let description = removed.ok_or_else(|| InputError::UnknownDesign(design.clone()))?;
        let change = Change::of("remove_design").subject(format_args!("design {design}")).before(description);
        self.record(project, change)
    }

    pub fn insert_design(&self, project: ProjectKey, row: &DesignRow) -> Result<()> {
        self.require_team(project, row.team)?;
        self.require_diagrams(project, row.diagrams)?;
        let sql = "INSERT INTO designs (id, team, creationdate, description) VALUES (?1, ?2, ?3, ?4)";
        self.run(sql, params![row.id.as_str(), row.team.0, row.creationdate, row.description])?;
        for diagram in row.diagrams {
            let sql = "INSERT INTO design_diagrams (design, diagram) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![row.id.as_str(), diagram.0])?;
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// Returns the sessions of a project, in the order in which they were added.
    pub fn negotiations(&self, project: ProjectKey) -> Result<Vec<NegotiationSession>> {
        let sql = "SELECT log FROM negotiations WHERE project = ?1 ORDER BY rowid";
        self.all(sql, [project.0], |row| from_json(row, 0))
    }
}

impl Reader<'_> {
    /// Returns a negotiation of a project.
    pub fn negotiation(&self, project: ProjectKey, id: &str) -> Result<Option<NegotiationSession>> {
        let sql = "SELECT log FROM negotiations WHERE project = ?1 AND session_id = ?2";
        self.one(sql, params![project.0, id], |row| from_json(row, 0))
    }
}

impl Writer<'_> {
    /// Begins a negotiation between teams of a project.
    pub fn begin_negotiation(&self, project: ProjectKey, teams: &[TeamId]) -> Result<NegotiationSession> {
        teams.iter().try_for_each(|&team| self.require_team(project, team))?;
        let session = NegotiationSession {
            session_id: new_uuid()?,
            cteams: Some(teams.to_vec()),
            moves: Vec::new(),
            extra: JsonObject::new(),
        };
        self.add_negotiation(project, &session)?;
        Ok(session)
    }

    /// Adds a decision to a negotiation.
    pub fn add_move(&self, project: ProjectKey, session: &mut NegotiationSession, new: &NewMove) -> Result<Move> {
        let NewMove { diagram, action, comment } = new;
        let added = Move {
            diagram: *diagram,
            action: Some(action.clone()),
            timestamp: Some(date_time_text(utc_now()).parse().map_err(StoreError::content)?),
            comment: Some(comment.clone()).filter(|comment| !comment.is_empty()),
            extra: JsonObject::new(),
        };
        session.moves.push(added.clone());
        self.add_negotiation(project, session)?;
        Ok(added)
    }

    /// Adds a session, or replaces the one of the same id.
    pub fn add_negotiation(&self, project: ProjectKey, session: &NegotiationSession) -> Result<()> {
        let sql = "INSERT INTO negotiations (session_id, project, log) VALUES (?1, ?2, ?3) \
                   ON CONFLICT DO UPDATE SET log = excluded.log WHERE project = excluded.project";
        let (id, log) = (&session.session_id, to_json(session)?);
        let known = "SELECT 1 FROM negotiations WHERE session_id = ?1 AND project = ?2 AND log = ?3";
        if self.exists(known, params![id, project.0, log])? {
            return Ok(());
        }
        match self.run(sql, params![id, project.0, log])? {
            0 => Err(InputError::SessionOfAnotherProject(id.clone()).into()),
            _ => self.record(project, Change::of("add_negotiation").subject(format_args!("session {id}"))),
        }
    }
}

impl Reader<'_> {
    /// Returns the ids of a project's diagrams that a user selected, with commas between them.
    fn selected(&self, project: ProjectKey, user: UserKey) -> Result<String> {
        let sql = "SELECT diagram FROM selections JOIN diagrams ON id = diagram WHERE project = ?1 AND user = ?2 ORDER BY diagram";
        Ok(joined(self.values::<DiagramId>(sql, params![project.0, user.0])?))
    }
}

impl Writer<'_> {
    /// Replaces the selection of a member.
    pub fn set_selection(&self, project: ProjectKey, member: &Username, diagrams: &[DiagramId]) -> Result<()> {
        let user = self.require_member(project, member)?;
        self.require_diagrams(project, diagrams)?;
        let before = self.selected(project, user)?;
        self.clear_selection(project, user)?;
        for diagram in diagrams {
            let sql = "INSERT INTO selections (user, diagram) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            self.run(sql, params![user.0, diagram.0])?;
        }
        let after = self.selected(project, user)?;
        if after == before {
            return Ok(());
        }
        let change = Change::of("set_selection").subject(format_args!("selection of {}", member.as_str()));
        self.record(project, change.before(before).after(after))
    }

    pub(super) fn clear_selection(&self, project: ProjectKey, user: UserKey) -> Result<()> {
        let sql =
            "DELETE FROM selections WHERE user = ?2 AND diagram IN (SELECT id FROM all_diagrams WHERE project = ?1)";
        self.run(sql, params![project.0, user.0]).map(drop)
    }
}

impl Reader<'_> {
    /// Returns the groups of a project, sorted by name.
    pub fn groups(&self, project: ProjectKey) -> Result<Vec<DiagramGroup>> {
        let rest = "FROM diagram_groups JOIN diagrams ON id = diagram WHERE diagram_groups.project = ?1 \
                    ORDER BY name, diagram";
        let mut groups: Vec<DiagramGroup> = Vec::new();
        for (group_name, diagram) in self.select(columns!((name, diagram)), rest, [project.0])? {
            match groups.last_mut().filter(|group| group.group_name == group_name) {
                Some(group) => group.diagrams.push(diagram),
                None => groups.push(DiagramGroup { group_name, diagrams: vec![diagram] }),
            }
        }
        Ok(groups)
    }

    /// Returns the ids of the diagrams in a group, with commas between them.
    fn group(&self, project: ProjectKey, name: &str) -> Result<String> {
        let sql = "SELECT diagram FROM diagram_groups WHERE project = ?1 AND name = ?2 ORDER BY diagram";
        Ok(joined(self.values::<DiagramId>(sql, params![project.0, name])?))
    }
}

impl Writer<'_> {
    /// Replaces the diagrams in each of these groups. Other groups stay as they are.
    pub fn set_groups(&self, project: ProjectKey, groups: &[DiagramGroup]) -> Result<()> {
        for DiagramGroup { group_name, diagrams } in groups {
            let before = self.group(project, group_name)?;
            self.run("DELETE FROM diagram_groups WHERE project = ?1 AND name = ?2", params![project.0, group_name])?;
            for diagram in diagrams {
                let sql =
                    "INSERT INTO diagram_groups (project, name, diagram) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
                self.run(sql, params![project.0, group_name, diagram.0])?;
            }
            let after = self.group(project, group_name)?;
            if after != before {
                let change = Change::of("group_diagrams").subject(format_args!("group {group_name}"));
                self.record(project, change.before(before).after(after))?;
            }
        }
        Ok(())
    }
}

/// Returns an id that no design has.
pub fn new_design_id() -> Result<DesignId> {
    new_id()?.parse().map_err(StoreError::content)
}
