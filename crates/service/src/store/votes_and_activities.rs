//! Changes in a workshop other than to diagrams: votes, open activities, and the title of the project.

use rusqlite::{Params, params};

use super::database::columns::columns;
use super::database::error::Result;
use super::database::transaction::{Reader, Writer};
use super::database::values::{ProjectKey, UserKey, date_time_text, utc_now};
use super::history::Change;
use super::loaded::Loadable;
use geodesign::costs::CountedLand;
use geodesign::model::{
    Activities, ActivitiesEdit, Activity, ActivityState, Ballot, DRAWINGS_ON_CONSTRAINTS, DiagramId, JsonObject,
    ProjectEdit, ProjectInfo, Vote, Votes,
};

impl Reader<'_> {
    /// Returns the votes on all diagrams of a project.
    pub fn votes(&self, project: ProjectKey) -> Result<Vec<Vote>> {
        self.votes_where("project = ?1", [project.0])
    }

    /// Returns the votes that a user may see.
    pub fn votes_shown_to(&self, project: ProjectKey, user: UserKey) -> Result<Votes> {
        let hidden = self.hides_votes_from(project, user)?;
        let votes = self.votes_where("project = ?1 AND (NOT ?2 OR user = ?3)", params![project.0, hidden, user.0])?;
        Ok(Votes { votes, hidden })
    }

    /// True if a user sees no votes but the own ones.
    pub fn hides_votes_from(&self, project: ProjectKey, user: UserKey) -> Result<bool> {
        Ok(self.votes_hidden(project)? && !self.is_administrator(project, user)?)
    }

    fn votes_hidden(&self, project: ProjectKey) -> Result<bool> {
        self.exists("SELECT 1 FROM projects WHERE key = ?1 AND votes_hidden", [project.0])
    }

    /// True if members see what others are drawing.
    pub fn shows_drawings(&self, project: ProjectKey) -> Result<bool> {
        self.exists("SELECT 1 FROM projects WHERE key = ?1 AND drawings_shown", [project.0])
    }

    /// True if drawings on the constraints are refused.
    pub fn refuses_drawings_on_constraints(&self, project: ProjectKey) -> Result<bool> {
        self.exists("SELECT 1 FROM projects WHERE key = ?1 AND drawings_on_constraints = 'refuse'", [project.0])
    }

    /// Returns the votes on one diagram.
    pub fn votes_on(&self, diagram: DiagramId) -> Result<Vec<Vote>> {
        self.votes_where("diagram = ?1", [diagram.0])
    }

    fn votes_where(&self, condition: &str, values: impl Params) -> Result<Vec<Vote>> {
        let columns = columns!(Vote { diagram, username, vote, comment, voted_at, extra: (JsonObject::new()) });
        let rest = format!(
            "FROM votes JOIN diagrams ON id = diagram JOIN users ON users.key = user WHERE {condition} \
             ORDER BY diagram, username"
        );
        self.select(columns, &rest, values)
    }

    /// Returns the activities that are open to members now.
    pub fn activities(&self, project: ProjectKey) -> Result<Activities> {
        Ok(Activities {
            drawing: self.activity(project, Activity::Drawing)?,
            selecting: self.activity(project, Activity::Selecting)?,
            designing: self.activity(project, Activity::Designing)?,
            commenting: self.activity(project, Activity::Commenting)?,
            votes_hidden: self.votes_hidden(project)?,
            drawings_shown: self.shows_drawings(project)?,
            extra: JsonObject::new(),
        })
    }

    /// Returns whether an activity is open to members now.
    pub fn activity(&self, project: ProjectKey, activity: Activity) -> Result<ActivityState> {
        let columns = columns!(ActivityState { open: "open AND coalesce(closes_at > ?3, TRUE)", closes_at, message });
        let values = params![project.0, activity.name(), date_time_text(utc_now())];
        let state = self.select_one(columns, "FROM activities WHERE project = ?1 AND activity = ?2", values)?;
        Ok(state.unwrap_or_default())
    }
}

impl Writer<'_> {
    /// Casts a vote on a diagram of a project, in place of an earlier one.
    pub fn set_vote(&self, project: ProjectKey, user: UserKey, diagram: DiagramId, ballot: &Ballot) -> Result<()> {
        let Ballot { vote, comment } = ballot;
        let sql = "INSERT INTO votes (diagram, user, vote, comment, voted_at) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT DO UPDATE SET vote = excluded.vote, comment = excluded.comment, voted_at = excluded.voted_at \
                   WHERE (vote, comment) <> (excluded.vote, excluded.comment)";
        let before = self.vote_text(user, diagram)?;
        if self.run(sql, params![diagram.0, user.0, vote, comment, date_time_text(utc_now())])? == 0 {
            return Ok(());
        }
        let after = self.vote_text(user, diagram)?.unwrap_or_default();
        let change = Change::of("set_vote").diagram(diagram).after(after);
        self.record(project, before.into_iter().fold(change, Change::before))
    }

    /// Adds a vote of an archive, on a diagram that was loaded.
    pub fn insert_loaded_vote(&self, vote: &Vote) -> Result<()> {
        let user = self.author_named(vote.username.as_str())?;
        let sql = "INSERT INTO votes (diagram, user, vote, comment, voted_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
        let at = vote.voted_at.to_string();
        self.run(sql, params![vote.diagram.0, user.0, vote.vote, vote.comment, at]).map(drop)
    }

    /// Withdraws a vote. Returns false if there is none.
    pub fn withdraw_vote(&self, project: ProjectKey, user: UserKey, diagram: DiagramId) -> Result<bool> {
        let Some(before) = self.vote_text(user, diagram)? else { return Ok(false) };
        self.run("DELETE FROM votes WHERE diagram = ?1 AND user = ?2", params![diagram.0, user.0])?;
        let change = Change::of("withdraw_vote").diagram(diagram).before(before);
        self.record(project, change).map(|()| true)
    }

    /// Removes all votes of a user on the diagrams of a project.
    pub(super) fn clear_votes(&self, project: ProjectKey, user: UserKey) -> Result<()> {
        let sql = "DELETE FROM votes WHERE user = ?2 AND diagram IN (SELECT id FROM all_diagrams WHERE project = ?1)";
        self.run(sql, params![project.0, user.0]).map(drop)
    }

    fn vote_text(&self, user: UserKey, diagram: DiagramId) -> Result<Option<String>> {
        let rest = "FROM votes WHERE diagram = ?1 AND user = ?2";
        let vote: Option<(i64, String)> = self.select_one(columns!((vote, comment)), rest, [diagram.0, user.0])?;
        Ok(vote.map(|(vote, comment)| format!("{vote:+} {comment}").trim_end().to_owned()))
    }

    /// Records what was hidden or shown, unless it was before.
    fn set_shown(&self, project: ProjectKey, subject: &str, shown: bool, changed: usize) -> Result<()> {
        let change = Change::of("set_activities").subject(subject);
        if changed == 0 { Ok(()) } else { self.record(project, change.after(if shown { "shown" } else { "hidden" })) }
    }

    /// Opens or closes activities of members, and hides or shows votes and drawings in progress.
    pub fn set_activities(&self, project: ProjectKey, edit: &ActivitiesEdit) -> Result<()> {
        if let Some(hidden) = edit.votes_hidden {
            let sql = "UPDATE projects SET votes_hidden = ?2 WHERE key = ?1 AND votes_hidden <> ?2";
            self.set_shown(project, "votes", !hidden, self.run(sql, params![project.0, hidden])?)?;
        }
        if let Some(shown) = edit.drawings_shown {
            let sql = "UPDATE projects SET drawings_shown = ?2 WHERE key = ?1 AND drawings_shown <> ?2";
            self.set_shown(project, "drawings", shown, self.run(sql, params![project.0, shown])?)?;
        }
        for (activity, edit) in edit.given() {
            let before = self.activity(project, activity)?;
            let closes_at = edit.closes_at.map(|time| date_time_text(time.utc()));
            let sql = "INSERT INTO activities (project, activity, open, closes_at, message) VALUES (?1, ?2, ?3, ?4, ?5) \
                       ON CONFLICT DO UPDATE SET open = excluded.open, closes_at = excluded.closes_at, message = excluded.message \
                       WHERE (open, closes_at, message) IS NOT (excluded.open, excluded.closes_at, excluded.message)";
            let values = params![project.0, activity.name(), edit.open, closes_at, edit.message];
            if self.run(sql, values)? > 0 {
                let change = Change::of("set_activities").subject(activity.name()).before(activity_text(&before));
                self.record(project, change.after(activity_text(&self.activity(project, activity)?)))?;
            }
        }
        Ok(())
    }

    /// Sets one of a project's choices; the default is stored as NULL, like an empty text. The same value again is no change.
    fn set_choice(&self, project: ProjectKey, column: &str, value: Option<&str>, default: &str) -> Result<()> {
        let Some(value) = value else { return Ok(()) };
        let stored = Some(value).filter(|value| !value.is_empty() && *value != default);
        let sql = format!("UPDATE projects SET {column} = ?2 WHERE key = ?1 AND {column} IS NOT ?2");
        if self.run(&sql, params![project.0, stored])? == 0 {
            return Ok(());
        }
        self.record(project, Change::of("edit_project").subject(column).after(stored.unwrap_or(default)))
    }

    /// Changes the texts and settings of a project.
    pub fn edit_project(&self, project: ProjectKey, edit: &ProjectEdit) -> Result<Option<ProjectInfo>> {
        let ProjectEdit { projecttitle, projectdesc, currency, language, counted_land, drawings_on_constraints } = edit;
        let Some(before) = self.project(project)? else { return Ok(None) };
        // The same values again are no change of the project.
        let sql = "WITH new AS (SELECT coalesce(?2, title) AS title, coalesce(?3, description) AS description, \
                   nullif(coalesce(?4, currency), '') AS currency, nullif(coalesce(?5, language), '') AS language \
                   FROM projects WHERE key = ?1) \
                   UPDATE projects SET (title, description, currency, language) = (SELECT * FROM new) WHERE key = ?1 \
                   AND NOT (title IS (SELECT title FROM new) AND description IS (SELECT description FROM new) \
                   AND currency IS (SELECT currency FROM new) AND language IS (SELECT language FROM new))";
        self.run(sql, params![project.0, projecttitle, projectdesc, currency.as_deref().map(str::trim), language])?;
        self.set_choice(project, "counted_land", counted_land.as_deref(), CountedLand::NAMES[0])?;
        self.set_choice(
            project,
            "drawings_on_constraints",
            drawings_on_constraints.as_deref(),
            DRAWINGS_ON_CONSTRAINTS[0],
        )?;
        let given = [
            ("projecttitle", projecttitle.is_some()),
            ("projectdesc", projectdesc.is_some()),
            ("currency", currency.is_some()),
            ("language", language.is_some()),
            ("counted_land", counted_land.is_some()),
            ("drawings_on_constraints", drawings_on_constraints.is_some()),
        ];
        for (field, _) in given.iter().filter(|(_, is_given)| *is_given) {
            self.forget_told(project, ProjectInfo::KIND, before.id.as_str(), field)?;
        }
        let after = self.project(project)?;
        let text = |project: &ProjectInfo| {
            let texts = [&project.projecttitle, &project.projectdesc, &project.currency, &project.language];
            texts.into_iter().flatten().cloned().collect::<Vec<_>>().join(": ")
        };
        if let Some(after) = after.as_ref().map(text).filter(|after| *after != text(&before)) {
            self.record(project, Change::of("edit_project").before(text(&before)).after(after))?;
        }
        Ok(after)
    }
}

fn activity_text(state: &ActivityState) -> String {
    let ActivityState { open, closes_at, message } = state;
    let until = closes_at.as_ref().map(|time| format!(" until {time}")).unwrap_or_default();
    let text = if *open { format!("open{until}") } else { "closed".to_owned() };
    if message.is_empty() { text } else { format!("{text}: {message}") }
}
