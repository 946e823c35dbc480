//! Participation in a project.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::side;
use crate::api::project::{AsyncProject, Project};
use crate::convert::errors::input_error;
use crate::convert::results::{Nothing, Reduced};
use crate::convert::to_python::Json;
use crate::engine::operations::operations;
use geodesign::model::{
    Activities, ActivitiesEdit, ActivityEdit, JoiningCode, Move, NegotiationSession, NewGuest, NewGuestLink, NewMove,
    Username, UtcMillis, WalkInsEdit,
};
use geodesign_client as client;
use geodesign_client::{DiagramReference, TeamReference};

/// Participation in a project: activities open to members, guests, walk-ins, negotiations, stakeholders, plugins. It is
/// `project.workshop`.
///
/// Examples:
///     >>> project.workshop.activities()["drawing"]["open"]
///     True
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct Workshop(client::Project);

/// Participation in a project: `AsyncProject.workshop`, the methods of `Workshop`, awaited.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def is_open(sandbox):
///     ...     workshop = sandbox.async_client().project("StatenIsland2050").workshop
///     ...     return (await workshop.activities())["drawing"]["open"]
///     >>> with Sandbox() as sandbox:
///     ...     asyncio.run(is_open(sandbox))
///     True
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncWorkshop(client::Project);

side! { Workshop of Project by workshop }
side! { AsyncWorkshop of AsyncProject by workshop }

operations! { Workshop / AsyncWorkshop of client::Project:
    #[doc = summary!(BEGIN_NEGOTIATION)]
    ///
    /// Args:
    ///     teams: Two teams or more: the objects, their ids, their titles or their titles' unique starts.
    ///
    /// Returns:
    ///     A `NegotiationSession` dict, with its `session_id`.
    ///
    /// Raises:
    ///     InputError: Fewer than two teams; nothing was sent.
    ///     BadRequestError: The project lacks one of the teams.
    ///     PermissionDeniedError: The user is neither in one of the teams nor an administrator of the project; or designing is closed.
    ///
    /// Examples:
    ///     >>> session = project.workshop.begin_negotiation([1, 2])
    ///     >>> move = project.workshop.add_move(session["session_id"], 1001, "accept", "Both need it.")
    ///     >>> project.workshop.negotiation_logs()[-1]["moves"][0]["comment"]
    ///     'Both need it.'
    fn begin_negotiation(teams: Vec<TeamReference>) -> Json<NegotiationSession> = |project| {
        Ok(Json(project.begin_negotiation(project.find_teams(&teams).await?).await?))
    };

    #[doc = summary!(ADD_MOVE)]
    ///
    /// Args:
    ///     session: The `session_id` of the negotiation.
    ///     diagram: The diagram of the decision: the object, its id or its title.
    ///     decision: The decision, such as `"accept"`, `"reject"` or `"ask"`.
    ///     comment: A short reason.
    ///
    /// Returns:
    ///     A `Move` dict, with its `timestamp` (UTC).
    ///
    /// Raises:
    ///     InputError: An empty decision; nothing was sent.
    ///     BadRequestError: The project lacks the diagram.
    ///     PermissionDeniedError: The user is neither in one of the teams nor an administrator of the project; or designing is closed.
    ///     NotFoundError: The project has no such negotiation.
    ///
    /// Examples:
    ///     >>> session = project.workshop.begin_negotiation([1, 3])
    ///     >>> project.workshop.add_move(session["session_id"], 1002, "reject")["move"]
    ///     'reject'
    #[pyo3(signature = (session, diagram, decision, comment="".to_owned()), text_signature = "($self, session, diagram, decision, comment='')")]
    fn add_move(session: String, diagram: DiagramReference, decision: String, comment: String) -> Json<Move> = |project| {
        let diagram = project.find_diagram(&diagram).await?;
        Ok(Json(project.add_move(&session, &NewMove { diagram, action: decision, comment }).await?))
    };

    #[doc = summary!(SET_ACTIVITIES)]
    ///
    /// Omitted arguments stay unchanged. Administrators may do all of it, even while it is closed.
    ///
    /// Args:
    ///     drawing: True if members may add and change diagrams.
    ///     selecting: True if members may change selections and votes.
    ///     designing: True if members may save designs and negotiate.
    ///     commenting: True if members may comment.
    ///     votes_hidden: True hides votes: members see only their own, until False shows all.
    ///     drawings_shown: True shows members what others are drawing, from the first corner on. At first, it is False.
    ///     closes_at: The time when the opened activities close, as for `Diagram.update`. Default: never.
    ///     message: The text shown with each refusal.
    ///
    /// Returns:
    ///     A dict as from `activities()`.
    ///
    /// Raises:
    ///     InputError: No argument is given, or `closes_at` is given for a closed activity; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.workshop.set_activities(drawing=False, message="We compare now.")["drawing"]["open"]
    ///     False
    ///     >>> project.workshop.set_activities(drawing=True)["drawing"]["open"]
    ///     True
    ///     >>> project.workshop.set_activities(votes_hidden=True)["votes_hidden"]
    ///     True
    #[pyo3(
        signature = (*, drawing=None, selecting=None, designing=None, commenting=None, votes_hidden=None, drawings_shown=None, closes_at=None, message="".to_owned()),
        text_signature = "($self, *, drawing=None, selecting=None, designing=None, commenting=None, votes_hidden=None, drawings_shown=None, closes_at=None, message='')"
    )]
    fn set_activities(
        drawing: Option<bool>, selecting: Option<bool>, designing: Option<bool>, commenting: Option<bool>,
        votes_hidden: Option<bool>, drawings_shown: Option<bool>, closes_at: Option<UtcMillis>, message: String,
    ) -> Json<Activities> = |project| {
        if drawing.or(selecting).or(designing).or(commenting).or(votes_hidden).or(drawings_shown).is_none() {
            const CHOICES: &str = "give something to change: drawing=, selecting=, designing=, commenting=, votes_hidden= or drawings_shown=";
            return Err(input_error(CHOICES).into());
        }
        let edit = |open: bool| ActivityEdit { open, closes_at, message: message.clone() };
        let edit = ActivitiesEdit {
            drawing: drawing.map(edit),
            selecting: selecting.map(edit),
            designing: designing.map(edit),
            commenting: commenting.map(edit),
            votes_hidden,
            drawings_shown,
        };
        Ok(Json(project.set_activities(&edit).await?))
    };

    #[doc = summary!(ADD_LINK)]
    ///
    /// With the link's token, a guest can read everything that members can read in this project, and change nothing.
    ///
    /// Args:
    ///     title: The person or group that the link is for.
    ///     expires_at: The time when the link expires, as for `Diagram.update`.
    ///     names: True to show guests the names of members and authors. Without them, `author` is empty everywhere, and members,
    ///         selections and votes cannot be read.
    ///
    /// Returns:
    ///     A `NewGuest` dict: `id`, `title`, `names`, `created_at`, `expires_at`, `last_used_at`; `token`, for `Client(token, url)`;
    ///     and `path`, to open below the address of the service.
    ///
    /// Raises:
    ///     InputError: An empty title; nothing was sent.
    ///     BadRequestError: The time has passed, or the project has reached its limit of links.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> link = project.workshop.add_link("Newspaper", expires_at="2999-06-01")
    ///     >>> from pygeodesign import Client
    ///     >>> guest = Client(link["token"], client.base_url)
    ///     >>> {row["author"] for row in guest.project(project.id).diagrams(fields="summary")}
    ///     {''}
    #[pyo3(signature = (title, expires_at, *, names=false))]
    fn add_link(title: String, expires_at: UtcMillis, names: bool) -> Json<NewGuest> = |project| {
        Ok(Json(project.add_link(&NewGuestLink { title, names, expires_at }).await?))
    };

    #[doc = summary!(OPEN_WALK_INS)]
    ///
    /// With the code and a name, `Client.walk_in` creates an account of that name and makes it a member of the project.
    ///
    /// Args:
    ///     closes_at: The time when the code expires, as for `Diagram.update`. `close_walk_ins` ends it earlier.
    ///     by_hand: True to make walk-ins wait until an administrator admits or refuses them. By default they are admitted at once.
    ///     team: The walk-ins' team: the object, its id, its title or its title's unique start. Default: none.
    ///
    /// Returns:
    ///     A dict with `code` and `closes_at` (UTC).
    ///
    /// Raises:
    ///     InputError: The project has no team of that title; it lists the teams.
    ///     BadRequestError: The time has passed, or the project has no team of that id.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> len(project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"])
    ///     11
    #[pyo3(signature = (closes_at, *, by_hand=false, team=None))]
    fn open_walk_ins(closes_at: UtcMillis, by_hand: bool, team: Option<TeamReference>) -> Json<JoiningCode> = |project| {
        let cteamid = project.find_teams(team.as_slice()).await?.pop();
        Ok(Json(project.open_walk_ins(&WalkInsEdit { closes_at, by_hand, cteamid }).await?))
    };

    #[doc = summary!(ADMIT_WALK_IN)]
    ///
    /// Args:
    ///     name: The `username` of a waiting walk-in.
    ///     team: The user's team: the object, its id, its title or its title's unique start. Default: the joining code's team.
    ///
    /// Raises:
    ///     BadRequestError: The project has no such team, or somebody got an account of that name meanwhile.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///     NotFoundError: No walk-in of that name is waiting.
    ///
    /// Examples:
    ///     >>> code = project.workshop.open_walk_ins("2999-06-01", by_hand=True)["code"]
    ///     >>> walked_in = client.walk_in(code, "Yuki")
    ///     >>> project.workshop.admit_walk_in("Yuki", team=2)
    ///     >>> "Yuki" in project.team(2).members()
    ///     True
    #[pyo3(signature = (name, *, team=None))]
    fn admit_walk_in(name: Username, team: Option<TeamReference>) -> Nothing = |project| {
        let team = project.find_teams(team.as_slice()).await?.pop();
        project.admit_walk_in(&name, team).await?;
        Ok(Nothing)
    };

    #[doc = summary!(ADD_STAKEHOLDERS)]
    ///
    /// Args:
    ///     names: Their names. A stakeholder that the project already has is not added again.
    ///
    /// Raises:
    ///     InputError: A name is empty; nothing was sent.
    ///
    /// Examples:
    ///     >>> project.workshop.add_stakeholders(["Oyster growers"])
    ///     >>> "Oyster growers" in {stakeholder["name"] for stakeholder in project.workshop.stakeholders()}
    ///     True
    fn add_stakeholders(names: Vec<String>) -> Nothing = |project| {
        project.add_stakeholders(&names).await?;
        Ok(Nothing)
    };
}
