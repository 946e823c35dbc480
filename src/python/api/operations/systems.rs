//! Systems, with their evaluation and impact maps.

use pyo3::prelude::*;

use crate::client::{self, SystemReference};
use crate::model::{DiagramId, SystemDetail, Username};
use crate::python::api::features::FeatureCollection;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::geometries::Features;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    #[doc = summary!(SYSTEMS)]
    ///
    /// `system(…)` has the figures of one.
    ///
    /// Returns:
    ///     A list of `System` dicts: `id`, `name`, `color` (`#RRGGBB`), `verbose_description`. The figures `tag`, `cost`,
    ///     `budget`, `current_ha` and `target_ha` are None where the service leaves them out of the list.
    ///
    /// Examples:
    ///     >>> project.systems()[0]["name"]
    ///     'Water'
    #[pyo3(signature = () -> "list[System]")]
    fn systems() -> Json<Vec<SystemDetail>> = |project| Ok(Json(project.systems().await?));

    #[doc = summary!(SYSTEM)]
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///
    /// Returns:
    ///     A `SystemDetail` dict: `id`, `name`, `color` (`#RRGGBB`), `verbose_description`, `tag`, `cost` (per hectare, or per
    ///     kilometre of a diagram with lines only), `budget`, `current_ha` and `target_ha` (hectares).
    ///
    /// Raises:
    ///     InputError: The project has no system of that name; it lists the systems.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> project.system("Water")["tag"]
    ///     'WAT'
    fn system(system: SystemReference) -> Json<SystemDetail> = |project| {
        Ok(Json(project.system(project.find_system(&system).await?).await?))
    };

    #[doc = summary!(SYSTEM_DIAGRAM_IDS)]
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///
    /// Returns:
    ///     A list of ints.
    ///
    /// Raises:
    ///     InputError: The project has no system of that name; it lists the systems.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> project.system_diagram_ids(1)[:3]
    ///     [1001, 1002, 1003]
    fn system_diagram_ids(system: SystemReference) -> Json<Vec<DiagramId>> = |project| {
        Ok(Json(project.system_diagram_ids(project.find_system(&system).await?).await?))
    };

    #[doc = summary!(EVALUATION)]
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///
    /// Returns:
    ///     A `FeatureCollection` with the properties `areatype` (`red` where change is least wanted, `green` where it is
    ///     most) and `color`; its `metadata` has `sysid`.
    ///
    /// Raises:
    ///     InputError: The project has no system of that name; it lists the systems.
    ///     NotFoundError: The project has no system with that id.
    ///
    /// Examples:
    ///     >>> sorted({feature["properties"]["areatype"] for feature in project.evaluation(1)})
    ///     ['green', 'red', 'yellow']
    fn evaluation(system: SystemReference) -> FeatureCollection = |project| {
        Ok(project.evaluation(project.find_system(&system).await?).await?.into())
    };

    #[doc = summary!(SET_EVALUATION)]
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///     features: Polygons, as `add_diagram` takes them, each with an `areatype`: from `green3` (feasible) over `green2`,
    ///         `green`, `yellow` and `red2` to `red`. They may have a `color` (`#RRGGBB`) too.
    ///     username: The member in whose name it is set. Default: the user's own.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: A feature without `areatype`, a geometry that cannot be sent, or no system of that name; nothing was sent.
    ///     NotFoundError: The project has no system with that id.
    ///     PermissionDeniedError: The user named is not a member of the project.
    ///
    /// Examples:
    ///     >>> project.set_evaluation(1, project.evaluation(1).to_geopandas())
    ///     'The map was set.'
    #[pyo3(signature = (system, features, username=None))]
    fn set_evaluation(system: SystemReference, features: Features, username: Option<Username>) -> String = |project| {
        let features = features.into_evaluation()?;
        let system = project.find_system(&system).await?;
        Ok(project.set_evaluation(system, &features, username.as_ref()).await?)
    };

    #[doc = summary!(SET_IMPACT)]
    ///
    /// Args:
    ///     system: The system's id, name or tag.
    ///     features: Polygons, as `add_diagram` takes them, with any attributes.
    ///     username: The member in whose name it is set. Default: the user's own.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: A geometry that cannot be sent, or no system of that name; nothing was sent.
    ///     NotFoundError: The project has no system with that id.
    ///     PermissionDeniedError: The user named is not a member of the project.
    ///
    /// Examples:
    ///     >>> project.set_impact(1, project.evaluation(1).to_geopandas())
    ///     'The map was set.'
    #[pyo3(signature = (system, features, username=None))]
    fn set_impact(system: SystemReference, features: Features, username: Option<Username>) -> String = |project| {
        let features = features.into_map()?;
        let system = project.find_system(&system).await?;
        Ok(project.set_impact(system, &features, username.as_ref()).await?)
    };
}
