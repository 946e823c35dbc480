//! GeoJSON geometries (RFC 7946), read and written without a tree of JSON values in between.

mod read;
mod write;

pub use read::GeometrySeed;
