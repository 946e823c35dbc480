//! Geometries: read from and written as GeoJSON, WKB and feature-JSON; checked; measured in hectares and kilometres on WGS 84.
//!
//! Coordinates are longitude, latitude (degrees, WGS 84) and, where given, a height in metres.

mod esri;
mod geodesic;
mod geojson;
mod shape;
mod short_edges;
mod validity;
mod wkb;

pub use esri::{EsriError, EsriGeometry, SpatialReference};
pub use geodesic::{Measure, total};
pub use geojson::GeometrySeed;
pub use shape::{Geometry, Shape, ShapeKind};
pub use validity::{ComponentPath, InvalidGeometry, check};
pub use wkb::{read as read_wkb, read_coarsely as read_wkb_coarsely, write as write_wkb};
