//! The parts of a project, from the project.

use pyo3::prelude::*;

use super::{
    AsyncDesign, AsyncDiagram, AsyncMember, AsyncStudyArea, AsyncSystem, AsyncTeam, AsyncWorkshop, Design, Diagram,
    Member, StudyArea, System, Team, Workshop,
};
use crate::api::project::{AsyncProject, Project};
use crate::convert::arguments::{Arg, Taken, given_design};
use crate::engine::operations::making;
use geodesign::model::{SystemEdit, TeamEdit, Username};
use geodesign_client as client;
use geodesign_client::{DiagramReference, GivenDesign, Part, SystemReference, TeamReference};

making! { Project / AsyncProject of client::Project:
    #[doc = summary!(TEAMS)]
    ///
    /// Returns:
    ///     A list of `Team`.
    ///
    /// Examples:
    ///     >>> [team.title for team in project.teams()]
    ///     ['Conservation', 'Developers', 'Mobility', 'Residents']
    fn teams() -> each Team / AsyncTeam = |project| project.team_handles().await;

    /// The designs of the project, newest last, or those of a team.
    ///
    /// Args:
    ///     team: A team: the object, its id, its title or its title's unique start. Default: all teams.
    ///
    /// Returns:
    ///     A list of `Design`.
    ///
    /// Raises:
    ///     InputError: The project has no such team; it lists the teams.
    ///
    /// Examples:
    ///     >>> len(project.designs()), [design.title for design in project.designs("Developers")]
    ///     (10, ['Design 1 – build at the stations', 'Design 2 – North Shore first'])
    #[pyo3(signature = (team=None))]
    fn designs(team: Option<TeamReference>) -> each Design / AsyncDesign = |project| {
        project.design_handles(team.as_ref()).await
    };

    #[doc = summary!(SYSTEMS)]
    ///
    /// If the service leaves figures out of the list, each system is requested.
    ///
    /// Returns:
    ///     A list of `System`.
    ///
    /// Examples:
    ///     >>> water = project.systems()[0]
    ///     >>> water.name, water.target_ha
    ///     ('Water', 1200.0)
    fn systems() -> each System / AsyncSystem = |project| project.system_handles().await;

    #[doc = summary!(MEMBERS)]
    ///
    /// Returns:
    ///     A list of `Member`.
    ///
    /// Examples:
    ///     >>> project.members()[0].username
    ///     'admin'
    fn members() -> each Member / AsyncMember = |project| project.member_handles().await;

    #[doc = summary!(ADD_TEAM)]
    ///
    /// Args:
    ///     title: The team's title.
    ///     members: Members of the project.
    ///     color: `#RRGGBB`.
    ///
    /// Returns:
    ///     The `Team`.
    ///
    /// Raises:
    ///     InputError: An empty title, or no such colour; nothing was sent.
    ///     BadRequestError: One of the members is not a member of the project; nothing was added.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.add_team("Youth council", ["amara.okafor"], color="#7B3294").members()
    ///     ['amara.okafor']
    #[pyo3(signature = (title, members=None, *, color=None))]
    fn add_team(title: String, members: Option<Vec<Username>>, color: Option<String>) -> one Team / AsyncTeam = |project| {
        let team = project.add_team(&TeamEdit { title: Some(title), color, members }).await?;
        Ok::<_, PyErr>(Part::known(project, team))
    };

    #[doc = summary!(ADD_SYSTEM)]
    ///
    /// Args:
    ///     name: The system's name.
    ///     color: `#RRGGBB`.
    ///     tag: A short name.
    ///     description: Its subject.
    ///     cost: Per hectare of a project, or per kilometre of one with lines only.
    ///     budget: For the complete system.
    ///     current_ha: Hectares that the system covers today.
    ///     target_ha: Hectares that it should cover.
    ///
    /// Returns:
    ///     The `System`.
    ///
    /// Raises:
    ///     InputError: An empty name, no such colour, a figure below 0; nothing was sent.
    ///     BadRequestError: The project has twelve systems.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.add_system("Tourism", "#4FB3A9", tag="TOU", cost=800_000).cost
    ///     800000.0
    #[pyo3(signature = (name, color, *, tag=None, description=None, cost=None, budget=None, current_ha=None, target_ha=None))]
    fn add_system(
        name: String, color: String, tag: Option<String>, description: Option<String>, cost: Option<f64>,
        budget: Option<f64>, current_ha: Option<f64>, target_ha: Option<f64>,
    ) -> one System / AsyncSystem = |project| {
        let (name, color) = (Some(name), Some(color));
        let verbose_description = description;
        let figures = SystemEdit { cost, budget, current_ha, target_ha, ..SystemEdit::default() };
        let new = SystemEdit { name, color, tag, verbose_description, ..figures };
        let system = project.add_system(&new).await?;
        Ok::<_, PyErr>(Part::known(project, system))
    };

    #[doc = summary!(SET_MEMBER)]
    ///
    /// Args:
    ///     username: A user of the service.
    ///     administrator: True if the member administers the project.
    ///
    /// Returns:
    ///     The `Member`.
    ///
    /// Raises:
    ///     BadRequestError: The project would have no administrator.
    ///     PermissionDeniedError: The caller is not an administrator of the project, or the service has no such user.
    ///
    /// Examples:
    ///     >>> project.add_member("amara.okafor", administrator=True).username
    ///     'amara.okafor'
    #[pyo3(signature = (username, *, administrator=false))]
    fn add_member(username: Username, administrator: bool) -> one Member / AsyncMember = |project| {
        project.set_member(&username, administrator).await?;
        Ok::<_, PyErr>(Part::new(project, username))
    };
}

macro_rules! parts_of {
    ($project:ident: $team:ident $design:ident $system:ident $diagram:ident $member:ident $workshop:ident $study_area:ident) => {
        #[pymethods]
        impl $project {
            /// A change team of the project. Nothing is sent until you ask it for something.
            ///
            /// Args:
            ///     team: Its id, its title in upper or lower case, or the unique start of its title.
            ///
            /// Raises:
            ///     InputError: On the first request: the project has no such team, or several; it lists them.
            ///
            /// Examples:
            ///     >>> project.team("Conservation").members()[0]
            ///     'amara.okafor'
            fn team(&self, team: Arg<TeamReference>) -> PyResult<$team> {
                Ok($team(Part::new(self.handle()?, team.0)))
            }

            /// A design of a change team. Nothing is sent until you ask it for something.
            ///
            /// Args:
            ///     design: Its id, its title in upper or lower case, or the unique start of its title. Default: the latest one.
            ///     team: The design's team, if several teams have one of that title. Default: any.
            ///
            /// Raises:
            ///     InputError: On the first request: the project has no such design, or several; it lists them.
            ///
            /// Examples:
            ///     >>> project.design("Design 3 – with the Residents' parks").team.title
            ///     'Conservation'
            ///     >>> project.design(team="Mobility").title
            ///     'Design 3 – what the budget carries'
            #[pyo3(signature = (design=None, team=None))]
            fn design(&self, design: Option<Arg<GivenDesign>>, team: Option<Arg<TeamReference>>) -> PyResult<$design> {
                let design = given_design(Taken::from_given(team), Taken::from_given(design));
                Ok($design(Part::new(self.handle()?, design.unwrap_or_default())))
            }

            /// A system of the project. Nothing is sent until you ask it for something.
            ///
            /// Args:
            ///     system: Its id, its name or tag in upper or lower case, or the unique start of its name.
            ///
            /// Raises:
            ///     InputError: On the first request: the project has no system of that name, or several; it lists them.
            ///     NotFoundError: On the first request: the project has no system with that id.
            ///
            /// Examples:
            ///     >>> project.system("Water").tag
            ///     'WAT'
            fn system(&self, system: Arg<SystemReference>) -> PyResult<$system> {
                Ok($system(Part::new(self.handle()?, system.0)))
            }

            /// A diagram of the project. Nothing is sent until you ask it for something.
            ///
            /// Args:
            ///     diagram: Its id, its title in upper or lower case, or the unique start of its title.
            ///
            /// Raises:
            ///     InputError: On the first request: the project has no diagram of that title, or several; it lists them.
            ///     NotFoundError: On the first request: the project has no diagram of that id.
            ///
            /// Examples:
            ///     >>> project.diagram("Oakwood Beach tidal").id
            ///     1001
            fn diagram(&self, diagram: Arg<DiagramReference>) -> PyResult<$diagram> {
                Ok($diagram(Part::new(self.handle()?, diagram.0)))
            }

            /// A member of the project. Nothing is sent until you ask the member for something.
            ///
            /// Args:
            ///     username: The name of the member, which is case-sensitive.
            ///
            /// Raises:
            ///     PermissionDeniedError: On the first request: the user is not a member of the project.
            ///
            /// Examples:
            ///     >>> len(project.member("amara.okafor").selection()) > 0
            ///     True
            fn member(&self, username: Arg<Username>) -> PyResult<$member> {
                Ok($member(Part::new(self.handle()?, username.0)))
            }

            /// Participation: activities open to members, guests, walk-ins, negotiations, stakeholders, plugins.
            ///
            /// Examples:
            ///     >>> project.workshop.activities()["drawing"]["open"]
            ///     True
            #[getter]
            fn workshop(&self) -> PyResult<$workshop> {
                Ok($workshop::from(self.handle()?))
            }

            /// The land of the project: bounds, boundaries, constraints, context, data layers.
            ///
            /// Examples:
            ///     >>> west, south, east, north = project.study_area.bounds()
            #[getter]
            fn study_area(&self) -> PyResult<$study_area> {
                Ok($study_area::from(self.handle()?))
            }
        }
    };
}

parts_of! { Project: Team Design System Diagram Member Workshop StudyArea }
parts_of! { AsyncProject: AsyncTeam AsyncDesign AsyncSystem AsyncDiagram AsyncMember AsyncWorkshop AsyncStudyArea }
