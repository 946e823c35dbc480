//! From columns and bytes to what a notebook, a file or another library takes.

pub mod geojson;
pub mod html_preview;
pub mod ragged;
