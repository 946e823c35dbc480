//! Change teams and their designs.

use pyo3::prelude::*;

use crate::client::{self, SystemReference};
use crate::model::{ChangeTeam, Design, DesignDetails, DesignId, DiagramId, EsriFeature, TeamId, Timeline, Username};
use crate::python::api::features::FeatureCollection;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    #[doc = summary!(TEAMS)]
    ///
    /// Returns:
    ///     A list of dicts with `id` and `title`.
    ///
    /// Examples:
    ///     >>> [team["id"] for team in project.teams()]
    ///     [1, 2, 3, 4]
    fn teams() -> Json<Vec<ChangeTeam>> = |project| Ok(Json(project.teams().await?));

    #[doc = summary!(TEAM_MEMBERS)]
    ///
    /// Args:
    ///     team: The team's id.
    ///
    /// Returns:
    ///     A list of user names.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such team.
    ///
    /// Examples:
    ///     >>> len(project.team_members(1))
    ///     3
    fn team_members(team: TeamId) -> Json<Vec<Username>> = |project| Ok(Json(project.team_members(team).await?));

    #[doc = summary!(DESIGNS)]
    ///
    /// Args:
    ///     team: The team's id.
    ///
    /// Returns:
    ///     A list of `Design` dicts: `id` (16 characters), `cteamid`, `creationdate` (ISO 8601), `description`.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such team.
    ///
    /// Examples:
    ///     >>> len(project.designs(1))
    ///     3
    fn designs(team: TeamId) -> Json<Vec<Design>> = |project| Ok(Json(project.designs(team).await?));

    #[doc = summary!(DESIGN_DETAILS)]
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id. Default: the team's latest design.
    ///
    /// Returns:
    ///     A dict with `id`, `creationdate` (ISO 8601), `description`.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> project.design_details(1)["id"] == project.designs(1)[-1]["id"]
    ///     True
    #[pyo3(signature = (team, design=None))]
    fn design_details(team: TeamId, design: Option<DesignId>) -> Json<DesignDetails> = |project| {
        Ok(Json(project.design_details(team, design.as_ref()).await?))
    };

    #[doc = summary!(DESIGN)]
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> len(project.design(1, design)) > 0
    ///     True
    fn design(team: TeamId, design: DesignId) -> FeatureCollection = |project| Ok(project.design(team, &design).await?.into());

    #[doc = summary!(DESIGN_ESRI)]
    ///
    /// For tools that read this format; `FeatureCollection.from_esri` reads it too.
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///
    /// Returns:
    ///     A list of `EsriFeature` dicts: `attributes`, and `geometry` with `rings` or `paths` and `spatialReference`.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> project.design_esri(1, design)[0]["geometry"]["spatialReference"]
    ///     {'wkid': 4326}
    fn design_esri(team: TeamId, design: DesignId) -> Json<Vec<EsriFeature>> = |project| {
        Ok(Json(project.design_esri(team, &design).await?))
    };

    #[doc = summary!(DESIGN_DIAGRAM_IDS)]
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///
    /// Returns:
    ///     A list of ints.
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> len(project.design_diagram_ids(1, design)) > 0
    ///     True
    fn design_diagram_ids(team: TeamId, design: DesignId) -> Json<Vec<DiagramId>> = |project| {
        Ok(Json(project.design_diagram_ids(team, &design).await?))
    };

    #[doc = summary!(DESIGN_TIMELINE)]
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///
    /// Returns:
    ///     A dict from diagram id to a dict with `start` and `end` (`YYYY-MM-DD`, or None).
    ///
    /// Raises:
    ///     NotFoundError: There is no such team or design.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> sorted(project.design_timeline(1, design)) == project.design_diagram_ids(1, design)
    ///     True
    fn design_timeline(team: TeamId, design: DesignId) -> Json<Timeline> = |project| {
        Ok(Json(project.design_timeline(team, &design).await?))
    };

    #[doc = summary!(DESIGN_SYSTEM_PROJECTS)]
    ///
    /// Args:
    ///     team: The team's id.
    ///     design: The design's id.
    ///     system: The system's id, name or tag.
    ///
    /// Returns:
    ///     A `FeatureCollection`.
    ///
    /// Raises:
    ///     InputError: No system has that name or tag; it lists the systems.
    ///     NotFoundError: There is no such team, design or system.
    ///
    /// Examples:
    ///     >>> design = project.designs(1)[0]["id"]
    ///     >>> {feature["properties"]["sysid"] for feature in project.design_system_projects(1, design, 3)}
    ///     {3}
    fn design_system_projects(team: TeamId, design: DesignId, system: SystemReference) -> FeatureCollection = |project| {
        let system = project.find_system(&system).await?;
        Ok(project.design_system_projects(team, &design, system).await?.into())
    };
}
