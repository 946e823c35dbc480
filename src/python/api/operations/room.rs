//! What the room and its facilitators change: diagrams, selections, votes, designs, negotiations, teams, systems, maps, members.

use pyo3::prelude::*;

use super::drawings::check_place;
use crate::client::{self, Outside, ProjectMap, SystemReference, TeamReference};
use crate::model::{
    Activities, ActivitiesEdit, ActivityEdit, ChangeTeam, CostType, DesignDetails, DesignId, DiagramEdit, DiagramId,
    DiagramKind, FundingType, Move, NegotiationSession, NewDesign, NewMove, ProjectEdit, ProjectInfo, SelectionChange,
    SystemDetail, SystemEdit, TeamEdit, Username, UtcMillis,
};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::arguments::{DiagramIds, Metadata};
use crate::python::convert::errors::input_error;
use crate::python::convert::geometries::Features;
use crate::python::convert::results::Nothing;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    /// Changes what is given of a diagram; all else stays as it is. Members change their own diagrams, administrators every one.
    ///
    /// Undoing the entry in `history()` restores what it was. A service that is not pygeodesign's may not have this operation.
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     title: The diagram's title.
    ///     geometry: In place of all features that the diagram has, as `add_diagram` takes it.
    ///     start_date: The first day, as `update_diagram` takes it. One of the two days alone stands for both, if the diagram has none.
    ///     end_date: The last day.
    ///     undated: Whether to take the days away.
    ///     system: The id, name or tag of the system to which the diagram moves. It gets the next place there.
    ///     kind: `"project"` or `"policy"`.
    ///     funding: `"public"`, `"public_private"`, `"private"` or `"budgeted"`.
    ///     cost: An amount of money in place of the cost of the system; 0 for none.
    ///     cost_type: What the amount is: `"total"`, or `"unit"` for a cost per hectare (per kilometre of a diagram with lines only).
    ///     building_data: A dict, such as one with `storeys_above_ground` and `storeys_below_ground`.
    ///     outside: What to do with a feature that lies wholly outside the study area: `"refuse"`, or `"allow"`.
    ///     unless_changed_since: A change id of the diagram. If it has another one, somebody changed it meanwhile, and nothing is changed.
    ///
    /// Returns:
    ///     The diagram's change id afterwards, as `diagram_change_id` tells it.
    ///
    /// Raises:
    ///     InputError: A geometry that `add_diagram` refuses too, an end before the start, an empty title, a cost without `cost_type`;
    ///         nothing was changed. Or the project has no system of that name; it lists the systems.
    ///     PermissionDeniedError: The user neither added the diagram nor administers the project; or drawing is closed.
    ///     NotFoundError: The project has no such diagram.
    ///     ApiError: With `status_code` 412, the diagram has another change id than `unless_changed_since`.
    ///
    /// Examples:
    ///     >>> changed = project.edit_diagram(1004, title="Oyster reef", cost=2.5e6, cost_type="total")
    ///     >>> project.costs(diagrams=[1004]).total
    ///     2500000.0
    #[pyo3(
        signature = (id, *, title=None, geometry=None, start_date=None, end_date=None, undated=false, system=None, kind=None, funding=None, cost=None, cost_type=None, building_data=None, outside=Outside::Refuse, unless_changed_since=None),
        text_signature = "($self, id, *, title=None, geometry=None, start_date=None, end_date=None, undated=False, system=None, kind=None, funding=None, cost=None, cost_type=None, building_data=None, outside='refuse', unless_changed_since=None)"
    )]
    fn edit_diagram(
        id: DiagramId, title: Option<String>, geometry: Option<Features>, start_date: Option<UtcMillis>,
        end_date: Option<UtcMillis>, undated: bool, system: Option<SystemReference>, kind: Option<DiagramKind>,
        funding: Option<FundingType>, cost: Option<f64>, cost_type: Option<CostType>, building_data: Option<Metadata>,
        outside: Outside, unless_changed_since: Option<String>,
    ) -> String = |project| {
        let geometry = match geometry {
            Some(geometry) => {
                let kind = kind.unwrap_or(DiagramKind::Project);
                let title = title.clone().unwrap_or_else(|| id.to_string());
                let drawn = geometry.into_diagram(title, kind, FundingType::Public, None, outside, (None, None))?;
                check_place(&project, &drawn).await?;
                Some(drawn.drawn.geometry)
            }
            None => None,
        };
        let sysid = match system {
            Some(system) => Some(project.find_system(&system).await?),
            None => None,
        };
        let edit = DiagramEdit {
            title,
            start_date,
            end_date,
            undated,
            sysid,
            kind,
            fundingtype: funding,
            geometry,
            cost,
            cost_type,
            building_data: building_data.map(|Metadata(data)| data),
        };
        Ok(project.edit_diagram(id, &edit, unless_changed_since.as_deref()).await?)
    };

    #[doc = summary!(SET_VOTE)]
    ///
    /// Args:
    ///     id: The diagram's id.
    ///     vote: From -2 (strongly against) to 2 (strongly for).
    ///     comment: A word of why, which all members can read.
    ///
    /// Raises:
    ///     InputError: Another vote than these; nothing was sent.
    ///     PermissionDeniedError: Selecting is closed.
    ///     NotFoundError: The project has no such diagram.
    ///
    /// Examples:
    ///     >>> project.vote(1001, 2, "It keeps cellars dry.")
    #[pyo3(signature = (id, vote, comment="".to_owned()), text_signature = "($self, id, vote, comment='')")]
    fn vote(id: DiagramId, vote: i64, comment: String) -> Nothing = |project| {
        project.vote(id, vote, comment).await?;
        Ok(Nothing)
    };

    #[doc = summary!(SET_SELECTION)]
    ///
    /// Args:
    ///     username: A member of the project.
    ///     diagrams: The ids of all diagrams that the member then has selected.
    ///
    /// Returns:
    ///     These ids.
    ///
    /// Raises:
    ///     BadRequestError: The project lacks one of the diagrams; nothing was changed.
    ///     PermissionDeniedError: It is another member, or no member of the project; or selecting is closed.
    ///
    /// Examples:
    ///     >>> project.set_selection("jose.villanueva", [1001, 1040])
    ///     [1001, 1040]
    fn set_selection(username: Username, diagrams: DiagramIds) -> Json<Vec<DiagramId>> = |project| {
        Ok(Json(project.set_selection(&username, diagrams.0).await?))
    };

    #[doc = summary!(CHANGE_SELECTION)]
    ///
    /// Args:
    ///     username: A member of the project.
    ///     add: The ids of diagrams to add.
    ///     remove: The ids of diagrams to take out.
    ///
    /// Returns:
    ///     The ids of all diagrams that the member then has selected.
    ///
    /// Raises:
    ///     BadRequestError: The project lacks one of the diagrams; nothing was changed.
    ///     PermissionDeniedError: It is another member, or no member of the project; or selecting is closed.
    ///
    /// Examples:
    ///     >>> selected = project.change_selection("jose.villanueva", add=[1003], remove=[1001])
    ///     >>> 1003 in selected, 1001 in selected
    ///     (True, False)
    #[pyo3(signature = (username, *, add=None, remove=None))]
    fn change_selection(
        username: Username, add: Option<DiagramIds>, remove: Option<DiagramIds>,
    ) -> Json<Vec<DiagramId>> = |project| {
        let change = SelectionChange { add: ids(add), remove: ids(remove) };
        Ok(Json(project.change_selection(&username, &change).await?))
    };

    #[doc = summary!(SAVE_DESIGN)]
    ///
    /// It begins with the diagrams of all that is given: `diagrams`, the selections of `members`, another `design`.
    ///
    /// Args:
    ///     team: The team: the object, its id, its title or the unique start of one.
    ///     title: The design's title.
    ///     diagrams: The ids of diagrams.
    ///     members: Members of the project whose selections it has.
    ///     design: The id of another design of the project.
    ///     add: The ids of diagrams to add to these.
    ///     remove: The ids of diagrams to leave out.
    ///
    /// Returns:
    ///     A `DesignDetails` dict: `id`, `creationdate`, `description`.
    ///
    /// Raises:
    ///     InputError: No title, or nothing to begin with; nothing was sent.
    ///     BadRequestError: The project lacks a diagram, a member or a design that is named; nothing was saved.
    ///     PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.
    ///     NotFoundError: The project has no such team.
    ///
    /// Examples:
    ///     >>> first = project.save_design(1, "Round 2", diagrams=[1001, 1002])
    ///     >>> second = project.save_design(1, "Round 3", design=first["id"], add=[1003], remove=[1001])
    ///     >>> project.design_diagram_ids(1, second["id"])
    ///     [1002, 1003]
    #[pyo3(signature = (team, title, diagrams=None, *, members=None, design=None, add=None, remove=None))]
    fn save_design(
        team: TeamReference, title: String, diagrams: Option<DiagramIds>, members: Option<Vec<Username>>, design: Option<DesignId>,
        add: Option<DiagramIds>, remove: Option<DiagramIds>,
    ) -> Json<DesignDetails> = |project| {
        let design = new_design(title, diagrams, members, design, add, remove);
        Ok(Json(project.save_design(project.find_team(&team).await?, &design).await?))
    };

    #[doc = summary!(EDIT_DESIGN)]
    ///
    /// Args:
    ///     team: The team: the object, its id, its title or the unique start of one.
    ///     design: The design's id.
    ///     title: Its new title.
    ///
    /// Returns:
    ///     A `DesignDetails` dict.
    ///
    /// Raises:
    ///     InputError: An empty title; nothing was sent.
    ///     PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.save_design(1, "Draft", [1001])
    ///     >>> project.rename_design(1, design["id"], "Round 4")["description"]
    ///     'Round 4'
    fn rename_design(team: TeamReference, design: DesignId, title: String) -> Json<DesignDetails> = |project| {
        Ok(Json(project.rename_design(project.find_team(&team).await?, &design, title).await?))
    };

    #[doc = summary!(BEGIN_NEGOTIATION)]
    ///
    /// Args:
    ///     teams: Two teams or more: the objects, their ids, their titles or the unique starts of those.
    ///
    /// Returns:
    ///     A `NegotiationSession` dict, with its `session_id`.
    ///
    /// Raises:
    ///     InputError: Fewer than two teams; nothing was sent.
    ///     BadRequestError: The project lacks one of the teams.
    ///     PermissionDeniedError: The user is in none of the teams and no administrator of the project; or designing is closed.
    ///
    /// Examples:
    ///     >>> session = project.begin_negotiation([1, 2])
    ///     >>> move = project.add_move(session["session_id"], 1001, "accept", "Both need it.")
    ///     >>> project.negotiation_logs()[-1]["moves"][0]["comment"]
    ///     'Both need it.'
    fn begin_negotiation(teams: Vec<TeamReference>) -> Json<NegotiationSession> = |project| {
        Ok(Json(project.begin_negotiation(project.find_teams(&teams).await?).await?))
    };

    #[doc = summary!(ADD_MOVE)]
    ///
    /// Args:
    ///     session: The `session_id` of the negotiation.
    ///     diagram: The id of the diagram that is decided on.
    ///     decision: Such as `"accept"`, `"reject"` or `"ask"`.
    ///     comment: A word of why.
    ///
    /// Returns:
    ///     A `Move` dict, with its `timestamp` (UTC).
    ///
    /// Raises:
    ///     InputError: An empty decision; nothing was sent.
    ///     BadRequestError: The project lacks the diagram.
    ///     PermissionDeniedError: The user is in none of the teams and no administrator of the project; or designing is closed.
    ///     NotFoundError: The project has no such negotiation.
    ///
    /// Examples:
    ///     >>> session = project.begin_negotiation([1, 3])
    ///     >>> project.add_move(session["session_id"], 1002, "reject")["move"]
    ///     'reject'
    #[pyo3(signature = (session, diagram, decision, comment="".to_owned()), text_signature = "($self, session, diagram, decision, comment='')")]
    fn add_move(session: String, diagram: DiagramId, decision: String, comment: String) -> Json<Move> = |project| {
        Ok(Json(project.add_move(&session, &NewMove { diagram, action: decision, comment }).await?))
    };

    #[doc = summary!(ADD_TEAM)]
    ///
    /// Args:
    ///     title: The team's title.
    ///     members: Members of the project.
    ///     color: `#RRGGBB`.
    ///
    /// Returns:
    ///     A `ChangeTeam` dict: `id`, `title`, and `color` if one was given.
    ///
    /// Raises:
    ///     InputError: An empty title, or no such colour; nothing was sent.
    ///     BadRequestError: One of the members is not a member of the project; nothing was added.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> team = project.add_team("Youth council", ["amara.okafor"], color="#7B3294")
    ///     >>> project.team_members(team["id"])
    ///     ['amara.okafor']
    #[pyo3(signature = (title, members=None, *, color=None))]
    fn add_team(title: String, members: Option<Vec<Username>>, color: Option<String>) -> Json<ChangeTeam> = |project| {
        Ok(Json(project.add_team(&TeamEdit { title: Some(title), color, members }).await?))
    };

    #[doc = summary!(EDIT_TEAM)]
    ///
    /// What is not given stays as it is.
    ///
    /// Args:
    ///     team: The team: the object, its id, its title or the unique start of one.
    ///     title: Its new title.
    ///     members: All its members, who are members of the project.
    ///     color: `#RRGGBB`.
    ///
    /// Returns:
    ///     A `ChangeTeam` dict.
    ///
    /// Raises:
    ///     InputError: An empty title, or no such colour; nothing was sent.
    ///     BadRequestError: One of the members is not a member of the project; nothing was changed.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///     NotFoundError: The project has no such team.
    ///
    /// Examples:
    ///     >>> project.edit_team(1, color="#1B7837")["color"]
    ///     '#1B7837'
    #[pyo3(signature = (team, *, title=None, members=None, color=None))]
    fn edit_team(
        team: TeamReference, title: Option<String>, members: Option<Vec<Username>>, color: Option<String>,
    ) -> Json<ChangeTeam> = |project| {
        let edit = TeamEdit { title, color, members };
        Ok(Json(project.edit_team(project.find_team(&team).await?, &edit).await?))
    };

    #[doc = summary!(EDIT_SYSTEM)]
    ///
    /// What is not given stays as it is. `set_evaluation` and `set_impact` set its maps.
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///     name: Its new name.
    ///     color: `#RRGGBB`.
    ///     tag: A short name.
    ///     description: What it is about.
    ///     cost: Per hectare of a project, or per kilometre of one that has lines only.
    ///     budget: For the whole system.
    ///     current_ha: Hectares that the system covers today.
    ///     target_ha: Hectares that it should cover.
    ///
    /// Returns:
    ///     A `SystemDetail` dict.
    ///
    /// Raises:
    ///     InputError: An empty name, no such colour, a figure below 0; nothing was sent. Or the project has no system of that name.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> project.edit_system("High-density housing", budget=4e9)["budget"]
    ///     4000000000.0
    #[pyo3(signature = (system, *, name=None, color=None, tag=None, description=None, cost=None, budget=None, current_ha=None, target_ha=None))]
    fn edit_system(
        system: SystemReference, name: Option<String>, color: Option<String>, tag: Option<String>, description: Option<String>,
        cost: Option<f64>, budget: Option<f64>, current_ha: Option<f64>, target_ha: Option<f64>,
    ) -> Json<SystemDetail> = |project| {
        let system = project.find_system(&system).await?;
        let edit =
            SystemEdit { name, color, tag, verbose_description: description, cost, budget, current_ha, target_ha };
        Ok(Json(project.edit_system(system, &edit).await?))
    };

    #[doc = summary!(SET_BOUNDARIES)]
    ///
    /// Args:
    ///     features: Polygons, as `add_diagram` takes them; a `bname` or `name` among their attributes names them.
    ///     description: The name of the boundaries.
    ///     second: Whether to set the second set of boundaries.
    ///
    /// Raises:
    ///     InputError: Lines, or a geometry that `add_diagram` refuses too; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.set_boundaries(project.boundaries().to_geopandas(), "Staten Island")
    #[pyo3(signature = (features, description="".to_owned(), *, second=false), text_signature = "($self, features, description='', *, second=False)")]
    fn set_boundaries(features: Features, description: String, second: bool) -> Nothing = |project| {
        let map = if second { ProjectMap::SecondBoundaries } else { ProjectMap::Boundaries };
        project.set_project_map(map, features.into_map()?, description).await?;
        Ok(Nothing)
    };

    #[doc = summary!(SET_CONSTRAINTS)]
    ///
    /// Args:
    ///     features: Polygons or lines, as `add_diagram` takes them.
    ///     description: The name of the constraints.
    ///
    /// Raises:
    ///     InputError: A geometry that `add_diagram` refuses too; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.set_constraints(project.constraints().to_geopandas(), "Reserves")
    #[pyo3(signature = (features, description="".to_owned()), text_signature = "($self, features, description='')")]
    fn set_constraints(features: Features, description: String) -> Nothing = |project| {
        project.set_project_map(ProjectMap::Constraints, features.into_map()?, description).await?;
        Ok(Nothing)
    };

    #[doc = summary!(EDIT_PROJECT)]
    ///
    /// Args:
    ///     title: The project's title.
    ///     description: What it is about.
    ///
    /// Returns:
    ///     A `ProjectInfo` dict.
    ///
    /// Raises:
    ///     InputError: An empty title; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.edit_project(description="A fictional workshop")["projectdesc"]
    ///     'A fictional workshop'
    #[pyo3(signature = (*, title=None, description=None))]
    fn edit_project(title: Option<String>, description: Option<String>) -> Json<ProjectInfo> = |project| {
        Ok(Json(project.edit_project(&ProjectEdit { projecttitle: title, projectdesc: description }).await?))
    };

    #[doc = summary!(SET_MEMBER)]
    ///
    /// Args:
    ///     username: A user of the service.
    ///     administrator: Whether the member administers the project.
    ///
    /// Raises:
    ///     BadRequestError: The project would have no administrator.
    ///     PermissionDeniedError: The caller is not an administrator of the project, or the service has no such user.
    ///
    /// Examples:
    ///     >>> project.set_member("amara.okafor", administrator=True)
    #[pyo3(signature = (username, *, administrator=false))]
    fn set_member(username: Username, administrator: bool) -> Nothing = |project| {
        project.set_member(&username, administrator).await?;
        Ok(Nothing)
    };

    #[doc = summary!(SET_ACTIVITIES)]
    ///
    /// What is not given stays as it is. Administrators may do all of it, also while it is closed.
    ///
    /// Args:
    ///     drawing: Whether members may add and change diagrams.
    ///     selecting: Whether members may change selections and votes.
    ///     designing: Whether members may save designs and negotiate.
    ///     closes_at: When what is opened closes, as `update_diagram` takes dates. Default: never.
    ///     message: What each refusal then says.
    ///
    /// Returns:
    ///     A dict as `activities()` returns it.
    ///
    /// Raises:
    ///     InputError: Nothing is given, or `closes_at` for what is closed; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.set_activities(drawing=False, message="We compare now.")["drawing"]["open"]
    ///     False
    ///     >>> project.set_activities(drawing=True)["drawing"]["open"]
    ///     True
    #[pyo3(
        signature = (*, drawing=None, selecting=None, designing=None, closes_at=None, message="".to_owned()),
        text_signature = "($self, *, drawing=None, selecting=None, designing=None, closes_at=None, message='')"
    )]
    fn set_activities(
        drawing: Option<bool>, selecting: Option<bool>, designing: Option<bool>, closes_at: Option<UtcMillis>, message: String,
    ) -> Json<Activities> = |project| {
        if drawing.or(selecting).or(designing).is_none() {
            return Err(input_error("say what to open or close: drawing=, selecting= or designing="));
        }
        let edit = |open: bool| ActivityEdit { open, closes_at, message: message.clone() };
        let edit = ActivitiesEdit {
            drawing: drawing.map(edit),
            selecting: selecting.map(edit),
            designing: designing.map(edit),
        };
        Ok(Json(project.set_activities(&edit).await?))
    };
}

/// A design to save, from what is given of it.
pub fn new_design(
    title: String,
    diagrams: Option<DiagramIds>,
    members: Option<Vec<Username>>,
    design: Option<DesignId>,
    add: Option<DiagramIds>,
    remove: Option<DiagramIds>,
) -> NewDesign {
    NewDesign {
        description: title,
        diagrams: ids(diagrams),
        members: members.unwrap_or_default(),
        synthesisid: design,
        add: ids(add),
        remove: ids(remove),
    }
}

fn ids(given: Option<DiagramIds>) -> Vec<DiagramId> {
    given.map(|ids| ids.0).unwrap_or_default()
}
