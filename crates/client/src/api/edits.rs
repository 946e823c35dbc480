//! Changes made by members and facilitators: diagrams, selections, votes, designs, negotiations, teams, systems, maps, members.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Project, Result};
use geodesign::model::operations::{
    ADD_COMMENT, ADD_MEMBERS, ADD_MOVE, ADD_SYSTEM, ADD_TEAM, BEGIN_NEGOTIATION, CHANGE_SELECTION, DELETE_COMMENT,
    EDIT_COMMENT, EDIT_DESIGN, EDIT_DIAGRAM, EDIT_PROJECT, EDIT_SYSTEM, EDIT_TEAM, Endpoint, InComment, InNegotiation,
    OfMember, SAVE_DESIGN, SET_ACTIVITIES, SET_BOUNDARIES, SET_CONSTRAINTS, SET_CONTEXT, SET_MEMBER,
    SET_SECOND_BOUNDARIES, SET_SELECTION, SET_VOTE, SHOW_OUTLINE,
};
use geodesign::model::{
    Activities, ActivitiesEdit, AddedMembers, AreaFeatures, Ballot, ChangeHash, ChangeTeam, Comment, CommentEdit,
    ContextFeatures, DesignDetails, DesignEdit, DesignId, DiagramEdit, DiagramId, DiagramIds, InvalidEdit, MemberRole,
    Move, NegotiationSession, NewComment, NewContext, NewDesign, NewMap, NewMembers, NewMove, NewNegotiation,
    NewSelection, Outline, OutlineShown, ProjectEdit, ProjectInfo, SelectionChange, Status, SystemDetail, SystemEdit,
    SystemId, TeamEdit, TeamId, Username, Uuid,
};

/// A project map that an administrator can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectMap {
    Boundaries,
    SecondBoundaries,
    Constraints,
}

impl Project {
    #[doc = summary!(EDIT_DIAGRAM)]
    ///
    /// Returns the new change id. If a change id is given, the diagram is changed only if it still has that id.
    pub async fn edit_diagram(
        &self,
        id: DiagramId,
        edit: &DiagramEdit,
        unless_changed_since: Option<&str>,
    ) -> Result<String> {
        edit.check().map_err(Error::input)?;
        let endpoint = EDIT_DIAGRAM.at(self.in_diagram(id));
        let edited: ChangeHash = match unless_changed_since {
            Some(changeid) => self.client().transport.change(endpoint, changeid, edit).await?,
            None => self.post(endpoint, edit).await?,
        };
        Ok(edited.changehash)
    }

    #[doc = summary!(SET_VOTE)]
    pub async fn vote(&self, id: DiagramId, vote: i64, comment: String) -> Result<()> {
        let ballot = Ballot { vote, comment };
        ballot.check().map_err(Error::input)?;
        self.post::<Status>(SET_VOTE.at(self.in_diagram(id)), &ballot).await.map(drop)
    }

    #[doc = summary!(ADD_COMMENT)]
    pub async fn add_comment(&self, comment: &NewComment) -> Result<Comment> {
        comment.check().map_err(Error::input)?;
        self.add(ADD_COMMENT.at(self.in_project()), comment).await
    }

    #[doc = summary!(EDIT_COMMENT)]
    pub async fn edit_comment(&self, comment: Uuid, edit: &CommentEdit) -> Result<Comment> {
        self.checked(EDIT_COMMENT.at(self.in_comment(comment)), edit.check(), edit).await
    }

    #[doc = summary!(DELETE_COMMENT)]
    pub async fn delete_comment(&self, comment: Uuid) -> Result<()> {
        self.delete(DELETE_COMMENT.at(self.in_comment(comment))).await
    }

    #[doc = summary!(SHOW_OUTLINE)]
    ///
    /// Returns false if the others do not see it.
    pub async fn show_outline(&self, outline: &Outline) -> Result<bool> {
        outline.check().map_err(Error::input)?;
        Ok(self.post::<OutlineShown>(SHOW_OUTLINE.at(self.in_project()), outline).await?.shown)
    }

    #[doc = summary!(SET_SELECTION)]
    ///
    /// Returns the member's selected diagrams after the change.
    pub async fn set_selection(&self, member: &Username, diagrams: Vec<DiagramId>) -> Result<Vec<DiagramId>> {
        let endpoint = SET_SELECTION.at(self.of_member(member));
        Ok(self.post::<DiagramIds>(endpoint, &NewSelection { diagrams }).await?.diagrams)
    }

    #[doc = summary!(CHANGE_SELECTION)]
    ///
    /// Returns the member's selected diagrams after the change.
    pub async fn change_selection(&self, member: &Username, change: &SelectionChange) -> Result<Vec<DiagramId>> {
        let endpoint = CHANGE_SELECTION.at(self.of_member(member));
        Ok(self.post::<DiagramIds>(endpoint, change).await?.diagrams)
    }

    #[doc = summary!(SAVE_DESIGN)]
    pub async fn save_design(&self, team: TeamId, design: &NewDesign) -> Result<DesignDetails> {
        design.check().map_err(Error::input)?;
        self.add(SAVE_DESIGN.at(self.in_team(team)), design).await
    }

    #[doc = summary!(EDIT_DESIGN)]
    pub async fn rename_design(&self, team: TeamId, design: &DesignId, title: String) -> Result<DesignDetails> {
        let edit = DesignEdit { description: Some(title) };
        self.checked(EDIT_DESIGN.at(self.in_design(team, design)), edit.check(), &edit).await
    }

    #[doc = summary!(BEGIN_NEGOTIATION)]
    pub async fn begin_negotiation(&self, teams: Vec<TeamId>) -> Result<NegotiationSession> {
        let new = NewNegotiation { cteams: teams };
        new.check().map_err(Error::input)?;
        self.add(BEGIN_NEGOTIATION.at(self.in_project()), &new).await
    }

    #[doc = summary!(ADD_MOVE)]
    pub async fn add_move(&self, session: &str, new: &NewMove) -> Result<Move> {
        let ids = InNegotiation { projectid: self.id().clone(), session_id: session.to_owned() };
        new.check().map_err(Error::input)?;
        self.add(ADD_MOVE.at(ids), new).await
    }

    #[doc = summary!(ADD_TEAM)]
    pub async fn add_team(&self, team: &TeamEdit) -> Result<ChangeTeam> {
        team.check_new().map_err(Error::input)?;
        self.add(ADD_TEAM.at(self.in_project()), team).await
    }

    #[doc = summary!(EDIT_TEAM)]
    pub async fn edit_team(&self, team: TeamId, edit: &TeamEdit) -> Result<ChangeTeam> {
        self.checked(EDIT_TEAM.at(self.in_team(team)), edit.check(), edit).await
    }

    #[doc = summary!(ADD_SYSTEM)]
    pub async fn add_system(&self, system: &SystemEdit) -> Result<SystemDetail> {
        system.check_new().map_err(Error::input)?;
        self.add(ADD_SYSTEM.at(self.in_project()), system).await
    }

    #[doc = summary!(EDIT_SYSTEM)]
    pub async fn edit_system(&self, system: SystemId, edit: &SystemEdit) -> Result<SystemDetail> {
        self.checked(EDIT_SYSTEM.at(self.in_system(system)), edit.check(Some(system)), edit).await
    }

    /// Replaces the project's boundaries or constraints. Only an administrator of the project may do this.
    pub async fn set_project_map(&self, map: ProjectMap, geojson: AreaFeatures, description: String) -> Result<()> {
        let checked = if map == ProjectMap::Constraints { geojson.check_no_points() } else { geojson.check_areas() };
        checked.map_err(Error::input)?;
        let operation = match map {
            ProjectMap::Boundaries => SET_BOUNDARIES,
            ProjectMap::SecondBoundaries => SET_SECOND_BOUNDARIES,
            ProjectMap::Constraints => SET_CONSTRAINTS,
        };
        self.post::<Status>(operation.at(self.in_project()), &NewMap { geojson, description }).await.map(drop)
    }

    #[doc = summary!(SET_CONTEXT)]
    pub async fn set_context(&self, context: ContextFeatures, description: String) -> Result<()> {
        let geojson = context.with_kinds().map_err(Error::input)?;
        self.post::<Status>(SET_CONTEXT.at(self.in_project()), &NewContext { geojson, description }).await.map(drop)
    }

    #[doc = summary!(EDIT_PROJECT)]
    pub async fn edit_project(&self, edit: &ProjectEdit) -> Result<ProjectInfo> {
        self.checked(EDIT_PROJECT.at(self.in_project()), edit.check(), edit).await
    }

    #[doc = summary!(ADD_MEMBERS)]
    pub async fn add_members(&self, new: &NewMembers) -> Result<AddedMembers> {
        new.check().map_err(Error::input)?;
        self.add(ADD_MEMBERS.at(self.in_project()), new).await
    }

    #[doc = summary!(SET_MEMBER)]
    pub async fn set_member(&self, member: &Username, administrator: bool) -> Result<()> {
        let endpoint = SET_MEMBER.at(self.of_member(member));
        self.post::<Status>(endpoint, &MemberRole { administrator }).await.map(drop)
    }

    #[doc = summary!(SET_ACTIVITIES)]
    pub async fn set_activities(&self, edit: &ActivitiesEdit) -> Result<Activities> {
        self.checked(SET_ACTIVITIES.at(self.in_project()), edit.check(), edit).await
    }

    /// Sends a body that has been checked.
    async fn checked<T: DeserializeOwned>(
        &self,
        endpoint: Endpoint,
        check: std::result::Result<(), InvalidEdit>,
        body: &impl Serialize,
    ) -> Result<T> {
        check.map_err(Error::input)?;
        self.post(endpoint, body).await
    }

    fn in_comment(&self, commentid: Uuid) -> InComment {
        InComment { projectid: self.id().clone(), commentid }
    }

    fn of_member(&self, member: &Username) -> OfMember {
        OfMember { projectid: self.id().clone(), username: member.as_str().to_owned() }
    }
}
