//! Arrow columns of a body: built row by row from JSON, one chunk at a time, and concatenated into one table.

mod builder;
mod cells;
mod chunk;
mod concat;
mod error;
mod infer;
pub mod json_values;
mod shared;
mod undocumented;
mod wkb;

pub use builder::ChunkBuilder;
pub use chunk::ColumnChunk;
pub use concat::concat;
pub use error::{ColumnError, TableError};
pub use json_values::UnexpectedValue;
