//! What a project is about and who takes part in it.

use pyo3::prelude::*;

use crate::client;
use crate::model::{Member, NegotiationSession, Plugin, ProjectInfo, Stakeholder, Uuid};
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    /// Title, description, start date and type of the project.
    ///
    /// Returns:
    ///     A `ProjectInfo` dict.
    ///
    /// Examples:
    ///     >>> project.info()["projecttitle"]
    ///     'Staten Island 2050'
    fn info() -> Json<ProjectInfo> = |project| Ok(Json(project.info().await?));

    /// The members of the project.
    ///
    /// Returns:
    ///     A list of dicts with `username`.
    ///
    /// Examples:
    ///     >>> project.members()[0]
    ///     {'username': 'admin'}
    fn members() -> Json<Vec<Member>> = |project| Ok(Json(project.members().await?));

    /// The stakeholders: people and groups whose interests the project considers.
    ///
    /// Returns:
    ///     A list of dicts with `id` (a UUID) and `name`.
    ///
    /// Examples:
    ///     >>> len(project.stakeholders())
    ///     8
    fn stakeholders() -> Json<Vec<Stakeholder>> = |project| Ok(Json(project.stakeholders().await?));

    /// Adds stakeholders.
    ///
    /// Args:
    ///     names: Their names. A stakeholder that the project already has is not added again.
    ///
    /// Returns:
    ///     The service's message, with the number of stakeholders created and added.
    ///
    /// Raises:
    ///     InputError: A name is empty; nothing was sent.
    ///
    /// Examples:
    ///     >>> project.add_stakeholders(["Oyster growers"])
    ///     'Stakeholders created and added: 1.'
    fn add_stakeholders(names: Vec<String>) -> String = |project| Ok(project.add_stakeholders(&names).await?);

    /// The extensions that the project uses.
    ///
    /// Returns:
    ///     A list of dicts with `id` (a UUID) and `description`.
    ///
    /// Examples:
    ///     >>> len(project.plugins())
    ///     3
    fn plugins() -> Json<Vec<Plugin>> = |project| Ok(Json(project.plugins().await?));

    /// Replaces the plugins of the project.
    ///
    /// Args:
    ///     ids: Their UUIDs.
    ///
    /// Returns:
    ///     The service's message, with the number of plugins added.
    ///
    /// Raises:
    ///     InputError: One of the ids is not a UUID; nothing was sent.
    ///
    /// Examples:
    ///     >>> project.set_plugins([plugin["id"] for plugin in project.plugins()])
    ///     'Plugins added: 3.'
    fn set_plugins(ids: Vec<Uuid>) -> String = |project| Ok(project.set_plugins(&ids).await?);

    /// What change teams accepted and rejected while they negotiated one design out of two.
    ///
    /// Returns:
    ///     A list of `NegotiationSession` dicts: `session_id`, `cteams` (team ids) and `moves`, a list of dicts with
    ///     `diagram` (its id), `move` and `timestamp` (ISO 8601, without zone).
    ///
    /// Examples:
    ///     >>> len(project.negotiation_logs())
    ///     3
    fn negotiation_logs() -> Json<Vec<NegotiationSession>> = |project| Ok(Json(project.negotiation_logs().await?));
}
