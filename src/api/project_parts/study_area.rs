//! The land of a project.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::side;
use crate::api::project::{AsyncProject, Project};
use crate::convert::arguments::Metadata;
use crate::convert::geometries::Features;
use crate::convert::results::{Nothing, Reduced};
use crate::engine::operations::operations;
use geodesign::model::{ContextGeometry, JsonObject, LayerType, NewLayer, ServerType};
use geodesign_client as client;
use geodesign_client::ProjectMap;

/// The land of a project: its bounds, boundaries, constraints, context and data layers. It is `project.study_area`.
///
/// Examples:
///     >>> project.study_area.boundaries()["features"][0]["properties"]["bname"]
///     'Staten Island'
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct StudyArea(client::Project);

/// The land of a project: `AsyncProject.study_area`, the methods of `StudyArea`, awaited.
///
/// Examples:
///     >>> import asyncio
///     >>> from pygeodesign import Sandbox
///     >>> async def west(sandbox):
///     ...     return (await sandbox.async_client().project("StatenIsland2050").study_area.bounds())[0]
///     >>> with Sandbox() as sandbox:
///     ...     round(asyncio.run(west(sandbox)))
///     -74
#[pyclass(frozen, weakref, module = "pygeodesign")]
pub struct AsyncStudyArea(client::Project);

side! { StudyArea of Project by study_area }
side! { AsyncStudyArea of AsyncProject by study_area }

operations! { StudyArea / AsyncStudyArea of client::Project:
    #[doc = summary!(BOUNDS)]
    ///
    /// Returns:
    ///     West, south, east, north in degrees (WGS 84). None if the service has none; pygeodesign's always has them.
    ///
    /// Examples:
    ///     >>> west, south, east, north = project.study_area.bounds()
    ///     >>> west < east and south < north
    ///     True
    fn bounds() -> Option<(f64, f64, f64, f64)> = |project| {
        Ok(project.bounds().await?.map(|bounds| (bounds.west, bounds.south, bounds.east, bounds.north)))
    };

    #[doc = summary!(CENTER)]
    ///
    /// Returns:
    ///     Longitude, latitude in degrees (WGS 84). None if the service has none; pygeodesign's always has them.
    ///
    /// Examples:
    ///     >>> [round(degrees, 2) for degrees in project.study_area.center()]
    ///     [-74.15, 40.57]
    fn center() -> Option<(f64, f64)> = |project| {
        Ok(project.center().await?.map(|center| (center.longitude, center.latitude)))
    };

    #[doc = summary!(ADD_LAYER)]
    ///
    /// Args:
    ///     url: The https address of the map.
    ///     server_type: `esri`, `eorg`, `mapserver`, `geoserver`, `mapcentia-gc2` or `other`.
    ///     layer_type: `WMS`, `XYZ`, `esri-basemap`, `esri-tilelayer`, `esri-dynamicmaplayer`, `esri-imagemaplayer` or
    ///         `esri-featurelayer`, in upper or lower case.
    ///     layer_name: The layer's name on that server.
    ///     display_name: The name that users see. Default: `layer_name`.
    ///     attribution: The source to credit.
    ///     additional_metadata: A dict with any content.
    ///
    /// Raises:
    ///     InputError: An unknown type of server or layer, or an address that is not https; nothing was sent.
    ///
    /// Examples:
    ///     >>> project.study_area.add_layer(
    ///     ...     "https://tiles.example.org/{z}/{x}/{y}.png", server_type="other", layer_type="XYZ", layer_name="Relief"
    ///     ... )
    ///     >>> project.study_area.layers()[-1]["display_name"]
    ///     'Relief'
    #[pyo3(
        signature = (url, *, server_type, layer_type, layer_name, display_name=None, attribution="".to_owned(), additional_metadata=None),
        text_signature = "($self, url, *, server_type, layer_type, layer_name, display_name=None, attribution='', additional_metadata=None)"
    )]
    fn add_layer(
        url: String, server_type: ServerType, layer_type: LayerType, layer_name: String, display_name: Option<String>,
        attribution: String, additional_metadata: Option<Metadata>,
    ) -> Nothing = |project| {
        let additional_metadata = additional_metadata.map(|Metadata(metadata)| metadata).or_else(|| Some(JsonObject::new()));
        let layer = NewLayer {
            server_type,
            layer_type,
            url,
            display_name: display_name.unwrap_or_else(|| layer_name.clone()),
            layer_name,
            attribution,
            additional_metadata,
        };
        project.add_layer(&layer).await?;
        Ok(Nothing)
    };

    #[doc = summary!(SET_BOUNDARIES)]
    ///
    /// Args:
    ///     features: Polygons, as for `Project.add_diagram`; a `bname` or `name` among their attributes names them.
    ///     description: The name of the boundaries.
    ///     second: True to set the second set of boundaries.
    ///
    /// Raises:
    ///     InputError: Lines, or a geometry that `Project.add_diagram` refuses too; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.study_area.set_boundaries(project.study_area.boundaries().to_geopandas(), "Staten Island")
    #[pyo3(signature = (features, description="".to_owned(), *, second=false), text_signature = "($self, features, description='', *, second=False)")]
    fn set_boundaries(features: Features, description: String, second: bool) -> Nothing = |project| {
        let map = if second { ProjectMap::SecondBoundaries } else { ProjectMap::Boundaries };
        project.set_project_map(map, features.into_map()?, description).await?;
        Ok(Nothing)
    };

    #[doc = summary!(SET_CONSTRAINTS)]
    ///
    /// Args:
    ///     features: Polygons or lines, as for `Project.add_diagram`.
    ///     description: The name of the constraints.
    ///
    /// Raises:
    ///     InputError: A geometry that `Project.add_diagram` refuses too; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.study_area.set_constraints(project.study_area.constraints().to_geopandas(), "Reserves")
    #[pyo3(signature = (features, description="".to_owned()), text_signature = "($self, features, description='')")]
    fn set_constraints(features: Features, description: String) -> Nothing = |project| {
        project.set_project_map(ProjectMap::Constraints, features.into_map()?, description).await?;
        Ok(Nothing)
    };

    #[doc = summary!(SET_CONTEXT)]
    ///
    /// Args:
    ///     features: Points, lines or polygons, in any form that `Project.add_diagram` reads. Two attributes of each feature are read. `kind` is
    ///         `place`, `water`, `road`, `rail`, `park` or `district`; without it, a point is a place, a line a road and a polygon a
    ///         district. `name` is text; places must have it.
    ///     description: The name of the context.
    ///
    /// Raises:
    ///     InputError: An unknown kind, a place without a name, or an invalid geometry; nothing was sent.
    ///     PermissionDeniedError: The user is not an administrator of the project.
    ///
    /// Examples:
    ///     >>> project.study_area.set_context(project.study_area.context().to_geopandas(), "Neighborhoods")
    #[pyo3(signature = (features, description="".to_owned()), text_signature = "($self, features, description='')")]
    fn set_context(features: Features<ContextGeometry>, description: String) -> Nothing = |project| {
        project.set_context(features.into_map()?, description).await?;
        Ok(Nothing)
    };
}
