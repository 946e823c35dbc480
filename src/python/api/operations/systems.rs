//! Systems, with their evaluation and impact maps.

use pyo3::prelude::*;

use crate::client;
use crate::model::{DiagramId, SystemDetail, SystemId, Username};
use crate::python::api::features::FeatureCollection;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::convert::geometries::Features;
use crate::python::convert::to_python::Json;
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    /// The systems by name and colour. `system(sysid)` has the figures of one.
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

    /// One system with its figures.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A `SystemDetail` dict: `id`, `name`, `color` (`#RRGGBB`), `verbose_description`, `tag`, `cost` (per hectare, or per
    ///     kilometre of a diagram with lines only), `budget`, `current_ha` and `target_ha` (hectares).
    ///
    /// Raises:
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> project.system(1)["tag"]
    ///     'WAT'
    fn system(sysid: SystemId) -> Json<SystemDetail> = |project| Ok(Json(project.system(sysid).await?));

    /// The ids of a system's diagrams.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A list of ints.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> project.system_diagram_ids(1)[:3]
    ///     [1001, 1002, 1003]
    fn system_diagram_ids(sysid: SystemId) -> Json<Vec<DiagramId>> = |project| Ok(Json(project.system_diagram_ids(sysid).await?));

    /// The evaluation map of a system: where change is wanted, and where not.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///
    /// Returns:
    ///     A `FeatureCollection` with the properties `areatype` (`red` where change is least wanted, `green` where it is
    ///     most) and `color`; its `metadata` has `sysid`.
    ///
    /// Raises:
    ///     NotFoundError: The project has no such system.
    ///
    /// Examples:
    ///     >>> sorted({feature["properties"]["areatype"] for feature in project.evaluation(1)})
    ///     ['green', 'red', 'yellow']
    fn evaluation(sysid: SystemId) -> FeatureCollection = |project| Ok(project.evaluation(sysid).await?.into());

    /// Sets the evaluation map of a system: where change is wanted, and where not.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     features: Polygons, as `add_diagram` takes them, each with an `areatype`: from `green3` (feasible) over `green2`,
    ///         `green`, `yellow` and `red2` to `red`. They may have a `color` (`#RRGGBB`) too.
    ///     username: The member in whose name it is set. Default: the user's own.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: A feature without `areatype`, or a geometry that cannot be sent; nothing was sent.
    ///     NotFoundError: The project has no such system.
    ///     PermissionDeniedError: The user named is not a member of the project.
    ///
    /// Examples:
    ///     >>> project.set_evaluation(1, project.evaluation(1).to_geopandas())
    ///     'The map was set.'
    #[pyo3(signature = (sysid, features, username=None))]
    fn set_evaluation(sysid: SystemId, features: Features, username: Option<Username>) -> String = |project| {
        Ok(project.set_evaluation(sysid, &features.into_evaluation()?, username.as_ref()).await?)
    };

    /// Sets the impact map of a system.
    ///
    /// Args:
    ///     sysid: The system's id.
    ///     features: Polygons, as `add_diagram` takes them, with any attributes.
    ///     username: The member in whose name it is set. Default: the user's own.
    ///
    /// Returns:
    ///     The service's message.
    ///
    /// Raises:
    ///     InputError: A geometry that cannot be sent; nothing was sent.
    ///     NotFoundError: The project has no such system.
    ///     PermissionDeniedError: The user named is not a member of the project.
    ///
    /// Examples:
    ///     >>> project.set_impact(1, project.evaluation(1).to_geopandas())
    ///     'The map was set.'
    #[pyo3(signature = (sysid, features, username=None))]
    fn set_impact(sysid: SystemId, features: Features, username: Option<Username>) -> String = |project| {
        Ok(project.set_impact(sysid, &features.into_map()?, username.as_ref()).await?)
    };
}
