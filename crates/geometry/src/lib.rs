//! Geometries: read from and written as GeoJSON, WKB and feature-JSON; checked; measured in hectares and kilometres on WGS 84; overlaid.
//!
//! Coordinates are longitude, latitude (degrees, WGS 84) and optionally a height in metres. The crate has no resources, tables or
//! requests. [`json`] reads large bodies of geometries.
//!
//! ```
//! use geodesign_geometry::{Geometry, GeometrySeed, Lands, Measure, check};
//! use serde::de::DeserializeSeed;
//!
//! fn read(geojson: &str) -> Option<Geometry> {
//!     GeometrySeed.deserialize(&mut serde_json::Deserializer::from_str(geojson)).ok()?
//! }
//!
//! let pond = r#"{"type": "Polygon", "coordinates": [[[-9.15, 38.72], [-9.14, 38.72], [-9.14, 38.73], [-9.15, 38.72]]]}"#;
//! let pond = read(pond).expect("it is a polygon");
//! assert!(check(&pond).is_ok());
//! let hectares = Measure::of(&pond).expect("its corners are degrees").square_metres / 10_000.0;
//! assert!((48.2..48.3).contains(&hectares), "{hectares}");
//!
//! // Along geodesics, as it is measured.
//! let lands = Lands::of([Some(&pond)], usize::MAX)?;
//! assert!((lands.square_metres()[0] / 10_000.0 - hectares).abs() < 1e-6);
//! # Ok::<(), geodesign_geometry::TooMuch>(())
//! ```

pub mod json;

mod antimeridian;
mod between;
mod classes;
mod consensus;
mod crs;
mod drawn;
mod ellipsoid;
mod esri;
#[cfg(feature = "geo")]
mod geo_types_crate;
mod geodesic;
mod geojson;
#[cfg(feature = "geojson")]
mod geojson_crate;
mod geojson_file;
mod ground;
mod inside;
mod intersects;
mod land;
mod lines;
mod on_land;
mod overlay;
mod places;
mod plane;
mod projection;
mod region;
mod shape;
mod short_edges;
mod validity;
mod wkb;

pub use antimeridian::{cut as cut_at_antimeridian, edge_across};
pub use classes::LandInClasses;
pub use consensus::{Voted, Votes};
pub use crs::{OTHER_CRS, crs_name, is_wgs84};
pub use esri::{EsriError, EsriGeometry, SpatialReference};
#[cfg(feature = "geo")]
pub use geo_types_crate::GeoTypesError;
pub use geodesic::{Measure, Measured, SQUARE_METRES_PER_HECTARE, total};
pub use geojson::GeometrySeed;
#[cfg(feature = "geojson")]
pub use geojson_crate::GeojsonError;
pub use geojson_file::{GeojsonFeature, GeojsonFileError, GeojsonFileLimits, read_geojson};
pub use ground::TooMuch;
pub use inside::{Inside, inside};
pub use intersects::{Outline, TimeIsOver, extent_of};
pub use on_land::OnLand;
pub use overlay::{Lands, MIN_SHARED, SharedWithDrawing};
pub use places::Choices;
pub use projection::Crs;
pub use region::{NEGLIGIBLE_SHARE, Region, Shared, overlapping};
pub use shape::{Geometry, Shape, ShapeKind};
pub use validity::{ComponentPath, InvalidGeometry, around_the_earth, check};
pub use wkb::{
    WkbError, read as read_wkb, read_coarsely as read_wkb_coarsely, read_or_reason as read_wkb_or_reason,
    write as write_wkb, write_as_is as write_wkb_as_is,
};
