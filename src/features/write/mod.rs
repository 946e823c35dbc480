//! Writes collections: as GeoJSON, as HTML, and as the ragged arrays that shapely reads.

mod diagram_texts;
pub mod geojson;
pub mod html_preview;
mod members;
pub mod ragged;
pub mod unique_ids;
