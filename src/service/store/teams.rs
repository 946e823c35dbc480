//! Change teams and their designs.

use rusqlite::{Row, params};

use super::{ProjectKey, Reader, Result, parsed, parsed_optional};
use crate::model::Timeline;
use crate::model::{ChangeTeam, Design, DesignDetails, DesignId, DiagramId, JsonObject, Period, TeamId, Username};

const DESIGN: &str = "SELECT id, creationdate, description FROM designs";

impl Reader<'_> {
    pub fn teams(&self, project: ProjectKey) -> Result<Vec<ChangeTeam>> {
        let sql = "SELECT id, title FROM teams WHERE project = ?1 ORDER BY id";
        self.all(sql, [project.0], |row| {
            Ok(ChangeTeam { id: TeamId(row.get(0)?), title: row.get(1)?, extra: JsonObject::new() })
        })
    }

    pub fn has_team(&self, project: ProjectKey, team: TeamId) -> Result<bool> {
        self.exists("SELECT 1 FROM teams WHERE project = ?1 AND id = ?2", params![project.0, team.0])
    }

    pub fn team_members(&self, team: TeamId) -> Result<Vec<Username>> {
        let sql = "SELECT username FROM users JOIN team_members ON user = key WHERE team = ?1 ORDER BY username";
        self.all(sql, [team.0], |row| parsed(row, 0))
    }

    /// A team's designs, oldest first.
    pub fn designs(&self, team: TeamId) -> Result<Vec<Design>> {
        self.all(&format!("{DESIGN} WHERE team = ?1 ORDER BY creationdate, id"), [team.0], |row| {
            Ok(Design { cteamid: team, details: details(row)? })
        })
    }

    pub fn design(&self, team: TeamId, design: &DesignId) -> Result<Option<DesignDetails>> {
        self.one(&format!("{DESIGN} WHERE team = ?1 AND id = ?2"), params![team.0, design.as_str()], details)
    }

    pub fn design_diagram_ids(&self, design: &DesignId) -> Result<Vec<DiagramId>> {
        let sql = "SELECT diagram FROM design_diagrams WHERE design = ?1 ORDER BY diagram";
        self.all(sql, [design.as_str()], |row| Ok(DiagramId(row.get(0)?)))
    }

    pub fn timeline(&self, design: &DesignId) -> Result<Timeline> {
        let sql =
            "SELECT id, start_date, end_date FROM diagrams JOIN design_diagrams ON diagram = id WHERE design = ?1";
        let periods = self.all(sql, [design.as_str()], |row| {
            let period =
                Period { start: parsed_optional(row, 1)?, end: parsed_optional(row, 2)?, extra: JsonObject::new() };
            Ok((DiagramId(row.get(0)?), period))
        })?;
        Ok(periods.into_iter().collect())
    }
}

fn details(row: &Row) -> Result<DesignDetails> {
    Ok(DesignDetails {
        id: parsed(row, 0)?,
        creationdate: parsed_optional(row, 1)?,
        description: row.get(2)?,
        extra: JsonObject::new(),
    })
}
