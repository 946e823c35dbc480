//! Values from Python to Rust and back, and errors as exceptions.

pub mod answers;
pub mod arguments;
pub mod arrow;
pub mod bad_rows;
pub mod errors;
pub mod external_frame;
pub mod extras;
pub mod from_python;
pub mod garbage_collection;
pub mod geometries;
pub mod given;
pub mod heights;
pub mod pickling;
pub mod plain_words;
pub mod row_diagrams;
pub mod sync_report;
pub mod to_python;
pub mod upload_report;
