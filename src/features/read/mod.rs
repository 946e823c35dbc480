//! Parses bodies: whole ones, diagrams that are still being received, and feature-JSON.

pub mod feature_json;
pub mod parse;
pub mod properties;
pub mod streaming;

mod diagram_chunks;
mod visitors;
