//! Values from Python to Rust and back, and errors as exceptions.

pub mod arguments;
pub mod errors;
pub mod external_frame;
pub mod from_python;
pub mod geometries;
pub mod results;
pub mod row_diagrams;
pub mod to_python;
