//! Geometries: read from and written as GeoJSON, WKB and feature-JSON; checked; measured in hectares and kilometres on WGS 84.
//!
//! Coordinates are longitude, latitude (degrees, WGS 84) and, where given, a height in metres.

mod antimeridian;
mod classes;
mod crs;
mod drawn;
mod esri;
#[cfg(feature = "geo")]
mod geo_types_crate;
mod geodesic;
mod geojson;
#[cfg(feature = "geojson")]
mod geojson_crate;
mod geojson_file;
mod ground;
mod intersects;
mod land;
mod overlay;
mod plane;
mod projection;
mod region;
mod shape;
mod short_edges;
mod validity;
mod wkb;

pub use antimeridian::{cut as cut_at_antimeridian, edge_across};
pub use classes::LandInClasses;
pub use crs::{OTHER_CRS, crs_name, is_wgs84};
pub use esri::{EsriError, EsriGeometry, SpatialReference};
#[cfg(feature = "geo")]
pub use geo_types_crate::GeoTypesError;
pub use geodesic::{Measure, Measured, total};
pub use geojson::GeometrySeed;
#[cfg(feature = "geojson")]
pub use geojson_crate::GeojsonError;
pub use geojson_file::{GeojsonFeature, GeojsonFileError, GeojsonFileLimits, read_geojson};
pub use ground::TooMuch;
pub use intersects::{Outline, TimeIsOver, extent_of};
pub use overlay::{Lands, MIN_SHARED, SharedWithDrawing};
pub use projection::Crs;
pub use region::{NEGLIGIBLE_SHARE, Region, Shared, overlapping};
pub use shape::{Geometry, Shape, ShapeKind};
pub use validity::{ComponentPath, InvalidGeometry, around_the_earth, check};
pub use wkb::{
    WkbError, read as read_wkb, read_coarsely as read_wkb_coarsely, read_or_reason as read_wkb_or_reason,
    write as write_wkb, write_as_is as write_wkb_as_is,
};
