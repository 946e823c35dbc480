//! The table of operations.
//!
//! Paths stand below the API root. The sentence says what the operation answers, or what it does; it is the summary in the
//! OpenAPI document and the first sentence of the documentation of the client's method.

use http::Method;

use super::operation::Operation;
use super::path_ids::{
    InDesign, InDesignSystem, InDiagram, InHistory, InLayer, InProject, InSystem, InTeam, InThumbnail, NoIds, OfMember,
    OfMemberInSystem, OnBoard,
};

/// `NAME: METHOD "path" (ids) "summary";` for every operation.
macro_rules! operation_table {
    ($($name:ident: $method:ident $path:literal ($ids:ident) $summary:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($method), " ", $path, "`\n\n", $summary)]
            pub const $name: Operation<$ids> =
                Operation::new(stringify!($name), Method::$method, $path, $summary);
        )*

        /// The summary of an operation as a literal: `#[doc = summary!(MEMBERS)]`. It is in scope in the whole crate by
        /// `#[macro_use]`: where a procedural macro reads the attribute, the compiler cannot resolve an import.
        macro_rules! summary {
            $(($name) => { $summary };)*
        }
    };
}

operation_table! {
    PROJECTS: GET "projects/" (NoIds)
        "The projects of which the user is a member, oldest first.";
    LATEST_PROJECT: GET "projects/latest/" (NoIds)
        "The user's most recently created project, in a list; an empty list if the user has no project.";
    CREATE_PROJECT: POST "projects/create/" (NoIds)
        "Creates a project. The user becomes its administrator.";
    CREATE_LINKED_PROJECT: POST "projects/create-igc-project/" (NoIds)
        "Creates a project that is linked to a project of the companion planning platform. The user becomes its administrator.";

    LIMITS: GET "limits/" (NoIds)
        "The limits of the service: how much one request, one user or one project may take of it.";

    PROJECT: GET "projects/{projectid}/" (InProject)
        "Title, description and start date of the project.";
    PROJECT_CHANGE_ID: GET "projects/{projectid}/changeid/" (InProject)
        "The change id of the project: a text that is different after each change of anything that the project shows.";
    MEMBERS: GET "projects/{projectid}/members/" (InProject)
        "The users who take part in the project.";
    STAKEHOLDERS: GET "projects/{projectid}/stakeholders/" (InProject)
        "The people and groups whose interests the project weighs.";
    ADD_STAKEHOLDERS: POST "projects/{projectid}/stakeholders/" (InProject)
        "Adds stakeholders by their names. A name that the project has already is not added again.";
    BOUNDS: GET "projects/{projectid}/bounds/" (InProject)
        "The bounds of the study area: west, south, east and north in degrees.";
    CENTER: GET "projects/{projectid}/center/" (InProject)
        "The centre of the study area: longitude and latitude in degrees.";
    PLUGINS: GET "projects/{projectid}/plugins/" (InProject)
        "The plugins, which are the extensions that the project uses.";
    SET_PLUGINS: POST "projects/{projectid}/plugins/" (InProject)
        "Replaces the plugins that the project uses.";
    BOUNDARIES: GET "projects/{projectid}/boundaries/" (InProject)
        "The outline of the study area.";
    SECOND_BOUNDARIES: GET "projects/{projectid}/secondboundaries/" (InProject)
        "The second set of boundaries, such as the surroundings of the study area.";
    CONSTRAINTS: GET "projects/{projectid}/constraints/" (InProject)
        "The constraints: land that no system may change.";

    HISTORY: GET "projects/{projectid}/history/" (InProject)
        "Who changed what in the project and when, newest first. Only an administrator of the project may see this.";
    UNDO: POST "projects/{projectid}/history/{entry}/undo/" (InHistory)
        "Makes a diagram, its note or a map what it was before a change. Only an administrator of the project may do this.";

    PROJECT_EVENTS: GET "projects/{projectid}/events/" (InProject)
        "The changes of the project as they are committed: server-sent events.";

    LAYERS: GET "projects/{projectid}/data_layers/" (InProject)
        "The external data layers: maps of other servers that the project shows.";
    ADD_LAYER: POST "projects/{projectid}/data_layers/" (InProject)
        "Adds an external data layer. A layer whose url is not https is not added, and the answer says so.";
    DELETE_LAYER: DELETE "projects/{projectid}/data_layers/{layer_id}/" (InLayer)
        "Removes an external data layer. Only an administrator of the project may do this.";

    TAGS: GET "projects/{projectid}/tags/" (InProject)
        "The tags of the project, each with the ids of the diagrams that carry it.";
    CREATE_TAGS: POST "projects/{projectid}/tags/create/" (InProject)
        "Adds tags to the project. A tag that the project has already, with the same name and code, is not added again.";
    CREATE_TAGS_ALIAS: POST "projects/{projectid}/tags/" (InProject)
        "Adds tags to the project, as `tags/create/` does.";
    DIAGRAM_TAGS: GET "projects/{projectid}/diagrams/{diagramid}/tags/" (InDiagram)
        "The tags that a diagram carries.";
    SET_DIAGRAM_TAGS: POST "projects/{projectid}/diagrams/{diagramid}/tags/" (InDiagram)
        "Replaces the tags of a diagram, named by their ids.";
    DIAGRAM_TAG_CODES: GET "projects/{projectid}/diagrams/{diagramid}/tags/codes/" (InDiagram)
        "The tags that a diagram carries, to read their codes.";
    SET_DIAGRAM_TAG_CODES: POST "projects/{projectid}/diagrams/{diagramid}/tags/codes/" (InDiagram)
        "Replaces the tags of a diagram, named by their codes.";

    DIAGRAMS: GET "projects/{projectid}/diagrams/" (InProject)
        "The diagrams of the project, each with its title, author, system and rank only.";
    ALL_DIAGRAMS: GET "projects/{projectid}/diagrams/all/" (InProject)
        "Every diagram of the project with its features.";
    ALL_DIAGRAM_DETAILS: GET "projects/{projectid}/diagrams/all/details/" (InProject)
        "Every diagram of the project without its features.";
    DIAGRAM: GET "projects/{projectid}/diagrams/{diagramid}/" (InDiagram)
        "A diagram with its features.";
    UPDATE_DIAGRAM: POST "projects/{projectid}/diagrams/{diagramid}/" (InDiagram)
        "Sets the metadata of a diagram and, if they are given, its title, tags and dates.";
    DELETE_DIAGRAM: DELETE "projects/{projectid}/diagrams/{diagramid}/" (InDiagram)
        "Removes a diagram. Undoing this restores it. Only an administrator of the project may do this.";
    NOTES: GET "projects/{projectid}/diagrams/{diagramid}/notes/" (InDiagram)
        "The note of a diagram.";
    SET_NOTES: POST "projects/{projectid}/diagrams/{diagramid}/notes/" (InDiagram)
        "Replaces the note of a diagram.";
    CHANGE_ID: GET "projects/{projectid}/diagrams/{diagramid}/changeid/" (InDiagram)
        "The change id of a diagram: a text that is different after each change of the diagram.";
    GROUP_DIAGRAMS: POST "projects/{projectid}/diagrams/group/" (InProject)
        "Puts diagrams into groups. A group that exists already then has exactly these diagrams.";
    GROUP_DIAGRAMS_ALIAS: POST "projects/{projectid}/diagrams/groups/" (InProject)
        "Puts diagrams into groups, as `diagrams/group/` does.";

    GENERATE_THUMBNAILS: GET "projects/{projectid}/diagrams/all/generate_thumbnails/" (InProject)
        "Draws a thumbnail of every diagram of the project; the answer says where they are.";
    GENERATE_THUMBNAIL: GET "projects/{projectid}/diagrams/{diagramid}/generate_thumbnail/" (InDiagram)
        "Draws a thumbnail of a diagram; the answer says where it is.";
    THUMBNAIL: GET "projects/{projectid}/diagrams/{diagramid}/thumbnail/{jobid}/" (InThumbnail)
        "A thumbnail that was drawn: a PNG image of 256 × 256 pixels.";

    SYSTEMS: GET "projects/{projectid}/systems/" (InProject)
        "The systems of the project, each with its name, colour and description only.";
    SYSTEM: GET "projects/{projectid}/systems/{sysid}/" (InSystem)
        "A system with its cost, budget and target area.";
    SYSTEM_DIAGRAM_IDS: GET "projects/{projectid}/systems/{sysid}/diagrams/" (InSystem)
        "The ids of the diagrams of a system.";
    EVALUATION: GET "projects/{projectid}/systems/{sysid}/evaluation/" (InSystem)
        "The evaluation map of a system: where change is wanted, and where not.";
    SET_EVALUATION: POST "projects/{projectid}/systems/{sysid}/e/map/json/" (InSystem)
        "Replaces the evaluation map of a system.";
    SET_EVALUATION_OF_MEMBER: POST "projects/{projectid}/systems/{sysid}/e/map/json/{username}/" (OfMemberInSystem)
        "Replaces the evaluation map of a system in the name of a member.";
    SET_IMPACT: POST "projects/{projectid}/systems/{sysid}/i/map/json/" (InSystem)
        "Replaces the impact map of a system.";
    SET_IMPACT_OF_MEMBER: POST "projects/{projectid}/systems/{sysid}/i/map/json/{username}/" (OfMemberInSystem)
        "Replaces the impact map of a system in the name of a member.";

    ADD_PROJECT: POST "projects/{projectid}/systems/{sysid}/add/project/" (InSystem)
        "Adds a drawn diagram to a system: a project, which is something to be built.";
    ADD_POLICY: POST "projects/{projectid}/systems/{sysid}/add/policy/" (InSystem)
        "Adds a drawn diagram to a system: a policy, which is a rule or an incentive.";
    ADD_EXTERNAL_PROJECT: POST "projects/{projectid}/systems/{sysid}/add/external/project/" (InSystem)
        "Adds a project whose features are in a file on another server to a system.";
    ADD_EXTERNAL_POLICY: POST "projects/{projectid}/systems/{sysid}/add/external/policy/" (InSystem)
        "Adds a policy whose features are in a file on another server to a system.";

    SELECTION: GET "projects/{projectid}/members/{username}/diagrams/" (OfMember)
        "The features of the diagrams that a member selected, in all systems.";
    SELECTION_IN_SYSTEM: GET "projects/{projectid}/systems/{sysid}/{username}/diagrams/" (OfMemberInSystem)
        "The features of the diagrams that a member selected in a system.";
    SELECTED_PROJECTS: GET "projects/{projectid}/systems/{sysid}/{username}/diagrams/projects/" (OfMemberInSystem)
        "The features of the projects that a member selected in a system.";
    SELECTED_POLICIES: GET "projects/{projectid}/systems/{sysid}/{username}/diagrams/policies/" (OfMemberInSystem)
        "The features of the policies that a member selected in a system.";

    NEGOTIATION_LOGS: GET "projects/{projectid}/negotiation_logs/" (InProject)
        "What change teams accepted and rejected while they negotiated one design out of two, session by session.";
    TEAMS: GET "projects/{projectid}/cteams/" (InProject)
        "The change teams of the project.";
    DESIGNS: GET "projects/{projectid}/cteams/{cteamid}/" (InTeam)
        "The designs that a change team saved, oldest first.";
    LATEST_DESIGN_DETAILS: GET "projects/{projectid}/cteams/{cteamid}/details/" (InTeam)
        "The description of the latest design of a change team, and when it was saved.";
    TEAM_MEMBERS: GET "projects/{projectid}/cteams/{cteamid}/members/" (InTeam)
        "The members of a change team.";
    DESIGN: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/" (InDesign)
        "The features of the diagrams in a design.";
    DESIGN_DETAILS: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/details/" (InDesign)
        "The description of a design, and when it was saved.";
    DESIGN_DIAGRAM_IDS: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/diagrams/" (InDesign)
        "The ids of the diagrams in a design.";
    DESIGN_TIMELINE: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/timeline/" (InDesign)
        "The dates on which the diagrams of a design start and end.";
    BOARD_TIMELINE: GET "projects/{projectid}/boards/{boardid}/timeline/" (OnBoard)
        "The dates on which the diagrams of the project start and end, whatever the design board.";
    DESIGN_ESRI: GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/esri/" (InDesign)
        "The features of the diagrams in a design, as feature-JSON.";
    DESIGN_SYSTEM_PROJECTS:
        GET "projects/{projectid}/cteams/{cteamid}/{synthesisid}/systems/{sysid}/projects/" (InDesignSystem)
        "The features of the projects of one system in a design.";
}
