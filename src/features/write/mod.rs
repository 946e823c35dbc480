//! Writes collections: as GeoJSON, as HTML, and as the ragged arrays that shapely reads.

pub mod geojson;
pub mod html_preview;
pub mod ragged;
pub mod unique_ids;
