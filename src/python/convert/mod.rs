//! Values on their way from Python to Rust and back.

pub mod arguments;
pub mod errors;
pub mod extras;
pub mod geometries;
pub mod to_python;
pub mod uploads;
