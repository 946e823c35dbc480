//! Operations of a change team.

use pyo3::prelude::*;

use super::{AsyncDesign, AsyncTeam, Design, Team};
use crate::convert::arguments::{DiagramIds, ids};
use crate::engine::operations::making;
use geodesign::model::{NewDesign, TeamEdit, Username};
use geodesign_client::{GivenDesign, TeamHandle};

making! { Team / AsyncTeam of TeamHandle:
    /// The designs that the team saved, oldest first.
    ///
    /// Returns:
    ///     A list of `Design`.
    ///
    /// Raises:
    ///     InputError: The project has no such team; it lists the teams.
    ///
    /// Examples:
    ///     >>> [design.title for design in project.team("Mobility").designs()][:2]
    ///     ['Design 1 – two new lines', 'Design 2 – lines, streets and paths']
    fn designs() -> each Design / AsyncDesign = |team| team.designs().await;

    /// The design that the team saved last, by its date.
    ///
    /// Returns:
    ///     The `Design`.
    ///
    /// Raises:
    ///     InputError: The team has no design yet; or the project has no such team, and it lists the teams.
    ///
    /// Examples:
    ///     >>> project.team("Mobility").latest().title
    ///     'Design 3 – what the budget carries'
    fn latest() -> one Design / AsyncDesign = |team| team.latest().await;

    /// Saves a design of the team. Its members and administrators may do this.
    ///
    /// It starts with the diagrams of all given arguments: `diagrams`, the selections of `members`, another `design`.
    ///
    /// Args:
    ///     title: The design's title.
    ///     diagrams: Diagrams: the objects, their ids, their titles or their titles' unique starts.
    ///     members: Members of the project whose selections to include.
    ///     design: Another design of the project: the object, its id or its title.
    ///     add: Diagrams to add to these.
    ///     remove: Diagrams to leave out.
    ///
    /// Returns:
    ///     The `Design`.
    ///
    /// Raises:
    ///     InputError: No title, or nothing to start with; nothing was sent. Or there is no such team or design; it lists them.
    ///     BadRequestError: The project lacks one of the diagrams or members; nothing was saved.
    ///     PermissionDeniedError: The user is neither in the team nor an administrator of the project; or designing is closed.
    ///
    /// Examples:
    ///     >>> team = project.team("Residents")
    ///     >>> design = team.save("Round 2", members=["amara.okafor"])
    ///     >>> design in team.designs()
    ///     True
    #[pyo3(signature = (title, diagrams=None, *, members=None, design=None, add=None, remove=None))]
    fn save(
        title: String, diagrams: Option<DiagramIds>, members: Option<Vec<Username>>, design: Option<GivenDesign>,
        add: Option<DiagramIds>, remove: Option<DiagramIds>,
    ) -> one Design / AsyncDesign = |team| {
        let from = match design {
            Some(design) => Some(team.project().find_design(&design).await?.1),
            None => None,
        };
        let project = team.project();
        let (diagrams, add, remove) = (ids(diagrams, project).await?, ids(add, project).await?, ids(remove, project).await?);
        let members = members.unwrap_or_default();
        team.save(&NewDesign { description: title, diagrams, members, synthesisid: from, add, remove }).await
    };

    /// Changes the given fields of the team. Only an administrator of the project may do this.
    ///
    /// Args:
    ///     title: The team's title.
    ///     members: All members of the team after the change.
    ///     color: `#RRGGBB`.
    ///
    /// Returns:
    ///     The updated `Team`.
    ///
    /// Raises:
    ///     InputError: An empty title, or no such colour; nothing was sent. Or there is no such team; it lists the teams.
    ///     BadRequestError: One of the members is not a member of the project; nothing was changed.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.team("Developers").edit(color="#D95F02").color
    ///     '#D95F02'
    #[pyo3(signature = (*, title=None, members=None, color=None))]
    fn edit(
        title: Option<String>, members: Option<Vec<Username>>, color: Option<String>,
    ) -> one Team / AsyncTeam = |team| {
        team.edit(&TeamEdit { title, color, members }).await
    };
}
