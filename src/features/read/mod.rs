//! From the bytes of a body to columns.

pub mod columns;
pub mod concat;
pub mod feature_json;
pub mod parse;
pub mod streaming;
