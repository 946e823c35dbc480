//! Feature-JSON geometries: `rings`, `paths`, `points` or `x`/`y`, and the spatial reference of their coordinates.
//!
//! A polygon there is a flat list of rings: clockwise rings are exteriors, counter-clockwise ones are holes.

mod convert;
mod geometry;
mod rings;
#[cfg(test)]
mod tests;

pub use convert::EsriError;
pub use geometry::{EsriGeometry, SpatialReference};
