//! The study area: its extent, its boundaries and the land that cannot change.

use pyo3::prelude::*;

use crate::client;
use crate::python::api::features::FeatureCollection;
use crate::python::api::project::{AsyncProject, Project};
use crate::python::engine::operations::operations;

operations! { Project / AsyncProject of client::Project:
    /// The bounds of the study area.
    ///
    /// Returns:
    ///     West, south, east, north in degrees (WGS 84).
    ///
    /// Examples:
    ///     >>> west, south, east, north = project.bounds()
    ///     >>> west < east and south < north
    ///     True
    fn bounds() -> (f64, f64, f64, f64) = |project| {
        let bounds = project.bounds().await?;
        Ok((bounds.west, bounds.south, bounds.east, bounds.north))
    };

    /// The middle of the study area.
    ///
    /// Returns:
    ///     Longitude, latitude in degrees (WGS 84).
    ///
    /// Examples:
    ///     >>> [round(degrees, 2) for degrees in project.center()]
    ///     [-74.15, 40.57]
    fn center() -> (f64, f64) = |project| {
        let center = project.center().await?;
        Ok((center.longitude, center.latitude))
    };

    /// The outline of the study area.
    ///
    /// Returns:
    ///     A `FeatureCollection`; its `metadata` has `description`, with the source.
    ///
    /// Examples:
    ///     >>> project.boundaries()["features"][0]["properties"]["bname"]
    ///     'Staten Island'
    fn boundaries() -> FeatureCollection = |project| Ok(project.boundaries().await?.into());

    /// The second set of boundaries, such as the surroundings of the study area.
    ///
    /// Returns:
    ///     A `FeatureCollection`; its `metadata` has `description`, with the source.
    ///
    /// Examples:
    ///     >>> len(project.second_boundaries())
    ///     5
    fn second_boundaries() -> FeatureCollection = |project| Ok(project.second_boundaries().await?.into());

    /// Land that no system may change.
    ///
    /// Returns:
    ///     A `FeatureCollection`; its `metadata` has `description` and `area` (m²).
    ///
    /// Examples:
    ///     >>> len(project.constraints())
    ///     3
    fn constraints() -> FeatureCollection = |project| Ok(project.constraints().await?.into());
}
